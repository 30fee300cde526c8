/*
 * Static warp limiting: N warps of each scheduler issue, all of which may use
 * the L1. N is found beforehand for a whole benchmark, by trying every one
 * (Poise spec 3).
 */
#include "policy/warp/tuple.h"

struct swl_config {
    u32 n;
};

struct swl {
    struct tuple tuple;
};

/* clang-format off */
static const struct param swl_params[] = {
    P_U32(swl_config, n, 64, 1, 64, "warps", "warps per scheduler that may issue (N); at most those the kernel has", "no limit"),
    P_END,
};

static const struct stat_def swl_stats[] = {
    TUPLE_STATS(swl),
    S_END,
};
/* clang-format on */

static void swl_kernel(struct warp_policy *p, const struct warp_kernel *k)
{
    const struct swl_config *c = p->config;
    tuple_kernel(p, p->state, k, c->n, c->n);
}

WARP_POLICY(swl) = {
    TUPLE_OPS,
    .name = "swl",
    .source = "Rogers, O'Connor, Aamodt: Cache-Conscious Wavefront Scheduling, MICRO 2012",
    .params = swl_params,
    .config_bytes = sizeof(struct swl_config),
    .state_bytes = sizeof(struct swl),
    .stats = swl_stats,
    .kernel = swl_kernel,
};
