#include "machine/lean_account.h"

#include "cpu/shared_icache.h"
#include "views/energy_report.h"

/* clang-format off */
const struct stat_def lean_stats[] = {
    S_LEVEL(lean_account, area_um2, "um2", "area of lean cores with I-caches, instruction buses and line buffers"),
    S_LEVEL(lean_account, core_um2, "um2", "area of lean cores, I-caches excluded"),
    S_LEVEL(lean_account, icache_um2, "um2", "area of the lean cores' I-caches"),
    S_LEVEL(lean_account, bus_um2, "um2", "area of the instruction buses"),
    S_LEVEL(lean_account, buffer_um2, "um2", "area of line buffers beyond four per core"),
    S_LEVEL(lean_account, instructions, "instructions", "instructions retired by lean cores"),
    S_LEVEL(lean_account, busy_cycles, "cycles", "cycles of lean cores, waiting excluded"),
    S_LEVEL(lean_account, lookups, "requests", "line requests of lean cores to I-caches"),
    S_LEVEL(lean_account, misses, "requests", "I-cache requests that fetched a line from the L2"),
    S_LEVEL(lean_account, merged, "requests", "I-cache requests merged with a line on its way"),
    S_LEVEL(lean_account, compulsory, "requests", "I-cache misses on lines the I-cache had never held"),
    S_LEVEL(lean_account, energy_nj, "nJ", "energy of lean cores with I-caches, instruction buses and line buffers"),
    S_LEVEL(lean_account, core_nj, "nJ", "energy of lean cores, I-caches excluded"),
    S_LEVEL(lean_account, icache_nj, "nJ", "energy of the lean cores' I-caches"),
    S_LEVEL(lean_account, bus_nj, "nJ", "energy of the instruction buses"),
    S_LEVEL(lean_account, buffer_nj, "nJ", "energy of line buffers beyond four per core"),
    S_END,
};
/* clang-format on */

static u32 first_lean(const struct core_config *c)
{
    if (c->backend == BACKEND_RATE)
        return c->rate.wide_cores;
    return sharing_groups(c) ? sharing_first_core(c, 0) : 0;
}

struct lean_shape lean_shape_of(const struct core_config *c)
{
    u32 groups = sharing_groups(c), cores = c->count - first_lean(c);
    return (struct lean_shape){.cores = cores,
                               .caches = groups ? groups : cores,
                               .sharers = groups ? sharing_group_cores(c) : 1,
                               .cache_bytes = c->l1i.size_bytes,
                               .line_buffers = c->fetch.line_buffers,
                               .buses = c->sharing.buses,
                               .bus_bytes = c->sharing.bus_bytes};
}

static u64 in_millionths(double x)
{
    return x > 0 ? (u64)(x * 1e6 + 0.5) : 0;
}

static void note_area(struct lean_account *a, const struct lean_shape *s)
{
    struct lean_area area = lean_cost_area(s);
    a->area_um2 = in_millionths(area.all);
    a->core_um2 = in_millionths(area.cores);
    a->icache_um2 = in_millionths(area.caches);
    a->bus_um2 = in_millionths(area.buses);
    a->buffer_um2 = in_millionths(area.buffers);
}

struct lean_account *lean_account_create(struct cpu_cluster *c)
{
    const struct core_config *config = c->config;
    if (config->backend != BACKEND_RATE || first_lean(config) >= config->count)
        return NULL;
    struct lean_account *a = ARENA_NEW(&c->site.sim->arena, struct lean_account);
    struct lean_shape s = lean_shape_of(config);
    a->cluster = c;
    note_area(a, &s);
    stats_add(&c->site.sim->stats, c->site.node, "lean", STAT_NO_INDEX, lean_stats, a);
    return a;
}

static void note_work(struct lean_account *a)
{
    const struct cpu_cluster *c = a->cluster;
    u32 groups = sharing_groups(c->config);
    a->instructions = a->busy_cycles = a->lookups = a->misses = a->merged = a->compulsory = 0;
    for (u32 i = first_lean(c->config); i < c->config->count; i++) {
        const struct core *k = &c->cores[i];
        const struct private_counts *n = &k->caches.l1i.counts;
        a->instructions += k->counts.instructions;
        a->busy_cycles += k->counts.cycles;
        a->lookups += n->accesses;
        a->misses += n->misses;
        a->merged += n->merges;
        a->compulsory += groups ? 0 : k->caches.touched->compulsory;
    }
    for (u32 g = 0; g < groups; g++)
        a->compulsory += c->icaches[g].caches.touched->compulsory;
}

static struct lean_work work_of(const struct lean_account *a)
{
    const struct cpu_cluster *c = a->cluster;
    const struct sim *sim = c->site.sim;
    struct lean_work w = {.hz = (double)c->config->clock_hz,
                          .busy_cycles = (double)a->busy_cycles,
                          .lookups = (double)a->lookups};
    w.seconds = (double)(sim->engine.now_fs - sim->measured_from_fs) / (double)FS_PER_SECOND;
    for (u32 g = 0; g < sharing_groups(c->config); g++)
        w.bus_cycles += (double)c->icaches[g].data.counts.busy_cycles;
    return w;
}

void lean_account_settle(struct lean_account *a)
{
    struct lean_shape s = lean_shape_of(a->cluster->config);
    note_work(a);
    struct lean_work w = work_of(a);
    struct lean_energy e = lean_cost_energy(&s, &w);
    a->energy_nj = in_millionths(1e3 * e.all);
    a->core_nj = in_millionths(1e3 * e.cores);
    a->icache_nj = in_millionths(1e3 * e.caches);
    a->bus_nj = in_millionths(1e3 * e.buses);
    a->buffer_nj = in_millionths(1e3 * e.buffers);
}

void lean_account_summary(const struct lean_account *a, struct text *out)
{
    static const char *const names[] = {"cores", "I-caches", "buses", "line buffers"};
    const u64 nj[] = {a->core_nj, a->icache_nj, a->bus_nj, a->buffer_nj};
    const struct sim *sim = a->cluster->site.sim;
    double seconds = (double)(sim->engine.now_fs - sim->measured_from_fs) / (double)FS_PER_SECOND;
    if (!a->energy_nj || seconds <= 0)
        return;
    text_printf(out, "  energy       ");
    energy_put_joules(out, (double)a->energy_nj * 1e-9);
    text_printf(out, ", %.2f W of %.2f mm2 of lean cores", (double)a->energy_nj * 1e-9 / seconds,
                (double)a->area_um2 * 1e-6);
    energy_put_shares(out, ':', names, nj, ARRAY_LEN(nj), (double)a->energy_nj);
    text_printf(out, "\n");
}
