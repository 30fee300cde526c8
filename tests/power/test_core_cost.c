/* Area and power of cores: the published table, and energy that adds up. */
#include "cpu/bed.h"
#include "testing.h"

#include "power/core_cost.h"

#include <math.h>

static struct core_config core_of(u32 icache, u32 btb)
{
    struct core_config c = {.l1i = {.size_bytes = icache}, .l2 = {.size_bytes = 262144}};
    c.branch.btb_entries = btb;
    return c;
}

/* Table 4.3: parts, then cores in the digits that are printed. */
TEST(published_cores_have_the_published_area_and_power)
{
    UNUSED_STATE;
    struct core_config base = core_of(32768, 2048), tailored = core_of(16384, 256);
    struct core_cost b = core_cost_of(&base, 131072), t = core_cost_of(&tailored, 11264 + 4096);
    assert_true(fabs((b.mm2[PART_ICACHE]) - (0.31)) <= (1e-9));
    assert_true(fabs((b.mm2[PART_PREDICTOR]) - (0.14)) <= (1e-9));
    assert_true(fabs((b.mm2[PART_BTB]) - (0.125)) <= (1e-9));
    assert_true(fabs((t.watts[PART_ICACHE]) - (0.049)) <= (1e-9));
    assert_true(fabs((t.watts[PART_PREDICTOR]) - (0.011)) <= (1e-9));
    assert_true(fabs((t.watts[PART_BTB]) - (0.002)) <= (1e-9));
    assert_true(fabs((core_cost_sum(b.mm2, false)) - (2.49)) <= (0.005));
    assert_true(fabs((core_cost_sum(b.watts, false)) - (0.85)) <= (0.005));
    assert_true(fabs((core_cost_sum(t.mm2, false)) - (2.11)) <= (0.005));
    assert_true(fabs((core_cost_sum(t.watts, false)) - (0.79)) <= (0.005));
}

/* 2.49 + 8 x 2.11 = 19.37 against 8 x 2.49 = 19.92. */
TEST(the_ninth_core_fits_into_the_area_of_eight_baseline_cores)
{
    UNUSED_STATE;
    struct core_config base = core_of(32768, 2048), tailored = core_of(16384, 256);
    struct core_cost b = core_cost_of(&base, 131072), t = core_cost_of(&tailored, 11264 + 4096);
    double eight = 8 * core_cost_sum(b.mm2, false);
    double nine = core_cost_sum(b.mm2, false) + 8 * core_cost_sum(t.mm2, false);
    assert_true(nine <= eight);
    assert_true(fabs((nine) - (19.37)) <= (0.05));
    assert_true(nine + 9 * t.mm2[PART_L2] > eight + 8 * b.mm2[PART_L2]); /* its L2 does not */
}

TEST(larger_parts_cost_more_and_sizes_between_lie_between)
{
    UNUSED_STATE;
    struct core_config c = core_of(24576, 1024);
    struct core_cost m = core_cost_of(&c, 65536);
    assert_true(m.mm2[PART_ICACHE] > 0.14 && m.mm2[PART_ICACHE] < 0.31);
    assert_true(m.watts[PART_PREDICTOR] > 0.011 && m.watts[PART_PREDICTOR] < 0.032);
    assert_true(m.mm2[PART_BTB] > 0.022 && m.mm2[PART_BTB] < 0.125);
}

/* 8 cores for t seconds: half of 8 x 0.851 W is static; ED = power x time^2. */
TEST(half_of_the_power_is_static_and_ed_is_power_times_time_squared)
{
    UNUSED_STATE;
    struct bed b;
    struct err err = ERR_INIT;
    struct program *p = program_new();
    for (u32 i = 0; i < 2000; i++)
        emit(p, CPU_ALU, 0, 0);
    bed_open_chip(&b, "cmp8", NULL, false);
    bed_start(&b, 0, &p->stream);
    bed_run(&b);
    double seconds = (double)b.sim.engine.now_fs * 1e-15, watts, ed;
    const struct core_cost_counts *n = b.cluster->cost;
    double own = (double)(n->all_static_pj - n->static_pj[PART_L2]) * 1e-12;
    assert_true(fabs(own - 0.5 * 8 * 0.851 * seconds) <= 8 * 0.002 * seconds);
    /* 2000 instructions at 1 GHz and 1 a cycle: half of 0.727 W for 2 us */
    assert_true(fabs(((double)n->dynamic_pj[PART_REST]) - (0.5 * 0.727 * 2e-6 * 1e12)) <= (1));
    assert_true(stats_number(&b.sim.stats, "cost.watts_with_l2", &watts, &err));
    assert_true(stats_number(&b.sim.stats, "cost.delay_product", &ed, &err));
    assert_true(fabs((ed) - (watts * seconds * seconds)) <= (1e-6 * ed));
    bed_close(&b);
    free(p);
}

/* ---- core 0 of its own ---- */

static struct program *loops(void)
{
    struct program *p = program_new();
    u64 first = p->pc;
    for (u32 k = 0; k < 200; k++) {
        for (u32 i = 0; i < 20; i++) {
            emit(p, CPU_ALU, 1, 1);
            struct cpu_instruction *b = emit_branch(p, CPU_CONDITIONAL, first);
            b->taken = i < 19;
            p->pc = b->taken ? first : b->pc + 4;
        }
        emit_branch(p, CPU_JUMP, first);
    }
    return p;
}

static u64 cycles_on(const char *chip, const char *const *sets, u32 core)
{
    struct bed b;
    struct program *p = loops();
    bed_open_chip(&b, chip, sets, false);
    bed_start(&b, core, &p->stream);
    bed_run(&b);
    u64 cycles = bed_core(&b, core)->counts.cycles;
    bed_close(&b);
    free(p);
    return cycles;
}

TEST(core_0_of_the_asymmetric_chip_is_a_baseline_core_and_the_others_are_tailored)
{
    UNUSED_STATE;
    u64 baseline = cycles_on("cmp8", NULL, 0), tailored = cycles_on("cmp8-tailored", NULL, 0);
    assert_int_not_equal(baseline, tailored);
    assert_int_equal(cycles_on("cmp8-asymmetric", NULL, 0), baseline);
    assert_int_equal(cycles_on("cmp8-asymmetric", NULL, 1), tailored);
    assert_int_equal(cycles_on("cmp9-asymmetric", NULL, 8), tailored);
}

TEST(a_tailored_chip_with_structures_of_equal_size_takes_the_same_cycles)
{
    UNUSED_STATE;
    static const char *const sets[] = {"core.l1i.size_bytes=32KiB",
                                       "core.l1i.ways=4",
                                       "core.l1i.prefetcher=none",
                                       "core.branch.loop_entries=0",
                                       "core.branch.btb_entries=2048",
                                       "core.branch.btb_ways=4",
                                       "policy.branch.tournament.address_bits=12",
                                       "policy.branch.tournament.history_bits=14",
                                       NULL};
    assert_int_equal(cycles_on("cmp8-tailored", sets, 0), cycles_on("cmp8", NULL, 0));
}

/* ---- what lean cores lose ---- */

TEST(a_branch_predicted_wrong_costs_a_lean_core_twelve_cycles)
{
    UNUSED_STATE;
    static const char *const sets[] = {"core.l1i.perfect=true", NULL};
    u64 cycles[2];
    for (u32 k = 0; k < 2; k++) {
        struct bed b;
        struct program *p = program_new();
        for (u32 i = 0; i < 200 * (k + 1); i++) /* each is new, so its target is not known */
            emit_branch(p, CPU_INDIRECT_JUMP, 0x400000 + 0x1000 * (u64)(i + 1));
        bed_open_chip(&b, "cmp8", sets, false);
        bed_start(&b, 0, &p->stream);
        bed_run(&b);
        cycles[k] = bed_core(&b, 0)->counts.cycles;
        free(p);
        bed_close(&b);
    }
    assert_int_equal(cycles[1] - cycles[0], 200 * 12);
}

static void emit_event(struct program *p, enum cpu_event event)
{
    p->code[p->count++] = (struct cpu_instruction){.class = CPU_EVENT, .event = (u8)event};
}

/* A block in each line of 24 KiB, one after the other in leaps, so many times: 32 KB hold them and
 * 16 KB do not, and they have more branches than 256. */
static void emit_serial(struct program *p, u32 times)
{
    u64 first = p->pc;
    for (u32 k = 0; k < 384 * times; k++) {
        for (u32 i = 0; i < 7; i++)
            emit(p, CPU_ALU, (u8)(3 + i), 0);
        emit_branch(p, CPU_JUMP, first + 64 * (125ull * (k + 1) % 384));
    }
}

/* Thread 0 alone, then all eight in a loop of 16 instructions. */
static struct program *team_thread(u32 thread, u32 serial_times)
{
    struct program *p = program_new();
    if (!thread)
        emit_serial(p, serial_times);
    emit_event(p, CPU_PARALLEL_START);
    p->pc = 0x600000;
    for (u32 k = 0; k < 200; k++) {
        for (u32 i = 0; i < 15; i++)
            emit(p, CPU_ALU, (u8)(3 + i % 8), 0);
        emit_branch(p, CPU_JUMP, 0x600000);
    }
    emit_event(p, CPU_PARALLEL_END);
    return p;
}

static double team_time(const char *chip, u32 serial_times)
{
    static const char *const sets[] = {"core.l2.perfect=true", NULL};
    struct program *p[8];
    struct bed b;
    bed_open_chip(&b, chip, sets, false);
    cpu_cluster_begin(b.cluster, "team", 0, 8);
    for (u32 i = 0; i < 8; i++)
        bed_start(&b, i, &(p[i] = team_thread(i, serial_times))->stream);
    bed_run(&b);
    double cycles = (double)engine_cycle(&b.sim.engine, 0);
    for (u32 i = 0; i < 8; i++)
        free(p[i]);
    bed_close(&b);
    return cycles;
}

TEST(more_serial_code_that_needs_a_large_icache_costs_tailored_cores_and_not_asymmetric_ones)
{
    UNUSED_STATE;
    double tailored[2], asymmetric[2];
    for (u32 k = 0; k < 2; k++) {
        u32 times = k ? 8 : 2;
        double base = team_time("cmp8", times);
        tailored[k] = team_time("cmp8-tailored", times) / base;
        asymmetric[k] = team_time("cmp8-asymmetric", times) / base;
    }
    assert_true(tailored[0] > 1.02 && tailored[1] > tailored[0] + 0.02);
    assert_true(asymmetric[0] < 1.01 && asymmetric[1] <= asymmetric[0]);
}

RUN_TESTS(
    T(published_cores_have_the_published_area_and_power),
    T(the_ninth_core_fits_into_the_area_of_eight_baseline_cores),
    T(larger_parts_cost_more_and_sizes_between_lie_between),
    T(half_of_the_power_is_static_and_ed_is_power_times_time_squared),
    T(core_0_of_the_asymmetric_chip_is_a_baseline_core_and_the_others_are_tailored),
    T(a_tailored_chip_with_structures_of_equal_size_takes_the_same_cycles),
    T(a_branch_predicted_wrong_costs_a_lean_core_twelve_cycles),
    T(more_serial_code_that_needs_a_large_icache_costs_tailored_cores_and_not_asymmetric_ones))
