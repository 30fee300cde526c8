/* The progress line of a GPU: blocks of the kernels that run, launches so far, cycles and their
 * rate by processor time. */
#include "gpu/bed.h"
#include "gpu/script.h"

#include "run/progress.h"
#include "run/run.h"
#include "run/sampled.h"

static const struct scripted_instruction nap[] = {ALU(1, 0), SLEEP(2000), EXIT()};

static void open_at(struct bed *b, cycle_t limit)
{
    static const char *const sets[] = {"sm.count=2", NULL};
    struct engine_options options = {.max_cycles = limit};
    bed_open_engine(b, "fermi15", sets, &options);
}

static void assert_text_with_time(struct bed *b, double cpu_seconds, struct sampled *sampled,
                                  const char *left, const char *expected)
{
    char text[PROGRESS_ROOM];
    struct run run = {.model = model_named("gpu"), .machine = b->machine, .sampled = sampled};
    engine_run(&b->sim.engine);
    run.sim.engine = b->sim.engine;
    progress_text(&run, cpu_seconds, left, text, sizeof text);
    assert_string_equal(text, expected);
}

static void assert_sampled_text(struct bed *b, double cpu_seconds, struct sampled *sampled,
                                const char *expected)
{
    assert_text_with_time(b, cpu_seconds, sampled, "", expected);
}

static void assert_text(struct bed *b, double cpu_seconds, const char *expected)
{
    assert_sampled_text(b, cpu_seconds, NULL, expected);
}

/* Two SMs hold 16 blocks; each takes a little more than 2,000 cycles. */
TEST(it_says_how_many_blocks_of_the_running_kernel_have_ended)
{
    UNUSED_STATE;
    struct bed b;
    open_at(&b, 3001);
    struct scripted_kernel k = KERNEL(nap, 32, .blocks = 40, .name = "doze");
    bed_launch(&b, &k);
    bed_launch(&b, &k); /* of the same stream: it waits */
    assert_text(&b, 0.002, "doze: 16 of 40 blocks, 2 launches, 0.00 M cycles, 1.50 M cycles/s");
    bed_close(&b);
}

TEST(it_adds_the_blocks_of_kernels_that_run_at_once)
{
    UNUSED_STATE;
    struct bed b;
    open_at(&b, 1001);
    for (u64 stream = 1; stream <= 3; stream++) {
        struct scripted_kernel k = KERNEL(nap, 32, .blocks = 4, .stream = stream, .name = "doze");
        bed_launch(&b, &k);
    }
    assert_text(&b, 0, "doze and 2 more: 0 of 12 blocks, 3 launches, 0.00 M cycles");
    bed_close(&b);
}

/* The first launch of a sampled program can take most of its time. */
TEST(a_sampled_run_says_how_far_the_kernel_is_that_is_timed)
{
    UNUSED_STATE;
    struct bed b;
    struct sampled sampled = {0};
    open_at(&b, 3001);
    struct scripted_kernel k = KERNEL(nap, 32, .blocks = 40, .name = "doze");
    bed_launch(&b, &k);
    assert_sampled_text(&b, 0.002, &sampled,
                        "doze: 16 of 40 blocks, 1 launch, 0.00 M cycles, 1.50 M cycles/s");
    bed_close(&b);
}

TEST(and_what_the_launches_before_it_were)
{
    UNUSED_STATE;
    struct bed b;
    struct sampled sampled = {.sample = {.seen = 40,
                                         .launch_count = 3,
                                         .instructions = 2e6,
                                         .timed_instructions = 5e5,
                                         .predicted = 7.5e6}};
    open_at(&b, 0);
    assert_sampled_text(&b, 0, &sampled,
                        "0 launches, 0.00 M cycles; 3 of 40 ended launches timed, 25 % of 2 M warp "
                        "instructions, about 7.5 M cycles in all");
    bed_close(&b);
}

TEST(and_which_kernel_is_executed_without_timing)
{
    UNUSED_STATE;
    struct bed b;
    struct sampled sampled = {.sample = {.seen = 4,
                                         .launch_count = 4,
                                         .instructions = 2e6,
                                         .timed_instructions = 1e6,
                                         .predicted = 7.5e6},
                              .executing = "doze",
                              .blocks_executed = 30,
                              .blocks_to_execute = 40};
    open_at(&b, 0);
    assert_sampled_text(
        &b, 0, &sampled,
        "doze: 30 of 40 blocks, executed without timing, 0.00 M cycles; 4 of 4 ended "
        "launches timed, 50 % of 2 M warp instructions, about 7.5 M cycles in all");
    assert_true(sampled_share_executed(&sampled) == 0.75);
    sampled.sample.seen = 0;
    assert_text_with_time(&b, 0, &sampled, "2.0 s left of this kernel",
                          "doze: 30 of 40 blocks, executed without timing, 2.0 s left of this "
                          "kernel, 0.00 M cycles");
    bed_close(&b);
}

/* Seen first with a tenth done: half a second later a fifth, so eight tenths take four more. */
TEST(time_left_is_that_of_the_rest_at_the_rate_since_a_kernel_was_first_seen)
{
    UNUSED_STATE;
    struct progress p = {0};
    assert_true(progress_left(&p, 0.1, 100) < 0);
    assert_true(progress_left(&p, 0.105, 100.1) < 0); /* too little to tell */
    assert_float_equal(progress_left(&p, 0.2, 100.5), 4, 1e-9);
    assert_float_equal(progress_left(&p, 1, 104), 0, 1e-9);
}

TEST(time_left_begins_anew_with_the_next_kernel)
{
    UNUSED_STATE;
    struct progress p = {0};
    assert_true(progress_left(&p, 0.5, 10) < 0);
    assert_true(progress_left(&p, 0.25, 11) < 0); /* a smaller share: another kernel */
    assert_float_equal(progress_left(&p, 0.5, 13), 4, 1e-9);
}

TEST(before_the_first_kernel_it_knows_of_no_blocks)
{
    UNUSED_STATE;
    struct bed b;
    open_at(&b, 0);
    assert_text(&b, 10, "0 launches, 0.00 M cycles, 0.00 M cycles/s");
    bed_close(&b);
}

/* Kernels of one after another, each ended before the next is launched. */
TEST(it_counts_the_launches_that_have_ended)
{
    UNUSED_STATE;
    struct bed b;
    struct grid_run done;
    open_at(&b, 0);
    struct scripted_kernel k = KERNEL(nap, 32, .blocks = 1, .name = "doze");
    b.gpu->cluster.dispatcher.stop_at_each = true;
    for (u32 i = 0; i < 3; i++) {
        bed_launch(&b, &k);
        assert_int_equal(engine_run(&b.sim.engine), ENGINE_STOPPED);
        assert_true(dispatcher_take_ended(&b.gpu->cluster.dispatcher, &done));
    }
    engine_finish(&b.sim.engine);
    assert_text(&b, 0, "3 launches, 0.01 M cycles");
    bed_close(&b);
}

RUN_TESTS(T(it_says_how_many_blocks_of_the_running_kernel_have_ended),
          T(it_adds_the_blocks_of_kernels_that_run_at_once),
          T(a_sampled_run_says_how_far_the_kernel_is_that_is_timed),
          T(and_what_the_launches_before_it_were), T(and_which_kernel_is_executed_without_timing),
          T(time_left_is_that_of_the_rest_at_the_rate_since_a_kernel_was_first_seen),
          T(time_left_begins_anew_with_the_next_kernel),
          T(before_the_first_kernel_it_knows_of_no_blocks),
          T(it_counts_the_launches_that_have_ended))
