#include "testing.h"

#include "base/csv.h"

struct bed {
    struct arena arena;
    struct csv csv;
    struct err err;
    char message[512];
};

static const char *open_text(struct bed *b, const char *text)
{
    *b = (struct bed){.err = ERR_INIT};
    if (!csv_read_text(&b->csv, "t.csv", text, strlen(text), &b->arena, &b->err))
        err_text(&b->err, b->message, sizeof b->message);
    return b->message;
}

TEST(rows_have_fields_and_lines)
{
    UNUSED_STATE;
    struct bed b;
    assert_string_equal(open_text(&b, "# a remark\na,b,c\n1,2,3\r\n\n,,x"), "");
    assert_int_equal(b.csv.head.count, 3);
    assert_int_equal(b.csv.count, 2);
    assert_string_equal(b.csv.rows[0].fields[2], "3");
    assert_int_equal(b.csv.rows[0].line, 3);
    assert_string_equal(b.csv.rows[1].fields[0], "");
    assert_string_equal(b.csv.rows[1].fields[2], "x");
    assert_int_equal(b.csv.rows[1].line, 5);
    assert_int_equal(csv_column(&b.csv, "b"), 1);
    assert_int_equal(csv_column(&b.csv, "d"), UINT32_MAX);
    arena_fini(&b.arena);
}

TEST(quotes_keep_commas_lines_and_quotes)
{
    UNUSED_STATE;
    struct bed b;
    assert_string_equal(open_text(&b, "a,b\n\"x, \"\"y\"\"\",\"two\nlines\"\nlast,row\n"), "");
    assert_string_equal(b.csv.rows[0].fields[0], "x, \"y\"");
    assert_string_equal(b.csv.rows[0].fields[1], "two\nlines");
    assert_int_equal(b.csv.rows[1].line, 4);
    arena_fini(&b.arena);
}

TEST(bad_tables_are_refused_with_their_line)
{
    UNUSED_STATE;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "t.csv:1:1: the file is empty, expected a row with the names of the columns"},
        {"a,b\n1\n", "t.csv:2:1: a row has 1 fields, expected 2 as the first row has"},
        {"a\n\"open\n", "t.csv:3:1: a quote is not closed"},
        {"a\n\"x\"y\n",
         "t.csv:2:1: a field is followed by text, expected a comma or the line's end"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct bed b;
        assert_string_equal(open_text(&b, cases[i].text), cases[i].message);
        arena_fini(&b.arena);
    }
}

TEST(a_row_has_up_to_256_fields)
{
    UNUSED_STATE;
    char text[600];
    struct bed b;
    memset(text, ',', sizeof text);
    text[255] = '\0'; /* commas between 256 empty fields */
    assert_string_equal(open_text(&b, text), "");
    assert_int_equal(b.csv.head.count, 256);
    arena_fini(&b.arena);
    text[255] = ',';
    text[256] = '\0';
    assert_string_equal(open_text(&b, text), "t.csv:1:1: a row has more than 256 fields");
    arena_fini(&b.arena);
}

RUN_TESTS(T(a_row_has_up_to_256_fields), T(rows_have_fields_and_lines),
          T(quotes_keep_commas_lines_and_quotes), T(bad_tables_are_refused_with_their_line))
