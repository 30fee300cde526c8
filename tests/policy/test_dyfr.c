/* DyFR: its arithmetic, and what it decides for cores whose misses are given (dyfr-and-green spec
 * A2, A4.3 and A5). */
#include "dvfs/bed.h"

#include "base/rng.h"

#include <math.h>

/* In 1000 cycles. 1000 instructions of which 20 miss: at 3 GHz 600 misses in 10 us, where 250 are
 * many (T_MPT 2500 in 100 us); at 1.5 GHz 300, at 0.9 GHz 180. */
static const struct bed_rate compute = {1000, 1, false}, between = {2000, 15, false},
                             missing = {1000, 20, false}, starved = {1000, 20, true};

/* ---- arithmetic ------------------------------------------------------------------------------ */

static void set_state(struct dvfs_policy *p, const u32 *cpu, u32 gpu, u32 memory)
{
    for (u32 i = 0; i < BED_CPUS; i++)
        p->domains[i].hz = (1500 + 500 * (u64)cpu[i]) * 1000000;
    p->domains[BED_GPU].hz = (600 + 300 * (u64)gpu) * 1000000;
    p->domains[BED_MEMORY].hz = (600 + 300 * (u64)memory) * 1000000;
}

static u32 ask_memory(struct dvfs_bed *b)
{
    return b->dvfs.policy.ops->memory(&b->dvfs.policy);
}

static void open_formula(struct dvfs_bed *b, const char *formula, const char *mode)
{
    const char *const set[] = {"formula", formula, "mode", mode, NULL};
    bed_init(b);
    bed_dyfr(b, set);
}

/* Levels are 600 + 300 k. In units of 1/400 of the budget a step of the GPU is 24, one of a CPU
 * core 5: printed 300 * floor((400 + u) / 80), within the budget 300 * floor((160 + u) / 32). */
static u32 level_by_hand(int u, bool by_share)
{
    int mhz = by_share ? 300 * ((160 + u) / 32) : 300 * ((400 + u) / 80);
    return (u32)(((mhz < 600 ? 600 : mhz > 2100 ? 2100 : mhz) - 600) / 300);
}

TEST(the_memorys_frequency_is_exact_in_all_7776_states_of_the_cores)
{
    UNUSED_STATE;
    struct dvfs_bed b[3];
    static const char *const formulas[] = {"printed", "budget", "capped"};
    for (u32 f = 0; f < 3; f++)
        open_formula(&b[f], formulas[f], "high_performance");
    u32 states = 0;
    for (u32 n = 0; n < 6 * 6 * 6 * 6 * 6; n++, states++) {
        const u32 cpu[] = {n % 6, n / 6 % 6, n / 36 % 6, n / 216 % 6}, gpu = n / 1296;
        int u = 24 * (3 - (int)gpu);
        for (u32 i = 0; i < 4; i++)
            u += 5 * (3 - (int)cpu[i]);
        const u32 expected[] = {level_by_hand(u, false), level_by_hand(u, true),
                                level_by_hand(u, u < 0)};
        for (u32 f = 0; f < 3; f++) {
            set_state(&b[f].dvfs.policy, cpu, gpu, 3);
            assert_int_equal(ask_memory(&b[f]), expected[f]);
            set_state(&b[f].dvfs.policy, cpu, gpu, expected[f]);
            if (f) /* never above the budget */
                assert_false(dvfs_is_over_budget(&b[f].dvfs.policy));
        }
    }
    assert_int_equal(states, 7776);
    for (u32 f = 0; f < 3; f++)
        bed_fini(&b[f]);
}

TEST(as_printed_108_of_756_states_exceed_the_budget_by_up_to_11_5_percent)
{
    UNUSED_STATE;
    struct dvfs_bed b;
    open_formula(&b, "printed", "high_performance");
    struct dvfs_policy *p = &b.dvfs.policy;
    u32 states = 0, over = 0;
    u64 most = 0;
    for (u32 n = 0; n < 7776; n++) {
        const u32 cpu[] = {n % 6, n / 6 % 6, n / 36 % 6, n / 216 % 6}, gpu = n / 1296;
        if (cpu[0] > cpu[1] || cpu[1] > cpu[2] || cpu[2] > cpu[3])
            continue; /* the same cores in another order */
        set_state(p, cpu, gpu, 3);
        set_state(p, cpu, gpu, ask_memory(&b));
        states++;
        over += dvfs_is_over_budget(p);
        most = max_u64(most, dvfs_billionths(dvfs_power(p)));
    }
    assert_int_equal(states, 756);
    assert_int_equal(over, 108);
    assert_int_equal(most, 1115000000);
    /* and where: GPU 2.1, cores 3, 4, 4, 4 GHz */
    static const u32 cpu[] = {3, 5, 5, 5};
    set_state(p, cpu, 5, 3);
    set_state(p, cpu, 5, ask_memory(&b));
    assert_int_equal(dvfs_billionths(dvfs_power(p)), 1115000000);
    bed_fini(&b);
}

/* P of the table of the spec, and 1 - P / speed-up with the printed speed-ups. */
TEST(energy_of_the_published_cases_is_that_of_the_model)
{
    UNUSED_STATE;
    static const struct {
        u32 cpu[4], gpu, memory;
        double power, speedup, reduction;
    } rows[] = {
        {{5, 5, 5, 5}, 5, 0, 0.980, 1.3663, 28.3}, /* case 1 */
        {{5, 5, 5, 5}, 0, 3, 0.920, 1.1747, 21.7}, /* case 2: sqrt(0.92 x 1.5) */
        {{5, 0, 0, 0}, 5, 2, 0.9525, 1.102, 13.6}, /* case 3: sqrt(0.88 x 1.38) */
        {{0, 0, 0, 0}, 0, 3, 0.67, 1.16, 42.2},    /* case 4, power saving, GPU 0.6 or 0.9 */
        {{0, 0, 0, 0}, 1, 3, 0.73, 1.16, 37.1},
        {{0, 0, 0, 0}, 0, 4, 0.75, 1.53, 51.0}, /* case 4, high performance */
        {{0, 0, 0, 0}, 1, 4, 0.81, 1.53, 47.1},
    };
    struct dvfs_bed b;
    open_formula(&b, "capped", "power_saving");
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        set_state(&b.dvfs.policy, rows[i].cpu, rows[i].gpu, rows[i].memory);
        u64 power = dvfs_billionths(dvfs_power(&b.dvfs.policy)), sum = 0;
        assert_int_equal(power, llround(rows[i].power * 1e9));
        for (u32 k = 0; k < BED_DOMAINS; k++)
            sum += dvfs_power_of(&b.dvfs, k, b.dvfs.policy.domains[k].hz);
        assert_int_equal(sum, power);
        double reduction = 100 * (1 - (double)power / 1e9 / rows[i].speedup);
        assert_true(fabs(reduction - rows[i].reduction) < 0.06);
    }
    bed_fini(&b);
}

/* ---- decisions ------------------------------------------------------------------------------- */

static void expect(const struct dvfs_bed *b, u32 cpu, u32 gpu, u32 memory)
{
    for (u32 i = 0; i < BED_CPUS; i++)
        assert_int_equal(bed_mhz(b, i), cpu);
    assert_int_equal(bed_mhz(b, BED_GPU), gpu);
    assert_int_equal(bed_mhz(b, BED_MEMORY), memory);
}

/* After one step up: u = -24 - 20 = -44; (160 - 44) / 32 = 3: 0.9 GHz; printed 356 / 80 = 4: 1.2.
 * After two: -88; 72 / 32 = 2: 0.6 GHz; printed 312 / 80 = 3: 0.9. */
TEST(cores_that_miss_seldom_go_up_twice_and_stay_there)
{
    UNUSED_STATE;
    struct dvfs_bed b;
    open_formula(&b, "capped", "power_saving");
    bed_rate_all(&b, compute);
    bed_run(&b, 1);
    expect(&b, 3500, 1800, 900);
    bed_run(&b, 1);
    expect(&b, 4000, 2100, 600);
    u64 changes = b.dvfs.counts.changes;
    bed_run(&b, 5);
    expect(&b, 4000, 2100, 600);
    assert_int_equal(b.dvfs.counts.changes, changes);
    assert_int_equal(b.dvfs.counts.over_periods, 0);
    bed_fini(&b);
    open_formula(&b, "printed", "power_saving");
    bed_rate_all(&b, compute);
    bed_run(&b, 1);
    expect(&b, 3500, 1800, 1200);
    bed_run(&b, 5);
    expect(&b, 4000, 2100, 900);
    assert_int_equal(b.dvfs.counts.over_periods, 6); /* 1.03, then 1.06 of it */
    bed_fini(&b);
}

/* Cores that miss often: u = 24 + 20 after a step, 132 after three; printed 532 / 80 = 6: 1.8 GHz.
 */
TEST(cores_that_miss_often_go_down_three_times_and_what_is_left_is_saved_or_goes_to_the_memory)
{
    UNUSED_STATE;
    static const char *const modes[] = {"power_saving", "high_performance"};
    for (u32 m = 0; m < 2; m++) {
        const char *const set[] = {"mode", modes[m], "guard", "false", NULL};
        struct dvfs_bed b;
        bed_init(&b);
        bed_dyfr(&b, set);
        bed_rate_all(&b, starved); /* misses in time, whatever the clock is */
        bed_rate(&b, BED_GPU, (struct bed_rate){2500, 50, true});
        bed_run(&b, 1);
        expect(&b, 2500, 1200, 1500);
        bed_run(&b, 1);
        expect(&b, 2000, 900, m ? 1800 : 1500);
        bed_run(&b, 4);
        expect(&b, 1500, 600, m ? 1800 : 1500);
        bed_fini(&b);
    }
}

TEST(between_the_limits_nothing_ever_changes_and_no_time_is_lost)
{
    UNUSED_STATE;
    struct dvfs_bed b, off;
    open_formula(&b, "capped", "power_saving");
    bed_init(&off);
    bed_build(&off, policy_find(QUESTION_DVFS, "fixed"), NULL, BED_CPUS, 1);
    bed_rate_all(&b, between); /* 7.5 per 1000 */
    bed_rate_all(&off, between);
    bed_run(&b, 10);
    bed_run(&off, 10);
    assert_int_equal(b.dvfs.counts.changes, 0);
    for (u32 i = 0; i < BED_DOMAINS; i++)
        assert_int_equal(b.dvfs.domain_counts[i].locked_ns, 0);
    for (u32 i = 0; i < BED_CPUS + 6; i++)
        assert_int_equal(b.cores[i].ticks, off.cores[i].ticks);
    assert_int_equal(b.dvfs.counts.energy, off.dvfs.counts.energy);
    bed_fini(&b);
    bed_fini(&off);
}

TEST(every_period_keeps_levels_steps_and_the_budget)
{
    UNUSED_STATE;
    static const char *const formulas[] = {"capped", "budget"};
    for (u32 seed = 0; seed < 6; seed++) {
        struct dvfs_bed b;
        struct rng rng;
        open_formula(&b, formulas[seed % 2], seed % 3 ? "power_saving" : "high_performance");
        rng_init(&rng, seed, "rates");
        for (u32 n = 0; n < 60; n++) {
            u32 before[BED_DOMAINS];
            for (u32 i = 0; i <= BED_GPU; i++)
                bed_rate(&b, i,
                         (struct bed_rate){(u32)rng_below(&rng, 2000), (u32)rng_below(&rng, 30),
                                           rng_below(&rng, 2)});
            for (u32 i = 0; i < BED_DOMAINS; i++)
                before[i] = bed_mhz(&b, i);
            bed_run(&b, 1);
            for (u32 i = 0; i < BED_MEMORY; i++) {
                u32 step = i < BED_CPUS ? 500 : 300, mhz = bed_mhz(&b, i);
                assert_true(mhz == before[i] || mhz == before[i] + step || mhz + step == before[i]);
                const struct dvfs_levels *l = &b.dvfs.policy.levels[i < BED_CPUS ? 0 : 1];
                assert_true(dvfs_has_level(l, b.dvfs.policy.domains[i].hz));
            }
            assert_false(dvfs_is_over_budget(&b.dvfs.policy));
            if (seed % 3)
                assert_true(bed_mhz(&b, BED_MEMORY) <= 1500);
        }
        assert_int_equal(b.dvfs.counts.over_periods, 0);
        bed_fini(&b);
    }
}

TEST(one_cores_misses_move_its_own_frequency_and_the_memorys_alone)
{
    UNUSED_STATE;
    struct dvfs_bed b, other;
    open_formula(&b, "budget", "high_performance");
    open_formula(&other, "budget", "high_performance");
    bed_rate_all(&b, between);
    bed_rate_all(&other, between);
    bed_rate(&other, 2, starved);
    bed_run(&b, 4);
    bed_run(&other, 4);
    for (u32 i = 0; i <= BED_GPU; i++) {
        if (i != 2)
            assert_int_equal(bed_mhz(&other, i), bed_mhz(&b, i));
    }
    assert_int_equal(bed_mhz(&other, 2), 1500);
    assert_int_equal(bed_mhz(&other, BED_MEMORY), 1500); /* u = 15: 175 / 32 = 5 */
    bed_fini(&b);
    bed_fini(&other);
}

TEST(a_period_without_instructions_changes_nothing)
{
    UNUSED_STATE;
    struct dvfs_bed b;
    open_formula(&b, "capped", "power_saving");
    bed_run(&b, 3);
    expect(&b, 3000, 1500, 1500);
    assert_int_equal(b.dvfs.counts.changes, 0);
    bed_fini(&b);
}

/* 20 misses per 1000 instructions, 20 instructions in 1000 cycles: 12 in 10 us of 3 GHz. */
TEST(gates_keep_those_up_that_miss_often_per_instruction_and_seldom_in_time)
{
    UNUSED_STATE;
    static const struct bed_rate slow = {50, 1, false};
    static const char *const as_text[] = {"cpu_mpt_gate", "false", "gpu_mpt_gate", "false", "guard",
                                          "false",        NULL};
    static const char *const as_listed[] = {"cpu_mpt_gate", "true", "gpu_mpt_gate", "true", NULL};
    struct dvfs_bed b;
    bed_init(&b);
    bed_dyfr(&b, as_text);
    bed_rate_all(&b, slow);
    bed_run(&b, 6);
    expect(&b, 1500, 600, 1500);
    bed_fini(&b);
    bed_init(&b);
    bed_dyfr(&b, as_listed);
    bed_rate_all(&b, slow);
    bed_run(&b, 6);
    expect(&b, 3000, 1500, 1500);
    bed_fini(&b);
}

/* Six cores with 60 misses each in 10 us: 360 together, where 250 are many. */
TEST(the_gpus_misses_in_time_are_the_mean_of_its_cores_or_their_sum)
{
    UNUSED_STATE;
    static const char *const sum[] = {"gpu_mpt_scope", "sum", "guard", "false", NULL};
    for (u32 s = 0; s < 2; s++) {
        struct dvfs_bed b;
        bed_init(&b);
        bed_dyfr(&b, s ? sum : NULL);
        bed_rate_all(&b, between);
        bed_rate(&b, BED_GPU, (struct bed_rate){300, 6, true});
        bed_run(&b, 1);
        assert_int_equal(bed_mhz(&b, BED_GPU), s ? 1200 : 1500);
        bed_fini(&b);
    }
}

/* ---- the guard ------------------------------------------------------------------------------- */

TEST(a_gpu_that_loses_as_much_speed_as_frequency_stops_after_one_step)
{
    UNUSED_STATE;
    struct dvfs_bed b;
    open_formula(&b, "capped", "power_saving");
    bed_rate_all(&b, between);
    bed_rate(&b, BED_GPU, (struct bed_rate){2000, 60, false}); /* 900 misses in 10 us */
    bed_run(&b, 1);
    assert_int_equal(bed_mhz(&b, BED_GPU), 1200);
    bed_run(&b, 6);
    assert_int_equal(bed_mhz(&b, BED_GPU), 1200);
    bed_fini(&b);
}

TEST(a_gpu_that_memory_keeps_busy_goes_down_to_the_lowest_level)
{
    UNUSED_STATE;
    struct dvfs_bed b;
    open_formula(&b, "capped", "power_saving");
    bed_rate_all(&b, between);
    bed_rate(&b, BED_GPU, (struct bed_rate){2500, 50, true}); /* 500 misses in 10 us */
    bed_run(&b, 3);
    assert_int_equal(bed_mhz(&b, BED_GPU), 600);
    bed_fini(&b);
}

/* 20 misses in 1000 cycles: 300 in 10 us of 1.5 GHz, 240 of 1.2 GHz. */
TEST(a_gpu_stops_where_its_misses_in_time_are_few_enough)
{
    UNUSED_STATE;
    static const char *const set[] = {"guard", "false", NULL};
    struct dvfs_bed b;
    bed_init(&b);
    bed_dyfr(&b, set);
    bed_rate_all(&b, between);
    bed_rate(&b, BED_GPU, missing);
    bed_run(&b, 6);
    assert_int_equal(bed_mhz(&b, BED_GPU), 1200);
    bed_fini(&b);
}

TEST(another_kernel_lets_the_gpu_go_down_again_where_that_is_asked_for)
{
    UNUSED_STATE;
    static const char *const set[] = {"guard_until", "kernel", NULL};
    struct dvfs_bed b;
    bed_init(&b);
    b.kernel = 1;
    bed_dyfr(&b, set);
    bed_rate_all(&b, between);
    bed_rate(&b, BED_GPU, (struct bed_rate){2000, 100, false});
    bed_run(&b, 4);
    assert_int_equal(bed_mhz(&b, BED_GPU), 1200);
    b.kernel = 2;
    bed_run(&b, 1);
    assert_int_equal(bed_mhz(&b, BED_GPU), 900);
    bed_run(&b, 4);
    assert_int_equal(bed_mhz(&b, BED_GPU), 900); /* it loses as much there, too */
    bed_fini(&b);
}

/* ---- degenerate ------------------------------------------------------------------------------ */

TEST(without_room_or_with_limits_that_nothing_reaches_all_stays_at_base)
{
    UNUSED_STATE;
    static const char *const narrow[] = {
        "cpu_min", "3GHz",       "cpu_max", "3GHz",       "gpu_min", "1.5GHz", "gpu_max",
        "1.5GHz",  "memory_min", "1.5GHz",  "memory_max", "1.5GHz",  NULL};
    static const char *const never[] = {"cpu_t_hi",   "1000000000", "cpu_t_lo", "0", "gpu_t_hi",
                                        "1000000000", "gpu_t_lo",   "0",        NULL};
    for (u32 s = 0; s < 2; s++) {
        struct dvfs_bed b;
        bed_init(&b);
        bed_dyfr(&b, s ? never : narrow);
        bed_rate_all(&b, compute);
        bed_rate(&b, 1, starved);
        bed_run(&b, 6);
        expect(&b, 3000, 1500, 1500);
        assert_int_equal(b.dvfs.counts.changes, 0);
        bed_fini(&b);
    }
}

TEST(without_a_gpu_cpu_cores_at_4_ghz_leave_the_memory_1_2_as_printed_and_0_9_capped)
{
    UNUSED_STATE;
    static const char *const printed[] = {"formula", "printed", NULL};
    for (u32 s = 0; s < 2; s++) {
        struct dvfs_bed b;
        bed_init(&b);
        b.config.cpu.share = 450;
        b.config.gpu.share = 0;
        b.config.memory.share = 550;
        bed_build(&b, policy_find(QUESTION_DVFS, "dyfr"), s ? printed : NULL, BED_CPUS, 0);
        for (u32 i = 0; i < BED_CPUS; i++)
            b.cores[i].rate = compute;
        bed_run(&b, 4);
        assert_int_equal(bed_mhz(&b, 3), 4000);
        assert_int_equal(bed_mhz(&b, 4), s ? 1200 : 900); /* 1.275 and 1.09 */
        assert_int_equal(dvfs_billionths(dvfs_power(&b.dvfs.policy)), s ? 1040000000 : 930000000);
        bed_fini(&b);
    }
}

TEST(a_limit_that_is_no_level_is_refused)
{
    UNUSED_STATE;
    struct dvfs_bed b;
    struct err err = ERR_INIT;
    static const char *const set[] = {"cpu_max", "3.2GHz", NULL};
    bed_init(&b);
    bed_dyfr(&b, NULL);
    bed_set(policy_find(QUESTION_DVFS, "dyfr"), b.policy, set);
    assert_false(b.dvfs.policy.ops->init(&b.dvfs.policy, &err));
    assert_non_null(strstr(err.what, "3200000000 Hz"));
    assert_non_null(strstr(err.what, "nearest: 3000000000"));
    bed_fini(&b);
}

RUN_TESTS(
    T(the_memorys_frequency_is_exact_in_all_7776_states_of_the_cores),
    T(as_printed_108_of_756_states_exceed_the_budget_by_up_to_11_5_percent),
    T(energy_of_the_published_cases_is_that_of_the_model),
    T(cores_that_miss_seldom_go_up_twice_and_stay_there),
    T(cores_that_miss_often_go_down_three_times_and_what_is_left_is_saved_or_goes_to_the_memory),
    T(between_the_limits_nothing_ever_changes_and_no_time_is_lost),
    T(every_period_keeps_levels_steps_and_the_budget),
    T(one_cores_misses_move_its_own_frequency_and_the_memorys_alone),
    T(a_period_without_instructions_changes_nothing),
    T(gates_keep_those_up_that_miss_often_per_instruction_and_seldom_in_time),
    T(the_gpus_misses_in_time_are_the_mean_of_its_cores_or_their_sum),
    T(a_gpu_that_loses_as_much_speed_as_frequency_stops_after_one_step),
    T(a_gpu_that_memory_keeps_busy_goes_down_to_the_lowest_level),
    T(a_gpu_stops_where_its_misses_in_time_are_few_enough),
    T(another_kernel_lets_the_gpu_go_down_again_where_that_is_asked_for),
    T(without_room_or_with_limits_that_nothing_reaches_all_stays_at_base),
    T(without_a_gpu_cpu_cores_at_4_ghz_leave_the_memory_1_2_as_printed_and_0_9_capped),
    T(a_limit_that_is_no_level_is_refused))
