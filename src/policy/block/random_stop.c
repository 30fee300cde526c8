/*
 * Blocks are stopped in random cycles and go on somewhere else: a program that has no race must
 * not notice. For tests of programs and of the machine, and to see what a stop costs.
 */
#include "base/rng.h"
#include "gpu/dispatch/block_policy.h"

struct random_stop_config {
    u32 interval_cycles, how;
};

static const struct param params[] = {
    P_U32(random_stop_config, interval_cycles, 2000, 1, 1000000000, "cycles",
          "mean time from one stop to the next", "assumed"),
    P_CHOICE(random_stop_config, how, STOP_SWITCH, block_stop_names, "how a block is stopped",
             "assumed"),
    P_END,
};

struct random_stop {
    struct rng rng;
};

static void set_alarm(struct block_policy *p, cycle_t now)
{
    const struct random_stop_config *c = p->config;
    struct random_stop *s = p->state;
    p->alarm = now + 1 + rng_below(&s->rng, 2 * (u64)c->interval_cycles);
}

static bool init(struct block_policy *p, struct arena *arena, struct err *err)
{
    const struct random_stop_config *c = p->config;
    struct random_stop *s = p->state;
    (void)arena;
    (void)err;
    p->flushes = c->how == STOP_FLUSH;
    rng_init(&s->rng, p->machine->seed, "random_stop");
    if (c->how != BLOCK_RUNS)
        set_alarm(p, 0);
    return true;
}

static void ring(struct block_policy *p, cycle_t now)
{
    const struct random_stop_config *c = p->config;
    const struct block_machine *m = p->machine;
    struct random_stop *s = p->state;
    u64 slots = (u64)m->sms * m->blocks_per_sm, first = rng_below(&s->rng, slots);
    for (u64 k = 0; k < slots; k++) {
        u64 at = (first + k) % slots;
        u32 sm = (u32)(at / m->blocks_per_sm), slot = (u32)(at % m->blocks_per_sm);
        if (m->running(p, sm, slot) &&
            m->stop(p, sm, slot, (enum block_stop)c->how, STOPPED_AT_RANDOM))
            break;
    }
    set_alarm(p, now);
}

/* One that was stopped goes on on any SM that has room. */
static u32 choose_sm(struct block_policy *p, const struct block_ask *a)
{
    struct random_stop *s = p->state;
    u32 count = a->end - a->first;
    if (!a->stopped)
        return block_next_sm(a);
    u32 first = (u32)rng_below(&s->rng, count);
    for (u32 k = 0; k < count; k++) {
        u32 sm = a->first + (first + k) % count;
        if (!block_was_given(a, sm) && a->fits(a, sm))
            return sm;
    }
    return NO_SM;
}

static bool shuffles(const void *config)
{
    return ((const struct random_stop_config *)config)->how == STOP_SHUFFLE;
}

BLOCK_POLICY(random_stop) = {
    .version = POLICY_VERSION,
    .name = "random_stop",
    .source = "context-management spec 5, check C1",
    .params = params,
    .config_bytes = sizeof(struct random_stop_config),
    .state_bytes = sizeof(struct random_stop),
    .choose_sm = choose_sm,
    .init = init,
    .ring = ring,
    .stops_blocks = true,
    .shuffles = shuffles,
};
