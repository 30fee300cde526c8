#include "testing.h"

#include "run/run.h"

#include <unistd.h>

static bool run_with(struct run *run, const char *const *sets, u32 count, bool no_skip,
                     struct err *err)
{
    const char *const *folders = testing_chips();
    struct run_request request = {
        .chip = {.chip = "tandem", .folders = folders, .sets = sets, .set_count = count},
        .workload = "tokens",
        .engine = {.no_skip = no_skip, .watchdog_cycles = 100000},
    };
    *err = ERR_INIT;
    return run_open(run, &request, err) && run_execute(run, err);
}

/* One clock, one stage of 1 cycle, queues of 8, 10 tokens, by hand: the source
 * takes token k up in cycle k and pushes it in k+1; the stage pops it in k+2 and
 * pushes it in k+3; the sink pops it in k+4 and has it in k+5. The last token is
 * k = 9, so the run ends in cycle 14. */
TEST(a_token_moves_one_step_per_cycle)
{
    UNUSED_STATE;
    static const char *const sets[] = {
        "tokens=10",     "source.clock_hz=1GHz",   "stage.clock_hz=1GHz",    "sink.clock_hz=1GHz",
        "stage.count=1", "stage.service_cycles=1", "source.service_cycles=1"};
    struct run run;
    struct err err;
    assert_true(run_with(&run, sets, ARRAY_LEN(sets), false, &err));
    assert_int_equal(engine_cycle(&run.sim.engine, 0), 14);
    run_close(&run);
}

/* The slowest part bounds the chain: tokens x its time, plus filling and draining. */
TEST(throughput_is_that_of_the_slowest_part)
{
    UNUSED_STATE;
    static const struct {
        const char *sets[4];
        double seconds_per_token;
    } rows[] = {
        /* one entry: pushed in cycle t, popped in t+1, its room is seen in t+2 */
        {{"tokens=20000", "stage.service_cycles=1", "stage.count=7", "stage.queue_entries=1"},
         2 / 700e6},
        /* the round trip of the slot hides behind three cycles of work */
        {{"tokens=20000", "stage.service_cycles=3", "stage.count=7", "stage.queue_entries=1"},
         3 / 700e6},
        {{"tokens=20000", "source.service_cycles=10", "stage.count=2", "stage.queue_entries=4"},
         10 / 1.4e9},
        {{"tokens=20000", "sink.service_cycles=20", "stage.count=2", "stage.queue_entries=4"},
         20 / 924e6},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run run;
        struct err err;
        assert_true(run_with(&run, rows[i].sets, 4, false, &err));
        double seconds = (double)run.sim.engine.now_fs / (double)FS_PER_SECOND;
        double bound = 20000 * rows[i].seconds_per_token;
        assert_true(seconds >= bound * 0.9999 && seconds < bound * 1.01);
        run_close(&run);
    }
}

TEST(skipping_changes_no_statistic_of_the_chip)
{
    UNUSED_STATE;
    static const char *const sets[] = {"tokens=5000"};
    char a[] = "/tmp/heddle-a-XXXXXX.csv", b[] = "/tmp/heddle-b-XXXXXX.csv";
    close(mkstemps(a, 4));
    close(mkstemps(b, 4));
    for (int no_skip = 0; no_skip < 2; no_skip++) {
        struct run run;
        struct err err;
        assert_true(run_with(&run, sets, 1, no_skip, &err));
        assert_true(run_write_csv(&run, no_skip ? b : a, &err));
        run_close(&run);
    }
    char line[256];
    snprintf(line, sizeof line, "cmp %s %s && test $(wc -l <%s) -gt 50", a, b, a);
    assert_int_equal(system(line), 0);
    unlink(a);
    unlink(b);
}

TEST(a_sink_that_stops_is_reported_as_a_hang)
{
    UNUSED_STATE;
    static const char *const sets[] = {"sink.stops_after=100"};
    struct run run;
    struct err err;
    assert_false(run_with(&run, sets, 1, false, &err));
    assert_int_equal(err.kind, ERR_INVARIANT);
    assert_non_null(strstr(run.hang.data, "stage3 waits for sink: port queue4 is full (8 of 8)"));
    assert_non_null(strstr(run.hang.data, "source waits for stage0: port queue0 is full"));
    assert_non_null(strstr(run.hang.data, "sink: sink.stops_after = 100"));
    run_close(&run);
}

TEST(a_result_that_cannot_be_written_leaves_nothing_behind)
{
    UNUSED_STATE;
    static const char *const sets[] = {"tokens=10"};
    struct run run;
    struct err err;
    assert_true(run_with(&run, sets, 1, false, &err));
    assert_false(run_write_json(&run, "/tmp/heddle-no-such-folder/x.json", &err));
    assert_int_equal(err.kind, ERR_INPUT);
    run_close(&run);
}

RUN_TESTS(T(a_token_moves_one_step_per_cycle), T(throughput_is_that_of_the_slowest_part),
          T(skipping_changes_no_statistic_of_the_chip), T(a_sink_that_stops_is_reported_as_a_hang),
          T(a_result_that_cannot_be_written_leaves_nothing_behind))
