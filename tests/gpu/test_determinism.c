/* The same chip, kernels and seed give the same statistics, every counter of every unit: run
 * again, with every unit ticked every cycle, and with units ticked in another order. */
#include "gpu/random_kernel.h"
#include "gpu/statistics_text.h"

enum order { ORDER_BUILT, ORDER_MEMORY_REVERSED, ORDER_SMS_REVERSED };

/* Ticks `count` units of a domain in the reverse order. */
static void reverse(struct engine *e, domain_id domain, u32 first, u32 count)
{
    for (u32 i = 0; i < e->unit_count; i++) {
        struct unit *u = e->units[i];
        if (u->domain == domain && u->slot >= first && u->slot < first + count)
            u->slot = 2 * first + count - 1 - u->slot;
    }
}

static char *run_kernels(const char *chip, const char *const *sets, u64 seed, bool no_skip,
                         enum order order)
{
    struct bed b;
    struct engine_options options = {.watchdog_cycles = 1000000, .no_skip = no_skip};
    bed_build(&b, chip, sets, &options);
    if (order == ORDER_MEMORY_REVERSED) {
        reverse(&b.sim.engine, b.gpu->memory->cache_domain, 0,
                b.sim.engine.domains[b.gpu->memory->cache_domain].unit_count);
        reverse(&b.sim.engine, b.gpu->memory->dram_domain, 0,
                b.sim.engine.domains[b.gpu->memory->dram_domain].unit_count);
    }
    if (order == ORDER_SMS_REVERSED) /* the dispatcher behind them charges their cycles, a ring
                                        before them sees all L1s as the last cycle left them */
        reverse(&b.sim.engine, b.gpu->cluster.core,
                b.sim.engine.units[b.gpu->cluster.sms[0].unit]->slot, b.gpu->config->sm.count);
    engine_start(&b.sim.engine);
    /* side by side, and one after another of its stream */
    bed_launch_random_in(&b, seed, 1);
    bed_launch_random_in(&b, seed + 500, 2);
    bed_launch_random_in(&b, seed + 1000, 1);
    bed_run(&b);
    char *text = all_statistics(&b);
    bed_close(&b);
    return text;
}

static void same_whatever(const char *chip, const char *const *sets, u64 seed)
{
    char *plain = run_kernels(chip, sets, seed, false, ORDER_BUILT);
    char *again = run_kernels(chip, sets, seed, false, ORDER_BUILT);
    char *every = run_kernels(chip, sets, seed, true, ORDER_BUILT);
    char *memory = run_kernels(chip, sets, seed, false, ORDER_MEMORY_REVERSED);
    char *sms = run_kernels(chip, sets, seed, false, ORDER_SMS_REVERSED);
    assert_true(strlen(plain) > 5000); /* it is all there */
    assert_same(plain, again, "run again");
    assert_same(plain, every, "every unit ticked every cycle");
    assert_same(plain, memory, "units of the memory side in reverse order");
    assert_same(plain, sms, "SMs in reverse order");
    free(plain);
    free(again);
    free(every);
    free(memory);
    free(sms);
}

TEST(statistics_repeat_on_the_fermi_chip)
{
    UNUSED_STATE;
    for (u64 seed = 1; seed <= 2; seed++)
        same_whatever("fermi15", NULL, seed);
}

static bool is_gpu(const char *chip)
{
    struct err err = ERR_INIT;
    struct config config = {0};
    struct config_request r = {.chip = chip, .folders = testing_chips(), .schemas = model_schemas};
    if (!config_load(&config, &r, &err))
        bed_fail(&err);
    bool is = strcmp(config.schema->model, "gpu") == 0;
    config_fini(&config);
    return is;
}

/* Those that studies keep for themselves too. */
TEST(statistics_repeat_on_every_chip_that_is_a_gpu)
{
    UNUSED_STATE;
    struct arena arena = {0};
    const char **names;
    u32 count = config_list(testing_chips(), &arena, &names);
    assert_true(count > 20);
    for (u32 i = 0; i < count; i++) {
        if (is_gpu(names[i]))
            same_whatever(names[i], NULL, 91);
    }
    arena_fini(&arena);
}

TEST(statistics_repeat_with_sectors_sub_cores_and_allocation_on_fill)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=6",
                          "sm.schedulers=4",
                          "sm.sub_cores=true",
                          "sm.l1.sectored=true",
                          "sm.l1.allocate=on_fill",
                          "sm.l1.write_hit=update",
                          "l2.sectored=true",
                          "l2.write_miss=fetch_partial",
                          "l2.hashed_channels=true",
                          "sm.operands.enabled=true",
                          NULL};
    for (u64 seed = 11; seed <= 12; seed++)
        same_whatever("fermi15", sets, seed);
}

TEST(statistics_repeat_on_a_volta_chip)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=6", "dram.channels=4", "l2.size_bytes=768KiB", NULL};
    for (u64 seed = 21; seed <= 22; seed++)
        same_whatever("volta80", sets, seed);
}

TEST(statistics_repeat_with_an_ideal_memory)
{
    UNUSED_STATE;
    const char *infinite[] = {"ideal.model=infinite", "sm.count=4", NULL};
    const char *fixed[] = {"ideal.model=fixed", "ideal.fixed_cycles=250", "sm.count=4", NULL};
    same_whatever("fermi15", infinite, 31);
    same_whatever("fermi15", fixed, 31);
}

TEST(statistics_repeat_for_every_warp_policy_and_two_issues_a_cycle)
{
    UNUSED_STATE;
    const char *lrr[] = {"sm.warp_policy=lrr", "sm.count=3", "sm.issue_width=2", NULL};
    const char *oldest[] = {"sm.warp_policy=oldest", "sm.count=3", "launch.cycles=700", NULL};
    same_whatever("fermi15", lrr, 41);
    same_whatever("fermi15", oldest, 42);
}

TEST(statistics_repeat_when_the_l1_caches_answer_each_other)
{
    UNUSED_STATE;
    const char *small[] = {"ccn.buffer_entries=2", "ccn.response_entries=1", "ccn.link_cycles=3",
                           "ccn.shadow_tags=false", NULL};
    const char *throttled[] = {"ccn.throttle.sample_instructions=500",
                               "ccn.throttle.period_instructions=3000", NULL};
    const char *chip[] = {"ccn.throttle.sample_instructions=5000",
                          "ccn.throttle.period_instructions=30000", "ccn.throttle.scope=chip",
                          "ccn.throttle.least_hit_rate=0.2", NULL};
    for (u64 seed = 51; seed <= 53; seed++) {
        same_whatever("fermi15-ccn", NULL, seed);
        same_whatever("fermi15-ccn", small, seed);
        same_whatever("fermi15-ccn-rt", throttled, seed);
        same_whatever("fermi15-ccn-rt", chip, seed);
    }
}

TEST(statistics_repeat_with_ideal_cooperation_and_with_a_sharing_tracker)
{
    UNUSED_STATE;
    const char *late[] = {"ccn.ideal_cycles=80", "ccn.cluster_sms=5", NULL};
    for (u64 seed = 51; seed <= 53; seed++) {
        same_whatever("fermi15-ccn-ideal", NULL, seed);
        same_whatever("fermi15-ccn-ideal", late, seed);
        same_whatever("fermi15-tracker", NULL, seed);
    }
}

/* bandwidth-and-ccn spec C1 */
TEST(a_ring_that_is_off_changes_no_statistic_whatever_its_other_parameters)
{
    UNUSED_STATE;
    const char *knobs[] = {
        "ccn.mode=none",         "ccn.buffer_entries=1",      "ccn.link_cycles=5",
        "ccn.shadow_tags=false", "ccn.throttle.enabled=true", NULL};
    for (u64 seed = 1; seed <= 4; seed++) {
        char *plain = run_kernels("fermi15", NULL, seed, false, ORDER_BUILT);
        char *off = run_kernels("fermi15-ccn", knobs, seed, false, ORDER_BUILT);
        char *on = run_kernels("fermi15-ccn", NULL, seed, false, ORDER_BUILT);
        assert_same(plain, off, "a ring that is off");
        assert_string_not_equal(plain, on);
        free(plain);
        free(off);
        free(on);
    }
}

/* With windows so short that there are many in a kernel. */
TEST(statistics_repeat_for_policies_that_count_over_time)
{
    UNUSED_STATE;
    const char *poise[] = {"sm.warp_policy=poise",
                           "sm.count=3",
                           "policy.warp.poise.t_warmup=50",
                           "policy.warp.poise.t_feature=200",
                           "policy.warp.poise.t_search=90",
                           "policy.warp.poise.t_period=3000",
                           NULL};
    const char *restart[] = {"sm.warp_policy=random_restart",
                             "sm.count=3",
                             "policy.warp.random_restart.t_warmup=50",
                             "policy.warp.random_restart.t_search=90",
                             "policy.warp.random_restart.t_period=3000",
                             NULL};
    const char *swl[] = {"sm.warp_policy=pcal",
                         "sm.count=5",
                         "policy.warp.pcal.n=4",
                         "policy.warp.pcal.t_warmup=50",
                         "policy.warp.pcal.t_sample=200",
                         "policy.warp.pcal.drop=0.05",
                         NULL};
    const char *dynamic[] = {"sm.warp_policy=pcal",         "sm.count=5",
                             "policy.warp.pcal.start=ccws", "policy.warp.pcal.t_ccws=700",
                             "policy.warp.pcal.t_warmup=0", "policy.warp.pcal.t_sample=200",
                             "policy.warp.pcal.drop=0.05",  NULL};
    const char *ccws[] = {"sm.warp_policy=ccws", "sm.count=3", NULL};
    const char *apcm[] = {"sm.warp_policy=apcm_like", "sm.count=3",
                          "policy.warp.apcm_like.decide_accesses=4", NULL};
    const char *fixed[] = {"sm.warp_policy=fixed", "policy.warp.fixed.n=3", "policy.warp.fixed.p=1",
                           "sm.count=3", NULL};
    const char *const *all[] = {poise, restart, swl, dynamic, ccws, apcm, fixed};
    for (u64 i = 0; i < ARRAY_LEN(all); i++) {
        same_whatever("fermi15", all[i], 51 + i);
        same_whatever("fermi15", all[i], 71 + i);
    }
}

/* Other seeds differ, or the comparison says nothing. */
TEST(another_kernel_has_other_statistics)
{
    UNUSED_STATE;
    char *a = run_kernels("fermi15", NULL, 1, false, ORDER_BUILT);
    char *b = run_kernels("fermi15", NULL, 2, false, ORDER_BUILT);
    assert_string_not_equal(a, b);
    free(a);
    free(b);
}

RUN_TESTS(T(statistics_repeat_on_the_fermi_chip), T(statistics_repeat_on_every_chip_that_is_a_gpu),
          T(statistics_repeat_with_sectors_sub_cores_and_allocation_on_fill),
          T(statistics_repeat_on_a_volta_chip), T(statistics_repeat_with_an_ideal_memory),
          T(statistics_repeat_for_every_warp_policy_and_two_issues_a_cycle),
          T(statistics_repeat_when_the_l1_caches_answer_each_other),
          T(statistics_repeat_with_ideal_cooperation_and_with_a_sharing_tracker),
          T(a_ring_that_is_off_changes_no_statistic_whatever_its_other_parameters),
          T(statistics_repeat_for_policies_that_count_over_time),
          T(another_kernel_has_other_statistics))
