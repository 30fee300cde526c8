/* SIMD lanes (bandwidth-and-ccn spec S17): so many times 32, so many warp instructions a cycle. */
#include "gpu/bed.h"
#include "gpu/script.h"

#define REGISTERS 8u /* that results go to in turn: none waits for another */

static cycle_t cycles_of(const char *lanes, struct scripted_instruction one, u32 shared)
{
    const char *sets[] = {lanes, "sm.count=1", NULL};
    struct scripted_instruction code[REGISTERS];
    struct bed b;
    bed_open(&b, "fermi15", sets);
    for (u32 i = 0; i < REGISTERS; i++) {
        code[i] = one;
        code[i].dst = (u16)(i + 1);
    }
    struct scripted_kernel k = {.code = code,
                                .count = REGISTERS,
                                .iterations = 400 / REGISTERS,
                                .threads_per_block = 768,
                                .blocks = 2,
                                .shared_bytes_per_block = shared};
    bed_launch(&b, &k);
    bed_run(&b);
    cycle_t cycles = b.gpu->records[0].numbers.cycles;
    bed_close(&b);
    return cycles;
}

/* 48 warps x 400 instructions; the caches start cold, and the last warps end alone. */
static void assert_rates(struct scripted_instruction one, u32 shared)
{
    static const u32 lanes[] = {32, 64, 128};
    for (u32 i = 0; i < ARRAY_LEN(lanes); i++) {
        char text[32];
        snprintf(text, sizeof text, "sm.lanes=%u", lanes[i]);
        double cycles = (double)cycles_of(text, one, shared), ideal = 48 * 400.0 * 32 / lanes[i];
        print_message("# %u lanes: %.0f cycles, at least %.0f\n", lanes[i], cycles, ideal);
        assert_true(cycles >= ideal && cycles < 1.25 * ideal + 500);
    }
}

TEST(arithmetic_has_the_rate_of_its_lanes)
{
    UNUSED_STATE;
    static const struct scripted_instruction add = ALU(1, 0);
    assert_rates(add, 0);
}

TEST(loads_that_hit_l1_have_the_rate_of_the_lanes)
{
    UNUSED_STATE;
    static const struct scripted_instruction load = LOAD(1, 0x10000);
    assert_rates(load, 0);
}

TEST(shared_memory_has_the_rate_of_the_lanes)
{
    UNUSED_STATE;
    static const struct scripted_instruction load = {.kind = WINST_LOAD,
                                                     .unit = UNIT_MEMORY,
                                                     .dst = 1,
                                                     .space = SPACE_SHARED,
                                                     .bytes = 4,
                                                     .lane_stride = 4};
    assert_rates(load, 4096);
}

RUN_TESTS(T(arithmetic_has_the_rate_of_its_lanes), T(loads_that_hit_l1_have_the_rate_of_the_lanes),
          T(shared_memory_has_the_rate_of_the_lanes))
