#include "testing.h"

#include "base/err.h"
#include "base/names.h"

static void expect_text(const struct err *err, const char *text)
{
    char line[1600];
    err_text(err, line, sizeof line);
    assert_string_equal(line, text);
}

TEST(err_names_place_found_and_expected)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct src_pos at = {"chips/fermi.yaml", 41, 17};
    assert_false(err_found(&err, at, "size_bytes", "16000", "a multiple of %u", 512u));
    expect_text(&err, "chips/fermi.yaml:41:17: size_bytes is 16000, expected a multiple of 512");
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(err.found, "16000");
}

TEST(a_place_is_a_column_a_line_or_a_file)
{
    UNUSED_STATE;
    static const struct {
        struct src_pos at;
        const char *expected;
    } rows[] = {{{"a.csv", 3, 7}, "a.csv:3:7: wrong"},
                {{"a.csv", 3, 0}, "a.csv:3: wrong"},
                {{"a.csv", 0, 0}, "a.csv: wrong"},
                {{NULL, 0, 0}, "wrong"}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        err_at(&err, rows[i].at, "wrong");
        expect_text(&err, rows[i].expected);
    }
}

TEST(err_unknown_lists_few_names_and_the_nearest)
{
    UNUSED_STATE;
    static const char *const names[] = {"drrip", "lru", "srrip"};
    struct err err = ERR_INIT;
    err_unknown(&err, (struct src_pos){"a.yaml", 44, 18}, "replacement", "srip", names, 3, NULL);
    expect_text(&err, "a.yaml:44:18: unknown replacement 'srip', expected drrip, lru or srrip "
                      "(nearest: srrip)");
}

TEST(err_unknown_points_to_the_list_when_names_are_many)
{
    UNUSED_STATE;
    const char *names[12];
    for (int i = 0; i < 12; i++)
        names[i] = i ? "other" : "cycles";
    struct err err = ERR_INIT;
    err_unknown(&err, (struct src_pos){0}, "statistic", "cyles", names, 12, "heddle list stats");
    expect_text(&err, "unknown statistic 'cyles', expected a name from `heddle list stats` "
                      "(nearest: cycles)");
}

TEST(err_keeps_the_first_failure)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    err_at(&err, (struct src_pos){"a", 0, 0}, "first");
    err_kind(&err, ERR_INTERNAL, "second");
    expect_text(&err, "a: first");
    assert_int_equal(err.kind, ERR_INPUT);
}

TEST(err_cuts_overlong_text_without_overrunning)
{
    UNUSED_STATE;
    char longtext[4000];
    memset(longtext, 'x', sizeof longtext - 1);
    longtext[sizeof longtext - 1] = '\0';
    struct err err = ERR_INIT;
    err_found(&err, (struct src_pos){longtext, 1, 1}, longtext, longtext, "%s", longtext);
    char line[64];
    assert_true(err_text(&err, line, sizeof line) > sizeof line);
    assert_int_equal(strlen(line), sizeof line - 1);
}

TEST(nearest_counts_a_swap_of_neighbours_as_one_slip)
{
    UNUSED_STATE;
    static const char *const names[] = {"size_bytes", "ways", "line_bytes"};
    assert_string_equal(names_nearest("wasy", names, 3), "ways");
    assert_string_equal(names_nearest("sizebytes", names, 3), "size_bytes");
    assert_null(names_nearest("frequency", names, 3));
    assert_null(names_nearest("", names, 3));
}

TEST(nearest_of_a_short_name_is_one_slip_away)
{
    UNUSED_STATE;
    static const char *const names[] = {"noc", "dvfs"};
    assert_null(names_nearest("foo", names, 2)); /* two letters of three differ from noc */
    assert_string_equal(names_nearest("nok", names, 2), "noc");
    assert_string_equal(names_nearest("dfvs", names, 2), "dvfs");
}

RUN_TESTS(T(nearest_of_a_short_name_is_one_slip_away), T(err_names_place_found_and_expected),
          T(a_place_is_a_column_a_line_or_a_file), T(err_unknown_lists_few_names_and_the_nearest),
          T(err_unknown_points_to_the_list_when_names_are_many), T(err_keeps_the_first_failure),
          T(err_cuts_overlong_text_without_overrunning),
          T(nearest_counts_a_swap_of_neighbours_as_one_slip))
