/* Energy by hand: poise spec 8 "Cost/energy", and orders of magnitude that were published. */
#include "gpu/bed.h"
#include "gpu/script.h"

#include "power/energy.h"

#include <math.h>

#define NEAR(a, b) assert_true(fabs((a) - (double)(b)) <= 1e-9 * fabs((double)(b)))

static void run_and_settle(struct bed *b, const struct scripted_kernel *k)
{
    struct err err = ERR_INIT;
    bed_launch(b, k);
    bed_run(b);
    machine_settle(b->machine);
    if (!stats_check_laws(&b->sim.stats, &err))
        bed_fail(&err);
}

static u64 dynamic_of(const struct bed *b, enum energy_component c)
{
    return b->gpu->meter->stats.dynamic_pj[c];
}

/* ---- by hand ---- */

/* Round numbers for every event that the kernel below has. */
static const char *const round_numbers[] = {"energy.active_cycle_pj=1",  "energy.fetch_pj=10",
                                            "energy.issue_pj=100",       "energy.register_pj=1",
                                            "energy.integer_pj=2",       "energy.fp32_pj=5",
                                            "energy.l1_pj=3000",         "energy.l1_word_pj=10",
                                            "energy.l1_fill_pj=1",       "energy.request_pj=1",
                                            "energy.reply_pj=2",         "energy.l2_pj=1000",
                                            "energy.l2_data_pj=0.5",     "energy.controller_pj=4",
                                            "energy.activate_pj=1000",   "energy.dram_pj=10",
                                            "energy.sm_static_w=1",      "energy.l2_static_w=4",
                                            "energy.network_static_w=0", "energy.dram_static_w=0.5",
                                            "energy.chip_static_w=2",    NULL};

static const struct scripted_instruction one_load[] = {
    LOAD(1, 0x10000),
    {.unit = UNIT_FP32, .dst = 2, .src0 = 1},
    EXIT(),
};

/* One warp: a line of data and a line of code come from DRAM. */
TEST(a_kernel_of_three_instructions_by_hand)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "fermi15", round_numbers);
    run_and_settle(&b, &KERNEL(one_load, 32));
    const struct energy_counts *c = &b.gpu->meter->stats;
    /* 3 warp instructions; what looks into the instruction cache costs 10 */
    u64 fetches = (u64)bed_stat(&b, "sm.icache.accesses");
    assert_int_equal(dynamic_of(&b, COMPONENT_FRONT), 3 * 100 + 10 * fetches);
    /* 96 thread instructions with 3 words each; 64 of them integer (load, exit), 32 fp32 */
    assert_int_equal(dynamic_of(&b, COMPONENT_REGISTERS), 96 * 3);
    assert_int_equal(dynamic_of(&b, COMPONENT_EXECUTION), 64 * 2 + 32 * 5);
    assert_int_equal(dynamic_of(&b, COMPONENT_SHARED), 0);
    /* one request, 32 threads, one line of 1024 bits */
    assert_int_equal(dynamic_of(&b, COMPONENT_L1), 3000 + 32 * 10 + 1024);
    /* two requests of one flit of 256 bits, two replies of 136 bytes: five flits each */
    assert_int_equal(dynamic_of(&b, COMPONENT_NETWORK), 2 * 256 + 2 * (2 * 5 * 256));
    /* two accesses; to and from the networks 2 x (8 + 136) bytes, from DRAM 2 x 128 */
    assert_int_equal(dynamic_of(&b, COMPONENT_L2), 2 * 1000 + 4 * (288 + 256));
    assert_int_equal(dynamic_of(&b, COMPONENT_CONTROLLER), 4 * 2 * 1024);
    /* a row of 4 KiB opened for each */
    assert_int_equal(dynamic_of(&b, COMPONENT_DRAM), 10 * 2 * 1024 + 2 * 4 * 1000);
    /* 15 SMs, 0.75 MiB at 4 W, 6 channels at 0.5 W, 2 W: 23 W */
    assert_true(fabs((double)c->static_total_pj - 23e-3 * (double)c->time_fs) <= STATIC_PARTS);
    bed_close(&b);
}

TEST(an_sm_without_warps_has_no_clock_energy)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "fermi15", round_numbers);
    run_and_settle(&b, &KERNEL(one_load, 32));
    /* one of 15 SMs has a warp, and not to the end of the run */
    u64 cycles = (u64)bed_stat(&b, "sm.cycles");
    assert_in_range(dynamic_of(&b, COMPONENT_CLOCK), 1, cycles / 15);
    bed_close(&b);
}

/* ---- laws ---- */

static struct energy_rates rates_of(const char *chip)
{
    struct bed b;
    struct energy_rates r;
    bed_open(&b, chip, NULL);
    struct memory_config memory = gpu_memory_config(b.gpu->config);
    energy_resolve(&b.gpu->config->energy, &memory, b.gpu->config->sm.count, 1, &r);
    bed_close(&b);
    return r;
}

static struct gpu_counters some_numbers(u64 factor)
{
    struct gpu_counters t;
    u64 *fields = (u64 *)(void *)&t;
    for (size_t i = 0; i < sizeof t / sizeof *fields; i++)
        fields[i] = factor * (1000 + 37 * i); /* all fields are u64 */
    /* what went past a cache is part of what came */
    t.l1_bypass_loads = t.l1_bypass_merges = t.l1_bypass_stores = factor;
    return t;
}

TEST(components_add_up_to_the_total_and_none_is_negative)
{
    UNUSED_STATE;
    struct gpu_config config = {.line_bytes = 128};
    struct energy_rates r = rates_of("fermi15");
    struct gpu_counters t = some_numbers(1);
    double counts[ENERGY_EVENTS], sum = 0;
    struct energy e;
    config.energy.register_words = 3;
    energy_count(&config, &t, counts);
    energy_sum(&r, counts, 1e-3, 0, &e);
    for (u32 i = 0; i < ENERGY_EVENTS; i++)
        assert_true(e.event_pj[i] >= 0);
    for (u32 i = 0; i < COMPONENTS; i++) {
        assert_true(e.component_pj[i] >= 0);
        sum += e.component_pj[i];
    }
    NEAR(sum, e.dynamic_total_pj);
    for (u32 i = 0; i < STATIC_PARTS; i++) {
        assert_true(e.static_pj[i] > 0);
        sum += e.static_pj[i];
    }
    NEAR(sum, e.total_pj);
}

TEST(twice_the_counts_are_twice_the_dynamic_energy)
{
    UNUSED_STATE;
    struct gpu_config config = {.line_bytes = 128};
    struct energy_rates r = rates_of("fermi15");
    struct gpu_counters once = some_numbers(1), twice = some_numbers(2);
    double a[ENERGY_EVENTS], b[ENERGY_EVENTS];
    struct energy x, y;
    config.energy.register_words = 3;
    energy_count(&config, &once, a);
    energy_count(&config, &twice, b);
    energy_sum(&r, a, 1e-3, 0, &x);
    energy_sum(&r, b, 1e-3, 0, &y);
    assert_true(x.dynamic_total_pj > 0);
    for (u32 i = 0; i < COMPONENTS; i++)
        NEAR(y.component_pj[i], 2 * x.component_pj[i]);
    NEAR(y.static_total_pj, x.static_total_pj);
}

/* 3 hops of 4 bytes and 2 of 128 are 268 bytes, 2144 bits; the L1 that answers is read once. */
TEST(a_ring_costs_its_hops_its_lookups_and_the_lines_it_reads)
{
    UNUSED_STATE;
    struct gpu_config config = {.line_bytes = 128};
    struct gpu_counters t = {
        .ring_request_hops = 3, .ring_line_hops = 2, .ring_answers = 1, .shadow_lookups = 5};
    double counts[ENERGY_EVENTS];
    energy_count(&config, &t, counts);
    NEAR(counts[ENERGY_RING], 2144);
    NEAR(counts[ENERGY_SHADOW], 5);
    NEAR(counts[ENERGY_L1], 1);
}

TEST(half_the_time_halves_the_static_part_alone)
{
    UNUSED_STATE;
    struct energy_rates r = rates_of("kepler32");
    double counts[ENERGY_EVENTS];
    struct energy x, y;
    for (u32 i = 0; i < ENERGY_EVENTS; i++)
        counts[i] = 1000 * (i + 1);
    energy_sum(&r, counts, 2e-3, 0, &x);
    energy_sum(&r, counts, 1e-3, 0, &y);
    NEAR(y.dynamic_total_pj, x.dynamic_total_pj);
    NEAR(y.static_total_pj, x.static_total_pj / 2);
}

/* GTX 480: 15 x 1.59 + 0.75 x 1 + 27 x 0.05 + 6 x 0.7 + 32.3 = 62.45 W */
TEST(static_energy_of_fermi15_is_62_45_watts_times_the_time)
{
    UNUSED_STATE;
    struct energy_rates r = rates_of("fermi15");
    double counts[ENERGY_EVENTS] = {0};
    struct energy e;
    energy_sum(&r, counts, 1e-3, 0, &e);
    NEAR(e.total_pj, 62.45e-3 * 1e12);
}

TEST(energy_parameters_move_no_cycle)
{
    UNUSED_STATE;
    static const char *const sets[][2] = {{NULL, NULL}, {"energy.technology=7nm", NULL}};
    u64 fs[2], pj[2];
    for (u32 i = 0; i < 2; i++) {
        struct bed b;
        bed_open(&b, "fermi15", sets[i]);
        run_and_settle(&b, &KERNEL(one_load, 32));
        fs[i] = b.sim.engine.now_fs;
        pj[i] = b.gpu->meter->stats.total_pj;
        bed_close(&b);
    }
    assert_int_equal(fs[0], fs[1]);
    assert_true(pj[1] < pj[0]);
}

TEST(the_statistics_say_watts_and_joules)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "fermi15", NULL);
    run_and_settle(&b, &KERNEL(one_load, 32));
    double joules = bed_stat(&b, "energy.joules"), seconds = (double)b.sim.engine.now_fs * 1e-15;
    NEAR(joules, (double)b.gpu->meter->stats.total_pj * 1e-12);
    NEAR(bed_stat(&b, "energy.watts"), joules / seconds);
    NEAR(bed_stat(&b, "energy.delay_product"), joules * seconds);
    NEAR(bed_stat(&b, "energy.pj_per_instruction"), joules * 1e12 / 96);
    bed_close(&b);
}

/* ---- the table ---- */

TEST(every_value_has_a_source_and_is_positive_on_every_technology)
{
    UNUSED_STATE;
    for (u32 i = 0; i < ENERGY_EVENTS + STATIC_PARTS; i++) {
        const struct energy_row *row =
            i < ENERGY_EVENTS ? &energy_events[i] : &energy_statics[i - ENERGY_EVENTS];
        assert_non_null(row->source);
        for (u32 t = 0; t < TECHNOLOGIES; t++) {
            for (u32 d = 0; d < DRAM_PRESETS; d++)
                assert_true(energy_row_value(row, t, d) > 0);
        }
    }
}

TEST(a_published_value_holds_and_others_follow_a_power_of_the_node)
{
    UNUSED_STATE;
    const struct energy_row *l2 = &energy_events[ENERGY_L2_DATA], *fp = &energy_events[ENERGY_FP32];
    NEAR(energy_row_value(l2, TECHNOLOGY_28NM, 0), 11.3);
    NEAR(energy_row_value(l2, TECHNOLOGY_7NM, 0), 3.5);
    /* between 28 and 7 nm: exponent log (11.3 / 3.5) / log 4 = 0.8454 */
    assert_true(fabs(energy_row_value(l2, TECHNOLOGY_12NM, 0) - 5.52) < 0.005);
    /* beyond: 0.9 */
    NEAR(energy_row_value(l2, TECHNOLOGY_40NM, 0), 11.3 * pow(40.0 / 28, 0.9));
    NEAR(energy_row_value(fp, TECHNOLOGY_40NM, 0), 54);
    NEAR(energy_row_value(fp, TECHNOLOGY_7NM, 0), 54 * pow(7.0 / 40, 0.9));
}

/* Arunkumar et al. 2019, Tesla K40: from L1 5.85, from L2 15.48, from DRAM 30.55 pJ/bit more.
 * A coalesced line on its way from DRAM to the registers must cost what was measured. */
TEST(a_line_from_gddr5_costs_at_28_nm_what_a_k40_was_measured_to_take)
{
    UNUSED_STATE;
    double pj[ENERGY_EVENTS];
    for (u32 i = 0; i < ENERGY_EVENTS; i++)
        pj[i] = energy_row_value(&energy_events[i], TECHNOLOGY_28NM, DRAM_GDDR5);
    double l1 = pj[ENERGY_L1] + 32 * pj[ENERGY_L1_WORD];
    double l2 = 1024 * (pj[ENERGY_L2_DATA] + pj[ENERGY_REPLY] + pj[ENERGY_L1_FILL]);
    /* with the activates of O'Connor's programs */
    double dram = 1024 * (pj[ENERGY_DRAM] + 1.21 + pj[ENERGY_CONTROLLER] + pj[ENERGY_L2_DATA]);
    assert_true(fabs(l1 / 1024 - 5.85) < 0.01 * 5.85);
    assert_true(fabs(l2 / 1024 - 15.48) < 0.01 * 15.48);
    assert_true(fabs(dram / 1024 - 30.55) < 0.01 * 30.55);
    double shared = pj[ENERGY_SHARED] + 32 * pj[ENERGY_SHARED_WORD];
    assert_true(fabs(shared / 1024 - 5.32) < 0.01 * 5.32);
}

TEST(dram_energy_follows_the_preset_and_not_the_technology)
{
    UNUSED_STATE;
    const struct energy_row *row = &energy_events[ENERGY_DRAM];
    for (u32 t = 0; t < TECHNOLOGIES; t++) {
        NEAR(energy_row_value(row, t, DRAM_GDDR5), 12.8);
        NEAR(energy_row_value(row, t, DRAM_HBM2), 2.7);
    }
}

TEST(a_negative_energy_other_than_minus_one_is_refused)
{
    UNUSED_STATE;
    const char *const *folders = testing_chips();
    const char *sets[] = {"energy.l2_static_w=-0.5"};
    struct config_request r = {.chip = "fermi15",
                               .folders = folders,
                               .sets = sets,
                               .set_count = 1,
                               .schemas = model_schemas};
    struct config c;
    struct err err = ERR_INIT;
    assert_false(config_load(&c, &r, &err));
    assert_non_null(strstr(err.what, "energy.l2_static_w is -0.5, expected -1 or at least 0"));
    config_fini(&c);
}

/* ---- orders of magnitude ---- */

/* Eight independent products and sums, again and again, on every lane of the chip. */
#define FMA(d)                                                                                     \
    {                                                                                              \
        .unit = UNIT_FP32, .cost = COST_MULTIPLY_ADD, .dst = (d), .src0 = (d)                      \
    }
static const struct scripted_instruction compute[] = {FMA(1), FMA(2), FMA(3), FMA(4),
                                                      FMA(5), FMA(6), FMA(7), FMA(8)};

static double watts_of(const char *chip, const struct scripted_kernel *k)
{
    struct bed b;
    bed_open(&b, chip, NULL);
    run_and_settle(&b, k);
    double watts = bed_stat(&b, "energy.watts");
    bed_close(&b);
    return watts;
}

/* The card is sold with 250 W (NVIDIA); full rate is 15 x 32 lanes x 1.4 GHz. */
TEST(arithmetic_at_full_rate_takes_less_than_a_gtx_480_may_and_twice_its_static_power)
{
    UNUSED_STATE;
    double watts = watts_of("fermi15", &KERNEL(compute, 512, .blocks = 30, .iterations = 200));
    assert_true(watts > 2 * 62.45 && watts < 250);
}

/* A V100 is sold with 300 W (SXM2). */
TEST(arithmetic_at_full_rate_lies_between_150_and_300_watts_on_volta80)
{
    UNUSED_STATE;
    double watts = watts_of("volta80", &KERNEL(compute, 512, .blocks = 160, .iterations = 100));
    assert_true(watts > 150 && watts < 300);
}

static const struct scripted_instruction chase[] = {
    LOAD_APART(1, 0, 0x100000, .iteration_stride = 4096, .mask = 1, .src0 = 1),
};

TEST(a_pointer_chase_takes_static_power_and_little_else)
{
    UNUSED_STATE;
    double watts = watts_of("fermi15", &KERNEL(chase, 32, .iterations = 500));
    assert_true(watts > 62.45 && watts < 1.1 * 62.45);
}

RUN_TESTS(T(a_kernel_of_three_instructions_by_hand), T(an_sm_without_warps_has_no_clock_energy),
          T(components_add_up_to_the_total_and_none_is_negative),
          T(twice_the_counts_are_twice_the_dynamic_energy),
          T(a_ring_costs_its_hops_its_lookups_and_the_lines_it_reads),
          T(half_the_time_halves_the_static_part_alone),
          T(static_energy_of_fermi15_is_62_45_watts_times_the_time),
          T(energy_parameters_move_no_cycle), T(the_statistics_say_watts_and_joules),
          T(every_value_has_a_source_and_is_positive_on_every_technology),
          T(a_published_value_holds_and_others_follow_a_power_of_the_node),
          T(a_line_from_gddr5_costs_at_28_nm_what_a_k40_was_measured_to_take),
          T(dram_energy_follows_the_preset_and_not_the_technology),
          T(a_negative_energy_other_than_minus_one_is_refused),
          T(arithmetic_at_full_rate_takes_less_than_a_gtx_480_may_and_twice_its_static_power),
          T(arithmetic_at_full_rate_lies_between_150_and_300_watts_on_volta80),
          T(a_pointer_chase_takes_static_power_and_little_else))
