/* A GPU run on one screen: how long, where the cycles went, what was the limit. */
#include "views/gpu_summary.h"

#include "views/gpu_measures.h"
#include "views/gpu_regions.h"

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

static void cpi_stack(const struct gpu_counters *t, struct text *out)
{
    u64 all = 0;
    for (u32 i = 0; i < SLOT_COUNT; i++)
        all += t->scheduler_slots[i];
    text_printf(out, "  scheduler cycles\n");
    for (u32 i = 0; i < SLOT_COUNT; i++) {
        if (t->scheduler_slots[i])
            bar_row(out, slot_names[i], percent(t->scheduler_slots[i], all),
                    gpu_cycle_stack.meanings[i]);
    }
}

/* What the other L1 caches did for load misses. */
static void ccn_row(const struct gpu *g, struct text *out)
{
    u64 misses = 0, hits = 0, reuse = 0, returned = 0, overhead = 0, away = 0, updates = 0;
    for (u32 i = 0; g->cluster.ccn.nodes && i < g->config->sm.count; i++) {
        const struct ccn_counts *c = &g->cluster.ccn.nodes[i].counts;
        misses += c->eligible + c->ineligible;
        hits += c->remote_hits;
        reuse += c->reuse_cycles;
        returned += c->returned;
        overhead += c->overhead_cycles;
        away += c->deflected + c->throttled;
        updates += c->updates;
    }
    if (g->config->ccn.mode == CCN_RING || g->config->ccn.mode == CCN_IDEAL)
        text_printf(out, "  other L1s     answer %.1f %% of %.3f M misses after %.0f cycles",
                    percent(hits, misses), (double)misses / 1e6,
                    ratio((double)reuse, (double)hits));
    if (g->config->ccn.mode == CCN_RING)
        text_printf(out, "; %.1f %% come back after %.0f, %.1f %% are not asked",
                    percent(returned, misses), ratio((double)overhead, (double)returned),
                    percent(away, misses));
    if (g->config->ccn.mode == CCN_TRACKER)
        text_printf(out, "  tracker       %.3f M messages to L2", (double)updates / 1e6);
    if (g->cluster.ccn.nodes)
        text_printf(out, "\n");
}

/* The L2 of a GPU; the LLC of a machine, which CPU cores may share. */
static const char *cache_words(const struct gpu *g)
{
    return strcmp(g->memory->config.cache_name, "l2") == 0 ? "L2" : "LLC";
}

static void memory_rows(const struct gpu *g, const struct gpu_counters *t, double seconds,
                        double dram_share, struct text *out)
{
    text_printf(out, "  L1            %.1f %% hits of %.3f M loads; %.1f lines per load\n",
                percent(t->l1_hits, t->l1_loads), (double)t->l1_loads / 1e6,
                ratio((double)t->load_lines, (double)t->load_requests));
    if (t->misses_answered)
        text_printf(out, "  miss latency  %.0f cycles on average",
                    ratio((double)t->miss_latency_cycles, (double)t->misses_answered));
    if (t->misses_answered && t->l2_hits_answered)
        text_printf(out, ", %.0f for an %s hit",
                    ratio((double)t->l2_hit_latency_cycles, (double)t->l2_hits_answered),
                    cache_words(g));
    if (t->misses_answered)
        text_printf(out, "\n");
    ccn_row(g, out);
    if (t->l2_accesses)
        text_printf(out, "  %-13s %.1f %% hits of %.3f M accesses\n", cache_words(g),
                    percent(t->l2_hits, t->l2_accesses), (double)t->l2_accesses / 1e6);
    if (!g->memory->banks)
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

#define KERNEL_ROWS 6

/* The kernels that took longest, by name: in so many cycles one of the name ran. Records are in
 * order of their ends, so the last first: what an earlier one adds lies before all starts so far.
 */
static void kernel_rows(const struct gpu *g, u64 all_cycles, struct text *out)
{
    struct {
        const char *name;
        u64 cycles, launches, instructions, all_cycles;
        cycle_t first;
    } rows[64] = {0};
    u32 count = 0;
    for (u32 k = g->record_count; k-- > 0;) {
        const struct kernel_record *r = &g->records[k];
        u32 i = 0;
        while (i < count && strcmp(rows[i].name, r->name) != 0)
            i++;
        if (i == 64)
            continue;
        if (i == count)
            rows[count++].first = CYCLE_NEVER;
        rows[i].name = r->name;
        if (r->started < rows[i].first) {
            rows[i].cycles += min_u64(r->ended, rows[i].first) - r->started;
            rows[i].first = r->started;
        }
        rows[i].all_cycles += r->numbers.cycles;
        rows[i].instructions += r->numbers.warp_instructions;
        rows[i].launches++;
    }
    for (u32 shown = 0; count > 1 && shown < KERNEL_ROWS && shown < count; shown++) {
        u32 best = 0;
        for (u32 i = 1; i < count; i++)
            best = rows[i].cycles > rows[best].cycles ? i : best;
        if (!rows[best].cycles)
            break;
        text_printf(out, "    %-28.28s %5.1f %%  %llu cycles, %llu launch%s, IPC %.2f\n",
                    rows[best].name, percent(rows[best].cycles, all_cycles),
                    (unsigned long long)rows[best].cycles, (unsigned long long)rows[best].launches,
                    rows[best].launches == 1 ? "" : "es",
                    ratio((double)rows[best].instructions, (double)rows[best].all_cycles));
        rows[best].cycles = 0;
    }
}

/* Kernels with features that are not validated, one line for each; the doubts of its longest
 * launch.
 */
static void doubt_rows(const struct gpu *g, struct text *out)
{
    const struct kernel_record *rows[KERNEL_ROWS] = {0};
    u32 count = 0;
    for (u32 k = 0; k < g->record_count; k++) {
        const struct kernel_record *r = &g->records[k];
        u32 i = 0;
        while (i < count && strcmp(rows[i]->name, r->name) != 0)
            i++;
        if (i == KERNEL_ROWS)
            continue;
        count += i == count;
        if (!rows[i] || r->numbers.cycles > rows[i]->numbers.cycles)
            rows[i] = r;
    }
    for (u32 i = 0; i < count; i++) {
        struct doubt_numbers n = doubt_numbers_of(&rows[i]->numbers);
        u32 doubts = gpu_doubts(g->config, &n);
        if (!doubts)
            continue;
        text_printf(out, "  not validated %.28s: ", rows[i]->name);
        gpu_doubts_text(doubts, out);
        text_printf(out, "\n");
    }
}

void gpu_summary(const struct gpu *g, struct text *out)
{
    struct gpu_counters t;
    if (!g->kernels) {
        text_printf(out, "  no kernel ran\n");
        return;
    }
    gpu_busy_numbers(g, &t);
    double seconds = (double)t.cycles / gpu_mean_hz(g);
    double bytes = (double)(t.dram_read_bytes + t.dram_written_bytes);
    double dram_share = ratio(bytes, seconds * gpu_peak_dram(g));
    text_printf(
        out, "  %llu kernel%s, %llu cycles (%.3f ms at %.0f MHz), %.3f M warp instructions\n",
        (unsigned long long)g->kernels, g->kernels == 1 ? "" : "s", (unsigned long long)t.cycles,
        seconds * 1e3, gpu_mean_hz(g) / 1e6, (double)t.warp_instructions / 1e6);
    kernel_rows(g, t.cycles, out);
    text_printf(
        out, "  IPC           %.2f warp instructions per cycle, %.2f per SM; %.1f lanes active\n",
        ratio((double)t.warp_instructions, (double)t.cycles),
        ratio((double)t.warp_instructions, (double)t.cycles * g->config->sm.count),
        ratio((double)t.thread_instructions, (double)t.warp_instructions));
    cpi_stack(&t, out);
    memory_rows(g, &t, seconds, dram_share, out);
    text_printf(out, "  bound by      %s\n", gpu_bound_by(g, &t));
    doubt_rows(g, out);
    gpu_regions_summary(g, out);
}
