#include "machine/fabric_cluster.h"

#include "fabric/modes.h"

#include <stdio.h>

const struct record_table fabric_phase_tables[] = {
    {.stats = phase_record_stats},
    {NULL, NULL},
};

static void *kind_build(const struct build_site *site, struct cluster_clock clock,
                        const void *config, u32 first_agent, struct memory_system *memory,
                        struct err *err)
{
    const struct fabric_plan *plan = config;
    struct fabric *f = ARENA_NEW(&site->sim->arena, struct fabric);
    const struct fabric_parts parts = {.site = site,
                                       .domain = clock.domain,
                                       .config = plan->config,
                                       .first_agent = first_agent,
                                       .memory = memory,
                                       .rl1 = plan->rl1,
                                       .rl2 = plan->rl2};
    (void)err;
    fabric_init(f, &parts, plan->ops, plan->program);
    return f;
}

static void kind_clients(void *part, struct memory_client *out)
{
    fabric_clients(part, out);
}

static bool kind_connect(void *part, const struct energy_meter *meter, struct err *err)
{
    struct fabric *f = part;
    (void)meter;
    (void)err;
    memory_system_let_bypass(f->memory);
    fabric_add_statistics(f);
    return true;
}

static bool kind_finish(void *part, struct err *err)
{
    (void)part;
    (void)err;
    return true;
}

static const struct fabric_config *config_of(const void *config)
{
    return ((const struct fabric_plan *)config)->config;
}

static u32 kind_agents(const void *config)
{
    return config_of(config)->rl2.banks;
}

static u64 kind_clock_hz(const void *config)
{
    return config_of(config)->tile.clock_hz;
}

static u64 kind_most_requests(const void *config)
{
    return fabric_most_requests(config_of(config));
}

static void kind_count_applications(void *part, struct arena *arena)
{
    (void)part;
    (void)arena;
}

static void kind_add_applications(const void *part, struct application_counts *sums)
{
    (void)part;
    (void)sums; /* a fabric has one program */
}

static void kind_energy(const void *part, double counts[ENERGY_EVENTS])
{
    (void)part;
    (void)counts; /* the document has no energy numbers: gated cycles are counted */
}

static void kind_settle(void *part)
{
    fabric_settle(part);
}

static u64 kind_work(const void *part)
{
    const struct fabric *f = part;
    u64 sum = 0;
    for (u32 i = 0; i < f->config->tile.count; i++)
        sum += f->tiles[i].counts.operations;
    return sum;
}

/* The phases that have ended, as a GPU has its kernels. */
static void kind_kernels(const void *part, const char *name, json_t *list)
{
    const struct fabric *f = part;
    for (u32 i = 0; i < f->manager.record_count; i++) {
        const struct phase_record *r = &f->manager.records[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(r->name));
        if (*name)
            json_object_set_new(o, "cluster", json_string(name));
        record_put_stats(o, phase_record_stats, r);
        json_array_append_new(list, o);
    }
}

static void kind_details(const void *part, json_t *out)
{
    const struct fabric *f = part;
    json_object_set_new(out, "program", json_string(f->ops->name));
}

static double percent(u64 part, u64 whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void show_phase(const struct fabric *f, const struct phase_record *r, struct text *out)
{
    const struct phase_numbers *n = &r->numbers;
    double seconds = (double)r->cycles / (double)f->config->tile.clock_hz;
    char mode[64];
    fabric_mode_text((u32)r->mode, (u32)r->rl2_mode, mode, sizeof mode);
    text_printf(out, "  %-11s %llu cycles (%s), %.1f GB/s;", r->name, (unsigned long long)r->cycles,
                mode, (double)(n->dram_read_bytes + n->dram_written_bytes) / seconds / 1e9);
    for (u32 i = 0; i < ELEMENT_STATE_COUNT; i++) {
        if (percent(n->states[i], n->element_cycles) >= 0.5)
            text_printf(out, " %s %.0f %%", element_state_names[i],
                        percent(n->states[i], n->element_cycles));
    }
    text_printf(out, "\n");
}

static void kind_summary(const void *part, struct text *out)
{
    const struct fabric *f = part;
    u32 shown = 0;
    f->ops->summary(f->program, out);
    for (; shown < f->manager.record_count && shown < 8; shown++)
        show_phase(f, &f->manager.records[shown], out);
    if (shown < f->manager.record_count)
        text_printf(out, "  %-11s %u more phases\n", "...", f->manager.record_count - shown);
}

static void kind_progress(const void *part, char *out, size_t size)
{
    const struct fabric *f = part;
    const struct manager *m = &f->manager;
    if (m->phase < m->phase_count)
        snprintf(out, size, "%s, item %llu of %llu", m->phases[m->phase].name,
                 (unsigned long long)m->next_item, (unsigned long long)m->phases[m->phase].items);
    else
        snprintf(out, size, "done");
}

const struct cluster_kind cluster_kind_fabric = {
    .model = "fabric",
    .clock = "fabric",
    .work_statistic = "tile.operations",
    .cache = "atomics",
    .agent = AGENT_FABRIC,
    .agents = kind_agents,
    .clock_hz = kind_clock_hz,
    .most_requests = kind_most_requests,
    .build = kind_build,
    .clients = kind_clients,
    .connect = kind_connect,
    .finish = kind_finish,
    .count_applications = kind_count_applications,
    .add_applications = kind_add_applications,
    .energy = kind_energy,
    .settle = kind_settle,
    .work = kind_work,
    .kernels = kind_kernels,
    .details = kind_details,
    .summary = kind_summary,
    .progress = kind_progress,
};
