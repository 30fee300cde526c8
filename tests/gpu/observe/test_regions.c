/* Regions of kernels: what is counted, what is decided, what then goes past the caches. */
#include "gpu/bed.h"
#include "gpu/script.h"

#include "views/gpu_regions.h"

#define A 0x10000000u /* streamed */
#define B 0x20000000u /* used again and again */
#define C 0x30000000u /* in no region */

static const struct region_list regions = {.at = {{A, 16 * MIB}, {B, 64 * KIB}}, .count = 2};

static void launch(struct bed *b, const struct scripted_kernel *k, const struct region_list *list)
{
    struct grid_source s = scripted_source(k, &b->scripts);
    s.regions = list;
    bed_launch_source(b, &s);
}

/* What a person is told contains this. */
static void expect_told(const struct bed *b, const char *sentence)
{
    struct text t = {0};
    gpu_regions_summary(b->gpu, &t);
    assert_non_null(strstr(t.data, sentence));
    text_fini(&t);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Two warps: two lines of A each, none twice; one line of B four times; a store and one outside. */
static const struct scripted_instruction mixed[] = {
    LOAD(1, A, .warp_stride = 256),
    ALU(2, 1),
    LOAD(1, A + 128, .warp_stride = 256),
    ALU(2, 1),
    LOAD(1, B, .warps = 1),
    ALU(2, 1),
    LOAD(1, B, .warps = 1),
    ALU(2, 1),
    STORE(B + 4096, .warps = 1),
    LOAD(1, C, .warps = 2),
    ALU(2, 1),
    EXIT(),
};

TEST(accesses_hits_and_what_lies_outside_are_counted_by_region)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "fermi15", (const char *[]){"regions.count=true", NULL});
    launch(&b, &KERNEL(mixed, 64), &regions);
    bed_run(&b);
    assert_int_equal(b.gpu->cluster.regions.counts.loads[0], 4);
    assert_int_equal(b.gpu->cluster.regions.counts.loads[1], 2);
    assert_int_equal(b.gpu->cluster.regions.counts.loads[REGION_OUTSIDE], 1);
    assert_int_equal(b.gpu->cluster.regions.counts.stores[1], 1);
    assert_int_equal(b.gpu->cluster.regions.counts.l1_hits[0], 0);
    assert_int_equal(b.gpu->cluster.regions.counts.l1_hits[1], 1);
    /* the second load of B hit L1; the store was answered from below */
    assert_int_equal(b.gpu->cluster.regions.counts.l2_answers[1], 2);
    assert_int_equal(b.gpu->cluster.regions.counts.l2_hits[1], 0);
    assert_int_equal(b.gpu->cluster.regions.counts.l2_answers[0], 4);
    const struct region_record *r = b.gpu->cluster.regions.first;
    assert_int_equal(r->all[0].loads, 4);
    assert_int_equal(bed_stat(&b, "regions.undisciplined"), 1); /* 1 of 8 outside */
    expect_told(&b, "undisciplined: more than 5 % of its accesses are outside");
    bed_close(&b);
}

TEST(counting_moves_no_cycle)
{
    UNUSED_STATE;
    cycle_t cycles[2];
    for (u32 i = 0; i < 2; i++) {
        struct bed b;
        const char *sets[] = {i ? "regions.count=true" : "regions.count=false", NULL};
        bed_open(&b, "fermi15", sets);
        launch(&b, &KERNEL(mixed, 64, .iterations = 20, .blocks = 40), &regions);
        bed_run(&b);
        cycles[i] = engine_cycle(&b.sim.engine, 0);
        bed_close(&b);
    }
    assert_int_equal(cycles[0], cycles[1]);
}

TEST(a_kernel_whose_regions_nobody_knows_counts_for_nothing)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "fermi15", (const char *[]){"regions.count=true", NULL});
    launch(&b, &KERNEL(mixed, 64), NULL);
    bed_run(&b);
    assert_int_equal(bed_stat(&b, "regions.untracked"), 1);
    assert_int_equal(b.gpu->cluster.regions.counts.loads[0], 0);
    assert_null(b.gpu->cluster.regions.first);
    bed_close(&b);
}

/* ---- the rule ---------------------------------------------------------------------------------
 */

static const struct regions_config rule = {.l1_percent = 1, .l2_percent = 1, .min_accesses = 1000};

static void expect_bits(const struct regions_config *c, u64 accesses, u64 l1, u64 l2,
                        bool bypass_l1, bool bypass_l2)
{
    struct region_bits bits = region_decide(c, accesses, l1, l2);
    assert_int_equal(bits.bypass_l1, bypass_l1);
    assert_int_equal(bits.bypass_l2, bypass_l2);
}

TEST(the_published_rows_give_the_published_bits)
{
    UNUSED_STATE;
    expect_bits(&rule, 158210, 32021, 45, false, true); /* Lee 2013, figure 52 */
    expect_bits(&rule, 221520, 52013, 3790, false, false);
}

TEST(few_accesses_or_no_misses_decide_nothing)
{
    UNUSED_STATE;
    expect_bits(&rule, 999, 0, 0, false, false);
    expect_bits(&rule, 1000, 0, 0, true, true);
    expect_bits(&rule, 1000, 1000, 0, false, false);
    expect_bits(&rule, 100000, 99001, 0, false, false); /* 999 came to L2 */
    expect_bits(&rule, 100000, 99000, 0, false, true);
    expect_bits(&rule, 0, 0, 0, false, false);
}

TEST(a_threshold_of_0_decides_nothing_and_one_above_100_everything_that_missed)
{
    UNUSED_STATE;
    struct regions_config none = {.min_accesses = 0}, all = {.l1_percent = 101, .l2_percent = 101};
    expect_bits(&none, 5000, 0, 0, false, false);
    expect_bits(&all, 5000, 5000, 0, true, false); /* nothing missed L1 */
    expect_bits(&all, 5000, 4999, 1, true, true);
    expect_bits(&all, 0, 0, 0, false, false);
}

/* ---- past the caches ------------------------------------------------------------------------- */

/* Eight warps. A: two whole lines each time, never again. B: 16 lines in all, in every iteration.
 */
static const struct scripted_instruction streaming[] = {
    LOAD(1, A, .warp_stride = 128, .iteration_stride = 1024),
    LOAD(2, B, .warp_stride = 128),
    ALU(3, 1),
    ALU(3, 2),
};

static const struct scripted_instruction writing[] = {
    STORE(A, .warp_stride = 128, .iteration_stride = 1024),
    LOAD(2, B, .warp_stride = 128),
    ALU(3, 2),
};

struct totals {
    cycle_t cycles;
    double l1_loads, l1_fills, l2_accesses, l2_fills, bypass_l1, bypass_l2;
};

static struct totals totals_of(struct bed *b, bool has_past)
{
    return (struct totals){
        .cycles = engine_cycle(&b->sim.engine, 0),
        .l1_loads = bed_stat(b, "sm.l1.loads"),
        .l1_fills = bed_stat(b, "sm.l1.fills"),
        .l2_accesses = bed_stat(b, "l2.accesses"),
        .l2_fills = bed_stat(b, "l2.fills"),
        .bypass_l1 = has_past ? bed_stat(b, "sm.l1.bypass.loads") : 0,
        .bypass_l2 = has_past ? bed_stat(b, "l2.bypass.loads") : 0,
    };
}

#define ITERATIONS 400u

static struct totals run(const char *mode, const char *more,
                         const struct scripted_instruction *code, u32 count, u32 launches,
                         struct bed *kept)
{
    struct bed b;
    const char *sets[] = {mode, "regions.training_cycles=10000", "regions.min_accesses=200", more,
                          NULL};
    bed_open(&b, "green12", sets);
    struct scripted_kernel k = {
        .code = code, .count = count, .threads_per_block = 256, .iterations = ITERATIONS};
    for (u32 i = 0; i < launches; i++)
        launch(&b, &k, &regions);
    bed_run(&b);
    struct totals t = totals_of(&b, b.config.data && b.gpu->config->regions.mode == REGIONS_BYPASS);
    if (kept)
        *kept = b;
    else
        bed_close(&b);
    return t;
}

#define RUN(mode, more, code, launches, kept) run(mode, more, code, ARRAY_LEN(code), launches, kept)

TEST(a_streamed_region_goes_past_both_caches_from_the_end_of_training_and_a_reused_one_does_not)
{
    UNUSED_STATE;
    struct bed b;
    struct totals base = RUN("regions.mode=off", NULL, streaming, 1, NULL);
    struct totals rac = RUN("regions.mode=bypass", NULL, streaming, 1, &b);
    const struct region_record *r = b.gpu->cluster.regions.first;
    assert_true(r->was_trained);
    assert_int_equal(r->bypass_l1, 1);
    assert_int_equal(r->bypass_l2, 1);
    assert_int_equal(r->all[0].loads, 8 * 2 * ITERATIONS);
    assert_int_equal(r->all[0].l1_hits, 0);
    assert_int_equal(r->all[0].l2_hits, 0);
    assert_int_equal(r->all[1].bypass_l1, 0);
    /* everything after training went past, but for requests of the very cycle of the decision */
    u64 after = r->all[0].loads - r->training[0].loads;
    assert_in_range(r->all[0].bypass_l1, after - 20, after);
    assert_true(after > r->training[0].loads / 2);
    /* Eq. 25: a miss counts twice, as access and as fill; the drop is what went past */
    assert_true(rac.bypass_l1 > 0 && rac.bypass_l2 > 0);
    assert_near(base.l1_loads - rac.l1_loads, rac.bypass_l1, 0);
    assert_near(base.l1_fills - rac.l1_fills, rac.bypass_l1, 0);
    assert_near(base.l2_accesses - rac.l2_accesses, rac.bypass_l2, 0);
    assert_near(base.l2_fills - rac.l2_fills, rac.bypass_l2, 0);
    assert_near(bed_stat(&b, "l2.bypass.probes"), rac.bypass_l2, 0); /* none found its line */
    bed_close(&b);
}

TEST(stores_of_a_streamed_region_are_written_to_dram)
{
    UNUSED_STATE;
    struct bed b;
    RUN("regions.mode=bypass", NULL, writing, 1, &b);
    const struct region_record *r = b.gpu->cluster.regions.first;
    assert_int_equal(r->bypass_l1, 1);
    assert_int_equal(r->bypass_l2, 1);
    assert_near(bed_stat(&b, "sm.l1.bypass.stores"), (double)r->all[0].bypass_l1, 0);
    /* what training left in L1 bypasses L2 too when it leaves */
    assert_true(bed_stat(&b, "l2.bypass.stores") > 0);
    bed_close(&b);
}

TEST(a_kernel_shorter_than_its_training_runs_as_without)
{
    UNUSED_STATE;
    struct totals base = RUN("regions.mode=off", NULL, streaming, 1, NULL);
    struct bed b;
    struct bed *kept = &b;
    const char *sets[] = {"regions.mode=bypass", NULL}; /* 100,000 cycles */
    bed_open(kept, "green12", sets);
    struct scripted_kernel k = {.code = streaming,
                                .count = ARRAY_LEN(streaming),
                                .threads_per_block = 256,
                                .iterations = ITERATIONS};
    launch(kept, &k, &regions);
    bed_run(kept);
    struct totals rac = totals_of(kept, true);
    assert_memory_equal(&base, &rac, sizeof base);
    assert_near(bed_stat(kept, "regions.trained"), 0, 0);
    bed_close(kept);
}

TEST(each_launch_trains_anew)
{
    UNUSED_STATE;
    struct bed b;
    RUN("regions.mode=bypass", NULL, streaming, 2, &b);
    const struct region_record *r = b.gpu->cluster.regions.first;
    assert_near(bed_stat(&b, "regions.trained"), 2, 0);
    assert_non_null(r->next);
    assert_true(r->next->training[0].loads > 0);
    assert_int_equal(r->next->training[0].bypass_l1, 0);
    bed_close(&b);
}

TEST(a_threshold_of_0_is_the_baseline)
{
    UNUSED_STATE;
    struct totals base = RUN("regions.mode=off", NULL, streaming, 1, NULL);
    struct bed b;
    bed_open(&b, "green12",
             (const char *[]){"regions.mode=bypass", "regions.training_cycles=10000",
                              "regions.min_accesses=200", "regions.l1_percent=0",
                              "regions.l2_percent=0", NULL});
    struct scripted_kernel k = {.code = streaming,
                                .count = ARRAY_LEN(streaming),
                                .threads_per_block = 256,
                                .iterations = ITERATIONS};
    launch(&b, &k, &regions);
    bed_run(&b);
    struct totals rac = totals_of(&b, true);
    assert_memory_equal(&base, &rac, sizeof base);
    bed_close(&b);
}

TEST(training_alone_moves_no_cycle_and_marks_no_request)
{
    UNUSED_STATE;
    struct totals base = RUN("regions.mode=off", NULL, streaming, 1, NULL);
    struct bed b;
    struct totals t = RUN("regions.mode=train", NULL, streaming, 1, &b);
    assert_memory_equal(&base, &t, sizeof base);
    assert_int_equal(b.gpu->cluster.regions.first->bypass_l2, 1); /* decided all the same */
    assert_int_equal(b.gpu->cluster.regions.first->all[0].bypass_l1, 0);
    bed_close(&b);
}

TEST(a_region_without_an_id_is_never_kept_out)
{
    UNUSED_STATE;
    struct region_list many = {.count = MOST_REGIONS, .beyond = 1, .beyond_bytes = 16 * MIB};
    for (u32 i = 0; i < MOST_REGIONS; i++)
        many.at[i] = (struct region){B + i * 4096, 4096};
    struct bed b;
    bed_open(&b, "green12",
             (const char *[]){"regions.mode=bypass", "regions.training_cycles=10000",
                              "regions.min_accesses=200", NULL});
    struct scripted_kernel k = {.code = streaming,
                                .count = ARRAY_LEN(streaming),
                                .threads_per_block = 256,
                                .iterations = ITERATIONS};
    launch(&b, &k, &many);
    bed_run(&b);
    const struct region_record *r = b.gpu->cluster.regions.first;
    assert_int_equal(r->all[REGION_OUTSIDE].loads, 8 * 2 * ITERATIONS);
    assert_int_equal(r->all[REGION_OUTSIDE].bypass_l1, 0);
    assert_near(bed_stat(&b, "regions.beyond"), 1, 0);
    assert_near(bed_stat(&b, "regions.kernels"), 1, 0);
    assert_near(bed_stat(&b, "regions.regions"), MOST_REGIONS, 0);
    assert_near(bed_stat(&b, "regions.bytes"), MOST_REGIONS * 4096, 0);
    expect_told(&b, "1 more regions than the 16 that have an id: they count as outside");
    bed_close(&b);
}

/* Everything that missed goes past both caches; atomics and other stores come to its lines. */
TEST(whatever_goes_past_is_answered_once_also_among_atomics_and_partial_stores)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD(1, A, .warp_stride = 64, .iteration_stride = 192),
        STORE(A, .warp_stride = 96, .iteration_stride = 160, .mask = 0xff),
        STORE(A + 4096, .warp_stride = 128, .iteration_stride = 1024),
        LOAD_APART(2, 64, A, .warp_stride = 512, .iteration_stride = 1088),
        {.kind = WINST_ATOMIC,
         .unit = UNIT_MEMORY,
         .space = SPACE_GLOBAL,
         .bytes = 4,
         .base = A,
         .lane_stride = 4,
         .iteration_stride = 192},
        ALU(3, 1),
        ALU(3, 2),
    };
    static const char *const backs[] = {"sm.l1.write_hit=back", "sm.l1.write_hit=evict"};
    for (u32 i = 0; i < 2; i++) {
        struct bed b;
        bed_open(&b, "green12",
                 (const char *[]){"regions.mode=bypass", "regions.training_cycles=500",
                                  "regions.l1_percent=101", "regions.l2_percent=101",
                                  "regions.min_accesses=0", "l2.size_bytes=128KiB", backs[i],
                                  NULL});
        launch(&b, &KERNEL(code, 256, .iterations = 60, .blocks = 30), &regions);
        bed_run(&b); /* every law */
        assert_true(bed_stat(&b, "l2.bypass.loads") > 1000);
        assert_true(bed_stat(&b, "l2.bypass.stores") > 1000);
        assert_true(bed_stat(&b, "l2.bypass.found") > 0);
        bed_close(&b);
    }
}

RUN_TESTS(
    T(accesses_hits_and_what_lies_outside_are_counted_by_region), T(counting_moves_no_cycle),
    T(a_kernel_whose_regions_nobody_knows_counts_for_nothing),
    T(the_published_rows_give_the_published_bits), T(few_accesses_or_no_misses_decide_nothing),
    T(a_threshold_of_0_decides_nothing_and_one_above_100_everything_that_missed),
    T(a_streamed_region_goes_past_both_caches_from_the_end_of_training_and_a_reused_one_does_not),
    T(stores_of_a_streamed_region_are_written_to_dram),
    T(a_kernel_shorter_than_its_training_runs_as_without), T(each_launch_trains_anew),
    T(a_threshold_of_0_is_the_baseline), T(training_alone_moves_no_cycle_and_marks_no_request),
    T(a_region_without_an_id_is_never_kept_out),
    T(whatever_goes_past_is_answered_once_also_among_atomics_and_partial_stores))
