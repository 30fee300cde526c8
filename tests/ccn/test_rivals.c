/* Ideal cooperation, clusters, more L2 banks, the sharing tracker: checks X1 to X4 of the
 * bandwidth-and-ccn spec, section 6. */
#include "ccn/bed.h"

/* Worked out beforehand from the published mean (h = 0.29, spec S14) and full SMs, not chosen by
 * results: 48 warps on each, and 5300 lines, of which any of 14 other L1s of 128 lines has one with
 * chance 1 - (1 - 128 / 5300)^14 = 0.29. They fit into L2. */
static const struct pool_kernel as_published = {
    .sms = 30, .warps = 24, .loads = 60, .footprint_bytes = 5300 * LINE};

struct result {
    cycle_t cycles;
    u64 remote_hits, redirected, updates, l2_updates, dram_reads;
};

/* Of a pool, or of a chain whose lines are in L2. */
static struct result run(const char *chip, const char *setting, const struct pool_kernel *k,
                         const struct chain *c)
{
    const char *sets[] = {setting, NULL};
    struct observer o = {0};
    struct bed b;
    struct gpu_counters t;
    ccn_open(&b, &o, chip, sets);
    if (c)
        chain_warm_l2(&b, c);
    struct result r = {.cycles = k ? pool_run(&b, k, 1) : chain_run(&b, c)};
    gpu_counters(b.gpu, &t);
    r.dram_reads = t.dram_read_bytes;
    if (b.gpu->cluster.ccn.nodes) {
        r.remote_hits = count_of(&b, "sm.ccn.remote_hits");
        r.updates = count_of(&b, "sm.ccn.updates");
        r.l2_updates = count_of(&b, "l2.updates");
        r.redirected = count_of(&b, "l2.redirected");
    }
    bed_close(&b);
    return r;
}

static double gain(cycle_t base, cycle_t with)
{
    return (double)base / (double)with - 1;
}

/* ---- S13 ------------------------------------------------------------------------------------- */

TEST(an_ideal_hit_takes_the_latency_it_is_given)
{
    UNUSED_STATE;
    static const u32 latencies[] = {0, 1, 80, 300};
    for (u32 i = 0; i < ARRAY_LEN(latencies); i++) {
        char latency[64];
        snprintf(latency, sizeof latency, "ccn.ideal_cycles=%u", latencies[i]);
        const char *sets[] = {latency, NULL};
        struct observer o = {0};
        struct bed b;
        ccn_open(&b, &o, "fermi15-ccn-ideal", sets);
        load_line_on(&b, 7, 0x10000);
        load_line_on(&b, 0, 0x10000);
        assert_int_equal(count_of(&b, "sm0.ccn.remote_hits"), 1);
        assert_int_equal(count_of(&b, "sm0.ccn.reuse_cycles"), latencies[i]);
        assert_int_equal(count_of(&b, "l2.loads"), 1);
        bed_close(&b);
    }
}

/* Cycles in which every SM has the lines of the SM so many places further on, one after the
 * other. */
static cycle_t handed_over(const char *chip, u32 places, const char *name, u32 value)
{
    char setting[64];
    snprintf(setting, sizeof setting, "%s=%u", name, value);
    const char *sets[] = {setting, NULL};
    struct observer o = {0};
    struct bed b;
    ccn_open(&b, &o, chip, sets);
    hand_over(&b, 0);
    cycle_t before = engine_cycle(&b.sim.engine, 0);
    hand_over(&b, places);
    cycle_t cycles = engine_cycle(&b.sim.engine, 0) - before;
    if (b.gpu->cluster.ccn.nodes)
        assert_int_equal(count_of(&b, "sm.ccn.remote_hits"), 15 * HANDED);
    bed_close(&b);
    return cycles;
}

/* Loads that wait for each other and are all answered: a cycle more of latency is a cycle more for
 * each, and nothing else changes. (Below the 20 cycles of an L1 hit nothing does.) */
TEST(the_gain_falls_with_the_latency_by_a_cycle_for_each_load)
{
    UNUSED_STATE;
    const char *chip = "fermi15-ccn-ideal", *name = "ccn.ideal_cycles";
    cycle_t none = handed_over("fermi15", 5, name, 0);
    cycle_t at_40 = handed_over(chip, 5, name, 40), at_80 = handed_over(chip, 5, name, 80);
    cycle_t at_300 = handed_over(chip, 5, name, 300);
    assert_int_equal(at_80 - at_40, HANDED * 40);
    assert_int_equal(at_300 - at_80, HANDED * 220);
    assert_true(at_80 < none && none < at_300); /* L2 answers in 120 */
}

/* An answer from five places further on takes 3 + 5 (2 v + 3) cycles with links of v (spec S15).
 * All SMs do the same at the same time, so responses follow each other and none waits. */
TEST(the_gain_falls_with_the_links_latency_by_ten_cycles_for_each_load)
{
    UNUSED_STATE;
    const char *chip = "fermi15-ccn", *name = "ccn.link_cycles";
    cycle_t none = handed_over("fermi15", 5, name, 1);
    cycle_t at_1 = handed_over(chip, 5, name, 1), at_3 = handed_over(chip, 5, name, 3);
    cycle_t at_5 = handed_over(chip, 5, name, 5);
    assert_int_equal(at_3 - at_1, HANDED * 2 * 10);
    assert_int_equal(at_5 - at_3, HANDED * 2 * 10);
    assert_true(at_5 < none);
}

/* ---- X1, X2 ---------------------------------------------------------------------------------- */

TEST(a_cluster_of_all_is_ideal_cooperation_and_one_of_one_is_none)
{
    UNUSED_STATE;
    struct result all = run("fermi15-ccn-ideal", "ccn.cluster_sms=0", &as_published, NULL);
    struct result fifteen = run("fermi15-ccn-ideal", "ccn.cluster_sms=15", &as_published, NULL);
    struct result one = run("fermi15-ccn-ideal", "ccn.cluster_sms=1", &as_published, NULL);
    struct result base = run("fermi15", "ccn.mode=none", &as_published, NULL);
    assert_memory_equal(&all, &fifteen, sizeof all);
    assert_true(all.remote_hits > 1000);
    assert_int_equal(one.remote_hits, 0);
    assert_int_equal(one.cycles, base.cycles);
}

TEST(larger_clusters_gain_more)
{
    UNUSED_STATE;
    cycle_t base = run("fermi15", "ccn.mode=none", &as_published, NULL).cycles;
    double three =
        gain(base, run("fermi15-ccn-ideal", "ccn.cluster_sms=3", &as_published, NULL).cycles);
    double five =
        gain(base, run("fermi15-ccn-ideal", "ccn.cluster_sms=5", &as_published, NULL).cycles);
    double all =
        gain(base, run("fermi15-ccn-ideal", "ccn.cluster_sms=15", &as_published, NULL).cycles);
    print_message("# clusters of 3, 5, 15: %+.1f %+.1f %+.1f %%\n", 100 * three, 100 * five,
                  100 * all);
    assert_true(three < five && five < all);
}

/* As cutcp's: lines are found four SMs away. */
TEST(sharing_at_a_distance_of_four_is_lost_on_clusters_of_three_and_not_on_the_ring)
{
    UNUSED_STATE;
    const struct chain c = {.warps = 24, .lag = 4, .iterations = 40, .offset = 4, .count = 15};
    struct result clusters = run("fermi15-ccn-ideal", "ccn.cluster_sms=3", NULL, &c);
    struct result ideal = run("fermi15-ccn-ideal", "ccn.cluster_sms=15", NULL, &c);
    struct result ring = run("fermi15-ccn", "ccn.mode=ring", NULL, &c);
    cycle_t base = run("fermi15", "ccn.mode=none", NULL, &c).cycles;
    print_message("# %llu hits in clusters, %llu ideally, %llu on the ring\n",
                  (unsigned long long)clusters.remote_hits, (unsigned long long)ideal.remote_hits,
                  (unsigned long long)ring.remote_hits);
    assert_true(clusters.remote_hits * 20 < ideal.remote_hits);
    assert_near(gain(base, clusters.cycles), 0, 0.02);
    assert_true(ring.remote_hits * 2 > ideal.remote_hits);
    assert_true(gain(base, ring.cycles) > 0.05);
}

/* ---- X3 -------------------------------------------------------------------------------------- */

struct gains {
    double banks, ring, both;
};

static struct gains gains_of(const struct pool_kernel *k)
{
    const char *off = "ccn.throttle.enabled=false";
    cycle_t base = run("fermi15", off, k, NULL).cycles;
    struct gains g = {.banks = gain(base, run("fermi15-24banks", off, k, NULL).cycles),
                      .ring = gain(base, run("fermi15-ccn", off, k, NULL).cycles),
                      .both = gain(base, run("fermi15-24banks-ccn", off, k, NULL).cycles)};
    print_message("# 24 banks %+.1f, ring %+.1f, both %+.1f %%\n", 100 * g.banks, 100 * g.ring,
                  100 * g.both);
    assert_true(g.banks > 0 && g.ring > 0);
    assert_true(g.both > g.banks && g.both > g.ring);
    return g;
}

/* Where nothing but the memory system limits them, one relieves what the other has left: gains
 * multiply, and that they do not quite is all that can be said. */
TEST(more_banks_and_the_ring_together_gain_more_than_either_and_less_than_one_after_the_other)
{
    UNUSED_STATE;
    struct gains g = gains_of(&as_published);
    assert_true(1 + g.both < (1 + g.banks) * (1 + g.ring));
}

/* X3 as it is written. A program has its own instructions, too, and whatever brings its lines it
 * cannot be faster than they are: an SM does one per cycle. A ring that answers 29 % leaves 0.71 of
 * the time that lines alone take; twice the banks leave 215 / 336 = 0.64 of it, since then the
 * reply ports of the SMs are the limit (spec B2; 32 bytes per L2 cycle for each of 15); both leave
 * 0.45. Arithmetic that takes 0.55, half-way from 0.64 to 0.45, is a limit for both and for neither
 * alone. (0.71 was tried first: either alone meets it, and both gain no more.
 * docs/mechanisms/ccn.md.) */
TEST(with_arithmetic_more_banks_and_the_ring_together_gain_less_than_their_sum)
{
    UNUSED_STATE;
    struct pool_kernel k = as_published;
    u32 warps = k.sms * k.warps / 15;
    double lines_alone = (double)run("fermi15", "ccn.mode=none", &k, NULL).cycles;
    u32 lines = warps * k.loads * 7 / 8;
    k.arithmetic = (u32)(0.55 * lines_alone / lines);
    k.loads = 64;
    struct gains g = gains_of(&k);
    assert_true(g.both < g.banks + g.ring);
    cycle_t limit = (cycle_t)warps * k.loads * k.arithmetic;
    cycle_t both = run("fermi15-24banks-ccn", "ccn.throttle.enabled=false", &k, NULL).cycles;
    assert_true(both >= limit);
}

TEST(twice_the_banks_have_the_same_capacity)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "fermi15-24banks", NULL);
    assert_int_equal(b.gpu->memory->bank_count, 24);
    assert_int_equal(b.gpu->memory->banks[0].cache.tags.sets * 8 * 128 * 24, 768 * KIB);
    bed_close(&b);
}

/* ---- X4 -------------------------------------------------------------------------------------- */

TEST(messages_to_the_tracker_go_through_l2_and_without_less_dram_traffic_it_loses)
{
    UNUSED_STATE;
    struct result base = run("fermi15", "ccn.mode=none", &as_published, NULL);
    struct result with = run("fermi15-tracker", "ccn.mode=tracker", &as_published, NULL);
    assert_true(with.updates > 1000);
    assert_int_equal(with.l2_updates, with.updates);
    assert_true(with.dram_reads >= base.dram_reads); /* each line comes once in any case */
    print_message("# tracker: %llu cycles, %llu without\n", (unsigned long long)with.cycles,
                  (unsigned long long)base.cycles);
    assert_true(with.cycles >= base.cycles);
}

/* 3 KiB of L2 in 12 banks of one set: lines that another L1 keeps are gone from L2. */
TEST(the_tracker_has_a_line_from_an_l1_that_l2_has_lost)
{
    UNUSED_STATE;
    const char *sets[] = {"l2.size_bytes=12KiB", "l2.ways=8", NULL};
    const struct scripted_instruction sweep[] = {LOAD(1, 0x200000, .warp_stride = LINE)};
    for (u32 i = 0; i < 2; i++) {
        struct observer o = {0};
        struct bed b;
        ccn_open(&b, &o, i ? "fermi15-tracker" : "fermi15", sets);
        load_line_on(&b, 0, 0x70000); /* the code is in its instruction cache */
        load_line_on(&b, 1, 0x10000);
        run_on(&b, 2, KERNEL(sweep, 1024, .iterations = 1)); /* 32 lines */
        struct scripted_kernel k = KERNEL(sweep, 1024, .blocks = 1);
        for (u32 n = 0; n < 8; n++) {
            struct scripted_instruction more[] = {
                LOAD(1, 0x300000 + n * 32 * LINE, .warp_stride = LINE)};
            k.code = more;
            run_on(&b, 2, k);
        }
        struct gpu_counters before, after;
        gpu_counters(b.gpu, &before);
        load_line_on(&b, 0, 0x10000);
        gpu_counters(b.gpu, &after);
        assert_int_equal(count_of(&b, "l2.redirected"), i);
        assert_int_equal(after.dram_read_bytes - before.dram_read_bytes, i ? 0 : LINE);
        bed_close(&b);
    }
}

RUN_TESTS(
    T(an_ideal_hit_takes_the_latency_it_is_given),
    T(the_gain_falls_with_the_latency_by_a_cycle_for_each_load),
    T(the_gain_falls_with_the_links_latency_by_ten_cycles_for_each_load),
    T(a_cluster_of_all_is_ideal_cooperation_and_one_of_one_is_none), T(larger_clusters_gain_more),
    T(sharing_at_a_distance_of_four_is_lost_on_clusters_of_three_and_not_on_the_ring),
    T(more_banks_and_the_ring_together_gain_more_than_either_and_less_than_one_after_the_other),
    T(with_arithmetic_more_banks_and_the_ring_together_gain_less_than_their_sum),
    T(twice_the_banks_have_the_same_capacity),
    T(messages_to_the_tracker_go_through_l2_and_without_less_dram_traffic_it_loses),
    T(the_tracker_has_a_line_from_an_l1_that_l2_has_lost))
