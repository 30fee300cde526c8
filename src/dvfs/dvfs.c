#include "dvfs/dvfs.h"

#include "base/log.h"
#include "l2/llc.h"

#include <math.h>

#define FS_PER_NS 1000000u
#define MOST_BILLIONTHS 1000000000u

/* ---- the account of power -------------------------------------------------------------------- */

u64 dvfs_power_of(const struct dvfs *d, u32 domain, u64 hz)
{
    const struct dvfs_policy *p = &d->policy;
    u32 kind = p->domains[domain].kind;
    dvfs_int base = dvfs_base_khz(p, kind);
    u64 linear = (u64)(p->share[kind] * dvfs_khz(hz) * (MOST_BILLIONTHS / DVFS_SHARES) / base);
    if (d->config->energy_model == DVFS_SHARE_LINEAR)
        return linear;
    double f = (double)hz / (double)p->base_hz[kind], v = 1 + d->config->volt_slope * (f - 1);
    double share = (double)p->share[kind] / (DVFS_SHARES * p->of_kind[kind]);
    return (u64)llround(share * f * v * v * MOST_BILLIONTHS);
}

static void update_power(struct dvfs *d)
{
    d->counts.power = 0;
    for (u32 i = 0; i < d->policy.count; i++) {
        d->powers[i] = dvfs_power_of(d, i, d->policy.domains[i].hz);
        d->domain_counts[i].mhz = d->policy.domains[i].hz / 1000000;
        d->counts.power += d->powers[i];
    }
    d->counts.most_power = max_u64(d->counts.most_power, d->counts.power);
}

/* Exact where power is linear; the sum of parts that are rounded down cannot say it. */
static bool is_over_budget(const struct dvfs *d)
{
    return d->config->energy_model == DVFS_SHARE_LINEAR ? dvfs_is_over_budget(&d->policy)
                                                        : d->counts.power > MOST_BILLIONTHS;
}

static void account(struct dvfs *d, u64 now_ns)
{
    u64 ns = now_ns - d->accounted_ns;
    u64 *const of_kind[DVFS_KINDS] = {&d->counts.cpu_energy, &d->counts.gpu_energy,
                                      &d->counts.memory_energy};
    d->accounted_ns = now_ns;
    d->counts.ns += ns;
    d->counts.over_ns += is_over_budget(d) ? ns : 0;
    for (u32 i = 0; i < d->policy.count; i++) {
        const struct dvfs_domain *m = &d->policy.domains[i];
        struct dvfs_domain_counts *n = &d->domain_counts[i];
        u64 energy = d->powers[i] * ns;
        n->ns += ns;
        n->khz_ns += m->hz / 1000 * ns;
        n->at_level_ns[dvfs_level_of(&d->policy, i)] += ns;
        n->energy += energy;
        *of_kind[m->kind] += energy;
        d->counts.energy += energy;
    }
}

/* ---- changes ----------------------------------------------------------------------------------
 */

static void note_sampling(struct dvfs *d)
{
    const struct memory_system *m = d->system;
    if (!m)
        return;
    const struct llc_policy *llc = m->llc ? &m->llc->policy : NULL;
    const struct noc_policy *noc = m->mesh ? &m->mesh->network.noc.policy : NULL;
    bool in_llc = llc && llc->ops->is_sampling && llc->ops->is_sampling(llc);
    bool in_noc = noc && noc->ops && noc->ops->is_sampling && noc->ops->is_sampling(noc);
    d->counts.in_llc_sampling += in_llc;
    d->counts.in_noc_sampling += in_noc;
    if ((in_llc || in_noc) && !d->has_warned)
        log_warning(d->sim->log,
                    "a frequency changed after %llu us, while %s compares cores or periods: its "
                    "measurement then mixes two frequencies (docs/mechanisms/dvfs.md)",
                    (unsigned long long)(d->engine->now_fs / (1000 * FS_PER_NS)),
                    in_llc ? llc->ops->name : noc->ops->name);
    d->has_warned |= in_llc || in_noc;
}

static void hold(struct dvfs *d, u32 domain)
{
    u64 until = d->engine->now_fs + d->config->pll_ns * FS_PER_NS;
    engine_hold(d->engine, d->parts[domain].clock, until);
    d->locked_ns[domain] += d->config->pll_ns;
    d->domain_counts[domain].locked_ns += d->config->pll_ns;
}

static void set_clock(struct dvfs *d, u32 domain, u64 hz)
{
    const struct dvfs_part *part = &d->parts[domain];
    engine_set_hz(d->engine, part->clock, hz);
    if (part->kind == DVFS_MEMORY && d->config->dram_follows && d->system) {
        u64 base = d->system->dram.config.clock_hz;
        engine_set_hz(d->engine, d->system->dram_domain,
                      (u64)((dvfs_int)base * (dvfs_int)hz / (dvfs_int)part->hz));
    }
}

static void count_change(struct dvfs *d, u32 domain)
{
    d->domain_counts[domain].changes++;
    d->counts.changes++;
    d->has_changed = true;
    note_sampling(d);
}

/* The domain runs at another frequency from now on, after the lock time. */
static void change(struct dvfs *d, u32 domain, u64 hz)
{
    struct dvfs_domain *m = &d->policy.domains[domain];
    if (hz == m->hz)
        return;
    account(d, d->engine->now_fs / FS_PER_NS);
    m->hz = hz;
    set_clock(d, domain, hz);
    hold(d, domain);
    count_change(d, domain);
    update_power(d);
}

/* All changes of a period at once: everybody stands still once. The policy has the new frequencies
 * already; until now the clocks had others. */
static void change_all(struct dvfs *d)
{
    account(d, d->engine->now_fs / FS_PER_NS);
    bool changes = false;
    for (u32 i = 0; i < d->policy.count; i++) {
        struct dvfs_domain *m = &d->policy.domains[i];
        if (d->wanted[i] == m->hz)
            continue;
        m->hz = d->wanted[i];
        set_clock(d, i, m->hz);
        count_change(d, i);
        changes = true;
    }
    for (u32 i = 0; changes && i < d->policy.count; i++)
        hold(d, i);
    update_power(d);
}

/* ---- a period ---------------------------------------------------------------------------------
 */

static bool is_together(const struct dvfs *d)
{
    return d->config->pll_scope == DVFS_LOCKS_CHIP;
}

static u64 ratio(u64 over, u64 factor, u64 under)
{
    return under ? (u64)((u128)over * factor / under) : 0;
}

/* What the cores of a domain have done since it was asked last. */
static void collect(struct dvfs *d, u32 domain, u64 ns)
{
    const struct dvfs_part *part = &d->parts[domain];
    struct dvfs_domain *m = &d->policy.domains[domain];
    struct dvfs_domain_counts *n = &d->domain_counts[domain];
    u64 instructions = 0, misses = 0;
    for (u32 i = 0; part->clients && i < part->cores; i++) {
        instructions += *part->clients[i].retired;
        misses += *part->clients[i].misses;
    }
    m->instructions = instructions - d->instructions[domain];
    m->misses = misses - d->misses[domain];
    m->ns = ns;
    m->locked_ns = min_u64(d->locked_ns[domain], ns);
    m->kernel = part->clients && part->clients[0].kernel ? *part->clients[0].kernel : 0;
    d->instructions[domain] = instructions;
    d->misses[domain] = misses;
    d->locked_ns[domain] = 0;
    n->mpki_milli = ratio(m->misses, 1000000, m->instructions);
    n->mpt = m->misses;
    n->ipc_milli =
        ratio(m->instructions, 1000000, (u64)((u128)(m->hz / 1000) * (ns - m->locked_ns) / 1000));
}

/* Once all changes of a period hold. */
static void judge(struct dvfs *d)
{
    d->counts.over_periods += is_over_budget(d);
    d->waits = DVFS_WAITS_NOTHING;
}

static void send(struct dvfs *d, u32 from, u32 to)
{
    mesh_post(&d->system->mesh->network, from, to);
    d->counts.messages++;
    d->due++;
}

static void apply_memory(struct dvfs *d)
{
    u64 hz = d->policy.levels[DVFS_MEMORY].hz[d->memory_level];
    if (is_together(d)) {
        d->wanted[d->memory] = hz;
        change_all(d);
    } else {
        change(d, d->memory, hz);
    }
    judge(d);
}

/* What the policy sees and what the clocks have, where changes are made together. */
static void swap_wanted(struct dvfs *d)
{
    for (u32 i = 0; i < d->policy.count; i++) {
        u64 now = d->policy.domains[i].hz;
        d->policy.domains[i].hz = d->wanted[i];
        d->wanted[i] = now;
    }
}

/* The central node knows what all cores have decided. */
static void decide_memory(struct dvfs *d)
{
    struct dvfs_policy *p = &d->policy;
    if (is_together(d))
        swap_wanted(d);
    d->memory_level = (u32)min_u64(p->ops->memory(p), p->levels[DVFS_MEMORY].count - 1);
    if (is_together(d))
        swap_wanted(d);
    if (!d->sends) {
        apply_memory(d);
        return;
    }
    const struct placement *at = &d->system->mesh->placement;
    u32 node = d->system->mesh->network.noc.node;
    for (u32 i = 0; i < at->count[PLACED_BANK]; i++)
        send(d, node, at->nodes[PLACED_BANK][i]);
    for (u32 i = 0; i < at->count[PLACED_MEMORY]; i++)
        send(d, node, at->nodes[PLACED_MEMORY][i]);
    d->waits = DVFS_WAITS_MEMORY;
}

static void send_decisions(struct dvfs *d, cycle_t now)
{
    if (!d->sends) {
        decide_memory(d);
        return;
    }
    const struct on_mesh *mesh = d->system->mesh;
    for (u32 i = 0; i < d->system->agents; i++)
        send(d, mesh->agent_nodes[i], mesh->network.noc.node);
    d->waits = DVFS_WAITS_CORES;
    d->asked_at = now;
}

static void grow(struct dvfs *d)
{
    const struct dvfs_config *c = d->config;
    if (c->period_growth > 1 && !d->has_changed)
        d->period_ns = min_u64(d->period_ns * c->period_growth, c->longest_ns);
    d->has_changed = false;
}

static u64 decide_core(struct dvfs_policy *p, u32 domain)
{
    const struct dvfs_levels *l = &p->levels[p->domains[domain].kind];
    return l->hz[min_u64(p->ops->core(p, domain), l->count - 1)];
}

static void end_period(struct dvfs *d, cycle_t now)
{
    struct dvfs_policy *p = &d->policy;
    d->counts.periods++;
    d->counts.late_periods += now > d->next;
    for (u32 i = 0; i < p->count; i++)
        collect(d, i, now - d->began);
    for (u32 i = 0; i < p->count; i++)
        d->wanted[i] = i == d->memory ? p->domains[i].hz : decide_core(p, i);
    grow(d);
    for (u32 i = 0; !is_together(d) && i < p->count; i++)
        change(d, i, d->wanted[i]);
    d->began = now;
    d->next = now + d->period_ns;
    send_decisions(d, now);
}

static void take_messages(struct dvfs *d, cycle_t now)
{
    d->due -= mesh_take_mail(&d->system->mesh->network);
    if (d->due || d->waits == DVFS_WAITS_NOTHING)
        return;
    if (d->waits == DVFS_WAITS_CORES) {
        decide_memory(d);
        return;
    }
    d->counts.message_ns += now - d->asked_at;
    apply_memory(d);
}

/* A period that ends while messages of the one before are on their way waits for them. */
static cycle_t dvfs_tick(void *self, cycle_t now)
{
    struct dvfs *d = self;
    if (d->sends)
        take_messages(d, now);
    if (now >= d->next && d->waits == DVFS_WAITS_NOTHING)
        end_period(d, now);
    return d->waits == DVFS_WAITS_NOTHING || now < d->next ? d->next : CYCLE_NEVER;
}

/* ---- building ---------------------------------------------------------------------------------
 */

static bool init_kinds(struct dvfs *d, struct err *err)
{
    struct dvfs_policy *p = &d->policy;
    for (u32 k = 0; k < DVFS_KINDS; k++) {
        p->share[k] = dvfs_kind_config(d->config, k)->share;
        if (*dvfs_kind_config(d->config, k)->levels &&
            !dvfs_read_levels(dvfs_kind_config(d->config, k)->levels, "levels", (struct src_pos){0},
                              &p->levels[k], err))
            return false;
    }
    for (u32 i = 0; i < p->count; i++) {
        const struct dvfs_part *part = &d->parts[i];
        p->domains[i] =
            (struct dvfs_domain){.kind = part->kind, .cores = part->cores, .hz = part->hz};
        p->base_hz[part->kind] = part->hz;
        p->of_kind[part->kind]++;
        d->memory = part->kind == DVFS_MEMORY ? i : d->memory;
    }
    return true;
}

/* Frequencies to begin with: no clock has ticked, and nothing locks. */
static void begin(struct dvfs *d)
{
    struct dvfs_policy *p = &d->policy;
    if (p->ops->begin)
        p->ops->begin(p);
    for (u32 i = 0; i < p->count; i++)
        set_clock(d, i, p->domains[i].hz);
    update_power(d);
}

bool dvfs_init(struct dvfs *d, const struct build_site *site, const struct dvfs_config *c,
               struct policy_choice choice, struct dvfs_part *parts, u32 count,
               struct memory_system *system, struct err *err)
{
    struct sim *sim = site->sim;
    struct arena *a = &sim->arena;
    const struct dvfs_policy_ops *ops = (const struct dvfs_policy_ops *)choice.ops;
    *d = (struct dvfs){.config = c,
                       .sim = sim,
                       .engine = &sim->engine,
                       .parts = parts,
                       .system = system,
                       .period_ns = c->period_ns,
                       .next = ops->core ? c->period_ns : CYCLE_NEVER,
                       .has_changed = true,
                       .sends = ops->core && c->messages && system && system->mesh};
    d->policy = (struct dvfs_policy){.ops = ops,
                                     .config = choice.config,
                                     .state = arena_alloc(a, ops->state_bytes + 1),
                                     .domains = ARENA_ARRAY(a, struct dvfs_domain, count),
                                     .count = count};
    if (count > DVFS_MOST_DOMAINS)
        return err_at(err, (struct src_pos){0},
                      "the chip has %u frequency domains, expected at most %u", count,
                      DVFS_MOST_DOMAINS);
    d->instructions = ARENA_ARRAY(a, u64, count);
    d->misses = ARENA_ARRAY(a, u64, count);
    d->locked_ns = ARENA_ARRAY(a, u64, count);
    d->wanted = ARENA_ARRAY(a, u64, count);
    d->powers = ARENA_ARRAY(a, u64, count);
    d->domain_counts = ARENA_ARRAY(a, struct dvfs_domain_counts, count);
    if (!init_kinds(d, err) || (ops->init && !ops->init(&d->policy, err)))
        return false;
    d->clock = engine_add_domain(d->engine, site_name_of(site, "dvfs"), DVFS_HZ);
    d->unit = engine_add_unit(d->engine, d->clock, site_name_of(site, "dvfs"), dvfs_tick, d);
    engine_set_background(d->engine, d->unit);
    if (system && d->sends)
        mesh_network_let_post(&system->mesh->network, d->unit,
                              system->agents + 2 * system->bank_count + 64);
    begin(d);
    return true;
}

void dvfs_settle(struct dvfs *d)
{
    account(d, d->engine->now_fs / FS_PER_NS);
}
