/* The inference engine of Poise, cycle by cycle, on counters that are known: Poise spec,
 * sections 5 and 8. */
#include "policy/fake_sm.h"

#define W 24u

/* Per 1,000 cycles of a window: what the SM counts at (W, W) and elsewhere. */
struct rates {
    u64 accesses, hits, own_hits, latency, returned, instructions, loads;
};

static struct fake_sm f;
static struct rates rates;
/* By the tuple: instructions per 1,000 cycles, instead of the rate. */
static u64 (*surface)(u32 n, u32 p);
static bool only_in_warmup;

static u32 tuple_n, tuple_p;

static void passes(struct fake_sm *sm, cycle_t from, cycle_t to)
{
    u64 cycles = to - from;
    struct warp_counters *c = &sm->counters;
    static struct warp_note t[FAKE_NOTES];
    u32 count = fake_tuples(sm, t, FAKE_NOTES);
    tuple_n = count ? t[count - 1].n : W;
    tuple_p = count ? t[count - 1].p : W;
    if (only_in_warmup && cycles != 2000)
        return;
    c->accesses += rates.accesses * cycles / 1000;
    c->hits += rates.hits * cycles / 1000;
    c->own_hits += rates.own_hits * cycles / 1000;
    c->latency_cycles += rates.latency * cycles / 1000;
    c->returned += rates.returned * cycles / 1000;
    c->instructions += (surface ? surface(tuple_n, tuple_p) : rates.instructions) * cycles / 1000;
    c->load_instructions += rates.loads * cycles / 1000;
}

static void open_poise(const char *const *sets)
{
    fake_open(&f, "poise", sets);
    f.passes = passes;
    /* hit rate 0.5, half of it intra-warp, 400 cycles a miss, 9 instructions a load */
    rates = (struct rates){1000, 500, 250, 200000, 500, 1000, 100};
    surface = NULL;
    only_in_warmup = false;
}

/* What the policy has counted until now. */
static u64 counted(const char *name)
{
    f.policy.ops->settle(&f.policy, f.now - 1); /* it has run to the cycle before */
    for (const struct stat_def *d = f.policy.ops->stats; d->kind != STAT_END; d++) {
        if (strcmp(d->name, name) == 0)
            return *(const u64 *)((const u8 *)f.policy.state + d->offset);
    }
    fail_msg("there is no %s", name);
    return 0;
}

static void expect_tuple(const struct warp_note *t, cycle_t cycle, u32 n, u32 p)
{
    assert_int_equal(t->cycle, cycle);
    assert_int_equal(t->n, n);
    assert_int_equal(t->p, p);
}

TEST(the_first_24000_cycles_are_12000_at_most_and_12000_at_least_warps)
{
    UNUSED_STATE;
    static const char *const no_search[] = {"stride_n", "0", "stride_p", "0", NULL};
    struct warp_note t[16] = {{0}};
    open_poise(no_search);
    f.now = 777;
    fake_kernel(&f, "k", 0, W);
    fake_run_to(&f, 777 + 199999);
    const struct warp_note *predicted = fake_find(&f, "predicted", 0);
    assert_non_null(predicted);
    assert_int_equal(predicted->cycle, 777 + 24000);
    u32 count = fake_tuples(&f, t, 16);
    /* without a search the prediction stays until the epoch ends */
    assert_int_equal(count, 3);
    expect_tuple(&t[0], 777, W, W);
    expect_tuple(&t[1], 777 + 12000, 1, 1);
    expect_tuple(&t[2], 777 + 24000, predicted->n, predicted->p);
    fake_run_to(&f, 777 + 200000);
    assert_int_equal(fake_tuples(&f, t, 16), 4);
    expect_tuple(&t[3], 777 + 200000, W, W);
    fake_run_to(&f, 777 + 212000);
    assert_int_equal(fake_tuples(&f, t, 16), 5);
    expect_tuple(&t[4], 777 + 212000, 1, 1);
    fake_close(&f);
}

TEST(the_prediction_is_the_link_function_of_the_two_samples)
{
    UNUSED_STATE;
    static const char *const no_search[] = {"stride_n", "0", "stride_p", "0", NULL};
    open_poise(no_search);
    fake_kernel(&f, "k", 0, W);
    fake_run_to(&f, 30000);
    /* both samples alike: h .5, eta .25, no gains, so ln N = 0.517687 * .5 - 0.000261 * .5 +
     * (7.209138 - 5.977480) * .25 + 1.667111 = 2.233739, ln p = (3.786126 + 0.483576) * .5 +
     * (-6.386444 + 10.320107) * .25 - 2.189887 = 0.928380: 9.33 and 2.53 */
    const struct warp_note *predicted = fake_find(&f, "predicted", 0);
    assert_int_equal(predicted->n, 9);
    assert_int_equal(predicted->p, 3);
    fake_close(&f);
}

TEST(time_for_the_link_function_is_spent_at_1_1)
{
    UNUSED_STATE;
    static const char *const sets[] = {"t_infer", "500", NULL};
    struct warp_note t[16] = {{0}};
    open_poise(sets);
    fake_kernel(&f, "k", 0, W);
    fake_run_to(&f, 24500);
    assert_int_equal(fake_tuples(&f, t, 16), 3);
    assert_int_equal(t[2].cycle, 24500);
    fake_close(&f);
}

/* Also the last, which nothing comes after. */
TEST(time_of_kernels_that_end_before_their_prediction_counts_as_sampling)
{
    UNUSED_STATE;
    open_poise(NULL);
    fake_kernel(&f, "k", 0, W);
    fake_run_to(&f, 13000);
    fake_kernel(&f, "k", 1, W);
    fake_run_to(&f, 18000);
    assert_int_equal(counted("epochs"), 2);
    assert_int_equal(counted("predictions"), 0);
    assert_int_equal(counted("sample_cycles"), 18000);
    fake_close(&f);
}

TEST(a_new_kernel_starts_again)
{
    UNUSED_STATE;
    struct warp_note t[16] = {{0}};
    open_poise(NULL);
    fake_kernel(&f, "k", 0, W);
    fake_run_to(&f, 17000);
    fake_kernel(&f, "k", 1, 16);
    fake_run_to(&f, 17000 + 23999);
    assert_null(fake_find(&f, "predicted", 0));
    u32 count = fake_tuples(&f, t, 16);
    assert_int_equal(count, 4);
    expect_tuple(&t[2], 17001, 16, 16); /* fake_run_to ends after the cycle it is given */
    expect_tuple(&t[3], 17001 + 12000, 1, 1);
    fake_run_to(&f, 17001 + 24000);
    assert_non_null(fake_find(&f, "predicted", 0));
    fake_close(&f);
}

/* ---- loads that are rare -----------------------------------------------------------------------
 */

static bool visits_1_1(u64 instructions, u64 loads)
{
    struct warp_note t[16] = {{0}};
    open_poise(NULL);
    rates.instructions = instructions;
    rates.loads = loads;
    fake_kernel(&f, "k", 0, W);
    fake_run_to(&f, 20000);
    bool visits = fake_tuples(&f, t, 16) == 2;
    assert_true(visits == !fake_find(&f, "early exit", 0));
    fake_run_to(&f, 199999);
    if (!visits)
        assert_int_equal(fake_tuples(&f, t, 16), 1);
    fake_close(&f);
    return visits;
}

TEST(more_than_49_instructions_between_loads_leave_the_sm_alone)
{
    UNUSED_STATE;
    assert_true(visits_1_1(500, 10));   /* 49 others a load */
    assert_false(visits_1_1(510, 10));  /* 50 */
    assert_false(visits_1_1(4910, 98)); /* 49.1 */
    assert_false(visits_1_1(100, 0));   /* no loads at all */
}

TEST(what_happens_in_warmups_changes_nothing)
{
    UNUSED_STATE;
    static const char *const no_search[] = {"stride_n", "0", "stride_p", "0", "i_max", "1e9", NULL};
    u32 n[2], p[2];
    for (u32 i = 0; i < 2; i++) {
        open_poise(no_search);
        only_in_warmup = true;
        rates.loads = 100;
        if (i)
            rates = (struct rates){9000, 8000, 7000, 99999, 11, 5000, 300};
        fake_kernel(&f, "k", 0, W);
        fake_run_to(&f, 2000 + 10000); /* the window has no loads: I_n is infinite */
        assert_non_null(fake_find(&f, "early exit", 0));
        fake_close(&f);
    }
    /* and with loads in the first window alone, the second is empty whatever came before it */
    for (u32 i = 0; i < 2; i++) {
        open_poise(no_search);
        fake_kernel(&f, "k", 0, W);
        fake_run_to(&f, 12000);
        only_in_warmup = true;
        if (i)
            rates = (struct rates){9000, 8000, 7000, 99999, 11, 5000, 300};
        fake_run_to(&f, 24000);
        const struct warp_note *predicted = fake_find(&f, "predicted", 0);
        n[i] = predicted->n;
        p[i] = predicted->p;
        fake_close(&f);
    }
    assert_int_equal(n[0], n[1]);
    assert_int_equal(p[0], p[1]);
}

/* ---- the search on the machine's time -----------------------------------------------------------
 */

static u64 hill(u32 n, u32 p)
{
    u32 a = n > 11 ? n - 11 : 11 - n, b = p > 3 ? p - 3 : 3 - p;
    return 2000 - 10 * a - 10 * b;
}

TEST(each_probe_takes_6000_cycles_and_the_end_stays_until_the_epoch_ends)
{
    UNUSED_STATE;
    struct warp_note t[64] = {{0}};
    open_poise(NULL);
    surface = hill;
    fake_kernel(&f, "k", 0, W);
    fake_run_to(&f, 199999);
    /* predicted (9,3) as above; N: 9, 7, 11, 13, 10, 12: six windows; p: 1 (3 - 4), 7, 1 again
     * at stride 2, 5, 2, 4: six */
    const struct warp_note *final = fake_find(&f, "final", 0);
    assert_non_null(final);
    assert_int_equal(final->n, 11);
    assert_int_equal(final->p, 3);
    assert_int_equal(final->cycle, 24000 + 12 * 6000);
    u32 count = fake_tuples(&f, t, 64);
    assert_int_equal(t[count - 1].cycle, final->cycle);
    static const u32 n[] = {7, 11, 13, 10, 12, 11};
    for (u32 i = 0; i < ARRAY_LEN(n); i++) {
        assert_int_equal(t[3 + i].n, n[i]);
        assert_int_equal(t[3 + i].cycle, 30000 + 6000 * i);
    }
    assert_int_equal(counted("probes"), 12);
    assert_int_equal(counted("sample_cycles"), 24000);
    assert_int_equal(counted("search_cycles"), 72000);
    fake_close(&f);
}

static u64 slope(u32 n, u32 p)
{
    return 1000 + 10 * n + p;
}

TEST(a_search_that_the_epoch_cuts_short_is_abandoned)
{
    UNUSED_STATE;
    static const char *const brief[] = {"t_period", "50000", NULL};
    struct warp_note t[64] = {{0}};
    open_poise(brief);
    surface = slope;
    fake_kernel(&f, "k", 0, W);
    fake_run_to(&f, 50000);
    assert_null(fake_find(&f, "final", 0));
    u32 count = fake_tuples(&f, t, 64);
    expect_tuple(&t[count - 1], 50000, W, W);
    fake_run_to(&f, 74000);
    assert_non_null(fake_find(&f, "predicted", 1));
    /* of 26,000 cycles four windows were whole */
    assert_int_equal(counted("abandoned"), 1);
    assert_int_equal(counted("probes"), 4);
    assert_int_equal(counted("search_cycles"), 26000);
    assert_int_equal(counted("sample_cycles"), 48000);
    fake_run_to(&f, 74000 + 6000);
    assert_int_equal(counted("probes"), 5);
    fake_close(&f);
}

TEST(samples_only_are_two_windows_of_each_epoch_and_no_prediction)
{
    UNUSED_STATE;
    static const char *const only[] = {"samples_only", "true", "i_max", "1", NULL};
    struct warp_note t[8] = {{0}};
    open_poise(only);
    rates.accesses = 300;
    fake_kernel(&f, "k", 0, W);
    fake_run_to(&f, 224000);
    assert_int_equal(f.windows[0], 2); /* of two epochs; nine instructions a load are no reason */
    assert_int_equal(f.windows[1], 2);
    assert_int_equal(f.sampled[0], 3000); /* 10,000 cycles */
    assert_int_equal(f.sampled[1], 3000);
    assert_null(fake_find(&f, "predicted", 0));
    assert_int_equal(fake_tuples(&f, t, 8), 5);
    expect_tuple(&t[0], 0, W, W);
    expect_tuple(&t[1], 12000, 1, 1);
    expect_tuple(&t[2], 24000, W, W);
    expect_tuple(&t[3], 212000, 1, 1);
    expect_tuple(&t[4], 224000, W, W);
    assert_int_equal(counted("sample_cycles"), 48000);
    fake_close(&f);
}

/* ---- others ------------------------------------------------------------------------------------
 */

TEST(one_sm_s_counters_change_its_own_tuple_alone)
{
    UNUSED_STATE;
    static const char *const no_search[] = {"stride_n", "0", "stride_p", "0", NULL};
    u32 n[2];
    for (u32 i = 0; i < 2; i++) {
        open_poise(no_search);
        f.view.sm = i;
        rates.hits = i ? 100 : 500;
        rates.own_hits = i ? 10 : 250;
        fake_kernel(&f, "k", 0, W);
        fake_run_to(&f, 24000);
        n[i] = fake_find(&f, "predicted", 0)->n;
        fake_close(&f);
    }
    assert_int_equal(n[0], 9);
    assert_int_equal(n[1], 6); /* exp(0.517426 * .1 + 1.231658 * .01 + 1.667111) = 5.65 */
}

TEST(a_kernel_known_to_be_short_does_not_visit_1_1_if_so_asked)
{
    UNUSED_STATE;
    for (u32 i = 0; i < 2; i++) {
        const char *sets[] = {"skip_short", i ? "true" : "false", NULL};
        open_poise(sets);
        fake_launch(&f, 0);
        fake_kernel(&f, "k", 0, W);
        fake_run_to(&f, 15000);
        fake_exit(&f, 0); /* it took 15,000 cycles */
        fake_run_to(&f, 90000);
        fake_kernel(&f, "k", 1, W);
        fake_run_to(&f, 90000 + 13000);
        assert_true(!fake_find(&f, "short", 0) == !i);
        fake_kernel(&f, "another", 2, W);
        fake_run_to(&f, 90000 + 30000);
        assert_null(fake_find(&f, "short", 1));
        fake_close(&f);
    }
}

RUN_TESTS(T(the_first_24000_cycles_are_12000_at_most_and_12000_at_least_warps),
          T(the_prediction_is_the_link_function_of_the_two_samples),
          T(time_for_the_link_function_is_spent_at_1_1),
          T(time_of_kernels_that_end_before_their_prediction_counts_as_sampling),
          T(a_new_kernel_starts_again),
          T(more_than_49_instructions_between_loads_leave_the_sm_alone),
          T(what_happens_in_warmups_changes_nothing),
          T(each_probe_takes_6000_cycles_and_the_end_stays_until_the_epoch_ends),
          T(a_search_that_the_epoch_cuts_short_is_abandoned),
          T(samples_only_are_two_windows_of_each_epoch_and_no_prediction),
          T(one_sm_s_counters_change_its_own_tuple_alone),
          T(a_kernel_known_to_be_short_does_not_visit_1_1_if_so_asked))
