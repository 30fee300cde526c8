#include "power/energy.h"

#include <math.h>
#include <string.h>

/* clang-format off */
#define NAME(id, name, ...) #name,
static const char *const static_names[STATIC_PARTS] = {ENERGY_STATIC_LIST(NAME)};

#define ROWS \
    S_ARRAY(energy_counts, dynamic_pj, energy_component_names, COMPONENTS, "pJ", "energy of events, by component"), \
    S_ARRAY(energy_counts, static_pj, static_names, STATIC_PARTS, "pJ", "static power times time, by part"), \
    S_COUNT(energy_counts, dynamic_total_pj, "pJ", "energy of events"), \
    S_COUNT(energy_counts, static_total_pj, "pJ", "static power times time"), \
    S_COUNT(energy_counts, total_pj, "pJ", "energy of events and static power"), \
    S_COUNT(energy_counts, time_fs, "fs", "simulated time"), \
    S_FORMULA(joules, "total_pj / 1000000000000", "J", "energy of the chip and its DRAM"), \
    S_FORMULA(watts, "1000 * total_pj / time_fs", "W", "average power")
#define MORE_ROWS \
    S_FORMULA(delay_product, "(total_pj / 1000000000000) * (time_fs / 1000000000000000)", "J s", "energy times time (EDP)"), \
    S_LAW(sum, "dynamic_total_pj + static_total_pj == total_pj", "energy is dynamic or static"), \
    S_END

const struct stat_def energy_stats[] = {ROWS, MORE_ROWS};
const struct stat_def energy_gpu_stats[] = {
    ROWS,
    S_FORMULA(pj_per_instruction, "total_pj / sm.thread_instructions", "pJ", "energy per thread instruction"),
    MORE_ROWS,
};
/* clang-format on */

/* ---- rates ------------------------------------------------------------------------------- */

void energy_resolve(const struct energy_config *e, const struct memory_config *memory, u32 cores,
                    u32 sockets, struct energy_rates *r)
{
    struct dram_timing dram;
    dram_resolve(memory->dram, &dram);
    enum dram_preset preset = (enum dram_preset)memory->dram->preset;
    enum energy_technology technology = (enum energy_technology)e->technology;
    for (u32 i = 0; i < ENERGY_EVENTS; i++)
        r->pj[i] =
            e->pj[i] >= 0 ? e->pj[i] : energy_row_value(&energy_events[i], technology, preset);
    for (u32 i = 0; i < STATIC_PARTS; i++)
        r->watts[i] = e->watts[i] >= 0 ? e->watts[i]
                                       : energy_row_value(&energy_statics[i], technology, preset);
    u32 channels = sockets * dram.config.channels;
    r->instances[STATIC_SM] = cores;
    r->instances[STATIC_L2] = sockets * (double)memory->l2->size_bytes / (1024.0 * 1024.0);
    r->instances[STATIC_NETWORK] = cores + (double)channels * memory->l2->banks_per_channel;
    r->instances[STATIC_DRAM] = channels;
    r->instances[STATIC_CHIP] = sockets;
}

/* ---- events ------------------------------------------------------------------------------ */

/* Lanes are counted over all units: each unit gets its share by warp instructions. */
static void count_instructions(const struct gpu_config *c, const struct gpu_counters *t,
                               double counts[ENERGY_EVENTS])
{
    static const enum energy_event of_unit[UNIT_COUNT] = {
        [UNIT_INT] = ENERGY_INTEGER,    [UNIT_FP32] = ENERGY_FP32,
        [UNIT_FP64] = ENERGY_FP64,      [UNIT_FP16] = ENERGY_FP16,
        [UNIT_SFU] = ENERGY_SFU,        [UNIT_TENSOR] = ENERGY_TENSOR,
        [UNIT_MEMORY] = ENERGY_INTEGER, [UNIT_BRANCH] = ENERGY_INTEGER,
    };
    double threads = (double)t->thread_instructions, warps = (double)t->warp_instructions;
    counts[ENERGY_ISSUE] += warps;
    counts[ENERGY_REGISTER] += threads * c->energy.register_words;
    for (u32 i = 0; i < UNIT_COUNT && warps > 0; i++)
        counts[of_unit[i]] += (double)t->unit_instructions[i] * (threads / warps);
}

/* What threads move between registers and L1: warp instructions that went nowhere else. */
static double l1_accesses(const struct gpu_counters *t)
{
    double all = (double)(t->loads + t->stores + t->atomics);
    double other = (double)(t->shared_accesses + t->constant_accesses + t->texture_accesses);
    return all > other ? all - other : 0;
}

static u64 cycles_with_warps(const struct gpu_counters *t)
{
    u64 cycles = 0;
    for (u32 i = 0; i < SLOT_COUNT; i++)
        cycles += i == SLOT_NO_WARP ? 0 : t->core_slots[i];
    return cycles;
}

void energy_count_sms(const struct gpu_config *c, const struct gpu_counters *t,
                      double counts[ENERGY_EVENTS])
{
    count_instructions(c, t, counts);
    /* Nobody counts the sectors of a fill: a sectored L1 gets one each. */
    u32 fill_bytes = c->sm.l1.sectored ? SECTOR_BYTES : c->line_bytes;
    double lanes =
        t->warp_instructions ? (double)t->thread_instructions / (double)t->warp_instructions : 0;
    counts[ENERGY_ACTIVE_CYCLE] += (double)cycles_with_warps(t);
    counts[ENERGY_FETCH] += (double)t->fetches;
    counts[ENERGY_SHARED] += (double)t->shared_passes;
    counts[ENERGY_SHARED_WORD] += lanes * (double)t->shared_accesses;
    u64 past = t->l1_bypass_loads + t->l1_bypass_merges + t->l1_bypass_stores;
    counts[ENERGY_L1] += (double)t->requests - (double)past + (double)t->ring_answers;
    counts[ENERGY_PROBE] += (double)(past + t->l1_bypass_found);
    counts[ENERGY_L1_WORD] += lanes * l1_accesses(t);
    counts[ENERGY_L1_FILL] += 8.0 * fill_bytes * (double)t->l1_fills;
    counts[ENERGY_CONSTANT] += (double)t->constant_lookups;
    counts[ENERGY_TEXTURE] += (double)t->texture_lookups;
    counts[ENERGY_RING] += 8.0 * (CCN_REQUEST_BYTES * (double)t->ring_request_hops +
                                  c->line_bytes * (double)t->ring_line_hops);
    counts[ENERGY_SHADOW] += (double)t->shadow_lookups;
}

void energy_count_memory(const struct memory_config *c, const struct memory_totals *t,
                         double counts[ENERGY_EVENTS])
{
    struct dram_timing dram;
    dram_resolve(c->dram, &dram);
    double dram_bits = 8.0 * (double)t->dram_bus_bytes;
    counts[ENERGY_REQUEST] += 8.0 * c->network->request.flit_bytes * (double)t->request_flits;
    counts[ENERGY_REPLY] += 8.0 * c->network->reply.flit_bytes * (double)t->reply_flits;
    counts[ENERGY_L2] += (double)t->l2_accesses;
    /* Not by the data port's cycles: a fill that is passed on keeps the port once, but both
     * ways of a byte were measured (docs/mechanisms/energy.md). */
    counts[ENERGY_L2_DATA] +=
        8.0 * ((double)t->request_bytes + (double)t->reply_bytes + (double)t->dram_read_bytes +
               (double)t->dram_written_bytes - (double)t->bypassed_bytes);
    counts[ENERGY_PROBE] += (double)t->probes;
    counts[ENERGY_CONTROLLER] += dram_bits;
    counts[ENERGY_ACTIVATE] += (double)t->dram_activates * dram.config.row_bytes / 1024.0;
    counts[ENERGY_DRAM] += dram_bits;
    counts[ENERGY_REFRESH] += (double)t->dram_refreshes;
}

void energy_count(const struct gpu_config *c, const struct gpu_counters *t,
                  double counts[ENERGY_EVENTS])
{
    struct memory_config memory = gpu_memory_config(c);
    struct memory_totals below = {
        .l2_accesses = t->l2_accesses,
        .bypassed_bytes = t->l2_bypass_bytes,
        .probes = t->l2_bypass_loads + t->l2_bypass_merges + t->l2_bypass_stores +
                  t->l2_bypass_writebacks + t->l2_bypass_found,
        .request_flits = t->request_flits,
        .request_bytes = t->request_bytes,
        .reply_flits = t->reply_flits,
        .reply_bytes = t->reply_bytes,
        .dram_read_bytes = t->dram_read_bytes,
        .dram_written_bytes = t->dram_written_bytes,
        .dram_bus_bytes = t->dram_bus_bytes,
        .dram_activates = t->dram_activates,
        .dram_refreshes = t->dram_refreshes,
    };
    memset(counts, 0, ENERGY_EVENTS * sizeof *counts);
    energy_count_sms(c, t, counts);
    energy_count_memory(&memory, &below, counts);
}

/* ---- sums -------------------------------------------------------------------------------- */

void energy_sum(const struct energy_rates *r, const double counts[ENERGY_EVENTS], double seconds,
                double l2_off_seconds, struct energy *e)
{
    *e = (struct energy){0};
    for (u32 i = 0; i < ENERGY_EVENTS; i++) {
        e->event_pj[i] = counts[i] * r->pj[i];
        e->component_pj[energy_events[i].component] += e->event_pj[i];
    }
    for (u32 i = 0; i < COMPONENTS; i++)
        e->dynamic_total_pj += e->component_pj[i];
    for (u32 i = 0; i < STATIC_PARTS; i++) {
        double on = i == STATIC_L2 ? seconds - l2_off_seconds : seconds;
        e->static_pj[i] = r->watts[i] * r->instances[i] * on * 1e12;
        e->static_total_pj += e->static_pj[i];
    }
    e->total_pj = e->dynamic_total_pj + e->static_total_pj;
}

/* Rounds each part, then adds: the statistics are exact sums of each other. */
void energy_whole(const struct energy *e, struct energy_counts *out)
{
    out->dynamic_total_pj = out->static_total_pj = 0;
    for (u32 i = 0; i < COMPONENTS; i++) {
        out->dynamic_pj[i] = (u64)llround(e->component_pj[i]);
        out->dynamic_total_pj += out->dynamic_pj[i];
    }
    for (u32 i = 0; i < STATIC_PARTS; i++) {
        out->static_pj[i] = (u64)llround(e->static_pj[i]);
        out->static_total_pj += out->static_pj[i];
    }
    out->total_pj = out->dynamic_total_pj + out->static_total_pj;
}

void energy_settle(struct energy_meter *m, u64 now_fs)
{
    m->stats.time_fs = now_fs;
    energy_sum(&m->rates, m->counts, (double)now_fs * 1e-15, m->l2_off_seconds, &m->energy);
    energy_whole(&m->energy, &m->stats);
}
