/*
 * One tuple {N, p} from start to end, the same for all kernels: a point of the
 * grid that profiles and Static-Best are made from (Poise spec 3, 4.3).
 */
#include "policy/warp/tuple.h"

struct fixed_config {
    u32 n, p;
};

struct fixed {
    struct tuple tuple;
};

/* clang-format off */
static const struct param fixed_params[] = {
    P_U32(fixed_config, n, 64, 1, 64, "warps", "that issue, per scheduler; at most the kernel's own", "no limit"),
    P_U32(fixed_config, p, 64, 1, 64, "warps", "of them that put lines into L1; at most n", "no limit"),
    P_END,
};

static const struct stat_def fixed_stats[] = {
    TUPLE_STATS(fixed),
    S_END,
};
/* clang-format on */

static void fixed_kernel(struct warp_policy *p, const struct warp_kernel *k)
{
    const struct fixed_config *c = p->config;
    tuple_kernel(p, p->state, k, c->n, c->p);
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
};
