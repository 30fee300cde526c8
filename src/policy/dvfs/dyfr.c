/*
 * Dynamic frequency regulation: Lee 2013, chapter 6.
 *
 * A core whose instructions miss often gains little from a higher frequency; one that misses seldom
 * gains in proportion. So at the end of each period a core with many misses per 1000 instructions
 * goes down a level, one with few goes up, and what the cores do not take of the power budget (or
 * take beyond their shares) says at which level the memory runs. The GPU goes down only if it also
 * misses often in a given time, which is what others suffer from, and stops going down once it
 * loses nearly as much speed as frequency.
 *
 * The published listing has lost its comparisons and has copying errors; what is done about each is
 * in docs/mechanisms/dvfs.md. Printed: the memory's frequency follows the saving as a share of the
 * whole chip, which can exceed the budget. Budget: the same divided by the memory's own share,
 * which cannot. Capped: printed where there is something left, budget where there is not.
 */
#include "dvfs/dvfs_policy.h"

#include <stddef.h>

enum dyfr_formula { DYFR_PRINTED, DYFR_BUDGET, DYFR_CAPPED };
enum dyfr_mode { DYFR_POWER_SAVING, DYFR_HIGH_PERFORMANCE };
enum dyfr_scope { DYFR_MEAN, DYFR_SUM };
enum dyfr_until { DYFR_RUN, DYFR_KERNEL };

static const char *const formulas[] = {"printed", "budget", "capped", NULL};
static const char *const modes[] = {"power_saving", "high_performance", NULL};
static const char *const scopes[] = {"mean", "sum", NULL};
static const char *const untils[] = {"run", "kernel", NULL};

#define MPT_NS 100000u /* that T_MPT counts misses in */

struct dyfr_config {
    u32 cpu_t_hi, cpu_t_lo, cpu_t_mpt, gpu_t_hi, gpu_t_lo, gpu_t_mpt;
    u32 formula, mode;
    bool cpu_mpt_gate, gpu_mpt_gate;
    u32 gpu_mpt_scope;
    bool guard;
    u32 guard_percent, guard_until;
    u64 cpu_min, cpu_max, gpu_min, gpu_max, memory_min, memory_max;
};

struct dyfr_counts {
    u64 up, down, held, gated, guarded, trips, idle;
};

/* The GPU's speed at the last two frequencies that it had, and whether it may go down. */
struct dyfr_guard {
    u64 hz, instructions, ns; /* the last period, without the time that it was locked */
    u64 kernel;
    bool is_latched;
};

#define DYFR_MOST_GPUS 8u

struct dyfr_state {
    struct dyfr_guard guards[DYFR_MOST_GPUS];
    u32 low[DVFS_KINDS], high[DVFS_KINDS]; /* levels, the highest included */
    struct dyfr_counts counts;
};

/* clang-format off */
static const struct param dyfr_params[] = {
    P_U32(dyfr_config, cpu_t_hi, 10, 0, 1000000000, "misses per 1000", "misses per 1000 instructions above which a CPU core's frequency goes down", "Lee 2013, table 16 (T_L as printed)"),
    P_U32(dyfr_config, cpu_t_lo, 5, 0, 1000000000, "misses per 1000", "misses per 1000 instructions below which a CPU core's frequency goes up", "Lee 2013, table 16 (T_H as printed)"),
    P_U32(dyfr_config, cpu_t_mpt, 2500, 0, 1000000000, "misses", "misses of a core in 100 us above which its frequency may go down, with cpu_mpt_gate", "Lee 2013, table 16"),
    P_U32(dyfr_config, gpu_t_hi, 10, 0, 1000000000, "misses per 1000", "misses per 1000 instructions above which the GPU's frequency goes down", "Lee 2013, table 16"),
    P_U32(dyfr_config, gpu_t_lo, 5, 0, 1000000000, "misses per 1000", "misses per 1000 instructions below which the GPU's frequency goes up", "Lee 2013, table 16"),
    P_U32(dyfr_config, gpu_t_mpt, 2500, 0, 1000000000, "misses", "misses of an SM in 100 us above which the GPU's frequency may go down, with gpu_mpt_gate", "Lee 2013, table 16"),
    P_CHOICE(dyfr_config, formula, DYFR_CAPPED, formulas, "how the memory's frequency follows the saving of the cores: as printed, within the budget, or printed if there is a saving and within the budget otherwise", "Lee 2013, algorithm 2; docs/mechanisms/dvfs.md"),
    P_CHOICE(dyfr_config, mode, DYFR_POWER_SAVING, modes, "power left over is saved or given to the memory", "Lee 2013, 6.3"),
    P_BOOL(dyfr_config, cpu_mpt_gate, false, "a CPU core's frequency goes down only if its misses per time are high too", "Lee 2013: the listing; not the text"),
    P_BOOL(dyfr_config, gpu_mpt_gate, true, "the GPU's frequency goes down only if its misses per time are high too", "Lee 2013, algorithm 2"),
    P_CHOICE(dyfr_config, gpu_mpt_scope, DYFR_MEAN, scopes, "misses per time of the GPU: the mean of its cores, or their sum", "assumed: table 17 is of one core"),
    P_BOOL(dyfr_config, guard, true, "the GPU stops going down when it loses nearly as much speed as frequency", "Lee 2013, equation 13"),
    P_U32(dyfr_config, guard_percent, 50, 0, 1000, "%", "the guard acts when the relative loss of speed is more than this share of the relative loss of frequency", "assumed"),
    P_CHOICE(dyfr_config, guard_until, DYFR_RUN, untils, "how long the guard holds: for the rest of the run, or until another kernel runs", "assumed"),
    P_U64(dyfr_config, cpu_min, 0, 0, 100000000000ull, "Hz", "lowest level of CPU cores; 0: no limit", "assumed"),
    P_U64(dyfr_config, cpu_max, 0, 0, 100000000000ull, "Hz", "highest level of CPU cores; 0: no limit", "assumed"),
    P_U64(dyfr_config, gpu_min, 0, 0, 100000000000ull, "Hz", "lowest level of the GPU; 0: no limit", "assumed"),
    P_U64(dyfr_config, gpu_max, 0, 0, 100000000000ull, "Hz", "highest level of the GPU; 0: no limit", "assumed"),
    P_U64(dyfr_config, memory_min, 0, 0, 100000000000ull, "Hz", "lowest level of the memory; 0: no limit", "assumed"),
    P_U64(dyfr_config, memory_max, 0, 0, 100000000000ull, "Hz", "highest level of the memory; 0: no limit", "assumed"),
    P_END,
};

static const struct stat_def dyfr_stats[] = {
    S_COUNT(dyfr_counts, up, "decisions", "decisions of a core or GPU to go up a level"),
    S_COUNT(dyfr_counts, down, "decisions", "decisions of a core or GPU to go down a level"),
    S_COUNT(dyfr_counts, held, "decisions", "decisions to stay: misses between the two thresholds, or no further level"),
    S_COUNT(dyfr_counts, gated, "decisions", "decisions to stay: misses per instruction are high but misses per time are not"),
    S_COUNT(dyfr_counts, guarded, "decisions", "decisions to stay: the GPU loses as much speed as frequency"),
    S_COUNT(dyfr_counts, trips, "times", "times the guard found that the GPU loses as much speed as frequency"),
    S_COUNT(dyfr_counts, idle, "decisions", "decisions to stay: no instruction retired"),
    S_END,
};
/* clang-format on */

/* ---- limits ---- */

static bool find_limit(const struct dvfs_policy *p, u32 kind, u64 hz, u32 *level, struct err *err)
{
    static const char *const words[DVFS_KINDS] = {"cpu", "gpu", "memory"};
    const struct dvfs_levels *l = &p->levels[kind];
    if (!hz || !p->of_kind[kind])
        return true;
    *level = dvfs_level(l, hz);
    return dvfs_has_level(l, hz) ||
           err_at(err, (struct src_pos){0},
                  "policy dvfs dyfr has the limit %llu Hz for %s, expected one of dvfs.%s.levels "
                  "(nearest: %llu)",
                  (unsigned long long)hz, words[kind], words[kind],
                  (unsigned long long)l->hz[*level]);
}

static bool dyfr_init(struct dvfs_policy *p, struct err *err)
{
    const struct dyfr_config *c = p->config;
    struct dyfr_state *s = p->state;
    const u64 low[] = {c->cpu_min, c->gpu_min, c->memory_min};
    const u64 high[] = {c->cpu_max, c->gpu_max, c->memory_max};
    if (p->of_kind[DVFS_GPU] > DYFR_MOST_GPUS)
        return err_at(err, (struct src_pos){0}, "policy dvfs dyfr has %u GPUs, expected at most %u",
                      p->of_kind[DVFS_GPU], DYFR_MOST_GPUS);
    for (u32 k = 0; k < DVFS_KINDS; k++) {
        s->high[k] = p->levels[k].count ? p->levels[k].count - 1 : 0;
        if (!find_limit(p, k, low[k], &s->low[k], err) ||
            !find_limit(p, k, high[k], &s->high[k], err))
            return false;
    }
    return true;
}

/* ---- a core ---- */

/* More than `limit` misses per 1000 instructions. */
static bool misses_more(const struct dvfs_domain *d, u32 limit)
{
    return (u128)1000 * d->misses > (u128)limit * d->instructions;
}

static bool misses_less(const struct dvfs_domain *d, u32 limit)
{
    return (u128)1000 * d->misses < (u128)limit * d->instructions;
}

/* More than `limit` misses of each of so many cores in 100 us. */
static bool misses_often(const struct dvfs_domain *d, u32 limit, u32 cores)
{
    return (u128)d->misses * MPT_NS > (u128)limit * d->ns * cores;
}

static struct dyfr_guard *guard_of(struct dvfs_policy *p, u32 domain)
{
    u32 gpu = 0;
    for (u32 i = 0; i < domain; i++)
        gpu += p->domains[i].kind == DVFS_GPU;
    return &((struct dyfr_state *)p->state)->guards[gpu];
}

/* Of the reduction of frequency from the period before to this one, which part did the speed lose?
 * Kept until two periods had different frequencies. */
static void watch_speed(struct dvfs_policy *p, u32 domain)
{
    const struct dyfr_config *c = p->config;
    struct dyfr_state *s = p->state;
    struct dyfr_guard *g = guard_of(p, domain);
    const struct dvfs_domain *d = &p->domains[domain];
    u64 ns = d->ns - d->locked_ns;
    if (c->guard_until == DYFR_KERNEL && d->kernel != g->kernel) {
        g->is_latched = false;
        g->hz = 0;
    }
    if (g->hz > d->hz && g->instructions && ns && g->ns) {
        double speed = (double)d->instructions * (double)g->ns;
        double lost = 1 - speed / ((double)g->instructions * (double)ns);
        double lower = 1 - (double)d->hz / (double)g->hz;
        bool trips = 100 * lost > c->guard_percent * lower;
        s->counts.trips += trips && !g->is_latched;
        g->is_latched |= trips;
    }
    *g = (struct dyfr_guard){d->hz, d->instructions, ns, d->kernel, g->is_latched};
}

static u32 move(struct dvfs_policy *p, u32 domain, int step)
{
    struct dyfr_state *s = p->state;
    u32 kind = p->domains[domain].kind, level = dvfs_level_of(p, domain);
    bool can = step < 0 ? level > s->low[kind] : level < s->high[kind];
    s->counts.up += can && step > 0;
    s->counts.down += can && step < 0;
    s->counts.held += !can;
    return can ? (u32)((int)level + step) : level;
}

static u32 stay(struct dvfs_policy *p, u32 domain, u64 *count)
{
    ++*count;
    return dvfs_level_of(p, domain);
}

static u32 cpu_level(struct dvfs_policy *p, u32 domain)
{
    const struct dyfr_config *c = p->config;
    struct dyfr_state *s = p->state;
    const struct dvfs_domain *d = &p->domains[domain];
    if (misses_more(d, c->cpu_t_hi)) {
        bool may = !c->cpu_mpt_gate || misses_often(d, c->cpu_t_mpt, 1);
        return may ? move(p, domain, -1) : stay(p, domain, &s->counts.gated);
    }
    return misses_less(d, c->cpu_t_lo) ? move(p, domain, 1) : stay(p, domain, &s->counts.held);
}

static u32 gpu_level(struct dvfs_policy *p, u32 domain)
{
    const struct dyfr_config *c = p->config;
    struct dyfr_state *s = p->state;
    const struct dvfs_domain *d = &p->domains[domain];
    if (c->guard)
        watch_speed(p, domain);
    if (misses_more(d, c->gpu_t_hi)) {
        u32 cores = c->gpu_mpt_scope == DYFR_MEAN ? d->cores : 1;
        if (c->gpu_mpt_gate && !misses_often(d, c->gpu_t_mpt, cores))
            return stay(p, domain, &s->counts.gated);
        if (c->guard && guard_of(p, domain)->is_latched)
            return stay(p, domain, &s->counts.guarded);
        return move(p, domain, -1);
    }
    return misses_less(d, c->gpu_t_lo) ? move(p, domain, 1) : stay(p, domain, &s->counts.held);
}

static u32 dyfr_core(struct dvfs_policy *p, u32 domain)
{
    struct dyfr_state *s = p->state;
    const struct dvfs_domain *d = &p->domains[domain];
    if (!d->instructions)
        return stay(p, domain, &s->counts.idle);
    return d->kind == DVFS_GPU ? gpu_level(p, domain) : cpu_level(p, domain);
}

/* ---- the memory ---- */

static u32 dyfr_memory(struct dvfs_policy *p)
{
    const struct dyfr_config *c = p->config;
    const struct dyfr_state *s = p->state;
    struct dvfs_fraction saving = dvfs_saving(p);
    bool by_share = c->formula == DYFR_BUDGET || (c->formula == DYFR_CAPPED && saving.over < 0);
    u32 level = dvfs_memory_level(p, saving, by_share), most = s->high[DVFS_MEMORY];
    if (c->mode == DYFR_POWER_SAVING) {
        u32 base = dvfs_level(&p->levels[DVFS_MEMORY], p->base_hz[DVFS_MEMORY]);
        most = most < base ? most : base;
    }
    level = level > most ? most : level;
    return level < s->low[DVFS_MEMORY] ? s->low[DVFS_MEMORY] : level;
}

DVFS_POLICY(dyfr) = {
    .version = POLICY_VERSION,
    .name = "dyfr",
    .source = "Lee 2013, chapter 6 (DyFR)",
    .params = dyfr_params,
    .config_bytes = sizeof(struct dyfr_config),
    .state_bytes = sizeof(struct dyfr_state),
    .stats = dyfr_stats,
    .stats_offset = offsetof(struct dyfr_state, counts),
    .init = dyfr_init,
    .core = dyfr_core,
    .memory = dyfr_memory,
};
