/* What stood in the way most: of a whole run or of one kernel. */
#include "views/gpu_bound.h"

#define BOUND_TEXT(id, words) words,
const char *const gpu_bound_words[] = {GPU_BOUNDS(BOUND_TEXT)};

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
static enum gpu_bound memory_bound(const struct gpu_config *c, const struct gpu_counters *t)
{
    static const enum gpu_bound in_l2[STALL_COUNT] = {
        BOUND_L2_REPLIES, BOUND_L2_DRAM, BOUND_L2_PORTS, BOUND_L2_SETS, BOUND_L2_MSHRS,
    };
    if ((double)t->shared_passes > SHARED_LIMIT * (double)t->cycles * c->sm.count)
        return t->shared_passes > 3 * t->shared_accesses / 2 ? BOUND_CONFLICTS : BOUND_SHARED;
    u32 l1 = largest(t->l1_stall, L1_STALL_COUNT);
    if (t->l1_stall[l1] && l1 == L1_STALL_MSHR)
        return BOUND_L1_MSHRS;
    if (t->l1_stall[l1] && l1 == L1_STALL_CACHE)
        return BOUND_L1_SETS;
    u32 l2 = largest(t->l2_stall, STALL_COUNT);
    return t->l2_stall[l2] ? in_l2[l2] : BOUND_L1_TO_L2;
}

enum gpu_bound gpu_bound(const struct gpu_config *c, double peak_dram, double hz,
                         const struct gpu_counters *t)
{
    const u64 *s = t->scheduler_slots;
    u64 live = 0;
    for (u32 i = 0; i < SLOT_NO_WARP; i++)
        live += s[i];
    u32 why = 1 + largest(s + 1, SLOT_NO_WARP - 1);
    /* Few blocks: their time is what they wait for, where that is one thing. */
    if (s[SLOT_NO_WARP] > live && s[why] < FEW_BLOCKS_LIMIT * (double)live)
        return BOUND_FEW_WARPS;
    double seconds = (double)t->cycles / hz;
    double bytes = (double)(t->dram_read_bytes + t->dram_written_bytes);
    if (bytes > DRAM_LIMIT * seconds * peak_dram)
        return BOUND_DRAM;
    bool is_shared = c->sm.units.integer_on_fp32 && !c->sm.sub_cores;
    double lanes =
        (double)s[SLOT_ISSUED] / (double)(is_shared ? live / c->sm.schedulers + 1 : live + 1);
    if (lanes > ISSUE_LIMIT)
        return BOUND_ISSUE;
    switch ((enum slot_class)why) {
    case SLOT_FETCH:
        return BOUND_FETCH;
    case SLOT_DATA_MEM:
        return BOUND_LATENCY;
    case SLOT_DATA_ALU:
        return BOUND_ARITHMETIC_LATENCY;
    case SLOT_STRUCT_MEM:
        return memory_bound(c, t);
    case SLOT_STRUCT_ALU:
        return BOUND_UNITS;
    case SLOT_THROTTLED:
        return BOUND_POLICY;
    default:
        return BOUND_BARRIERS;
    }
}
