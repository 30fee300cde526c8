/* Two clusters of SMs on one memory system: neither takes itself for the only one. */
#include "gpu/random_kernel.h"
#include "policy/registry.h"

#define SMS 4u

struct pair {
    struct config config;
    struct sim sim;
    struct arena scripts;
    struct gpu_cluster clusters[2];
    struct memory_system memory;
    struct pool requests;
};

static struct policy_choice answer(enum question_id q, const char *name)
{
    return (struct policy_choice){policy_find(q, name), NULL};
}

static const struct gpu_config *load(struct pair *p, const char *chip)
{
    const char *const *folders = testing_chips();
    const char *sets[] = {"sm.count=4", NULL};
    struct err err = ERR_INIT;
    struct config_request r = {
        .chip = chip, .folders = folders, .sets = sets, .set_count = 1, .schemas = model_schemas};
    if (!config_load(&p->config, &r, &err))
        bed_fail(&err);
    return p->config.data;
}

static void build(struct pair *p, const char *chip, const struct engine_options *options)
{
    static const struct stat_def nothing[] = {S_END};
    *p = (struct pair){0};
    const struct gpu_config *c = load(p, chip);
    struct sim *sim = &p->sim;
    struct err err = ERR_INIT;
    engine_init(&sim->engine, &sim->arena, options);
    stats_init(&sim->stats, &sim->arena);
    sim->seed = 1;
    struct cluster_policies policies = {.l1 = answer(QUESTION_REPLACEMENT, "lru"),
                                        .lru = answer(QUESTION_REPLACEMENT, "lru"),
                                        .warp = answer(QUESTION_WARP, "gto"),
                                        .block = answer(QUESTION_BLOCK, "round_robin")};
    struct memory_policies below = {.cache = answer(QUESTION_REPLACEMENT, "lru"),
                                    .dram = answer(QUESTION_DRAM, "fr_fcfs")};
    struct memory_config memory = gpu_memory_config(c);
    struct dram_timing dram;
    dram_resolve(&c->dram, &dram);
    struct build_site shared = site_of(sim), sites[2];
    domain_id cores[2];
    for (u32 i = 0; i < 2; i++) {
        sites[i] =
            (struct build_site){.sim = sim,
                                .prefix = i ? "gpu1." : "gpu0.",
                                .node = stats_add(&sim->stats, STAT_ROOT, "gpu", i, nothing, NULL)};
        cores[i] = engine_add_domain(&sim->engine, i ? "gpu1.core" : "gpu0.core", c->sm.clock_hz);
    }
    u64 most = memory_most_requests(&memory, &dram) + 2 * SMS * sm_most_requests(c) + 1024;
    pool_init(&p->requests, &sim->arena, (u32)most, sizeof(struct request));
    memory_system_init(&p->memory, &shared, &memory, &p->requests);
    struct memory_client clients[2 * SMS];
    for (u32 i = 0; i < 2; i++) {
        cluster_init(&p->clusters[i], &sites[i], cores[i], c, i * SMS, &p->memory, &policies);
        cluster_clients(&p->clusters[i], &clients[i * SMS]);
    }
    memory_system_connect(&p->memory, clients, 2 * SMS, cores[0], &below);
    for (u32 i = 0; i < 2; i++) {
        if (!cluster_init_policies(&p->clusters[i], &p->memory, policies.warp, &err))
            bed_fail(&err);
        cluster_add_statistics(&p->clusters[i]);
    }
    memory_system_add_statistics(&p->memory);
    engine_start(&sim->engine);
}

static void launch(struct pair *p, u32 cluster, u64 seed)
{
    struct synthetic_phase phase;
    struct synthetic_kernel k = random_kernel(seed, &phase);
    struct grid_source s = synthetic_source(&k, seed, &p->scripts);
    struct err err = ERR_INIT;
    if (!dispatcher_launch(&p->clusters[cluster].dispatcher, &s, 0, &err))
        bed_fail(&err);
}

static void run(struct pair *p)
{
    struct err err = ERR_INIT;
    assert_int_equal(engine_run(&p->sim.engine), ENGINE_STOPPED);
    for (u32 i = 0; i < 2; i++) {
        assert_true(dispatcher_is_idle(&p->clusters[i].dispatcher));
        cluster_settle(&p->clusters[i]);
    }
    memory_system_settle(&p->memory);
    assert_int_equal(pool_in_use(&p->requests), 0);
    if (!stats_check_laws(&p->sim.stats, &err))
        bed_fail(&err);
}

static u64 stat(struct pair *p, const char *name)
{
    struct err err = ERR_INIT;
    double value = 0;
    if (!stats_number(&p->sim.stats, name, &value, &err))
        bed_fail(&err);
    return (u64)value;
}

static void close_pair(struct pair *p)
{
    arena_fini(&p->scripts);
    arena_fini(&p->sim.arena);
    config_fini(&p->config);
}

TEST(each_cluster_counts_its_own_and_answers_come_back_to_who_asked)
{
    UNUSED_STATE;
    struct engine_options options = {.watchdog_cycles = 1000000};
    struct pair both, one;
    build(&both, "fermi15", &options);
    launch(&both, 0, 3);
    launch(&both, 1, 4);
    run(&both);
    build(&one, "fermi15", &options);
    launch(&one, 1, 4);
    run(&one);
    /* the same work whoever else is there, under the cluster's own name */
    assert_true(stat(&both, "gpu0.sm.warp_instructions") > 0);
    assert_int_equal(stat(&both, "gpu1.sm.warp_instructions"),
                     stat(&one, "gpu1.sm.warp_instructions"));
    assert_int_equal(stat(&one, "gpu0.sm.warp_instructions"), 0);
    assert_int_equal(stat(&both, "gpu.sm.warp_instructions"),
                     stat(&both, "gpu0.sm.warp_instructions") +
                         stat(&both, "gpu1.sm.warp_instructions"));
    /* what both sent below arrived there */
    assert_int_equal(stat(&both, "gpu.sm.l1.sent") + stat(&both, "gpu.sm.icache.misses") > 0, 1);
    assert_int_equal(stat(&both, "request_network.packets"), stat(&both, "l2.accesses"));
    close_pair(&both);
    close_pair(&one);
}

TEST(clusters_side_by_side_repeat_with_every_unit_ticked_every_cycle)
{
    UNUSED_STATE;
    for (u64 seed = 1; seed <= 3; seed++) {
        u64 seen[2][3];
        for (u32 k = 0; k < 2; k++) {
            struct engine_options options = {.watchdog_cycles = 1000000, .no_skip = k == 1};
            struct pair p;
            build(&p, seed == 2 ? "volta8" : "fermi15", &options);
            launch(&p, 0, seed);
            launch(&p, 1, seed + 10);
            run(&p);
            seen[k][0] = p.sim.engine.now_fs;
            seen[k][1] = stat(&p, "gpu.sm.l1.hits");
            seen[k][2] = stat(&p, "dram.read_cycles");
            close_pair(&p);
        }
        assert_memory_equal(seen[0] + 1, seen[1] + 1, 2 * sizeof(u64));
    }
}

RUN_TESTS(T(each_cluster_counts_its_own_and_answers_come_back_to_who_asked),
          T(clusters_side_by_side_repeat_with_every_unit_ticked_every_cycle))
