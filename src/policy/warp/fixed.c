/*
 * One tuple {N, p} from start to end, the same for all kernels: a point of the
 * grid that profiles and Static-Best are made from (Poise spec 3, 4.3).
 */
#include "policy/warp/tuple.h"

struct fixed_config {
    u32 n, p;
};

/* Loads at the L1 by the class of their warp, for the analytical model (Poise spec 4.1). */
struct fixed {
    struct tuple tuple;
    u64 polluting_loads, polluting_hits, bypassing_loads, bypassing_hits;
};

/* clang-format off */
static const struct param fixed_params[] = {
    P_U32(fixed_config, n, 64, 1, 64, "warps", "warps per scheduler that may issue (N); at most those the kernel has", "no limit"),
    P_U32(fixed_config, p, 64, 1, 64, "warps", "warps of the N that may allocate in the L1 (p)", "no limit"),
    P_END,
};

static const struct stat_def fixed_stats[] = {
    TUPLE_STATS(fixed),
    S_COUNT(fixed, polluting_loads, "requests", "L1 load requests of warps that may fill it"),
    S_COUNT(fixed, polluting_hits, "requests", "L1 hits of warps that may fill it"),
    S_COUNT(fixed, bypassing_loads, "requests", "L1 load requests of warps that may not fill it"),
    S_COUNT(fixed, bypassing_hits, "requests", "L1 hits of warps that may not fill it"),
    S_RATIO(fixed, polluting_hit_rate, polluting_hits, polluting_loads, "hits per load request of warps that may fill L1"),
    S_RATIO(fixed, bypassing_hit_rate, bypassing_hits, bypassing_loads, "hits per load request of warps that may not fill the L1"),
    S_END,
};
/* clang-format on */

static void fixed_kernel(struct warp_policy *p, const struct warp_kernel *k)
{
    const struct fixed_config *c = p->config;
    tuple_kernel(p, p->state, k, c->n, c->p);
}

static void count(struct warp_policy *p, u32 slot, u64 hits)
{
    struct fixed *f = p->state;
    bool pollutes = p->may_fill >> slot & 1;
    *(pollutes ? &f->polluting_loads : &f->bypassing_loads) += 1;
    *(pollutes ? &f->polluting_hits : &f->bypassing_hits) += hits;
}

static void fixed_hit(struct warp_policy *p, const struct warp_access *a)
{
    count(p, a->slot, 1);
}

static void fixed_missed(struct warp_policy *p, const struct warp_access *a)
{
    count(p, a->slot, 0);
}

WARP_POLICY(fixed) = {
    TUPLE_OPS,
    .name = "fixed",
    .source = "Dublish et al.: Poise, HPCA 2019: one point of the grid of tuples",
    .params = fixed_params,
    .config_bytes = sizeof(struct fixed_config),
    .state_bytes = sizeof(struct fixed),
    .stats = fixed_stats,
    .kernel = fixed_kernel,
    .hit = fixed_hit,
    .missed = fixed_missed,
};
