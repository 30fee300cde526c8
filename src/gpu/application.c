#include "gpu/application.h"

#include "gpu/gpu.h"

#include <string.h>

/* clang-format off */
static const struct stat_def application_stats[] = {
    S_COUNT(application_counts, warp_instructions, "instructions", "of its warps, issued"),
    S_COUNT(application_counts, thread_instructions, "instructions", "of its threads: active lanes"),
    S_COUNT(application_counts, l2_accesses, "requests", "of it that L2 served"),
    S_COUNT(application_counts, l2_hits, "requests", "of those, found their line or needed none"),
    S_RATIO(application_counts, l2_hit_rate, l2_hits, l2_accesses, "hits per access"),
    S_COUNT(application_counts, dram_read_bytes, "bytes", "of it that DRAM read"),
    S_COUNT(application_counts, dram_written_bytes, "bytes", "of it that DRAM wrote"),
    S_END,
};
/* clang-format on */

static struct application_counts *make(const struct gpu *g)
{
    return ARENA_ARRAY(&g->sim->arena, struct application_counts, MOST_APPLICATIONS);
}

void applications_build(struct gpu *g)
{
    if (!g->sim->applications)
        return;
    g->applications = make(g);
    for (u32 i = 0; i < g->config->sm.count; i++) {
        g->cluster.sms[i].by_application = make(g);
        g->cluster.sms[i].tells_issues = true;
    }
    for (u32 i = 0; g->memory.banks && i < g->memory.bank_count; i++)
        g->memory.banks[i].by_application = make(g);
    for (u32 i = 0; g->memory.channels && i < g->memory.channel_count; i++)
        g->memory.channels[i].by_application = make(g);
    for (u32 i = 0; i < g->sim->applications; i++)
        stats_add(&g->sim->stats, STAT_ROOT, "application", i, application_stats,
                  &g->applications[i]);
}

static void add(struct application_counts *sum, const struct application_counts *part)
{
    u64 *to = (u64 *)(void *)sum;
    const u64 *from = (const u64 *)(const void *)part;
    for (size_t i = 0; i < MOST_APPLICATIONS * sizeof *sum / sizeof(u64); i++) /* all are u64 */
        to[i] += from[i];
}

void applications_settle(struct gpu *g)
{
    if (!g->applications)
        return;
    memset(g->applications, 0, MOST_APPLICATIONS * sizeof *g->applications);
    for (u32 i = 0; i < g->config->sm.count; i++)
        add(g->applications, g->cluster.sms[i].by_application);
    for (u32 i = 0; g->memory.banks && i < g->memory.bank_count; i++)
        add(g->applications, g->memory.banks[i].by_application);
    for (u32 i = 0; g->memory.channels && i < g->memory.channel_count; i++)
        add(g->applications, g->memory.channels[i].by_application);
}
