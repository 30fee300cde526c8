/* A machine that cannot go on stops, and says who waits for whom. */
#include "gpu/script.h"
#include "gpu/spy.h"

static void expect_hang(struct bed *b, const char *const *sentences)
{
    struct text t = {0};
    assert_int_equal(engine_run(&b->sim.engine), ENGINE_HUNG);
    watchdog_report(&b->sim.engine, &t);
    for (u32 i = 0; sentences[i]; i++) {
        if (!strstr(t.data, sentences[i]))
            fail_msg("no '%s' in:\n%s", sentences[i], t.data);
    }
    text_fini(&t);
}

TEST(a_barrier_that_never_opens_is_a_hang_that_names_the_sm_and_the_kernel)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {BARRIER(.barrier_warps = 3), EXIT()};
    struct bed b;
    bed_open(&b, "fermi15", NULL);
    struct scripted_kernel k = KERNEL(code, 64, .name = "stuck"); /* two warps, three expected */
    bed_launch(&b, &k);
    static const char *const sentences[] = {
        "nothing can go on, stopped at cycle", "sm0: 2 warps live: 2 wait at barriers",
        "sm0: warps 0 to 1: kernel stuck, block 0: waits at a barrier",
        "dispatcher: kernel stuck: 0 of 1 blocks have ended", NULL};
    expect_hang(&b, sentences);
    bed_close(&b);
}

static cycle_t never(void *self, cycle_t now)
{
    (void)self;
    (void)now;
    return CYCLE_NEVER;
}

/* One L2 bank does nothing: packets for it stay where they leave the network. */
TEST(a_bank_that_takes_nothing_is_a_hang_that_names_the_chain_up_to_the_sm)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD_APART(1, 128 * 12, MIB), LOAD_APART(2, 128 * 12, 2 * MIB), ALU(3, 1), EXIT()};
    struct engine_options options = {.watchdog_cycles = 1000000};
    struct bed b;
    bed_build(&b, "fermi15", NULL, &options);
    for (u32 i = 0; i < b.gpu->memory->bank_count; i++)
        b.sim.engine.units[b.gpu->memory->banks[i].unit]->tick = never;
    engine_start(&b.sim.engine);
    /* the code is there: or the hang would be the fetch's */
    struct sm *sm = &b.gpu->cluster.sms[0];
    cache_take(&sm->instruction.cache, tags_set(&sm->instruction.cache.tags, 0), 0,
               &(struct request){0}, LINE_VALID);
    struct scripted_kernel k = KERNEL(code, 256);
    bed_launch(&b, &k);
    static const char *const sentences[] = {
        "request_network waits for l2.bank",
        ".in is full (2 of 2)",
        "sm0 waits for request_network: port sm0.miss is full (8 of 8)",
        "the head of the LSU waits: the miss queue is full",
        "kernel script: 0 of 1 blocks",
        NULL};
    expect_hang(&b, sentences);
    bed_close(&b);
}

static cycle_t busy(void *self, cycle_t now)
{
    (void)self;
    return now + 1;
}

/* Something still ticks, but nothing moves: the watchdog's limit decides. */
TEST(a_machine_that_ticks_without_progress_hangs_after_the_watchdogs_cycles)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {LOAD(1, MIB), ALU(2, 1), EXIT()};
    struct engine_options options = {.watchdog_cycles = 20000};
    struct bed b;
    bed_build(&b, "fermi15", NULL, &options);
    for (u32 i = 0; i < b.gpu->memory->channel_count; i++)
        b.sim.engine.units[b.gpu->memory->channels[i].unit]->tick = busy;
    engine_start(&b.sim.engine);
    struct scripted_kernel k = KERNEL(code, 32);
    bed_launch(&b, &k);
    static const char *const sentences[] = {"no progress for", "lines to come from DRAM",
                                            "waits for dram", NULL};
    expect_hang(&b, sentences);
    assert_in_range(engine_cycle(&b.sim.engine, b.gpu->cluster.core), 20000, 80000);
    bed_close(&b);
}

RUN_TESTS(T(a_barrier_that_never_opens_is_a_hang_that_names_the_sm_and_the_kernel),
          T(a_bank_that_takes_nothing_is_a_hang_that_names_the_chain_up_to_the_sm),
          T(a_machine_that_ticks_without_progress_hangs_after_the_watchdogs_cycles))
