/* How long the rest of a sweep will take, from the runs that a database has. */
#include "campaign/bed.h"

#include "campaign/ingest.h"
#include "campaign/sweep.h"

#include <unistd.h>

struct estimate_bed {
    struct bed sweep;
    char folder[64], path[96];
    struct db db;
    struct run_queue queue;
    struct err err;
};

static void open_sweep(struct estimate_bed *b, const char *text)
{
    *b = (struct estimate_bed){.err = ERR_INIT};
    strcpy(b->folder, "/tmp/heddle-estimate-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->path, sizeof b->path, "%s/results.db", b->folder);
    assert_string_equal(bed_open(&b->sweep, text), "");
    assert_true(db_open(&b->db, b->path, &b->err));
    assert_true(run_queue_open(&b->queue, &b->db, &b->sweep.plan, &b->err));
    assert_true(run_queue_add(&b->queue, QUEUE_NEW, &b->err));
}

static void close_sweep(struct estimate_bed *b)
{
    char command[128];
    assert_true(run_queue_close(&b->queue, &b->err));
    db_close(&b->db);
    bed_close(&b->sweep);
    snprintf(command, sizeof command, "rm -rf '%s'", b->folder);
    assert_int_equal(system(command), 0);
}

/* The next point ends so, after so long. */
static void end(struct estimate_bed *b, enum run_status status, double seconds)
{
    struct outcome o = {
        .status = status, .seconds = seconds, .error = "", .messages = "", .command = "heddle run"};
    u32 point;
    bool kept;
    assert_int_equal(run_queue_claim(&b->queue, &point, &b->err), QUEUE_CLAIMED);
    assert_true(ingest_outcome(&b->db, b->sweep.plan.points[point]->key, b->queue.worker, "build",
                               &o, &kept, &b->err));
    assert_true(kept);
}

static void expect(struct estimate_bed *b, enum run_queue_again again, u32 to_run, u32 unknown,
                   double seconds)
{
    struct sweep_estimate e;
    assert_true(sweep_estimate(&b->db, &b->sweep.plan, again, &e, &b->err));
    assert_int_equal(e.to_run, to_run);
    assert_int_equal(e.unknown, unknown);
    assert_float_equal(e.seconds, seconds, 1e-9);
}

static const char five[] =
    "chips: [tandem]\nworkloads: [tokens]\nsweep: {tokens: [1, 2, 3, 4, 5]}\n";

TEST(without_runs_or_a_database_nothing_is_known)
{
    UNUSED_STATE;
    struct estimate_bed b;
    struct sweep_estimate e;
    open_sweep(&b, five);
    expect(&b, QUEUE_NEW, 5, 5, 0);
    assert_true(sweep_estimate(NULL, &b.sweep.plan, QUEUE_NEW, &e, &b.err));
    assert_int_equal(e.to_run, 5);
    assert_int_equal(e.unknown, 5);
    close_sweep(&b);
}

TEST(a_run_that_is_left_takes_what_those_that_are_done_took_on_average)
{
    UNUSED_STATE;
    struct estimate_bed b;
    open_sweep(&b, five);
    end(&b, RUN_DONE, 10);
    end(&b, RUN_DONE, 20);
    expect(&b, QUEUE_NEW, 3, 0, 3 * 15);
    end(&b, RUN_FAILED, 500); /* says nothing of the others */
    expect(&b, QUEUE_NEW, 2, 0, 2 * 15);
    expect(&b, QUEUE_RETRY, 3, 0, 3 * 15);
    expect(&b, QUEUE_AGAIN, 5, 0, 5 * 15);
    close_sweep(&b);
}

TEST(what_hung_or_ran_out_of_time_is_retried_what_was_interrupted_is_run_anyway)
{
    UNUSED_STATE;
    struct estimate_bed b;
    open_sweep(&b, five);
    end(&b, RUN_HUNG, 1);
    end(&b, RUN_TIMED_OUT, 1);
    end(&b, RUN_INTERRUPTED, 1);
    expect(&b, QUEUE_NEW, 3, 3, 0);
    expect(&b, QUEUE_RETRY, 5, 5, 0);
    close_sweep(&b);
}

TEST(runs_of_another_workload_say_nothing)
{
    UNUSED_STATE;
    struct estimate_bed b;
    open_sweep(&b, "chips: [fermi15]\nworkloads: [matmul, bfs]\nrepeat: 2\n");
    end(&b, RUN_DONE, 8); /* the first seed of matmul */
    expect(&b, QUEUE_NEW, 3, 2, 8);
    close_sweep(&b);
}

RUN_TESTS(T(without_runs_or_a_database_nothing_is_known),
          T(a_run_that_is_left_takes_what_those_that_are_done_took_on_average),
          T(what_hung_or_ran_out_of_time_is_retried_what_was_interrupted_is_run_anyway),
          T(runs_of_another_workload_say_nothing))
