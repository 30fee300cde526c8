/* What is divided with a chip (`scale`). docs/howto/scale.md says which ratios stay. */
#include "models/scales.h"

/*
 * Not divided: CPU cores (each program of a mix has one) and their L1s, what is inside an SM, ways,
 * lines and sectors, latencies and clocks, banks of a channel, widths of a network's ports (there
 * are fewer ports with fewer SMs and channels), sampled sets, the link
 * to the host.
 */
const struct scale_row chip_scales[] = {
    {"sm.count", SCALE_COUNT},
    {"l2.size_bytes", SCALE_CAPACITY}, /* of a GPU, and the private one of a CPU core */
    {"llc.size_bytes", SCALE_CAPACITY},
    {"dram.channels", SCALE_BANDWIDTH}, /* and with it banks of L2 and LLC */
    {"sockets.link.lane_bytes", SCALE_BANDWIDTH},
    {"policy.llc.*.interval", SCALE_PERIOD},
    {"policy.llc.pipp.stream_misses", SCALE_PERIOD},
    {"policy.noc.*.interval", SCALE_PERIOD},
    {"policy.noc.fvcp.training_cycles", SCALE_PERIOD},
    {"policy.warp.pcal.t_warmup", SCALE_PERIOD},
    {"policy.warp.pcal.t_sample", SCALE_PERIOD},
    {"policy.warp.poise.t_period", SCALE_PERIOD},
    {"policy.warp.poise.t_warmup", SCALE_PERIOD},
    {"policy.warp.poise.t_feature", SCALE_PERIOD},
    {"policy.warp.poise.t_search", SCALE_PERIOD},
    {"policy.warp.random_restart.t_period", SCALE_PERIOD},
    {"policy.warp.random_restart.t_warmup", SCALE_PERIOD},
    {"policy.warp.random_restart.t_search", SCALE_PERIOD},
    {"regions.training_cycles", SCALE_PERIOD},
    {"regions.min_accesses", SCALE_PERIOD},
    {"sockets.link.sample_cycles", SCALE_PERIOD},
    {"sockets.link.switch_cycles", SCALE_PERIOD},
    {"sockets.cache.partition.sample_cycles", SCALE_PERIOD},
    {"dvfs.period_ns", SCALE_PERIOD},
    {"dvfs.longest_ns", SCALE_PERIOD},
    {"dvfs.pll_ns", SCALE_PERIOD},
    {0},
};
