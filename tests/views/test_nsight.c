/*
 * A kernel's numbers under Nsight Compute's names: an SM of 64 warps at 1.5 GHz; a launch that
 * takes 3,000 cycles, of which the first 1,000 are its launch.
 */
#include "testing.h"

#include "gpu/gpu.h"
#include "sim/sim.h"
#include "views/nsight.h"

struct bed {
    struct gpu_config config;
    struct sim sim;
    struct gpu gpu;
};

static void bed_open(struct bed *b)
{
    *b = (struct bed){.config = {.sm = {.warps = 64, .clock_hz = 1500000000}}};
    b->config.launch.cycles = 1000;
    b->gpu.config = &b->config;
    b->gpu.sim = &b->sim;
}

TEST(occupancy_is_of_the_cycles_in_which_an_sm_has_warps)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    struct kernel_record r = {.numbers = {.warp_cycles = 1440}};
    r.numbers.core_slots[SLOT_ISSUED] = 60;
    r.numbers.core_slots[SLOT_DATA_MEM] = 20;
    r.numbers.core_slots[SLOT_THROTTLED] = 10;
    r.numbers.core_slots[SLOT_NO_WARP] = 110;
    assert_float_equal(kernel_occupancy(&b.gpu, &r), 100.0 * 1440 / (90 * 64), 1e-9); /* 25 % */
    r = (struct kernel_record){.threads_per_block = 32};
    assert_float_equal(kernel_occupancy(&b.gpu, &r), 0, 0); /* none had a warp */
}

TEST(its_limit_is_the_warps_of_the_blocks_that_fit)
{
    UNUSED_STATE;
    static const struct {
        u64 threads, blocks;
        double expected;
    } rows[] = {
        {256, 8, 100},                   /* 8 blocks of 8 warps */
        {256, 3, 37.5},                  /* 24 warps */
        {100, 3, 18.75},                 /* the last warp of a block has 4 threads: 12 warps */
        {1, 1, 1.5625},  {1024, 4, 100}, /* 128 warps could be, but for the SM */
    };
    struct bed b;
    bed_open(&b);
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct kernel_record r = {.threads_per_block = rows[i].threads,
                                  .blocks_per_sm = rows[i].blocks};
        assert_float_equal(kernel_occupancy_limit(&b.gpu, &r), rows[i].expected, 1e-9);
    }
}

static double metric(const json_t *o, const char *name)
{
    const json_t *value = json_object_get(o, name);
    assert_non_null(value);
    return json_number_value(value);
}

TEST(numbers_of_a_kernel_have_their_names)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    struct kernel_record r = {.blocks = 40,
                              .threads_per_block = 128,
                              .registers = 32,
                              .blocks_per_sm = 5,
                              .numbers = {.cycles = 3000,
                                          .warp_instructions = 700,
                                          .thread_instructions = 22000,
                                          .load_requests = 50,
                                          .l1_sectors = 200,
                                          .l1_sectors_missed = 80,
                                          .l2_read_sectors = 90,
                                          .l2_read_sectors_missed = 30,
                                          .l2_read_sectors_across = 10,
                                          .l2_write_sectors = 12,
                                          .l2_atomic_sectors = 4,
                                          .l2_reduction_sectors = 6,
                                          .dram_read_bytes = 960,
                                          .dram_written_bytes = 384}};
    static const struct {
        const char *name;
        double expected;
    } rows[] = {
        {"launch__grid_size", 40},
        {"launch__block_size", 128},
        {"launch__registers_per_thread", 32},
        {"launch__occupancy_limit_blocks", 5},
        {"sm__cycles_elapsed.max", 3000},
        {"sm__cycles_active.max", 2000},
        {"gpu__time_duration.sum", 2000}, /* ns */
        {"smsp__inst_executed.sum", 700},
        {"smsp__thread_inst_executed.sum", 22000},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 50},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 200},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 120},
        {"lts__t_sectors_srcunit_tex_op_read.sum", 90},
        {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", 50}, /* not what the other half had */
        {"lts__t_sectors_srcunit_tex_op_write.sum", 12},
        {"lts__t_sectors_op_atom.sum", 4},
        {"lts__t_sectors_op_red.sum", 6},
        {"dram__bytes_read.sum", 960},
        {"dram__bytes_write.sum", 384},
        {"sm__warps_active.avg.pct_of_peak_sustained_active", 0},
        {"sm__maximum_warps_per_active_cycle_pct", 31.25}, /* 20 of 64 */
    };
    json_t *o = nsight_json(&b.gpu, &r);
    for (u32 i = 0; i < ARRAY_LEN(rows); i++)
        assert_float_equal(metric(o, rows[i].name), rows[i].expected, 1e-9);
    assert_int_equal(json_object_size(o), ARRAY_LEN(rows));
    json_decref(o);
    r.numbers.cycles = 900; /* ended by its launch's own time */
    o = nsight_json(&b.gpu, &r);
    assert_float_equal(metric(o, "sm__cycles_active.max"), 0, 0);
    json_decref(o);
}

TEST(no_two_metrics_are_one_column)
{
    UNUSED_STATE;
    for (const struct nsight_name *a = nsight_names; a->metric; a++) {
        for (const struct nsight_name *b = nsight_names; b < a; b++) {
            assert_string_not_equal(a->metric, b->metric);
            if (a->detail && b->detail)
                assert_string_not_equal(a->detail, b->detail);
            if (strcmp(a->column, b->column) == 0) /* elapsed cycles of an SM, or of its GPC */
                assert_string_equal(a->column, "cycles");
        }
    }
}

RUN_TESTS(T(occupancy_is_of_the_cycles_in_which_an_sm_has_warps),
          T(its_limit_is_the_warps_of_the_blocks_that_fit), T(numbers_of_a_kernel_have_their_names),
          T(no_two_metrics_are_one_column))
