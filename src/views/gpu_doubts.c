#include "views/gpu_doubts.h"

/* Of 104 kernels of silicon/fresh and silicon/holdout beside an H200: docs/internals/fidelity.md.
 */
const struct doubt_error gpu_doubt_errors[DOUBT_COUNT] = {
    [DOUBT_SHORT] = {"short", "a third of its time is the launch", 51, 8.1, -4.4, 5},
    [DOUBT_L2_READS] = {"l2_reads", "L2 delivers a fifth of what it can", 5, 12.3, -12.3, 0},
    [DOUBT_DRAM] = {"dram", "DRAM delivers a fifth of what it can", 0, 0, 0, 0},
    [DOUBT_LSU] = {"lsu", "the load/store unit is full", 15, 9.9, -4.1, 2},
    [DOUBT_ATOMICS] = {"atomics", "atomics in global memory", 5, 15.3, -10.5, 1},
    [DOUBT_SHARED] = {"shared", "shared memory busy for a quarter of the time", 9, 8.3, -6.4, 1},
    [DOUBT_BARRIERS] = {"barriers", "warps wait at barriers", 1, 0.4, 0.4, 0},
    [DOUBT_ARITHMETIC] = {"arithmetic", "warps wait for arithmetic results", 28, 9, -5.6, 3},
    [DOUBT_INSTRUCTIONS] = {"instructions", "instructions issue for 40 % of the time", 23, 7.1,
                            -3.1, 0},
    [DOUBT_FETCH] = {"fetch", "warps wait for instructions", 1, 0.2, 0.2, 0},
    [DOUBT_FEW_WARPS] = {"few_warps", "most schedulers have no warp", 80, 8.7, -4, 9},
};

struct doubt_numbers doubt_numbers_of(const struct gpu_counters *t)
{
    const u64 *s = t->scheduler_slots;
    struct doubt_numbers n = {
        .cycles = (double)t->cycles,
        .launches = 1,
        .issued = (double)s[SLOT_ISSUED],
        .fetch = (double)s[SLOT_FETCH],
        .data_mem = (double)s[SLOT_DATA_MEM],
        .data_alu = (double)s[SLOT_DATA_ALU],
        .structural_mem = (double)s[SLOT_STRUCT_MEM],
        .barrier = (double)s[SLOT_BARRIER],
        .no_warp = (double)s[SLOT_NO_WARP],
        .l2_read_sectors = (double)t->l2_read_sectors,
        .l2_atomic_sectors = (double)(t->l2_atomic_sectors + t->l2_reduction_sectors),
        .shared_passes = (double)t->shared_passes,
        .dram_bytes = (double)(t->dram_read_bytes + t->dram_written_bytes),
    };
    for (u32 i = 0; i < SLOT_COUNT; i++)
        n.all_slots += (double)s[i];
    return n;
}

u32 gpu_features(const struct gpu_config *c, const struct doubt_numbers *n)
{
    double launch = (double)c->launch.cycles * n->launches;
    double at_work = n->cycles > launch ? n->cycles - launch : 1;
    double live = n->all_slots - n->no_warp;
    struct dram_timing dram;
    dram_resolve(&c->dram, &dram);
    double l2_bytes = (double)dram.config.channels * c->l2.banks_per_channel * c->l2.port_bytes;
    double dram_bytes = dram_peak_bytes_per_second(&dram) / (double)c->sm.clock_hz;
    bool has[DOUBT_COUNT] = {
        [DOUBT_SHORT] = launch * 3 > n->cycles,
        [DOUBT_L2_READS] = n->l2_read_sectors * SECTOR_BYTES > 0.2 * l2_bytes * at_work,
        [DOUBT_DRAM] = n->dram_bytes > 0.2 * dram_bytes * at_work,
        [DOUBT_LSU] = n->structural_mem > 0.25 * live,
        [DOUBT_ATOMICS] = n->l2_atomic_sectors > 0.1 * (n->l2_read_sectors + n->l2_atomic_sectors),
        [DOUBT_SHARED] = n->shared_passes > 0.25 * at_work * c->sm.count,
        [DOUBT_BARRIERS] = n->barrier > 0.25 * live,
        [DOUBT_ARITHMETIC] = n->data_alu > 0.25 * live,
        [DOUBT_INSTRUCTIONS] = n->issued > 0.4 * live,
        [DOUBT_FETCH] = n->fetch > 0.1 * live,
        [DOUBT_FEW_WARPS] = n->no_warp > 0.5 * n->all_slots,
    };
    u32 bits = 0;
    for (u32 i = 0; i < DOUBT_COUNT; i++)
        bits |= (u32)has[i] << i;
    return bits;
}

u32 gpu_doubts(const struct gpu_config *c, const struct doubt_numbers *n)
{
    if (!c->device.compared || !*c->device.compared)
        return 0;
    u32 bits = gpu_features(c, n);
    for (u32 i = 0; i < DOUBT_COUNT; i++) {
        const struct doubt_error *e = &gpu_doubt_errors[i];
        if (e->kernels >= DOUBT_FEW_KERNELS && e->mean <= DOUBT_LIMIT)
            bits &= ~(1u << i);
    }
    return bits;
}

void gpu_doubts_text(u32 doubts, struct text *out)
{
    bool first = true;
    for (u32 i = 0; i < DOUBT_COUNT; i++) {
        const struct doubt_error *e = &gpu_doubt_errors[i];
        if (!(doubts >> i & 1))
            continue;
        text_printf(out, "%s%s", first ? "" : ", ", e->words);
        if (e->kernels < DOUBT_FEW_KERNELS)
            text_printf(out, " (not measured)");
        else
            text_printf(out, " (%.0f %% off, %+.0f)", e->mean, e->signed_mean);
        first = false;
    }
}
