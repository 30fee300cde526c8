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

RUN_TESTS(T(published_cores_have_the_published_area_and_power),
          T(the_ninth_core_fits_into_the_area_of_eight_baseline_cores),
          T(larger_parts_cost_more_and_sizes_between_lie_between),
          T(half_of_the_power_is_static_and_ed_is_power_times_time_squared),
          T(core_0_of_the_asymmetric_chip_is_a_baseline_core_and_the_others_are_tailored),
          T(a_tailored_chip_with_structures_of_equal_size_takes_the_same_cycles))
