#include "machine/machine.h"

#include "views/energy_report.h"

#include <stdio.h>
#include <string.h>

#define POOL_SLACK 1024u

/* ---- building ------------------------------------------------------------------------------ */

static const struct stat_def no_stats[] = {S_END};

/* Under its name below the root; the only one is the root. */
static struct build_site site_of_cluster(struct sim *sim, const struct cluster_plan *p)
{
    if (!*p->name)
        return site_of(sim);
    return (struct build_site){
        .sim = sim,
        .prefix = arena_printf(&sim->arena, "%s.", p->name),
        .node = stats_add(&sim->stats, STAT_ROOT, p->name, STAT_NO_INDEX, no_stats, NULL),
        .socket = p->socket};
}

static u64 most_requests(const struct machine_plan *plan, u32 sockets)
{
    struct dram_timing dram;
    dram_resolve(plan->memory.dram, &dram);
    u64 most = sockets * memory_most_requests(&plan->memory, &dram) + POOL_SLACK;
    if (plan->sockets)
        most += sockets *
                sockets_most_requests(plan->sockets,
                                      dram.config.channels * plan->memory.l2->banks_per_channel,
                                      plan->memory.l2);
    for (u32 i = 0; i < plan->cluster_count; i++)
        most += plan->clusters[i].kind->most_requests(plan->clusters[i].config);
    return most;
}

/* A socket's parts lie below its cluster; the only memory is the machine's. */
static void build_memories(struct machine *m, const struct machine_plan *plan,
                           const struct build_site *sites)
{
    struct sim *sim = m->sim;
    struct build_site whole = site_of(sim);
    m->socket_count = plan->sockets ? plan->sockets->count : 1;
    m->memories = ARENA_ARRAY(&sim->arena, struct memory_system, m->socket_count);
    pool_init(&m->requests, &sim->arena, (u32)most_requests(plan, m->socket_count),
              sizeof(struct request));
    for (u32 i = 0; i < m->socket_count; i++)
        memory_system_init(&m->memories[i], plan->sockets ? &sites[i] : &whole, &plan->memory,
                           &m->requests);
    if (plan->sockets) {
        m->sockets = ARENA_NEW(&sim->arena, struct sockets);
        sockets_init(m->sockets, &whole, plan->sockets, m->memories, plan->home,
                     plan->memory_bytes);
    }
}

/* One, or where frequencies change one for each agent of some kinds. */
static struct cluster_clock add_clocks(const struct build_site *site, const struct cluster_plan *p,
                                       bool frequencies_change)
{
    bool is_each = frequencies_change && p->kind->each_has_clock;
    struct engine *e = &site->sim->engine;
    u64 hz = p->kind->clock_hz(p->config);
    struct cluster_clock clock = {engine_add_domain(e, site_name_of(site, p->kind->clock), hz),
                                  is_each};
    for (u32 i = 1; is_each && i < p->kind->agents(p->config); i++)
        engine_add_domain(e, site_name(site, p->kind->clock, i), hz);
    return clock;
}

/* Clocks first, then the memory's: the cores' clock is the first of all. Sockets have that one: a
 * cycle of their SMs ends at the same time. */
static bool build_clusters(struct machine *m, const struct machine_plan *plan, struct err *err)
{
    struct sim *sim = m->sim;
    struct cluster_clock clocks[MOST_CLUSTERS] = {0};
    struct build_site sites[MOST_CLUSTERS] = {0};
    u32 agents[LINK_MOST_SOCKETS] = {0};
    for (u32 i = 0; i < m->cluster_count; i++) {
        const struct cluster_plan *p = &plan->clusters[i];
        sites[i] = site_of_cluster(sim, p);
        clocks[i] = add_clocks(&sites[i], p, plan->dvfs != NULL);
    }
    build_memories(m, plan, sites);
    for (u32 i = 0; i < m->cluster_count; i++) {
        const struct cluster_plan *p = &plan->clusters[i];
        struct cluster *c = &m->clusters[i];
        *c = (struct cluster){.plan = *p,
                              .clock = clocks[m->sockets ? 0 : i],
                              .first_agent = agents[p->socket],
                              .agents = p->kind->agents(p->config)};
        agents[p->socket] += c->agents;
        c->part = p->kind->build(&sites[i], c->clock, p->config, c->first_agent,
                                 &m->memories[p->socket], err);
        if (!c->part)
            return false;
    }
    return true;
}

static u32 count_agents(const struct machine *m, u32 socket)
{
    u32 count = 0;
    for (u32 i = 0; i < m->cluster_count; i++)
        count += m->clusters[i].plan.socket == socket ? m->clusters[i].agents : 0;
    return count;
}

static void connect_memory(struct machine *m, const struct machine_plan *plan, u32 socket,
                           domain_id clock)
{
    u32 count = count_agents(m, socket);
    struct memory_client *clients = ARENA_ARRAY(&m->sim->arena, struct memory_client, count);
    for (u32 i = 0; i < m->cluster_count; i++) {
        const struct cluster *c = &m->clusters[i];
        if (c->plan.socket == socket)
            c->plan.kind->clients(c->part, &clients[c->first_agent]);
    }
    memory_system_connect(&m->memories[socket], clients, count, clock, &plan->policies);
    m->clients = clients;
}

/* ---- frequencies --------------------------------------------------------------------------- */

static u32 add_domains(const struct machine *m, const struct cluster *c, struct dvfs_part *out)
{
    u32 count = c->clock.is_each ? c->agents : 1, cores = c->agents / count;
    for (u32 i = 0; i < count; i++)
        out[i] = (struct dvfs_part){.kind = c->plan.kind->agent == AGENT_CPU ? DVFS_CPU : DVFS_GPU,
                                    .clock = c->clock.domain + i,
                                    .hz = c->plan.kind->clock_hz(c->plan.config),
                                    .clients = &m->clients[c->first_agent + i * cores],
                                    .cores = cores};
    return count;
}

static bool change_frequencies(struct machine *m, const struct machine_plan *plan, struct err *err)
{
    if (!plan->dvfs)
        return true;
    struct build_site whole = site_of(m->sim);
    struct memory_system *memory = &m->memories[0];
    struct dvfs_part *parts = ARENA_ARRAY(&m->sim->arena, struct dvfs_part, count_agents(m, 0) + 1);
    u32 count = 0;
    for (u32 i = 0; i < m->cluster_count; i++)
        count += add_domains(m, &m->clusters[i], &parts[count]);
    parts[count++] = (struct dvfs_part){
        .kind = DVFS_MEMORY, .clock = memory->cache_domain, .hz = plan->memory.l2->clock_hz};
    m->dvfs = ARENA_NEW(&m->sim->arena, struct dvfs);
    m->sim->clocks_change = true;
    return dvfs_init(m->dvfs, &whole, plan->dvfs, plan->frequencies, parts, count, memory, err);
}

domain_id machine_sampled_clock(const struct machine *m)
{
    return m->dvfs ? m->dvfs->clock : m->clusters[m->cluster_count - 1].clock.domain;
}

/* ---- programs of a mix --------------------------------------------------------------------- */

/* clang-format off */
static const struct stat_def application_stats[] = {
    S_COUNT(application_counts, instructions, "instructions", "instructions the program retired on CPU cores"),
    S_COUNT(application_counts, warp_instructions, "instructions", "warp instructions the program issued"),
    S_COUNT(application_counts, thread_instructions, "instructions", "thread instructions the program executed (active lanes)"),
    S_COUNT(application_counts, l2_accesses, "requests", "requests of the program served by the L2"),
    S_COUNT(application_counts, l2_hits, "requests", "requests of the program that hit in the L2"),
    S_LEVEL(application_counts, l2_lines, "lines", "lines of the program now in the L2"),
    S_RATIO(application_counts, l2_hit_rate, l2_hits, l2_accesses, "hits per access"),
    S_COUNT(application_counts, dram_read_bytes, "bytes", "bytes DRAM read for the program"),
    S_COUNT(application_counts, dram_written_bytes, "bytes", "bytes DRAM wrote for the program"),
    S_END,
};
/* clang-format on */

static struct application_counts *new_counts(const struct machine *m)
{
    return ARENA_ARRAY(&m->sim->arena, struct application_counts, MOST_APPLICATIONS);
}

static void count_applications(struct machine *m)
{
    if (!m->sim->applications)
        return;
    m->applications = new_counts(m);
    for (u32 i = 0; i < m->cluster_count; i++)
        m->clusters[i].plan.kind->count_applications(m->clusters[i].part, &m->sim->arena);
    for (struct memory_system *s = m->memories; s < m->memories + m->socket_count; s++) {
        for (u32 i = 0; s->banks && i < s->bank_count; i++)
            bank_count_applications(&s->banks[i], &m->sim->arena, new_counts(m));
        for (u32 i = 0; s->channels && i < s->channel_count; i++)
            s->channels[i].by_application = new_counts(m);
    }
    for (u32 i = 0; i < m->sim->applications; i++)
        stats_add(&m->sim->stats, STAT_ROOT, "application", i, application_stats,
                  &m->applications[i]);
}

void machine_settle_applications(struct machine *m)
{
    if (!m->applications)
        return;
    memset(m->applications, 0, MOST_APPLICATIONS * sizeof *m->applications);
    for (u32 i = 0; i < m->cluster_count; i++)
        m->clusters[i].plan.kind->add_applications(m->clusters[i].part, m->applications);
    for (struct memory_system *s = m->memories; s < m->memories + m->socket_count; s++) {
        for (u32 i = 0; s->banks && i < s->bank_count; i++) {
            bank_count_lines(&s->banks[i]);
            applications_add(m->applications, s->banks[i].by_application);
        }
        for (u32 i = 0; s->channels && i < s->channel_count; i++)
            applications_add(m->applications, s->channels[i].by_application);
    }
}

/* ---- energy -------------------------------------------------------------------------------- */

static void attach_energy(struct machine *m, const struct machine_plan *plan)
{
    u32 cores = 0;
    /* a cluster without a name has its statistics at the root, where the ratio finds them */
    bool is_gpu = m->cluster_count == 1 && m->clusters[0].plan.kind == &cluster_kind_gpu &&
                  !*m->clusters[0].plan.name;
    for (u32 i = 0; i < m->socket_count; i++)
        cores += count_agents(m, i);
    if (!plan->energy) /* the chip says nothing of it */
        return;
    m->meter.config = plan->energy;
    energy_resolve(plan->energy, &plan->memory, cores, m->socket_count, &m->meter.rates);
    stats_add(&m->sim->stats, STAT_ROOT, "energy", STAT_NO_INDEX,
              is_gpu ? energy_gpu_stats : energy_stats, &m->meter.stats);
}

static void settle_energy(struct machine *m)
{
    struct energy_meter *e = &m->meter;
    struct memory_totals t;
    if (!e->config)
        return;
    memset(e->counts, 0, sizeof e->counts);
    for (u32 i = 0; i < m->cluster_count; i++)
        m->clusters[i].plan.kind->energy(m->clusters[i].part, e->counts);
    e->l2_off_seconds = 0;
    for (u32 i = 0; i < m->socket_count; i++) {
        memory_system_totals(&m->memories[i], &t);
        energy_count_memory(&m->memories[i].config, &t, e->counts);
        e->l2_off_seconds += t.l2_off_seconds / m->socket_count;
    }
    if (m->sockets)
        e->counts[ENERGY_LINK] = 8.0 * (double)m->sockets->link.counts.bytes;
    energy_settle(e, m->sim->engine.now_fs);
}

/* ---- the whole ----------------------------------------------------------------------------- */

struct machine *machine_build(struct sim *sim, const struct machine_plan *plan, struct err *err)
{
    struct machine *m = ARENA_NEW(&sim->arena, struct machine);
    m->sim = sim;
    m->cluster_count = plan->cluster_count;
    m->clusters = ARENA_ARRAY(&sim->arena, struct cluster, m->cluster_count);
    if (!build_clusters(m, plan, err))
        return NULL;
    for (u32 i = 0; i < m->socket_count; i++) {
        connect_memory(m, plan, i, m->clusters[0].clock.domain);
        if (!memory_system_divide(&m->memories[i], plan->policies.llc, err) ||
            !memory_system_manage_mesh(&m->memories[i], plan->policies.noc, err))
            return NULL;
    }
    if (m->sockets) {
        struct build_site whole = site_of(sim);
        if (!sockets_connect(m->sockets, &whole, m->clusters[0].clock.domain, err))
            return NULL;
    }
    if (!change_frequencies(m, plan, err))
        return NULL;
    for (u32 i = 0; i < m->cluster_count; i++) {
        if (!m->clusters[i].plan.kind->connect(m->clusters[i].part, &m->meter, err))
            return NULL;
    }
    for (u32 i = 0; i < m->socket_count; i++)
        memory_system_add_statistics(&m->memories[i]);
    if (m->dvfs)
        dvfs_add_statistics(m->dvfs, &sim->stats, STAT_ROOT);
    count_applications(m);
    for (u32 i = 0; i < m->cluster_count; i++) {
        if (!m->clusters[i].plan.kind->finish(m->clusters[i].part, err))
            return NULL;
    }
    attach_energy(m, plan);
    return m;
}

void machine_settle(struct machine *m)
{
    for (u32 i = 0; i < m->cluster_count; i++)
        m->clusters[i].plan.kind->settle(m->clusters[i].part);
    for (u32 i = 0; i < m->socket_count; i++)
        memory_system_settle(&m->memories[i]);
    if (m->sockets)
        sockets_settle(m->sockets);
    if (m->dvfs)
        dvfs_settle(m->dvfs);
    machine_settle_applications(m);
    settle_energy(m);
}

bool machine_write_homes(const struct machine *m, struct err *err)
{
    return !m->sockets || sockets_write_homes(m->sockets, err);
}

u64 machine_work(const struct machine *m)
{
    u64 work = 0;
    for (u32 i = 0; i < m->cluster_count; i++)
        work += m->clusters[i].plan.kind->work(m->clusters[i].part);
    return work;
}

const struct cluster *machine_cluster(const struct machine *m, const char *name, u8 agent)
{
    for (u32 i = 0; i < m->cluster_count; i++) {
        const struct cluster *c = &m->clusters[i];
        if (*name ? strcmp(c->plan.name, name) == 0 : c->plan.kind->agent == agent)
            return c;
    }
    return NULL;
}

/* ---- for people ---------------------------------------------------------------------------- */

/* What a named cluster is, and what to look for in its statistics. */
static json_t *about_cluster(const struct cluster_plan *p)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:s}", "name", p->name, "model", p->kind->model, "clock",
                          p->kind->clock, "work", p->kind->work_statistic);
    if (!p->is_socket) /* which has its own */
        json_object_set_new(o, "cache", json_string(p->kind->cache));
    return o;
}

void machine_details(const struct machine *m, json_t *out)
{
    json_t *kernels = json_array(), *clusters = json_array();
    for (u32 i = 0; i < m->cluster_count; i++) {
        const struct cluster *c = &m->clusters[i];
        json_t *own = *c->plan.name ? about_cluster(&c->plan) : json_incref(out);
        if (c->plan.kind->kernels)
            c->plan.kind->kernels(c->part, c->plan.name, kernels);
        c->plan.kind->details(c->part, own);
        if (own != out)
            json_array_append(clusters, own);
        json_decref(own);
    }
    if (m->meter.config)
        json_object_set_new(out, "energy", energy_json(&m->meter));
    json_object_set_new(out, "kernels", kernels);
    if (json_array_size(clusters))
        json_object_set(out, "clusters", clusters);
    json_decref(clusters);
}

void machine_summary(const struct machine *m, struct text *out)
{
    for (u32 i = 0; i < m->cluster_count; i++) {
        const struct cluster *c = &m->clusters[i];
        bool is_idle = m->cluster_count > 1 && !c->plan.kind->work(c->part);
        if (m->cluster_count > 1)
            text_printf(out, " %s%s\n", c->plan.name, is_idle ? ": nothing ran" : "");
        if (!is_idle)
            c->plan.kind->summary(c->part, out);
    }
    if (m->dvfs)
        dvfs_summary(m->dvfs, out);
    if (m->meter.config)
        energy_summary(&m->meter, out);
}

double machine_share_done(const struct machine *m)
{
    double least = 0;
    for (u32 i = 0; i < m->cluster_count; i++) {
        const struct cluster_kind *kind = m->clusters[i].plan.kind;
        double share = kind->share_done ? kind->share_done(m->clusters[i].part) : 0;
        if (share > 0 && (least == 0 || share < least))
            least = share;
    }
    return least;
}

void machine_progress(const struct machine *m, char *out, size_t size)
{
    size_t n = 0;
    for (u32 i = 0; i < m->cluster_count && n + 1 < size; i++) {
        if (i)
            n += (size_t)snprintf(out + n, size - n, "; ");
        if (n + 1 < size)
            m->clusters[i].plan.kind->progress(m->clusters[i].part, out + n, size - n);
        n += strlen(out + n);
    }
}
