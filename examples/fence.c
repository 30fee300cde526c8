/*
 * An LLC policy in one file: programs on SMs share a few ways, those on CPU cores all others.
 *
 *     cc -O2 -shared -fPIC -DHEDDLE_PLUGIN -Isrc examples/fence.c -o fence.so
 *     build/heddle run --mix examples/apu.yaml --chip apu46 --plugin ./fence.so \
 *         --policy llc.partition=fence,gpu_ways=2
 *
 * With installed headers, -I/usr/local/include/heddle instead of -Isrc.
 */
#include "l2/llc_policy.h"

struct fence_config {
    u32 gpu_ways;
};

static const struct param fence_params[] = {
    P_U32(fence_config, gpu_ways, 4, 1, 63, "ways", "that programs on SMs share", "example"),
    P_END,
};

static void fence_decide(struct llc_policy *p, void *const *monitors, cycle_t now,
                         struct llc_plan *plan)
{
    const struct fence_config *c = p->config;
    u64 all = llc_first_ways(p->ways), gpu = all & llc_first_ways(c->gpu_ways);
    (void)monitors, (void)now;
    for (u32 i = 0; i < p->applications; i++)
        plan->ways_of[i] = llc_is_on_sms(p, i) || gpu == all ? gpu : all & ~gpu;
}

LLC_POLICY(fence) = {
    .version = POLICY_VERSION,
    .name = "fence",
    .source = "an example",
    .params = fence_params,
    .config_bytes = sizeof(struct fence_config),
    .decide = fence_decide,
};
