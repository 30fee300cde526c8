/* JSON as text: what jansson itself would write, to the byte. */
#include "testing.h"

#include "stats/json_text.h"

#include <stdlib.h>

static void assert_text(const json_t *value, const char *expected)
{
    struct text t = {0};
    json_text_append(&t, value);
    assert_string_equal(t.data, expected);
    text_fini(&t);
}

TEST(a_result_is_written_with_an_indent_of_one_space)
{
    UNUSED_STATE;
    json_t *o = json_pack("{s:{s:i,s:[i,i]},s:{},s:[],s:b,s:n}", "sm0", "hits", 7, "bins", 1, -20,
                          "none", "empty", "verified", 1, "rate");
    assert_text(o, "{\n \"sm0\": {\n  \"hits\": 7,\n  \"bins\": [\n   1,\n   -20\n  ]\n },\n"
                   " \"none\": {},\n \"empty\": [],\n \"verified\": true,\n \"rate\": null\n}");
    json_decref(o);
}

/* Everything that text can be made of, against the library. */
TEST(text_is_that_of_the_library_to_the_byte)
{
    UNUSED_STATE;
    static const double reals[] = {0.0, 1.0, -2.5, 0.1, 1.0 / 3, 1e300, 1e-300, 123456789.0};
    static const json_int_t integers[] = {
        0, 9, -1, 10, 9223372036854775807ll, -9223372036854775807ll - 1};
    json_t *all = json_array(), *inner = all;
    for (size_t i = 0; i < ARRAY_LEN(reals); i++)
        json_array_append_new(all, json_real(reals[i]));
    for (size_t i = 0; i < ARRAY_LEN(integers); i++)
        json_array_append_new(all, json_integer(integers[i]));
    json_array_append_new(all, json_stringn("a\"b\\c/\n\t\x01\x7f \xc3\xa9", 13));
    json_array_append_new(all, json_stringn("nil\0inside", 10));
    json_array_append_new(all, json_pack("{s:i,s:f}", "a \"key\"", 1, "b", 0.5));
    for (u32 depth = 0; depth < 20; depth++) { /* deeper than a line of spaces is long */
        json_t *more = json_array();
        json_array_append_new(more, json_false());
        json_array_append_new(inner, more);
        inner = more;
    }
    char *expected = json_dumps(all, JSON_INDENT(1));
    assert_text(all, expected);
    free(expected);
    json_decref(all);
}

/* Eight bytes are looked at together, and keys of up to 96 bytes with their spaces are written so.
 */
TEST(keys_are_those_of_the_library_wherever_what_is_escaped_stands)
{
    UNUSED_STATE;
    static const char *const odd[] = {"\"", "\\", "\n", "\x01", "\x1f",    " ",
                                      "!",  "#",  "[",  "]",    "\xc3\xa9"};
    json_t *all = json_object();
    for (size_t k = 0; k < ARRAY_LEN(odd); k++) {
        for (int before = 0; before < 18; before++) {
            char key[64];
            snprintf(key, sizeof key, "%.*s%s%s", before, "abcdefghijklmnopqr", odd[k], "xyz");
            json_object_set_new(all, key, json_integer(before));
        }
    }
    for (int length = 85; length < 105; length++) {
        char key[128];
        snprintf(key, sizeof key, "%0*d", length, length);
        json_object_set_new(all, key, json_integer(length));
    }
    char *expected = json_dumps(all, JSON_INDENT(1));
    assert_text(all, expected);
    free(expected);
    json_decref(all);
}

RUN_TESTS(T(a_result_is_written_with_an_indent_of_one_space),
          T(text_is_that_of_the_library_to_the_byte),
          T(keys_are_those_of_the_library_wherever_what_is_escaped_stands))
