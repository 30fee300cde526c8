/* Frequency domains that change: lock time, the account of power, periods, and what is refused. */
#include "dvfs/bed.h"

#include <math.h>

/* Core 0 goes up and down in turn; nothing else moves. */
static u32 toggle_core(struct dvfs_policy *p, u32 domain)
{
    u32 base = 3;
    return domain ? base : dvfs_level_of(p, domain) == base ? base + 1 : base;
}

static u32 toggle_memory(struct dvfs_policy *p)
{
    (void)p;
    return 3;
}

static const struct dvfs_policy_ops toggle = {.version = POLICY_VERSION,
                                              .name = "toggle",
                                              .source = "this test",
                                              .core = toggle_core,
                                              .memory = toggle_memory};

static void open_toggle(struct dvfs_bed *b, u64 pll_ns, u32 scope)
{
    bed_init(b);
    b->config.period_ns = 2500;
    b->config.pll_ns = pll_ns;
    b->config.pll_scope = scope;
    bed_build(b, (const struct policy_ops *)&toggle, NULL, BED_CPUS, 1);
}

/* 20 periods of 2.5 us and a lock time of 1 us: 40 % of the time from the first change on. The
 * first period is at 3 GHz, then 1.5 us each at 3.5 and 3 GHz in turn, a tick every 10 cycles. */
TEST(a_domain_that_changes_every_period_stands_still_for_the_lock_time_of_each)
{
    UNUSED_STATE;
    struct dvfs_bed b;
    open_toggle(&b, 1000, DVFS_LOCKS_DOMAIN);
    bed_run_to(&b, 21 * 2500 - 1);
    const struct dvfs_domain_counts *n = b.dvfs.domain_counts;
    assert_int_equal(n[0].changes, 20);
    assert_int_equal(n[0].locked_ns, 20 * 1000);
    double ticks = 2500 * 0.3 + 10 * 1500 * 0.35 + 10 * 1500 * 0.3;
    assert_true(fabs((double)b.cores[0].ticks - ticks) < 25);
    assert_int_equal(n[1].locked_ns, 0); /* the others go on */
    assert_true(fabs((double)b.cores[1].ticks - 21 * 2500 * 0.3) < 2);
    bed_fini(&b);
}

TEST(with_pll_scope_chip_all_domains_stand_still_together)
{
    UNUSED_STATE;
    struct dvfs_bed b;
    open_toggle(&b, 1000, DVFS_LOCKS_CHIP);
    bed_run_to(&b, 21 * 2500 - 1);
    assert_int_equal(b.dvfs.counts.changes, 20);
    for (u32 i = 0; i < BED_DOMAINS; i++)
        assert_int_equal(b.dvfs.domain_counts[i].locked_ns, 20 * 1000);
    assert_true(fabs((double)b.cores[1].ticks - (2500 + 20 * 1500) * 0.3) < 25);
    bed_fini(&b);
}

TEST(without_a_lock_time_a_change_costs_nothing)
{
    UNUSED_STATE;
    struct dvfs_bed b;
    open_toggle(&b, 0, DVFS_LOCKS_DOMAIN);
    bed_run_to(&b, 21 * 2500 - 1);
    assert_int_equal(b.dvfs.domain_counts[0].locked_ns, 0);
    double ticks = 2500 * 0.3 + 10 * 2500 * 0.35 + 10 * 2500 * 0.3;
    assert_true(fabs((double)b.cores[0].ticks - ticks) < 25);
    bed_fini(&b);
}

/* Core 0: a share of 0.075, of which 3.5 GHz take 7/6: 1.0125 of the budget in every other period,
 * from the first moment of the lock time on. */
TEST(power_is_that_of_the_new_level_while_its_pll_locks)
{
    UNUSED_STATE;
    struct dvfs_bed b;
    open_toggle(&b, 1000, DVFS_LOCKS_DOMAIN);
    bed_run_to(&b, 5 * 2500 - 1);
    const struct dvfs_counts *n = &b.dvfs.counts;
    u64 ns = 5 * 2500 - 1, high = 2 * 2500;
    assert_int_equal(n->ns, ns);
    assert_int_equal(n->energy, ns * 1000000000 + high * 12500000);
    assert_int_equal(n->cpu_energy, ns * 300000000 + high * 12500000);
    assert_int_equal(n->gpu_energy, ns * 300000000);
    assert_int_equal(n->memory_energy, ns * 400000000);
    assert_int_equal(n->over_periods, 2);
    assert_int_equal(n->over_ns, high);
    assert_int_equal(n->most_power, 1012500000);
    assert_int_equal(b.dvfs.domain_counts[0].at_level_ns[4], high);
    bed_fini(&b);
}

/* f V^2 with V in proportion to f: case 2 at 0.6, 4.0 and 1.5 GHz takes 0.0192 + 0.7111 + 0.4. */
TEST(power_may_follow_f_and_the_square_of_the_voltage)
{
    UNUSED_STATE;
    static const char *const set[] = {"cpu", "4GHz", "gpu", "0.6GHz", NULL};
    struct dvfs_bed b;
    bed_init(&b);
    b.config.energy_model = DVFS_F_V2;
    bed_build(&b, policy_find(QUESTION_DVFS, "fixed"), set, BED_CPUS, 1);
    bed_run_to(&b, 1000);
    double power = (double)b.dvfs.counts.energy / (double)b.dvfs.counts.ns / 1e9;
    assert_true(fabs(power - (0.3 * 0.064 + 0.3 * 64 / 27 + 0.4)) < 1e-8);
    bed_fini(&b);
}

TEST(fixed_frequencies_may_lie_between_the_levels)
{
    UNUSED_STATE;
    static const char *const set[] = {"gpu", "0.5GHz", "memory", "1GHz", NULL};
    struct dvfs_bed b;
    bed_init(&b);
    bed_build(&b, policy_find(QUESTION_DVFS, "fixed"), set, BED_CPUS, 1);
    bed_run_to(&b, 10000);
    assert_true(fabs((double)b.cores[BED_GPU].ticks - 500) < 2);
    assert_int_equal(b.dvfs.counts.periods, 0);
    assert_int_equal(b.dvfs.domain_counts[BED_GPU].mhz, 500);
    bed_fini(&b);
}

/* 10 us, then twice as long after each that changes nothing: ends at 10, 20, 40, 80, 120 us, 40
 * being the longest. */
TEST(periods_grow_while_nothing_changes)
{
    UNUSED_STATE;
    struct dvfs_bed b;
    bed_init(&b);
    b.config.period_growth = 2;
    b.config.longest_ns = 40000;
    bed_dyfr(&b, NULL);
    bed_rate_all(&b, (struct bed_rate){2000, 15, false});
    static const u64 ends[] = {10000, 20000, 40000, 80000, 120000};
    for (u32 i = 0; i < ARRAY_LEN(ends); i++) {
        bed_run_to(&b, ends[i] - 1);
        assert_int_equal(b.dvfs.counts.periods, i);
        bed_run_to(&b, ends[i]);
        assert_int_equal(b.dvfs.counts.periods, i + 1);
    }
    bed_fini(&b);
}

TEST(levels_are_whole_kilohertz_that_rise)
{
    UNUSED_STATE;
    static const char *const bad[] = {"", "fast", "1.5GHz 1.5GHz", "2GHz 1GHz",
                                      "1.5GHz 2000000001Hz"};
    struct dvfs_levels l;
    for (u32 i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        assert_false(dvfs_read_levels(bad[i], "levels", (struct src_pos){0}, &l, &err));
        assert_int_equal(err.kind, ERR_INPUT);
    }
    struct err err = ERR_INIT;
    assert_true(dvfs_read_levels("600MHz, 1.5GHz 2.1GHz", "levels", (struct src_pos){0}, &l, &err));
    assert_int_equal(l.count, 3);
    assert_int_equal(l.hz[1], 1500000000);
}

RUN_TESTS(T(a_domain_that_changes_every_period_stands_still_for_the_lock_time_of_each),
          T(with_pll_scope_chip_all_domains_stand_still_together),
          T(without_a_lock_time_a_change_costs_nothing),
          T(power_is_that_of_the_new_level_while_its_pll_locks),
          T(power_may_follow_f_and_the_square_of_the_voltage),
          T(fixed_frequencies_may_lie_between_the_levels), T(periods_grow_while_nothing_changes),
          T(levels_are_whole_kilohertz_that_rise))
