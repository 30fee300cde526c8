/* A CPU run on one screen: how long, where the slots went, what was the limit. */
#include "views/cpu_summary.h"

#include "cpu/shared_icache.h"

#include <string.h>

#define BAR 30

static double ratio(u64 part, u64 whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void bar_row(struct text *out, const char *name, const char *meaning, double share)
{
    char bar[BAR + 1];
    u32 length = (u32)(share * BAR + 0.5);
    memset(bar, '#', BAR);
    bar[length < BAR ? length : BAR] = '\0';
    text_printf(out, "    %-10s%6.1f %%  %-*s  %s\n", name, 100 * share, BAR, bar, meaning);
}

static const u64 *classes_of(const struct core *k)
{
    return k->rate ? k->rate->counts.classes : NULL;
}

static void core_rows(const struct cpu_cluster *m, struct text *out)
{
    for (u32 i = 0; i < m->config->count; i++) {
        const struct core *k = &m->cores[i];
        if (!k->counts.instructions)
            continue;
        text_printf(out, "    core %-3u IPC %.2f, %.3f M instructions, %llu cycles; bound by %s\n",
                    i, ratio(k->counts.instructions, k->counts.cycles),
                    (double)k->counts.instructions / 1e6, (unsigned long long)k->counts.cycles,
                    cpu_bound_by(&k->counts, classes_of(k)));
    }
}

struct cache_sum {
    u64 accesses, hits, misses;
};

static void add_cache(struct cache_sum *s, const struct private_counts *n)
{
    s->accesses += n->accesses;
    s->hits += n->hits;
    s->misses += n->misses;
}

static void cache_row(struct text *out, const char *name, const struct cache_sum *s,
                      u64 instructions)
{
    if (s->accesses)
        text_printf(out, "  %-12s %.1f %% hits of %.3f M accesses, %.2f misses per 1000\n", name,
                    100 * ratio(s->hits, s->accesses), (double)s->accesses / 1e6,
                    1000 * ratio(s->misses, instructions));
}

static void memory_rows(const struct cpu_cluster *m, const struct core_counts *n, struct text *out)
{
    struct cache_sum l1i = {0}, l1d = {0}, l2 = {0}, llc = {0};
    u64 wrong = 0, bytes = 0, answered = 0, latency = 0;
    for (u32 i = 0; i < m->config->count; i++) {
        const struct core *k = &m->cores[i];
        add_cache(&l1i, &k->caches.l1i.counts);
        add_cache(&l1d, &k->caches.l1d.counts);
        add_cache(&l2, &k->caches.l2.counts);
        wrong += k->branch.counts.mispredicted;
        answered += k->caches.l2.counts.answered;
        latency += k->caches.l2.counts.latency_cycles;
    }
    text_printf(out, "  branches     %.2f mispredicted per 1000 instructions\n",
                1000 * ratio(wrong, n->instructions));
    cache_row(out, "L1I", &l1i, n->instructions);
    cache_row(out, "L1D", &l1d, n->instructions);
    cache_row(out, "L2", &l2, n->instructions);
    for (u32 i = 0; m->memory->banks && i < m->memory->bank_count; i++) {
        const struct bank_counts *b = &m->memory->banks[i].counts;
        llc.accesses += b->accesses;
        llc.hits += b->hits;
        llc.misses += b->load_misses;
    }
    cache_row(out, "LLC", &llc, n->instructions);
    for (u32 i = 0; m->memory->channels && i < m->memory->channel_count; i++)
        bytes +=
            m->memory->channels[i].counts.bytes_read + m->memory->channels[i].counts.bytes_written;
    if (answered)
        text_printf(out, "  below L2     answers after %.0f cycles\n", ratio(latency, answered));
    double seconds = (double)(m->site.sim->engine.now_fs - m->site.sim->measured_from_fs) /
                     (double)FS_PER_SECOND;
    double peak = dram_peak_bytes_per_second(&m->memory->dram);
    if (m->memory->channels && seconds > 0)
        text_printf(out, "  DRAM         %.1f GB/s of %.1f (%.0f %%)\n",
                    (double)bytes / seconds / 1e9, peak / 1e9,
                    100 * (double)bytes / seconds / peak);
}

static void slot_rows(const struct cpu_cluster *m, const struct core_counts *n, struct text *out)
{
    text_printf(out, "  retirement slots, %u per cycle\n", m->config->window.retire_width);
    for (u32 i = 0; i < CORE_SLOTS; i++) {
        if (n->slots[i])
            bar_row(out, core_slot_names[i], core_slot_meanings[i],
                    ratio(n->slots[i], n->all_slots));
    }
}

/* Back ends by rate have no slots: each cycle is charged as a whole. */
static void sum_classes(const struct cpu_cluster *m, u64 classes[RATE_CLASSES])
{
    memset(classes, 0, RATE_CLASSES * sizeof *classes);
    for (u32 i = 0; i < m->config->count; i++) {
        for (u32 k = 0; k < RATE_CLASSES; k++)
            classes[k] += m->cores[i].rate->counts.classes[k];
    }
}

static void class_rows(const struct cpu_cluster *m, const struct core_counts *n, struct text *out)
{
    u64 classes[RATE_CLASSES];
    sum_classes(m, classes);
    text_printf(out, "  cycles of cores with back ends by rate\n");
    for (u32 k = 0; k < RATE_CLASSES; k++) {
        if (classes[k])
            bar_row(out, rate_class_names[k], rate_class_meanings[k], ratio(classes[k], n->cycles));
    }
}

static void icache_rows(const struct cpu_cluster *m, struct text *out)
{
    for (u32 g = 0; g < sharing_groups(m->config); g++) {
        const struct shared_icache *s = &m->icaches[g];
        text_printf(out,
                    "  I-cache %-4u %u cores: %llu misses and %llu merged of %llu requests, "
                    "which waited %.1f cycles for a bus\n",
                    g, s->cores, (unsigned long long)s->caches.l1i.counts.misses,
                    (unsigned long long)s->caches.l1i.counts.merges,
                    (unsigned long long)s->counts.requests,
                    ratio(s->counts.contention_cycles, s->counts.answers));
    }
}

void cpu_summary(const struct cpu_cluster *m, struct text *out)
{
    struct core_counts n = cpu_cluster_counts(m);
    u64 most = 0;
    for (u32 i = 0; i < m->config->count; i++)
        most = max_u64(most, m->cores[i].counts.cycles);
    text_printf(out, "  %.3f M instructions in %llu cycles", (double)n.instructions / 1e6,
                (unsigned long long)most);
    if (m->own_clocks) /* a cycle is no time */
        text_printf(out, " on the busiest core\n");
    else
        text_printf(out, " (%.3f ms at %.0f MHz)\n",
                    (double)most / (double)m->config->clock_hz * 1e3,
                    (double)m->config->clock_hz / 1e6);
    core_rows(m, out);
    if (m->config->backend == BACKEND_RATE)
        class_rows(m, &n, out);
    else
        slot_rows(m, &n, out);
    icache_rows(m, out);
    memory_rows(m, &n, out);
    text_printf(out, "  bound by     %s\n", cpu_cluster_bound_by(m));
}

/* The share of slots with an instruction, or of cycles at the back end's rate, from which nothing
 * else is worth a word. */
#define RETIRE_LIMIT 0.8

static const char *rate_bound_by(const u64 *classes)
{
    static const char *const words[RATE_CLASSES] = {
        [RATE_BRANCH] = "branches that are predicted wrong",
        [RATE_BUS] = "latency of the instruction bus",
        [RATE_CONTENTION] = "contention for the instruction bus",
        [RATE_ICACHE] = "instruction cache misses",
        [RATE_MEMORY] = "instruction cache misses that go below the L2",
        [RATE_FETCH] = "instruction fetch",
    };
    u64 all = 0;
    u32 worst = RATE_BRANCH;
    for (u32 i = 0; i < RATE_CLASSES; i++)
        all += classes[i];
    if ((double)classes[RATE_BACKEND] >= RETIRE_LIMIT * (double)all)
        return "the back end's rate: the front end seldom makes it wait";
    for (u32 i = worst + 1; i < RATE_CLASSES; i++)
        worst = classes[i] > classes[worst] ? i : worst;
    return words[worst];
}

const char *cpu_cluster_bound_by(const struct cpu_cluster *c)
{
    struct core_counts n = cpu_cluster_counts(c);
    u64 classes[RATE_CLASSES];
    if (c->config->backend != BACKEND_RATE)
        return cpu_bound_by(&n, NULL);
    sum_classes(c, classes);
    return cpu_bound_by(&n, classes);
}

const char *cpu_bound_by(const struct core_counts *n, const u64 *classes)
{
    if (classes)
        return rate_bound_by(classes);

    static const char *const words[CORE_SLOTS] = {
        [CORE_BRANCH] = "branches that are predicted wrong",
        [CORE_TARGET] = "targets of branches that are known late",
        [CORE_ICACHE] = "instruction cache misses",
        [CORE_FETCH] = "instruction fetch",
        [CORE_EXECUTE] = "chains of dependent instructions",
        [CORE_UNITS] = "functional units and issue",
        [CORE_L1D] = "latency of the L1D",
        [CORE_L2] = "latency of the private L2",
        [CORE_LLC] = "latency of the last-level cache",
        [CORE_DRAM] = "memory: loads that go to DRAM",
        [CORE_TLB] = "translation of addresses",
        [CORE_MSHR] = "MSHRs of the L1D: more misses than it can track",
        [CORE_STORES] = "stores: their queue is full",
    };
    if ((double)n->slots[CORE_RETIRED] >= RETIRE_LIMIT * (double)n->all_slots)
        return "width: nearly all slots retire an instruction";
    u32 worst = CORE_BRANCH;
    for (u32 i = worst + 1; i < CORE_SLOTS; i++)
        worst = n->slots[i] > n->slots[worst] ? i : worst;
    return words[worst];
}
