/* A replay takes as many cycles as what was recorded, and every statistic is the same. */
#include "source/recording/record_bed.h"
#include "gpu/bed.h"

#include "stats/output.h"

static const struct scripted_instruction code[] = {
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 1,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x100000,
     .lane_stride = 4,
     .warp_stride = 128,
     .block_stride = 1024,
     .iteration_stride = 65536},
    {.unit = UNIT_FP32, .cost = COST_MULTIPLY_ADD, .dst = 2, .src0 = 1, .src1 = 2},
    {.kind = WINST_STORE,
     .unit = UNIT_MEMORY,
     .src0 = 2,
     .space = SPACE_SHARED,
     .bytes = 4,
     .lane_stride = 8},
    {.kind = WINST_SLEEP, .unit = UNIT_INT, .warps = 0x2, .sleep_cycles = 37},
    {.kind = WINST_BARRIER, .unit = UNIT_BRANCH},
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 4,
     .space = SPACE_GLOBAL,
     .bytes = 8,
     .base = 0x900000,
     .lane_stride = 264,
     .iteration_stride = 8,
     .warps = 0x5},
    {.unit = UNIT_SFU, .dst = 5, .src0 = 4},
    {.kind = WINST_STORE,
     .unit = UNIT_MEMORY,
     .src0 = 5,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x2000000,
     .lane_stride = 4,
     .warp_stride = 128,
     .block_stride = 1024},
    {.kind = WINST_BARRIER, .unit = UNIT_BRANCH},
};

static const struct scripted_kernel kernel = {.code = code,
                                              .count = ARRAY_LEN(code),
                                              .iterations = 12,
                                              .blocks = 90,
                                              .threads_per_block = 224,
                                              .registers_per_thread = 24,
                                              .shared_bytes_per_block = 2048};

static void launch(struct bed *b, const struct grid_source *g)
{
    struct err err = ERR_INIT;
    if (!dispatcher_launch(&b->gpu->cluster.dispatcher, g, 0, &err))
        bed_fail(&err);
}

/* All statistics after a run, as text. */
static char *run_grid(const struct grid_source *g, const char *const *sets, cycle_t *cycles)
{
    struct err err = ERR_INIT;
    struct bed b;
    char *text = NULL;
    size_t length = 0;
    bed_open(&b, "fermi15", sets);
    launch(&b, g);
    bed_run(&b);
    *cycles = engine_cycle(&b.sim.engine, 0);
    FILE *out = open_memstream(&text, &length);
    if (!stats_to_csv(&b.sim.stats, out, &err))
        bed_fail(&err);
    fclose(out);
    bed_close(&b);
    return text;
}

/* Returns the cycles of the run that was recorded. */
static cycle_t record_on_chip(struct arena *arena)
{
    struct err err = ERR_INIT;
    struct grid_source g = scripted_source(&kernel, arena), wrapped;
    struct recorder *r = recorder_open(record_path(), &err);
    cycle_t cycles;
    recorder_kernel(r, &g, &wrapped);
    free(run_grid(&wrapped, NULL, &cycles));
    if (!recorder_kernel_done(r, &wrapped, &err) || !recorder_close(r, &err))
        fail_with(&err);
    return cycles;
}

/* Recorded on one chip, timed on another: as if it had been executed there. */
static void expect_same_run(const char *const *sets)
{
    struct arena arena = {0};
    struct replayed p;
    cycle_t executed, replayed;
    record_on_chip(&arena);
    replay_open(&p);
    struct grid_source g = scripted_source(&kernel, &arena);
    char *first = run_grid(&g, sets, &executed), *second = run_grid(&p.grid, sets, &replayed);
    assert_true(executed > 1000);
    assert_int_equal(executed, replayed);
    assert_string_equal(first, second);
    free(first);
    free(second);
    replay_close(&p);
    arena_fini(&arena);
}

TEST(a_replay_on_the_same_chip_has_the_same_cycles_and_statistics)
{
    UNUSED_STATE;
    expect_same_run(NULL);
}

TEST(recording_moves_no_cycle)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct grid_source g = scripted_source(&kernel, &arena);
    cycle_t alone;
    free(run_grid(&g, NULL, &alone));
    assert_int_equal(record_on_chip(&arena), alone);
    unlink(record_path());
    arena_fini(&arena);
}

TEST(a_replay_on_another_chip_has_the_cycles_of_an_execution_there)
{
    UNUSED_STATE;
    static const char *const sets[] = {"sm.count=3", "sm.schedulers=1", "sm.l1.mshrs=4",
                                       "sm.barrier_cycles=11", NULL};
    expect_same_run(sets);
}

RUN_TESTS(T(a_replay_on_the_same_chip_has_the_same_cycles_and_statistics),
          T(recording_moves_no_cycle),
          T(a_replay_on_another_chip_has_the_cycles_of_an_execution_there))
