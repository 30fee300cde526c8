/* Machines of several clusters: each counts its own, and what they share is counted once. */
#include "gpu/bed.h"
#include "gpu/script.h"

#include "machine/machine.h"
#include "run/run.h"

static const struct scripted_instruction code[] = {
    LOAD(1, 0x10000, .warp_stride = 128, .block_stride = 4096),
    {.unit = UNIT_FP32, .dst = 2, .src0 = 1},
    STORE(0x80000, .warp_stride = 128, .block_stride = 4096, .src0 = 2),
    EXIT(),
};

static void open_run(struct run *run, const char *const *sets)
{
    static char chip[4096];
    snprintf(chip, sizeof chip, "%s/examples/two-gpus.yaml", getenv("HEDDLE_SOURCE"));
    const char *const *folders = testing_chips();
    struct err err = ERR_INIT;
    u32 count = 0;
    while (sets && sets[count])
        count++;
    struct run_request r = {
        .chip = {.chip = chip, .folders = folders, .sets = sets, .set_count = count}, .seed = 1};
    if (!run_open(run, &r, &err))
        bed_fail(&err);
}

static void launch(struct run *run, const char *cluster, u32 blocks, struct arena *scripts)
{
    struct err err = ERR_INIT;
    struct scripted_kernel *k = ARENA_NEW(scripts, struct scripted_kernel);
    *k = KERNEL(code, 128, .blocks = blocks);
    struct grid_source s = scripted_source(k, scripts);
    struct gpu *g = machine_gpu(run->machine, cluster);
    assert_non_null(g);
    if (!dispatcher_launch(&g->cluster.dispatcher, &s, 0, &err))
        bed_fail(&err);
}

static void finish(struct run *run)
{
    struct err err = ERR_INIT;
    do
        assert_int_equal(engine_run(&run->sim.engine), ENGINE_STOPPED);
    while (!dispatcher_is_idle(&machine_gpu(run->machine, "big")->cluster.dispatcher) ||
           !dispatcher_is_idle(&machine_gpu(run->machine, "small")->cluster.dispatcher));
    engine_finish(&run->sim.engine);
    assert_int_equal(engine_run(&run->sim.engine), ENGINE_STOPPED);
    run->model->settle(run->machine);
    if (!stats_check_laws(&run->sim.stats, &err))
        bed_fail(&err);
}

static double stat(struct run *run, const char *name)
{
    struct err err = ERR_INIT;
    double value = 0;
    if (!stats_number(&run->sim.stats, name, &value, &err))
        bed_fail(&err);
    return value;
}

/* 12 blocks of 4 warps with 4 instructions, and 3 of them. */
TEST(each_cluster_has_its_kernels_instructions_and_clock)
{
    UNUSED_STATE;
    struct run run;
    struct arena scripts = {0};
    open_run(&run, NULL);
    launch(&run, "big", 12, &scripts);
    launch(&run, "small", 3, &scripts);
    finish(&run);
    assert_int_equal(stat(&run, "big.sm.warp_instructions"), 12 * 4 * 4);
    assert_int_equal(stat(&run, "small.sm.warp_instructions"), 3 * 4 * 4);
    assert_int_equal(stat(&run, "big.kernels"), 1);
    const struct gpu *big = machine_gpu(run.machine, "big"),
                     *small = machine_gpu(run.machine, "small");
    const struct gpu_counters *a = &big->records[0].numbers, *b = &small->records[0].numbers;
    assert_int_equal(a->warp_instructions, 12 * 4 * 4);
    assert_int_equal(b->warp_instructions, 3 * 4 * 4);
    assert_int_equal(machine_work(run.machine), 15 * 4 * 4);
    /* what a kernel's record says of the L2 is of all that went on there meanwhile */
    assert_true(a->l2_accesses + b->l2_accesses >= stat(&run, "llc.accesses"));
    /* the small cluster's clock is half as fast */
    const struct engine *e = &run.sim.engine;
    assert_string_equal(e->domains[0].name, "big.core");
    assert_string_equal(e->domains[1].name, "small.core");
    assert_true(engine_cycle(e, 0) / 2 - engine_cycle(e, 1) <= 1);
    arena_fini(&scripts);
    run_close(&run);
}

/* Execution is counted by clusters, lines that move by the memory: 8 blocks are twice 4 of them. */
TEST(energy_of_a_machine_is_that_of_its_clusters_and_of_its_memory_once)
{
    UNUSED_STATE;
    struct run run;
    struct arena scripts = {0};
    u64 execution[3], networks[3];
    static const char *const where[][2] = {{"big", NULL}, {"small", NULL}, {"big", "small"}};
    for (u32 i = 0; i < 3; i++) {
        open_run(&run, NULL);
        for (u32 k = 0; k < 2 && where[i][k]; k++)
            launch(&run, where[i][k], 4, &scripts);
        finish(&run);
        const struct machine *m = run.machine;
        execution[i] = m->meter.stats.dynamic_pj[COMPONENT_EXECUTION];
        networks[i] = m->meter.stats.dynamic_pj[COMPONENT_NETWORK];
        assert_true(m->meter.rates.instances[STATIC_SM] == 8);
        run_close(&run);
    }
    assert_int_equal(execution[0], execution[1]);
    /* each is rounded to whole picojoules */
    assert_in_range(execution[2], 2 * execution[0] - 1, 2 * execution[0] + 1);
    assert_in_range(networks[2], networks[0] + networks[1] - 1, networks[0] + networks[1] + 1);
    arena_fini(&scripts);
}

TEST(a_parameter_without_a_clusters_name_is_that_of_all)
{
    UNUSED_STATE;
    struct run run;
    open_run(&run, (const char *const[]){"sm.warp_policy=lrr", "gpus.small.sm.count=1", NULL});
    assert_string_equal(machine_gpu(run.machine, "big")->config->sm.warp_policy, "lrr");
    assert_string_equal(machine_gpu(run.machine, "small")->config->sm.warp_policy, "lrr");
    assert_int_equal(machine_gpu(run.machine, "big")->config->sm.count, 6);
    assert_int_equal(machine_gpu(run.machine, "small")->config->sm.count, 1);
    run_close(&run);
}

/* The same SMs and memory, with a name or without: every statistic is the same. */
TEST(a_machine_of_one_named_cluster_is_the_plain_gpu)
{
    UNUSED_STATE;
    struct run run;
    struct bed b;
    struct arena scripts = {0};
    open_run(&run, (const char *const[]){"sm.count=4", NULL});
    launch(&run, "big", 20, &scripts);
    finish(&run);
    bed_open(&b, "volta8", (const char *const[]){"sm.count=4", NULL});
    bed_launch(&b, &KERNEL(code, 128, .blocks = 20));
    bed_run(&b);
    static const char *const own[] = {"sm.warp_instructions", "sm.l1.hits", "sm.l1.misses",
                                      "sm.l1.latency_cycles", "sm.warp_cycles"};
    for (u32 i = 0; i < ARRAY_LEN(own); i++) {
        char name[80];
        snprintf(name, sizeof name, "big.%s", own[i]);
        assert_int_equal(stat(&run, name), bed_stat(&b, own[i]));
    }
    assert_int_equal(stat(&run, "llc.hits"), bed_stat(&b, "l2.hits"));
    assert_int_equal(machine_gpu(run.machine, "big")->records[0].numbers.cycles,
                     b.gpu->records[0].numbers.cycles);
    bed_close(&b);
    arena_fini(&scripts);
    run_close(&run);
}

RUN_TESTS(T(each_cluster_has_its_kernels_instructions_and_clock),
          T(energy_of_a_machine_is_that_of_its_clusters_and_of_its_memory_once),
          T(a_parameter_without_a_clusters_name_is_that_of_all),
          T(a_machine_of_one_named_cluster_is_the_plain_gpu))
