#include "testing.h"

#include "base/err_report.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/heddle-errors-XXXXXX";

/* The line of the file with this number, from 0. */
static json_t *line_of(u32 number)
{
    char line[8192] = "";
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    for (u32 i = 0; i <= number; i++)
        assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    json_t *row = json_loads(line, 0, NULL);
    assert_non_null(row);
    return row;
}

static const char *text_of(const json_t *row, const char *name)
{
    return json_string_value(json_object_get(row, name));
}

TEST(a_reported_failure_is_a_line_with_all_its_parts)
{
    UNUSED_STATE;
    static const char *const names[] = {"drrip", "lru"};
    close(mkstemp(path));
    setenv("HEDDLE_ERRORS", path, 1);
    struct err err = ERR_INIT;
    err_unknown(&err, (struct src_pos){"a \"b\".yaml", 44, 18}, "replacement", "lrv", names, 2,
                NULL);
    err_report(&err);
    json_t *row = line_of(0);
    assert_string_equal(text_of(row, "schema"), "heddle.error/1");
    assert_string_equal(text_of(row, "sentence"),
                        "a \"b\".yaml:44:18: unknown replacement 'lrv', expected drrip or lru "
                        "(nearest: lru)");
    assert_string_equal(text_of(row, "file"), "a \"b\".yaml");
    assert_int_equal(json_integer_value(json_object_get(row, "line")), 44);
    assert_int_equal(json_integer_value(json_object_get(row, "column")), 18);
    assert_int_equal(json_integer_value(json_object_get(row, "exit_code")), ERR_INPUT);
    assert_int_equal(json_integer_value(json_object_get(row, "process")), getpid());
    assert_string_equal(text_of(row, "found"), "lrv");
    assert_string_equal(text_of(row, "nearest"), "lru");
    json_decref(row);
}

TEST(a_sentence_after_which_the_program_goes_on_has_exit_code_0)
{
    UNUSED_STATE;
    err_report_said("a launch is refused");
    json_t *row = line_of(1);
    assert_string_equal(text_of(row, "sentence"), "a launch is refused");
    assert_int_equal(json_integer_value(json_object_get(row, "exit_code")), 0);
    json_decref(row);
}

TEST(without_a_file_a_failure_is_only_printed)
{
    UNUSED_STATE;
    unsetenv("HEDDLE_ERRORS");
    unlink(path);
    struct err err = ERR_INIT;
    err_kind(&err, ERR_INTERNAL, "nothing works");
    err_report(&err);
    setenv("HEDDLE_ERRORS", "/nowhere/errors", 1);
    err_report(&err);
    assert_int_equal(access(path, F_OK), -1);
}

RUN_TESTS(T(a_reported_failure_is_a_line_with_all_its_parts),
          T(a_sentence_after_which_the_program_goes_on_has_exit_code_0),
          T(without_a_file_a_failure_is_only_printed))
