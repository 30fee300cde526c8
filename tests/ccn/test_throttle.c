/* The request throttler: checks R1 to R4 of the bandwidth-and-ccn spec, section 6. */
#include "ccn/bed.h"

/* A core issues warps x loads x 32 thread instructions: here 8 x 800 x 32 = 204800, ten
 * periods. */
#define SAMPLE "ccn.throttle.sample_instructions=2048"
#define PERIOD "ccn.throttle.period_instructions=20480"
static const struct pool_kernel sharing = {
    .sms = 15, .warps = 8, .loads = 800, .footprint_bytes = 128 * KIB};
static const struct pool_kernel streaming = {.sms = 15, .warps = 8, .loads = 800};

struct result {
    cycle_t cycles;
    u64 eligible, injected, throttled, sent;
};

static struct result run(const char *chip, const char *const *sets, const struct pool_kernel *k)
{
    struct observer o = {0};
    struct bed b;
    ccn_open(&b, &o, chip, sets);
    struct result r = {.cycles = pool_run(&b, k, 1), .sent = count_of(&b, "sm.l1.sent")};
    if (b.gpu->cluster.ccn.nodes) {
        r.eligible = count_of(&b, "sm.ccn.eligible");
        r.injected = count_of(&b, "sm.ccn.injected");
        r.throttled = count_of(&b, "sm.ccn.throttled");
    }
    bed_close(&b);
    return r;
}

/* ---- R1 -------------------------------------------------------------------------------------- */

TEST(a_throttler_that_always_samples_or_asks_for_nothing_is_none)
{
    UNUSED_STATE;
    const char *always[] = {"ccn.throttle.sample_instructions=20480", PERIOD, NULL};
    const char *nothing[] = {SAMPLE, PERIOD, "ccn.throttle.least_hit_rate=0", NULL};
    const struct pool_kernel *kernels[] = {&sharing, &streaming};
    for (u32 i = 0; i < 2; i++) {
        struct result b = run("fermi15-ccn", NULL, kernels[i]);
        struct result s = run("fermi15-ccn-rt", always, kernels[i]);
        struct result n = run("fermi15-ccn-rt", nothing, kernels[i]);
        assert_memory_equal(&b, &s, sizeof b);
        assert_memory_equal(&b, &n, sizeof b);
    }
}

TEST(a_rate_that_none_can_have_confines_requests_to_the_samples)
{
    UNUSED_STATE;
    const char *never[] = {SAMPLE, PERIOD, "ccn.throttle.least_hit_rate=1.5", NULL};
    struct result r = run("fermi15-ccn-rt", never, &streaming);
    assert_int_equal(r.injected + r.throttled, r.eligible);
    /* 2048 of 20480 instructions; each instruction is a miss */
    assert_near((double)r.injected / (double)r.eligible, 0.1, 0.02);
}

/* ---- R2 -------------------------------------------------------------------------------------- */

TEST(only_the_sms_that_find_nothing_go_off_and_they_still_answer)
{
    UNUSED_STATE;
    const char *sets[] = {SAMPLE, PERIOD, NULL};
    struct pool_kernel first = sharing, last = streaming;
    struct observer o = {0};
    struct bed b;
    u64 probes = 0;
    first.sms = 8;
    last.sms = 7;
    last.stream = 1;
    ccn_open(&b, &o, "fermi15-ccn-rt", sets);
    for (u32 times = 0; times < 2; times++) {
        b.gpu->cluster.dispatcher.next_sm[0] = 0;
        pool_launch(&b, &first, times);
        pool_launch(&b, &last, times);
        bed_run(&b);
        assert_true(b.gpu->cluster.ccn.nodes[10].counts.probes > probes + 1000);
        probes = b.gpu->cluster.ccn.nodes[10].counts.probes;
    }
    for (u32 i = 0; i < 15; i++) {
        const struct ccn_counts *n = &b.gpu->cluster.ccn.nodes[i].counts;
        if (i < 8) /* but for the very first sample, when all L1s are empty */
            assert_true(n->epochs_off <= 1 && n->epochs_on > 10);
        else
            assert_true(n->epochs_on == 0 && n->epochs_off > 10 && n->throttled > n->injected);
    }
    bed_close(&b);
}

/* An OFF core's lines are found by others (S16: core 2). */
TEST(a_core_that_does_not_ask_answers)
{
    UNUSED_STATE;
    const char *sets[] = {"ccn.throttle.sample_instructions=40",
                          "ccn.throttle.period_instructions=1000000",
                          "ccn.throttle.least_hit_rate=1.5", NULL};
    struct observer o = {0};
    struct bed b;
    ccn_open(&b, &o, "fermi15-ccn-rt", sets);
    load_line_on(&b, 2, 0x50000); /* fails after 32 instructions; the sample ends with the next */
    load_line_on(&b, 2, 0x10000);
    assert_int_equal(count_of(&b, "sm2.ccn.injected"), 1);
    assert_int_equal(count_of(&b, "sm2.ccn.throttled"), 1);
    load_line_on(&b, 0, 0x10000);
    assert_int_equal(count_of(&b, "sm0.ccn.remote_hits"), 1);
    assert_int_equal(count_of(&b, "sm2.ccn.answers"), 1);
    bed_close(&b);
}

/* ---- R3 -------------------------------------------------------------------------------------- */

/* The program streams from now on: after a period and a sample all cores have gone off; and the
 * other way round they have come back. */
TEST(a_change_is_seen_within_a_period_and_a_sample)
{
    UNUSED_STATE;
    const char *sets[] = {SAMPLE, PERIOD, NULL};
    struct pool_kernel own = streaming, shared = sharing;
    struct observer o = {0};
    struct bed b;
    ccn_open(&b, &o, "fermi15-ccn-rt", sets);
    pool_run(&b, &sharing, 1);
    own.loads = shared.loads = (20480 + 2048) / 32 / 8 + 2; /* and two more */
    for (u32 i = 0; i < 15; i++)
        assert_true(b.gpu->cluster.ccn.nodes[i].throttle.on);
    pool_run(&b, &own, 2);
    for (u32 i = 0; i < 15; i++)
        assert_false(b.gpu->cluster.ccn.nodes[i].throttle.on);
    pool_run(&b, &shared, 3);
    for (u32 i = 0; i < 15; i++)
        assert_true(b.gpu->cluster.ccn.nodes[i].throttle.on);
    bed_close(&b);
}

/* ---- R4 -------------------------------------------------------------------------------------- */

TEST(the_throttler_saves_streams_most_of_the_loss_and_keeps_the_gain_of_sharers)
{
    UNUSED_STATE;
    const char *sets[] = {SAMPLE, PERIOD, NULL};
    struct result base = run("fermi15", NULL, &streaming);
    struct result b = run("fermi15-ccn", NULL, &streaming);
    struct result rt = run("fermi15-ccn-rt", sets, &streaming);
    print_message("# streams: %llu, B %llu, RT %llu cycles\n", (unsigned long long)base.cycles,
                  (unsigned long long)b.cycles, (unsigned long long)rt.cycles);
    assert_true(b.cycles > base.cycles); /* the ring costs something */
    assert_true(rt.cycles < b.cycles);
    base = run("fermi15", NULL, &sharing);
    b = run("fermi15-ccn", NULL, &sharing);
    rt = run("fermi15-ccn-rt", sets, &sharing);
    double all = (double)base.sent, less_b = 1 - (double)b.sent / all,
           less_rt = 1 - (double)rt.sent / all;
    print_message("# sharers: %.1f %% less traffic with B, %.1f %% with RT\n", 100 * less_b,
                  100 * less_rt);
    assert_true(less_b > 0.1);
    assert_near(less_rt, less_b, 0.02);
}

/* ---- the state machine by itself --------------------------------------------------------------
 */

TEST(the_state_follows_from_the_instructions_and_the_sample)
{
    UNUSED_STATE;
    const struct throttle_config config = {.enabled = true,
                                           .sample_instructions = 100,
                                           .period_instructions = 1000,
                                           .least_hit_rate = 0.05};
    u64 on = 0, off = 0;
    struct throttle t = {.config = &config, .epochs_on = &on, .epochs_off = &off};
    assert_true(throttle_allows(&t, 99));
    for (u32 i = 0; i < 20; i++)
        throttle_resolved(&t, 50, 0, i == 0);
    assert_true(throttle_allows(&t, 100)); /* 1 of 20 is just enough */
    throttle_resolved(&t, 100, 0, false);  /* after the sample: does not count */
    assert_true(throttle_allows(&t, 999));
    throttle_resolved(&t, 1010, 0, true); /* of the epoch before: does not count */
    throttle_resolved(&t, 1010, 1, false);
    assert_true(throttle_allows(&t, 1099));
    assert_false(throttle_allows(&t, 1100));
    assert_false(throttle_allows(&t, 1999));
    assert_true(throttle_allows(&t, 5000)); /* a new sample, some epochs later */
    assert_true(throttle_allows(&t, 5100)); /* nothing was asked: nothing against it */
    assert_int_equal(on, 2);
    assert_int_equal(off, 1);
}

RUN_TESTS(T(a_throttler_that_always_samples_or_asks_for_nothing_is_none),
          T(a_rate_that_none_can_have_confines_requests_to_the_samples),
          T(only_the_sms_that_find_nothing_go_off_and_they_still_answer),
          T(a_core_that_does_not_ask_answers), T(a_change_is_seen_within_a_period_and_a_sample),
          T(the_throttler_saves_streams_most_of_the_loss_and_keeps_the_gain_of_sharers),
          T(the_state_follows_from_the_instructions_and_the_sample))
