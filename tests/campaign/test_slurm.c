#include "campaign/bed.h"

#include "campaign/slurm.h"
#include "campaign/spool.h"

#include <unistd.h>

TEST(states_are_read_from_squeue_and_who_is_not_listed_has_ended)
{
    UNUSED_STATE;
    enum slurm_state states[6];
    char reason[64];
    char answer[] = "0|RUNNING|None\n1|COMPLETING|None\n2|NODE_FAIL|NodeDown\n3|PENDING|Resources\n"
                    "5|SUSPENDED|None\n77|RUNNING|None\nN/A|RUNNING|None\n";
    static const enum slurm_state expected[] = {SLURM_RUNNING, SLURM_RUNNING, SLURM_ENDED,
                                                SLURM_PENDING, SLURM_ENDED,   SLURM_RUNNING};
    slurm_read_states(answer, 6, states, reason);
    for (u32 i = 0; i < 6; i++)
        assert_int_equal(states[i], expected[i]);
    assert_string_equal(reason, "Resources");
}

TEST(every_way_to_end_is_known)
{
    UNUSED_STATE;
    static const char *const ways[] = {"BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE",
                                       "FAILED",    "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"};
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        enum slurm_state found;
        char reason[64], answer[64];
        snprintf(answer, sizeof answer, "0|%s|None", ways[i]);
        slurm_read_states(answer, 1, &found, reason);
        assert_int_equal(found, SLURM_ENDED);
        snprintf(answer, sizeof answer, "0|%s_X|None", ways[i]);
        slurm_read_states(answer, 1, &found, reason);
        assert_int_equal(found, SLURM_RUNNING); /* unknown: better wait than run it twice */
    }
}

TEST(how_a_task_ended_is_read_from_scontrol_and_from_sacct)
{
    UNUSED_STATE;
    struct slurm_end a = {{0}, {0}, {0}}, b = a, none = a;
    slurm_read_end("JobId=8 ArrayJobId=7 ArrayTaskId=2 JobName=x\n"
                   "   JobState=NODE_FAIL Reason=NodeDown Dependency=(null)\n"
                   "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:9\n"
                   "   ReqNodeList=(null) ExcNodeList=(null)\n   NodeList=n2\n   BatchHost=n2\n",
                   &a);
    assert_string_equal(a.state, "NODE_FAIL");
    assert_string_equal(a.exit_code, "0:9");
    assert_string_equal(a.node, "n2");
    slurm_read_account("CANCELLED by 1000|0:15|n3\n", &b);
    assert_string_equal(b.state, "CANCELLED");
    assert_string_equal(b.exit_code, "0:15");
    assert_string_equal(b.node, "n3");
    slurm_read_account("", &none);
    assert_string_equal(none.state, "");
}

static const char *words_of(const char *options, char *out, size_t size)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    const char *const *words;
    out[0] = '\0';
    if (slurm_words(options, &arena, &words, &err)) {
        for (u32 i = 0; words[i]; i++)
            snprintf(out + strlen(out), size - strlen(out), "[%s]", words[i]);
    } else {
        err_text(&err, out, size);
    }
    arena_fini(&arena);
    return out;
}

TEST(options_are_split_as_a_shell_would)
{
    UNUSED_STATE;
    char out[512];
    assert_string_equal(words_of(NULL, out, sizeof out), "");
    assert_string_equal(words_of("  ", out, sizeof out), "");
    assert_string_equal(words_of("-p long  --time=2:00", out, sizeof out),
                        "[-p][long][--time=2:00]");
    assert_string_equal(words_of("--comment='a \\b' \"c 'd\"\\ e ''", out, sizeof out),
                        "[--comment=a \\b][c 'd e][]");
    assert_non_null(strstr(words_of("--comment='a", out, sizeof out),
                           "--slurm-options is --comment='a, expected every quote to be closed"));
}

TEST(options_that_the_sweep_needs_itself_are_refused)
{
    UNUSED_STATE;
    char out[512];
    static const char *const bad[][2] = {
        {"--array=1-5", "--array"}, {"-p x -a 1-5", "-a"},      {"-a1-5", "-a"},
        {"--wrap ls", "--wrap"},    {"--output=f", "--output"}, {"--requeue", "--requeue"}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        char expected[128];
        snprintf(expected, sizeof expected, "--slurm-options has %s, which the sweep sets itself",
                 bad[i][1]);
        assert_string_equal(words_of(bad[i][0], out, sizeof out), expected);
    }
    assert_string_equal(words_of("--account=a --wait-all-nodes=1", out, sizeof out),
                        "[--account=a][--wait-all-nodes=1]");
}

/* ---- the folder ---- */

static const char three[] = "chips: [tandem]\nworkloads: [tokens]\nsweep: {tokens: [1, 2, 3]}\n";

static void write_points(const struct bed *bed, const char *folder, u32 tasks)
{
    struct spool_header header = {.build = "0123456789abcdef", .tasks = tasks, .timeout_s = 2.5};
    struct spool_writer w;
    struct err err = ERR_INIT;
    assert_true(spool_begin(&w, folder, &header, &err));
    for (u32 i = 0; i < bed->plan.count; i++) {
        struct child c;
        child_init(&c, &bed->plan, i, "/bin/heddle", "x.db", "/s/run");
        spool_add(&w, &c, bed->plan.points[i]->key);
        child_fini(&c);
    }
    assert_true(spool_end(&w, &err));
}

TEST(every_point_is_read_by_one_of_the_tasks)
{
    UNUSED_STATE;
    char folder[] = "/tmp/heddle-spool-XXXXXX";
    struct bed bed;
    u32 seen[3] = {0};
    assert_non_null(mkdtemp(folder));
    assert_string_equal(bed_open(&bed, three), "");
    write_points(&bed, folder, 2);
    for (u32 task = 0; task < 2; task++) {
        struct spool_reader r;
        struct child c;
        struct err err = ERR_INIT;
        char key[KEY_LENGTH + 1], result[128];
        struct arena arena = {0};
        assert_true(spool_open(&r, spool_path(&arena, folder, "points"), &err));
        assert_string_equal(r.header.build, "0123456789abcdef");
        assert_true(r.header.timeout_s == 2.5);
        for (u32 i = task; spool_next(&r, task, &c, key, &err); i += 2) {
            assert_string_equal(key, bed.plan.points[i]->key);
            snprintf(result, sizeof result, "/s/run.%s.json", key);
            assert_string_equal(c.result, result);
            assert_string_equal(c.arguments[0], "/bin/heddle");
            assert_string_equal(c.arguments[1], "run");
            assert_memory_equal(c.command, "heddle run tokens --chip tandem --set tokens=", 44);
            seen[i]++;
            child_fini(&c);
        }
        assert_int_equal(err.kind, ERR_NONE);
        spool_close(&r);
        arena_fini(&arena);
    }
    for (u32 i = 0; i < 3; i++)
        assert_int_equal(seen[i], 1);
    spool_remove(folder);
    assert_int_equal(access(folder, F_OK), -1);
    bed_close(&bed);
}

TEST(an_outcome_travels_whole_whatever_a_program_wrote)
{
    UNUSED_STATE;
    char folder[] = "/tmp/heddle-spool-XXXXXX";
    static const char key[] = "0123456789abcdef0123456789abcdef";
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct outcome got, o = {.status = RUN_HUNG,
                             .exit_code = 137,
                             .seconds = 1.25,
                             .error = "a \"quoted\"\tline",
                             .messages = "first\nnot \xff UTF-8 \x01",
                             .command = "heddle run x",
                             .host = "n1"};
    const char *build;
    assert_non_null(mkdtemp(folder));
    assert_true(spool_put_outcome(folder, key, "abc", &o, &err));
    spool_get_outcome(folder, key, &got, &build, &arena);
    assert_int_equal(got.status, RUN_HUNG);
    assert_int_equal(got.exit_code, 137);
    assert_true(got.seconds == 1.25);
    assert_string_equal(got.error, o.error);
    assert_string_equal(got.messages, "first\nnot ? UTF-8 \x01");
    assert_string_equal(got.host, "n1");
    assert_string_equal(build, "abc");
    assert_null(got.result);
    o.status = RUN_DONE;
    o.result = "anything";
    assert_true(spool_put_outcome(folder, key, "abc", &o, &err));
    spool_get_outcome(folder, key, &got, &build, &arena);
    assert_string_equal(got.result,
                        spool_path(&arena, folder, "run.%s.json", key)); /* where tasks put it */
    /* a file that is no outcome is a failed run, not a crash */
    assert_true(
        spool_put(folder, "run.0123456789abcdef0123456789abcdef.end", "{\"status\": ", &err));
    spool_get_outcome(folder, key, &got, &build, &arena);
    assert_int_equal(got.status, RUN_FAILED);
    assert_non_null(strstr(got.error, "how it ended cannot be read: "));
    spool_remove(folder);
    arena_fini(&arena);
}

TEST(a_folder_without_points_is_refused)
{
    UNUSED_STATE;
    struct spool_reader r;
    struct err err = ERR_INIT;
    assert_false(spool_open(&r, "/tmp/heddle-no-such-folder/points", &err));
    assert_non_null(strstr(err.what, "the folder has no points of a sweep"));
    spool_close(&r);
}

TEST(a_percent_sign_of_a_folder_is_no_pattern_of_slurm)
{
    UNUSED_STATE;
    struct arena arena = {0};
    assert_string_equal(slurm_path(&arena, "/data/50%/%j", "out.%a"), "/data/50%%/%%j/out.%a");
    arena_fini(&arena);
}

RUN_TESTS(T(a_percent_sign_of_a_folder_is_no_pattern_of_slurm),
          T(states_are_read_from_squeue_and_who_is_not_listed_has_ended),
          T(every_way_to_end_is_known), T(how_a_task_ended_is_read_from_scontrol_and_from_sacct),
          T(options_are_split_as_a_shell_would), T(options_that_the_sweep_needs_itself_are_refused),
          T(every_point_is_read_by_one_of_the_tasks),
          T(an_outcome_travels_whole_whatever_a_program_wrote),
          T(a_folder_without_points_is_refused))
