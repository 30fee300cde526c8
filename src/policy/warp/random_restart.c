/*
 * Poise's local search from a random tuple, again and again: what the search is
 * worth without the prediction (Poise spec 3).
 */
#include "base/rng.h"
#include "policy/warp/probe.h"

#include <stdio.h>

struct random_restart_config {
    u64 seed;
    u32 t_period, t_warmup, t_search, stride_n, stride_p;
    bool remeasure;
};

struct random_restart_counts {
    u64 restarts, finals, abandoned, probes;
};

struct random_restart {
    struct tuple tuple;
    struct probe probe;
    struct rng rng;
    bool searches;
    cycle_t epoch;
    struct random_restart_counts counts;
};

/* clang-format off */
#define AS_POISE "assumed: as poise, Poise spec 3"
static const struct param random_restart_params[] = {
    P_U64(random_restart_config, seed, 0, 0, UINT64_MAX, "", "seed of the random starts, in addition to the run's: the published figure is a mean of 20", "HPCA 2019, figure 15"),
    P_U32(random_restart_config, t_period, 200000, 1, 1000000000, "cycles", "time from one start to the next", AS_POISE),
    P_U32(random_restart_config, t_warmup, 2000, 0, 1000000000, "cycles", "time after a change of tuple before a window begins", AS_POISE),
    P_U32(random_restart_config, t_search, 4000, 1, 1000000000, "cycles", "a window of the local search", AS_POISE),
    P_U32(random_restart_config, stride_n, 2, 0, 64, "warps", "first stride of the search along N; 0: no search", AS_POISE),
    P_U32(random_restart_config, stride_p, 4, 0, 64, "warps", "first stride of the search along p; 0: no search", AS_POISE),
    P_BOOL(random_restart_config, remeasure, false, "the search measures a point again that it has measured before", AS_POISE),
    P_END,
};

static const struct stat_def random_restart_stats[] = {
    TUPLE_STATS(random_restart),
#define COUNT(field, u, text) {.name = #field, .kind = STAT_COUNT, .offset = S_AT(random_restart, counts.field), .unit = u, .meaning = text}
    COUNT(restarts, "searches", "searches begun, each from a random tuple"),
    COUNT(finals, "searches", "searches completed"),
    COUNT(abandoned, "searches", "searches cut short by the end of the period or kernel"),
    COUNT(probes, "windows", "windows measured by searches"),
#undef COUNT
    S_END,
};
/* clang-format on */

static void wake(struct warp_policy *p, cycle_t at)
{
    const struct random_restart *s = p->state;
    const struct random_restart_config *c = p->config;
    p->alarm = min_u64(at, s->epoch + c->t_period);
}

static void ended(struct warp_policy *p, cycle_t at)
{
    struct random_restart *s = p->state;
    s->searches = false;
    s->counts.finals++;
    s->counts.probes += s->probe.search.probes;
    tuple_note(p, &s->tuple, "final", at);
    wake(p, CYCLE_NEVER);
}

/* One of the W(W+1)/2 legal tuples, all equally likely. */
static void restart(struct warp_policy *p, cycle_t at)
{
    struct random_restart *s = p->state;
    const struct random_restart_config *c = p->config;
    u32 limit = s->tuple.limit, n = 1;
    u64 pick = rng_below(&s->rng, (u64)limit * (limit + 1) / 2);
    while (pick >= n)
        pick -= n++;
    s->counts.restarts++;
    s->counts.abandoned += s->searches;
    s->epoch = at;
    s->searches = true;
    s->probe.warmup_cycles = c->t_warmup;
    s->probe.sample_cycles = c->t_search;
    search_begin(&s->probe.search, n, (u32)pick + 1, limit, c->stride_n, c->stride_p, c->remeasure);
    tuple_set(p, &s->tuple, n, (u32)pick + 1, at);
    tuple_note(p, &s->tuple, "restart", at);
    if (probe_next(p, &s->probe, &s->tuple, at))
        ended(p, at);
    else
        wake(p, p->alarm);
}

static void random_restart_ring(struct warp_policy *p, cycle_t at)
{
    struct random_restart *s = p->state;
    const struct random_restart_config *c = p->config;
    if (at >= s->epoch + c->t_period)
        restart(p, at);
    else if (s->searches && probe_ring(p, &s->probe, &s->tuple, at))
        ended(p, at);
    else
        wake(p, p->alarm);
}

static void random_restart_kernel(struct warp_policy *p, const struct warp_kernel *k)
{
    struct random_restart *s = p->state;
    tuple_kernel(p, &s->tuple, k, k->limit, k->limit);
    restart(p, *p->view->now);
}

static bool random_restart_init(struct warp_policy *p, struct arena *arena, struct err *err)
{
    (void)arena;
    (void)err;
    struct random_restart *s = p->state;
    const struct random_restart_config *c = p->config;
    char stream[64];
    snprintf(stream, sizeof stream, "sm%u.random_restart.%llu", p->view->sm,
             (unsigned long long)c->seed);
    rng_init(&s->rng, p->view->seed, stream);
    return true;
}

WARP_POLICY(random_restart) = {
    TUPLE_OPS,
    .name = "random_restart",
    .source = "Dublish, Nagarajan, Topham: Poise, HPCA 2019",
    .params = random_restart_params,
    .config_bytes = sizeof(struct random_restart_config),
    .state_bytes = sizeof(struct random_restart),
    .stats = random_restart_stats,
    .init = random_restart_init,
    .kernel = random_restart_kernel,
    .ring = random_restart_ring,
};
