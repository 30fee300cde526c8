/* Rates beside a trace. */
#include "testing.h"

#include "base/file.h"
#include "cpu_trace/rates.h"

#include <unistd.h>

static void put(const char *path, const char *words)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(words, f);
    fclose(f);
}

static void make_trace(char path[64], const char *words)
{
    strcpy(path, "/tmp/heddle-rates-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    put(path, words);
}

static void remove_trace(const char *path)
{
    char rates[80];
    snprintf(rates, sizeof rates, "%s.rates", path);
    unlink(path);
    unlink(rates);
}

static const struct cpu_rates some = {{"wide-chip", 2.5, 1.25}, {"lean-chip", 0.75, 0.5}};

static void refused(const char *trace, const char *word)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct cpu_rates r;
    char text[1600];
    assert_false(cpu_rates_read(trace, &r, &arena, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    err_text(&err, text, sizeof text);
    assert_non_null(strstr(text, word));
    arena_fini(&arena);
}

TEST(what_is_written_is_read_again_also_of_a_window)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct cpu_rates r;
    char path[64];
    make_trace(path, "a trace");
    assert_true(cpu_rates_write(path, &some, &err));
    assert_true(cpu_rates_read(arena_printf(&arena, "%s@10+20", path), &r, &arena, &err));
    assert_string_equal(r.wide.chip, "wide-chip");
    assert_true(r.wide.serial == 2.5 && r.wide.parallel == 1.25);
    assert_true(r.lean.serial == 0.75 && r.lean.parallel == 0.5);
    arena_fini(&arena);
    remove_trace(path);
}

TEST(a_trace_without_rates_is_refused)
{
    UNUSED_STATE;
    char path[64];
    make_trace(path, "a trace");
    refused(path, "the trace has no rates");
    remove_trace(path);
}

TEST(rates_of_another_file_are_refused)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    char path[64];
    make_trace(path, "a trace");
    assert_true(cpu_rates_write(path, &some, &err));
    put(path, "another trace");
    refused(path, "rates of another file");
    remove_trace(path);
}

TEST(a_file_that_holds_no_rates_is_refused)
{
    UNUSED_STATE;
    char path[64], rates[80];
    make_trace(path, "a trace");
    snprintf(rates, sizeof rates, "%s.rates", path);
    put(rates, "{\"bytes\": 7}");
    refused(path, "these are not rates");
    put(rates, "?");
    refused(path, "these are not rates");
    remove_trace(path);
}

RUN_TESTS(T(what_is_written_is_read_again_also_of_a_window), T(a_trace_without_rates_is_refused),
          T(rates_of_another_file_are_refused), T(a_file_that_holds_no_rates_is_refused))
