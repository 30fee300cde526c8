/*
 * Which GPU programs the mixes of a study may hold. bfs was measured with two inputs and accepted
 * with one, kmeans is accepted, spmv has changed since; nw was never measured.
 */
#include "testing.h"

#include "campaign/accepted.h"
#include "campaign/plan.h"
#include "run/mix.h"

#include <unistd.h>

static const char table[] = "sha256,program,size,arguments,accepted,note\n"
                            "aa11,bfs,small,,no,too few misses\n"
                            "aa11,bfs,tiny,--scale 18,yes,\n"
                            "bb22,kmeans,small,,type,\n"
                            "cc33,spmv,small,,load,\n";
static const char sources[] = "program,sha256\nbfs,aa11\nkmeans,bb22\nspmv,cc34\nnw,dd44\n";

struct bed {
    struct arena arena;
    char accepted[40], sources[40];
    struct study_host host;
    struct err err;
};

static void write_file(char *path, const char *text)
{
    strcpy(path, "/tmp/heddle-accepted-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

static void bed_open(struct bed *b, const char *accepted, const char *source)
{
    *b = (struct bed){.err = ERR_INIT};
    write_file(b->accepted, accepted);
    write_file(b->sources, source);
    b->host.accepted = b->accepted;
    b->host.sources = b->sources;
}

static void bed_close(struct bed *b)
{
    unlink(b->accepted);
    unlink(b->sources);
    arena_fini(&b->arena);
}

static const struct program_kind *kind_of(const char *key)
{
    const struct program_kind *k = program_kinds;
    while (k->key && strcmp(k->key, key) != 0)
        k++;
    assert_non_null(k->key);
    return k;
}

static struct application workload(const char *name, const char *size)
{
    return (struct application){.kind = kind_of("workload"), .program = name, .size = size};
}

/* What is said of a mix of one program; the table's name is left out. "" if it is taken. */
static const char *said(struct bed *b, struct application a)
{
    static char text[2000];
    struct mix mix = {.applications = &a, .count = 1};
    b->err = ERR_INIT;
    if (accepted_check_mix(&b->host, &mix, &b->arena, &b->err)) {
        assert_int_equal(b->err.kind, ERR_NONE);
        return "";
    }
    assert_int_equal(b->err.kind, ERR_INPUT);
    err_text(&b->err, text, sizeof text);
    for (char *at; (at = strstr(text, b->accepted));)
        memmove(at, at + strlen(b->accepted), strlen(at + strlen(b->accepted)) + 1);
    return text;
}

TEST(a_program_is_taken_with_the_input_that_was_accepted)
{
    UNUSED_STATE;
    static const char *args[] = {"--scale", "18"};
    struct bed b;
    bed_open(&b, table, sources);
    struct application bfs = workload("bfs", "tiny");
    bfs.args = args;
    bfs.arg_count = 2;
    assert_string_equal(said(&b, bfs), "");
    assert_string_equal(said(&b, workload("kmeans", "small")), ""); /* of another type */
    assert_string_equal(said(&b, workload("kmeans", NULL)), "");    /* small is what it runs at */
    bed_close(&b);
}

TEST(what_was_rejected_or_not_measured_is_refused_with_what_was)
{
    UNUSED_STATE;
    static const char *args[] = {"--scale", "19"};
    struct bed b;
    bed_open(&b, table, sources);
    assert_string_equal(said(&b, workload("bfs", "small")),
                        "bfs (size small) is not accepted: it does not behave as any of the "
                        "published programs ()");
    struct application other = workload("bfs", "tiny");
    other.args = args;
    other.arg_count = 2;
    assert_string_equal(said(&b, other), "bfs (size tiny, --scale 19) was not measured in , "
                                         "expected bfs (size small)");
    assert_string_equal(said(&b, workload("kmeans", "large")),
                        "kmeans (size large) was not measured in , expected kmeans (size small)");
    assert_string_equal(said(&b, workload("nw", "small")),
                        "nw (size small) is not in , expected a measured program");
    bed_close(&b);
}

TEST(a_program_that_has_changed_since_is_refused)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, table, sources);
    assert_string_equal(said(&b, workload("spmv", "small")),
                        "the sources of spmv have changed since  was measured; measure it again");
    bed_close(&b);
    bed_open(&b, table, "program,sha256\nkmeans,bb22\n"); /* it is gone altogether */
    assert_string_equal(said(&b, workload("spmv", "small")),
                        "the sources of spmv have changed since  was measured; measure it again");
    assert_string_equal(said(&b, workload("kmeans", "small")), "");
    bed_close(&b);
}

TEST(one_program_that_is_not_accepted_spoils_a_mix)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, table, sources);
    struct application both[] = {workload("kmeans", "small"), workload("nw", "small")};
    struct mix mix = {.applications = both, .count = 2};
    assert_false(accepted_check_mix(&b.host, &mix, &b.arena, &b.err));
    assert_non_null(strstr(b.err.what, "nw"));
    bed_close(&b);
}

TEST(programs_that_are_not_bundled_and_studies_without_a_table_are_not_asked)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, table, sources);
    struct application trace = {.kind = kind_of("cpu"), .program = "nw"};
    assert_string_equal(said(&b, trace), "");
    b.host.accepted = NULL;
    assert_string_equal(said(&b, workload("nw", "small")), "");
    bed_close(&b);
}

TEST(a_table_without_a_column_or_without_a_file_is_refused)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "program,size,arguments,sha256\nbfs,tiny,,aa11\n", sources);
    assert_string_equal(said(&b, workload("bfs", "tiny")), ":1: there is no column accepted");
    unlink(b.accepted);
    assert_non_null(strstr(said(&b, workload("bfs", "tiny")), "No such file"));
    bed_close(&b);
    bed_open(&b, table, "program,hash\nbfs,aa11\n");
    assert_non_null(strstr(said(&b, workload("bfs", "small")), ":1: there is no column sha256"));
    bed_close(&b);
}

RUN_TESTS(T(a_program_is_taken_with_the_input_that_was_accepted),
          T(what_was_rejected_or_not_measured_is_refused_with_what_was),
          T(a_program_that_has_changed_since_is_refused),
          T(one_program_that_is_not_accepted_spoils_a_mix),
          T(programs_that_are_not_bundled_and_studies_without_a_table_are_not_asked),
          T(a_table_without_a_column_or_without_a_file_is_refused))
