/*
 * A warp policy in one file: only a share of each scheduler's warps issues.
 *
 *     cc -O2 -shared -fPIC -DHEDDLE_PLUGIN -Isrc examples/half.c -o half.so
 *     build/heddle run kmeans --chip kepler8 --plugin half.so --policy warp.scheduler=half,percent=25
 *
 * With installed headers, -I/usr/local/include/heddle instead of -Isrc.
 */
#include "policy/warp/tuple.h"

struct half_config {
    u32 percent;
};

struct half {
    struct tuple tuple; /* first: TUPLE_OPS expects it there */
};

static const struct param half_params[] = {
    P_U32(half_config, percent, 50, 1, 100, "percent", "of the warps that issue", "example"),
    P_END,
};

static const struct stat_def half_stats[] = {TUPLE_STATS(half), S_END};

static void half_kernel(struct warp_policy *p, const struct warp_kernel *k)
{
    const struct half_config *c = p->config;
    u32 n = k->limit * c->percent / 100;
    tuple_kernel(p, p->state, k, n, n); /* brought into 1 to the kernel's limit */
}

WARP_POLICY(half) = {
    TUPLE_OPS,
    .name = "half",
    .source = "an example",
    .params = half_params,
    .config_bytes = sizeof(struct half_config),
    .state_bytes = sizeof(struct half),
    .stats = half_stats,
    .kernel = half_kernel,
};
