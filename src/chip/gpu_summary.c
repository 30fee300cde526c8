/* A GPU run on one screen: how long, where the cycles went, what was the limit. */
#include "chip/gpu_model.h"

#include <string.h>

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double percent(u64 part, u64 whole)
{
    return 100 * ratio((double)part, (double)whole);
}

#define BAR 30

static void bar_row(struct text *out, const char *name, double share, const char *meaning)
{
    char bar[BAR + 1];
    u32 length = (u32)(share / 100 * BAR + 0.5);
    memset(bar, '#', BAR);
    bar[length < BAR ? length : BAR] = '\0';
    text_printf(out, "    %-15s%6.1f %%  %-*s  %s\n", name, share, BAR, bar, meaning);
}

static const char *const slot_meanings[SLOT_COUNT] = {
    "a warp instruction was issued",    "no warp had an instruction: instruction cache",
    "all waited for data from memory",  "all waited for arithmetic results",
    "the load/store unit took no more", "the execution units took no more",
    "all waited at barriers",           "no warp was there",
};

static void cpi_stack(const struct gpu_totals *t, struct text *out)
{
    u64 all = 0;
    for (u32 i = 0; i < SLOT_COUNT; i++)
        all += t->scheduler_slots[i];
    text_printf(out, "  scheduler cycles\n");
    for (u32 i = 0; i < SLOT_COUNT; i++) {
        if (t->scheduler_slots[i])
            bar_row(out, slot_names[i], percent(t->scheduler_slots[i], all), slot_meanings[i]);
    }
}

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

/* What stands in the way of memory instructions, from L1 down. */
static const char *memory_bound(const struct gpu *g, const struct gpu_totals *t)
{
    static const char *const in_l2[STALL_COUNT] = {
        "bandwidth of the reply network: L2 banks wait for it",
        "DRAM: L2 miss queues are full",
        "data ports of the L2 banks",
        "sets of the L2 whose lines are all reserved",
        "MSHRs of the L2",
    };
    if (ratio((double)t->shared_passes, (double)t->cycles * g->config->sm.count) > SHARED_LIMIT)
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

static const char *bound(const struct gpu *g, const struct gpu_totals *t, double dram_share)
{
    const u64 *s = t->scheduler_slots;
    u64 live = 0;
    for (u32 i = 0; i < SLOT_NO_WARP; i++)
        live += s[i];
    if (s[SLOT_NO_WARP] > live)
        return "parallelism: most scheduler cycles have no warp";
    if (dram_share > DRAM_LIMIT)
        return "DRAM bandwidth";
    double lanes = (double)s[SLOT_ISSUED] /
                   (double)(g->config->sm.units.integer_on_fp32 && !g->config->sm.sub_cores
                                ? live / g->config->sm.schedulers + 1
                                : live + 1);
    if (lanes > ISSUE_LIMIT)
        return "instruction throughput";
    u32 why = 1 + largest(s + 1, SLOT_NO_WARP - 1);
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
    default:
        return "barriers";
    }
}

static void memory_rows(const struct gpu *g, const struct gpu_totals *t, double seconds,
                        double dram_share, struct text *out)
{
    text_printf(out, "  L1            %.1f %% hits of %.3f M loads; %.1f lines per load\n",
                percent(t->l1_hits, t->l1_loads), (double)t->l1_loads / 1e6,
                ratio((double)t->load_lines, (double)t->load_requests));
    if (t->misses_answered)
        text_printf(out, "  miss latency  %.0f cycles on average, %.0f for an L2 hit\n",
                    ratio((double)t->miss_latency_cycles, (double)t->misses_answered),
                    ratio((double)t->l2_hit_latency_cycles, (double)t->l2_hits_answered));
    if (t->l2_accesses)
        text_printf(out, "  L2            %.1f %% hits of %.3f M accesses\n",
                    percent(t->l2_hits, t->l2_accesses), (double)t->l2_accesses / 1e6);
    if (!g->banks)
        return;
    text_printf(out, "  networks      %.1f GB/s of requests, %.1f GB/s of replies\n",
                ratio((double)t->request_bytes, seconds) / 1e9,
                ratio((double)t->reply_bytes, seconds) / 1e9);
    text_printf(
        out,
        "  DRAM          %.1f GB/s of %.1f (%.0f %%), bus busy %.0f %% of the time with work\n",
        dram_share * gpu_peak_dram(g) / 1e9, gpu_peak_dram(g) / 1e9, 100 * dram_share,
        percent(t->dram_busy_clocks, t->dram_pending_clocks));
}

/* Sums over kernels: time between them is the host's. */
static void kernel_sums(const struct gpu *g, struct gpu_totals *sum)
{
    *sum = (struct gpu_totals){0};
    u64 *a = (u64 *)(void *)sum;
    for (u32 k = 0; k < g->record_count; k++) {
        const u64 *b = (const u64 *)(const void *)&g->records[k].totals;
        for (size_t i = 0; i < sizeof *sum / sizeof(u64); i++)
            a[i] += b[i];
    }
}

#define KERNEL_ROWS 6

/* The kernels that took longest, by name. */
static void kernel_rows(const struct gpu *g, u64 all_cycles, struct text *out)
{
    struct {
        const char *name;
        u64 cycles, launches, instructions;
    } rows[64] = {0};
    u32 count = 0;
    for (u32 k = 0; k < g->record_count; k++) {
        const struct kernel_record *r = &g->records[k];
        u32 i = 0;
        while (i < count && strcmp(rows[i].name, r->name) != 0)
            i++;
        if (i == 64)
            continue;
        count = i == count ? count + 1 : count;
        rows[i].name = r->name;
        rows[i].cycles += r->totals.cycles;
        rows[i].instructions += r->totals.warp_instructions;
        rows[i].launches++;
    }
    for (u32 shown = 0; count > 1 && shown < KERNEL_ROWS && shown < count; shown++) {
        u32 best = 0;
        for (u32 i = 1; i < count; i++)
            best = rows[i].cycles > rows[best].cycles ? i : best;
        if (!rows[best].cycles)
            break;
        text_printf(out, "    %-28.28s %5.1f %%  %llu cycles, %llu launches, IPC %.2f\n",
                    rows[best].name, percent(rows[best].cycles, all_cycles),
                    (unsigned long long)rows[best].cycles, (unsigned long long)rows[best].launches,
                    ratio((double)rows[best].instructions, (double)rows[best].cycles));
        rows[best].cycles = 0;
    }
}

void gpu_summary(const struct gpu *g, struct text *out)
{
    struct gpu_totals t;
    kernel_sums(g, &t);
    double seconds = (double)t.cycles / (double)g->config->sm.clock_hz;
    double bytes = (double)(t.dram_read_bytes + t.dram_written_bytes);
    double dram_share = ratio(bytes, seconds * gpu_peak_dram(g));
    text_printf(
        out, "  %llu kernel%s, %llu cycles (%.3f ms at %.0f MHz), %.3f M warp instructions\n",
        (unsigned long long)g->kernels, g->kernels == 1 ? "" : "s", (unsigned long long)t.cycles,
        seconds * 1e3, (double)g->config->sm.clock_hz / 1e6, (double)t.warp_instructions / 1e6);
    kernel_rows(g, t.cycles, out);
    text_printf(
        out, "  IPC           %.2f warp instructions per cycle, %.2f per SM; %.1f lanes active\n",
        ratio((double)t.warp_instructions, (double)t.cycles),
        ratio((double)t.warp_instructions, (double)t.cycles * g->config->sm.count),
        ratio((double)t.thread_instructions, (double)t.warp_instructions));
    cpi_stack(&t, out);
    memory_rows(g, &t, seconds, dram_share, out);
    text_printf(out, "  bound by      %s\n", bound(g, &t, dram_share));
}
