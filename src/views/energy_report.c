#include "views/energy_report.h"

#include <assert.h>

/* With every value that the energy was computed from (poise spec 7 A17). */
json_t *energy_json(const struct energy_meter *m)
{
    json_t *o = json_object(), *events = json_array(), *parts = json_array();
    json_object_set_new(o, "technology", json_string(energy_technologies[m->config->technology]));
    for (u32 i = 0; i < ENERGY_EVENTS; i++) {
        const struct energy_label *l = &energy_event_labels[i];
        if ((i == ENERGY_PROBE || i == ENERGY_LINK) && m->counts[i] == 0)
            continue; /* nothing bypasses this machine's caches; it has one socket */
        bool given = m->config->pj[i] >= 0;
        json_array_append_new(events,
                              json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:s}", "name", l->name,
                                        "meaning", l->meaning, "component",
                                        energy_component_names[energy_events[i].component], "unit",
                                        l->unit, "count", m->counts[i], "pj_each", m->rates.pj[i],
                                        "pj", m->energy.event_pj[i], "source",
                                        given ? "the configuration" : energy_events[i].source));
    }
    for (u32 i = 0; i < STATIC_PARTS; i++) {
        const struct energy_label *l = &energy_static_labels[i];
        bool given = m->config->watts[i] >= 0;
        json_array_append_new(
            parts, json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:s}", "name", l->name, "meaning",
                             l->meaning, "unit", l->unit, "instances", m->rates.instances[i],
                             "watts_each", m->rates.watts[i], "pj", m->energy.static_pj[i],
                             "source", given ? "the configuration" : energy_statics[i].source));
    }
    json_object_set_new(o, "events", events);
    json_object_set_new(o, "static", parts);
    return o;
}

void energy_put_joules(struct text *out, double joules)
{
    static const char *const units[] = {"J", "mJ", "uJ", "nJ"};
    u32 i = 0;
    for (; i + 1 < ARRAY_LEN(units) && joules < 1; i++)
        joules *= 1e3;
    text_printf(out, "%.3g %s", joules, units[i]);
}

#define SHOWN 4
#define LEAST_SHARE 0.005 /* what would not be 0 % */

void energy_put_shares(struct text *out, char before, const char *const *names, const u64 *parts,
                       u32 count, double total)
{
    bool done[ENERGY_MOST_PARTS] = {false};
    assert(count <= ENERGY_MOST_PARTS);
    for (u32 shown = 0; shown < SHOWN; shown++) {
        u32 best = count;
        for (u32 i = 0; i < count; i++) {
            if (!done[i] && (best == count || parts[i] > parts[best]))
                best = i;
        }
        if (best == count || (double)parts[best] < LEAST_SHARE * total)
            break;
        done[best] = true;
        text_printf(out, "%c %s %.0f %%", shown ? ',' : before, names[best],
                    100 * (double)parts[best] / total);
    }
}

/* Static energy, then the components that took most. */
void energy_summary(const struct energy_meter *m, struct text *out)
{
    const struct energy_counts *c = &m->stats;
    if (!c->total_pj)
        return;
    double total = (double)c->total_pj;
    text_printf(out, "  energy        ");
    energy_put_joules(out, total * 1e-12);
    text_printf(out, ", %.1f W: static %.0f %%", 1000 * total / (double)c->time_fs,
                100 * (double)c->static_total_pj / total);
    energy_put_shares(out, ',', energy_component_words, c->dynamic_pj, COMPONENTS, total);
    text_printf(out, "\n");
}

void core_cost_summary(const struct core_cost_counts *c, struct text *out)
{
    double total = (double)c->pj_with_l2;
    if (!c->pj_with_l2)
        return;
    text_printf(out, "  energy       ");
    energy_put_joules(out, total * 1e-12);
    text_printf(out, ", %.2f W of %.2f mm2 of cores and their L2s: static %.0f %%",
                1000 * total / (double)c->time_fs, (double)c->um2_with_l2 * 1e-6,
                100 * (double)c->all_static_pj / total);
    energy_put_shares(out, ',', core_part_names, c->dynamic_pj, CORE_PARTS, total);
    text_printf(out, "\n");
}
