/* Files that say what runs at the same time, and where. */
#include "testing.h"

#include "machine/cpu_cluster.h"
#include "run/mix.h"
#include "machine/model.h"
#include "cpu_trace/format/writer.h"
#include "gpu/config.h"

#include <stdarg.h>
#include <unistd.h>

static const char *const names[] = {"bfs", "matmul", "vecadd"};

static bool read_mix(struct mix *m, struct arena *arena, const char *text, struct err *err)
{
    *err = ERR_INIT;
    return mix_read_text(m, "m.yaml", text, strlen(text), names, ARRAY_LEN(names), arena, err);
}

/* On a chip with so many SMs. */
static bool place(struct mix *m, u32 sms, struct err *err)
{
    static struct arena names_of_clusters;
    struct gpu_config *c = calloc(1, sizeof *c);
    c->sm.count = sms;
    c->sockets.count = 1;
    struct config chip = {.name = "chip", .data = c};
    bool ok = mix_place(m, model_named("gpu"), &chip, &names_of_clusters, err);
    free(c);
    return ok;
}

static void expect_refused(const char *text, const char *sentence)
{
    struct arena arena = {0};
    struct mix m;
    struct err err;
    char words[1600];
    assert_false(read_mix(&m, &arena, text, &err) && place(&m, 15, &err));
    err_text(&err, words, sizeof words);
    assert_string_equal(words, sentence);
    assert_int_equal(err.kind, ERR_INPUT);
    arena_fini(&arena);
}

TEST(an_application_without_sms_has_all_of_them)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct mix m;
    struct err err;
    assert_true(
        read_mix(&m, &arena, "applications: [{workload: bfs}, {workload: bfs, sms: all}]", &err));
    assert_true(place(&m, 15, &err));
    assert_int_equal(m.count, 2);
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(m.applications[i].first, 0);
        assert_int_equal(m.applications[i].end, 15);
    }
    assert_string_equal(m.applications[0].name, "bfs");
    assert_string_equal(m.applications[1].name, "bfs (2)");
    arena_fini(&arena);
}

TEST(a_number_of_sms_is_counted_from_those_of_the_application_before)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct mix m;
    struct err err;
    assert_true(read_mix(&m, &arena,
                         "applications:\n"
                         "  - {workload: bfs, sms: 4}\n"
                         "  - {workload: matmul, size: tiny, sms: 5-6, args: [--rows, 7]}\n"
                         "  - {workload: vecadd, sms: 8, name: last}\n",
                         &err));
    assert_true(place(&m, 15, &err));
    static const u32 first[] = {0, 5, 7}, end[] = {4, 7, 15};
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(m.applications[i].first, first[i]);
        assert_int_equal(m.applications[i].end, end[i]);
    }
    assert_string_equal(m.applications[1].args[1], "7");
    assert_string_equal(m.applications[2].name, "last");
    arena_fini(&arena);
}

TEST(what_cannot_run_is_refused_in_a_sentence)
{
    UNUSED_STATE;
    expect_refused("about: x", "m.yaml:1:1: `applications:` is missing, expected a list");
    expect_refused("applications: []",
                   "m.yaml:1:15: applications is empty, expected a list of applications");
    expect_refused("applications: [{workload: matmull}]",
                   "m.yaml:1:27: unknown workload 'matmull', expected bfs, matmul or vecadd "
                   "(nearest: matmul)");
    expect_refused(
        "applications: [{name: x}]",
        "m.yaml:1:16: an application has no program, expected workload, program, replay, "
        "trace, synthetic or cpu");
    expect_refused("applications: [{workload: bfs, trace: t}]",
                   "m.yaml:1:32: an application has both workload and trace, expected one");
    expect_refused("applications: [{workload: bfs, sm: 4}]",
                   "m.yaml:1:32: unknown key of an application 'sm', expected a name from "
                   "`docs/howto/mixes.md` (nearest: sms)");
    expect_refused("applications: [{workload: bfs, sms: 8-15}]",
                   "m.yaml:1:37: application bfs runs on SMs 8 to 15, but chip chip has 15");
    expect_refused("applications: [{workload: bfs, sms: 10}, {workload: vecadd, sms: 6}]",
                   "m.yaml:1:66: application vecadd runs on SMs 10 to 15, but chip chip has 15");
    expect_refused("applications: [{workload: bfs, sms: 5-3}]",
                   "m.yaml:1:37: sms is 5-3, expected a number of SMs, or a range such as 0-6");
    expect_refused("applications: [{workload: bfs, sms: 0}]",
                   "m.yaml:1:37: sms is 0, expected a number of SMs, or a range such as 0-6");
    expect_refused("applications: [{workload: bfs, size: huge}]",
                   "m.yaml:1:38: unknown size 'huge', expected tiny, small or large");
    expect_refused("applications: [{replay: /nowhere/r}]",
                   "m.yaml:1:25: cannot read /nowhere/r: No such file or directory");
    expect_refused("applications: [{program: /nowhere/p}]",
                   "m.yaml:1:26: program /nowhere/p does not exist or is not executable");
    expect_refused("applications: [{workload: bfs, name: a}, {workload: bfs, name: a}]",
                   "m.yaml:1:64: two applications have the name a, expected different names");
    expect_refused("applications: [{workload: bfs}, {workload: bfs}, {workload: bfs}, "
                   "{workload: bfs}, {workload: bfs}, {workload: bfs}, {workload: bfs}, "
                   "{workload: bfs}, {workload: bfs}]",
                   "m.yaml:1:152: there are 9 applications, expected at most 8");
}

/* Of two instructions of each thread. */
static void write_trace(const char *path, const char *machine, u32 threads)
{
    struct err err = ERR_INIT;
    struct cpu_trace_writer *w = cpu_trace_create(path, &err);
    struct cpu_trace_about about = {
        .program = "p", .sha256 = "", .machine = machine, .origin = "a test", .whole = true};
    assert_non_null(w);
    for (u32 t = 0; t < threads; t++) {
        for (u64 i = 0; i < 2; i++)
            cpu_trace_put(
                w, t,
                &(struct cpu_instruction){.class = CPU_ALU, .pc = 0x1000 + 4 * i, .length = 4});
    }
    assert_true(cpu_trace_finish(w, &about, &err));
}

TEST(what_cpu_programs_lack_is_said_before_anything_runs)
{
    UNUSED_STATE;
    char folder[] = "/tmp/heddle-test-XXXXXX", path[3][64], text[400], sentence[400], words[1600];
    assert_non_null(mkdtemp(folder));
    static const char *const files[] = {"a.hct", "b.hct", "team.hct"};
    static const char *const machines[] = {"x86_64", "aarch64", "x86_64"};
    for (u32 i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", folder, files[i]);
        write_trace(path[i], machines[i], i == 2 ? 3 : 1);
    }
    snprintf(text, sizeof text, "applications: [{cpu: %s}, {cpu: %s}]", path[0], path[1]);
    snprintf(sentence, sizeof sentence,
             "m.yaml:1:%u: %s was recorded on aarch64, %s on x86_64, expected programs of one "
             "architecture",
             (u32)strlen("applications: [{cpu: }, {cpu: ") + (u32)strlen(path[0]) + 1, path[1],
             path[0]);
    expect_refused(text, sentence);
    expect_refused("applications: [{cpu: /nowhere/a.hct}]",
                   "m.yaml:1:22: cannot read /nowhere/a.hct: No such file or directory");
    expect_refused("applications: [{cpu: /dev/null}]",
                   "m.yaml:1:22: /dev/null is not a trace of a CPU program");
    /* three threads on two cores */
    struct arena arena = {0};
    struct mix m;
    struct err err;
    struct cpu_config *c = calloc(1, sizeof *c);
    c->core.count = 4;
    struct config chip = {.name = "chip", .data = c};
    snprintf(text, sizeof text, "applications: [{cpu: %s, cores: 2, name: team}]", path[2]);
    assert_true(read_mix(&m, &arena, text, &err));
    assert_false(mix_place(&m, model_named("cpu"), &chip, &arena, &err));
    err_text(&err, words, sizeof words);
    assert_string_equal(
        words, "m.yaml:1:16: application team has 3 threads, expected at most its 2 cores");
    arena_fini(&arena);
    free(c);
    for (u32 i = 0; i < 3; i++)
        unlink(path[i]);
    rmdir(folder);
}

TEST(programs_of_a_mix_may_be_run_alone_too)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct mix m;
    struct err err;
    assert_true(read_mix(&m, &arena, "applications: [{workload: bfs}]\nalone: true", &err));
    assert_true(m.alone);
    assert_true(read_mix(&m, &arena, "applications: [{workload: bfs}]\nalone: false", &err));
    assert_false(m.alone);
    expect_refused("applications: [{workload: bfs}]\nalone: yes",
                   "m.yaml:2:8: alone is yes, expected true or false");
    expect_refused("applications: [{workload: bfs}]\nalon: true",
                   "m.yaml:2:1: unknown key 'alon', expected about, alone, applications or warm "
                   "(nearest: alone)");
    expect_refused("applications: [{workload: bfs}]\nwarm: 5",
                   "m.yaml:2:7: warm is a value, expected a mapping such as {instructions: "
                   "1000000, launches: 1}");
    expect_refused("applications: [{workload: bfs, warm: some}]",
                   "m.yaml:1:38: warm is some, expected a number of instructions of a CPU program, "
                   "of launches of a GPU program");
    arena_fini(&arena);
}

TEST(an_application_warms_as_it_says_or_as_the_mix_says)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct mix m;
    struct err err;
    assert_true(read_mix(&m, &arena,
                         "warm: {instructions: 5000, launches: 3}\n"
                         "applications: [{workload: bfs}, {workload: bfs, warm: 0}, {cpu: "
                         "'cpu:mix'}, {cpu: 'cpu:mix', warm: 70}]\n",
                         &err));
    static const u64 expected[] = {3, 0, 5000, 70};
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(m.applications[i].warm, expected[i]);
    mix_warm(&m, &(struct warm){.instructions = 9});
    assert_int_equal(m.applications[0].warm, 0);
    assert_int_equal(m.applications[2].warm, 9);
    assert_int_equal(m.applications[3].warm, 70);
    arena_fini(&arena);
}

RUN_TESTS(T(an_application_warms_as_it_says_or_as_the_mix_says),
          T(an_application_without_sms_has_all_of_them),
          T(a_number_of_sms_is_counted_from_those_of_the_application_before),
          T(what_cannot_run_is_refused_in_a_sentence),
          T(what_cpu_programs_lack_is_said_before_anything_runs),
          T(programs_of_a_mix_may_be_run_alone_too))
