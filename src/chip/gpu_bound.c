/* What stood in the way most, in words: of a whole run or of one kernel. */
#include "chip/gpu_model.h"

static u32 largest(const u64 *values, u32 count)
{
    u32 best = 0;
    for (u32 i = 1; i < count; i++) {
        if (values[i] > values[best])
            best = i;
    }
    return best;
}

/* The share of its peak at which DRAM is taken to be the limit. */
#define DRAM_LIMIT 0.7
#define ISSUE_LIMIT 0.8
#define SHARED_LIMIT 0.5
/* Of the cycles with a warp: from here on a wait is the limit, however few warps there are. */
#define FEW_BLOCKS_LIMIT 0.75

/* What stands in the way of memory instructions, from L1 down. */
static const char *memory_bound(const struct gpu *g, const struct gpu_numbers *t)
{
    static const char *const in_l2[STALL_COUNT] = {
        "bandwidth of the reply network: L2 banks wait for it",
        "DRAM: L2 miss queues are full",
        "data ports of the L2 banks",
        "sets of the L2 whose lines are all reserved",
        "MSHRs of the L2",
    };
    if ((double)t->shared_passes > SHARED_LIMIT * (double)t->cycles * g->config->sm.count)
        return t->shared_passes > 3 * t->shared_accesses / 2 ? "bank conflicts of shared memory"
                                                             : "shared memory throughput";
    u32 l1 = largest(t->l1_stall, L1_STALL_COUNT);
    if (t->l1_stall[l1] && l1 == L1_STALL_MSHR)
        return "MSHRs of the L1: more misses than it can track";
    if (t->l1_stall[l1] && l1 == L1_STALL_CACHE)
        return "sets of the L1 whose lines are all reserved";
    u32 l2 = largest(t->l2_stall, STALL_COUNT);
    return t->l2_stall[l2] ? in_l2[l2] : "bandwidth between L1 and L2";
}

const char *gpu_bound_by(const struct gpu *g, const struct gpu_numbers *t)
{
    const u64 *s = t->scheduler_slots;
    u64 live = 0;
    for (u32 i = 0; i < SLOT_NO_WARP; i++)
        live += s[i];
    u32 why = 1 + largest(s + 1, SLOT_NO_WARP - 1);
    /* Few blocks: their time is what they wait for, where that is one thing. */
    if (s[SLOT_NO_WARP] > live && s[why] < FEW_BLOCKS_LIMIT * (double)live)
        return "parallelism: most scheduler cycles have no warp";
    double seconds = (double)t->cycles / gpu_mean_hz(g);
    double bytes = (double)(t->dram_read_bytes + t->dram_written_bytes);
    if (bytes > DRAM_LIMIT * seconds * gpu_peak_dram(g))
        return "DRAM bandwidth";
    double lanes = (double)s[SLOT_ISSUED] /
                   (double)(g->config->sm.units.integer_on_fp32 && !g->config->sm.sub_cores
                                ? live / g->config->sm.schedulers + 1
                                : live + 1);
    if (lanes > ISSUE_LIMIT)
        return "instruction throughput";
    switch ((enum slot_class)why) {
    case SLOT_FETCH:
        return "instruction fetch";
    case SLOT_DATA_MEM:
        return "memory latency: too few independent instructions to hide it";
    case SLOT_DATA_ALU:
        return "arithmetic latency: too few independent instructions to hide it";
    case SLOT_STRUCT_MEM:
        return memory_bound(g, t);
    case SLOT_STRUCT_ALU:
        return "execution units";
    case SLOT_THROTTLED:
        return "the warp policy: it keeps ready warps back";
    default:
        return "barriers";
    }
}
