#include "views/gpu_regions.h"

#include <stdio.h>
#include <string.h>

static void put(json_t *o, const char *name, u64 value)
{
    json_object_set_new(o, name, json_integer((json_int_t)value));
}

static void put_counts(json_t *o, const struct region_counts *c)
{
    put(o, "loads", c->loads);
    put(o, "stores", c->stores);
    put(o, "atomics", c->atomics);
    put(o, "l1_hits", c->l1_hits);
    put(o, "l2_answers", c->l2_answers);
    put(o, "l2_hits", c->l2_hits);
    put(o, "bypass_l1", c->bypass_l1);
    put(o, "bypass_l2", c->bypass_l2);
}

/* Read-only, write-only or both, as the kernel used it. */
static const char *use_of(const struct region_counts *c)
{
    bool writes = c->stores || c->atomics, reads = c->loads || c->atomics;
    return reads && writes ? "read-write" : reads ? "read" : writes ? "write" : "unused";
}

json_t *gpu_regions_json(const struct gpu *g)
{
    json_t *kernels = json_array();
    for (const struct region_record *r = g->cluster.regions.first; r; r = r->next) {
        json_t *o = json_object(), *list = json_array(), *outside = json_object();
        put(o, "kernel", r->kernel);
        json_object_set_new(o, "name", json_string(r->name));
        for (u32 i = 0; i < r->list.count; i++) {
            json_t *region = json_object();
            put(region, "start", r->list.at[i].start);
            put(region, "bytes", r->list.at[i].bytes);
            json_object_set_new(region, "use", json_string(use_of(&r->all[i])));
            put_counts(region, &r->all[i]);
            json_object_set_new(region, "bypasses_l1", json_boolean(r->bypass_l1 >> i & 1));
            json_object_set_new(region, "bypasses_l2", json_boolean(r->bypass_l2 >> i & 1));
            json_array_append_new(list, region);
        }
        put_counts(outside, &r->all[REGION_OUTSIDE]);
        json_object_set_new(o, "regions", list);
        put(o, "regions_beyond", r->list.beyond);
        json_object_set_new(o, "outside", outside);
        json_object_set_new(o, "trained", json_boolean(r->was_trained));
        json_object_set_new(o, "undisciplined",
                            json_boolean(regions_are_undisciplined(&g->config->regions, r->all)));
        json_array_append_new(kernels, o);
    }
    return kernels;
}

/* ---- the summary ----------------------------------------------------------------------------- */

#define SHOWN_KERNELS 8u
#define MOST_NAMES 64u

/* All launches of a name. */
struct named {
    const struct region_record *first;
    u64 launches, accesses;
    u32 bypass_l1, bypass_l2; /* in any launch */
    struct region_counts rows[REGION_ROWS];
};

static void add(struct region_counts *sum, const struct region_counts *part)
{
    for (u32 i = 0; i < sizeof *sum / sizeof(u64); i++)
        ((u64 *)(void *)sum)[i] += ((const u64 *)(const void *)part)[i];
}

static u32 gather(const struct gpu *g, struct named *names)
{
    u32 count = 0;
    for (const struct region_record *r = g->cluster.regions.first; r; r = r->next) {
        u32 i = 0;
        while (i < count && strcmp(names[i].first->name, r->name) != 0)
            i++;
        if (i == MOST_NAMES)
            continue;
        if (i == count)
            names[count++] = (struct named){.first = r};
        names[i].launches++;
        names[i].bypass_l1 |= r->bypass_l1;
        names[i].bypass_l2 |= r->bypass_l2;
        for (u32 k = 0; k < REGION_ROWS; k++) {
            add(&names[i].rows[k], &r->all[k]);
            names[i].accesses += region_accesses(&r->all[k]);
        }
    }
    return count;
}

static double percent(u64 part, u64 whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void put_row(struct text *out, const struct named *n, const char *id, const char *bytes,
                    u32 row)
{
    const struct region_counts *c = &n->rows[row];
    u64 accesses = region_accesses(c);
    text_printf(out, "    %-8s%12s  %-10s%7.1f %%%8.1f %%%8.1f %%", id, bytes, use_of(c),
                percent(accesses, n->accesses), percent(c->l1_hits, accesses),
                percent(c->l2_hits, c->l2_answers));
    if (n->bypass_l1 >> row & 1)
        text_printf(out, "  past L1");
    if (n->bypass_l2 >> row & 1)
        text_printf(out, "%s", n->bypass_l1 >> row & 1 ? " and L2" : "  past L2");
    text_printf(out, "\n");
}

static void put_kernel(const struct gpu *g, struct text *out, const struct named *n)
{
    char id[24], bytes[32];
    text_printf(out, "  regions of %s, %llu launch%s\n", n->first->name,
                (unsigned long long)n->launches, n->launches == 1 ? "" : "es");
    text_printf(out, "    id             bytes  use         accesses   L1 hits   L2 hits\n");
    for (u32 i = 0; i < n->first->list.count; i++) {
        snprintf(id, sizeof id, "%u", i);
        snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)n->first->list.at[i].bytes);
        put_row(out, n, id, bytes, i);
    }
    if (region_accesses(&n->rows[REGION_OUTSIDE]))
        put_row(out, n, "outside", "", REGION_OUTSIDE);
    if (n->first->list.beyond)
        text_printf(out, "    %u more regions than the %u that have an id: they count as outside\n",
                    n->first->list.beyond, MOST_REGIONS);
    if (regions_are_undisciplined(&g->config->regions, n->rows))
        text_printf(out, "    undisciplined: more than %g %% of its accesses are outside\n",
                    g->config->regions.undisciplined_percent);
}

void gpu_regions_summary(const struct gpu *g, struct text *out)
{
    static struct named names[MOST_NAMES]; /* too large for a stack */
    const struct regions *r = &g->cluster.regions;
    u32 count = gather(g, names);
    for (u32 shown = 0; shown < SHOWN_KERNELS && shown < count; shown++) {
        u32 best = 0;
        for (u32 i = 1; i < count; i++)
            best = names[i].accesses > names[best].accesses ? i : best;
        if (!names[best].accesses)
            break;
        put_kernel(g, out, &names[best]);
        names[best].accesses = 0;
    }
    if (regions_are_on(r) && r->counts.untracked)
        text_printf(out, "  regions of %llu kernels are not known\n",
                    (unsigned long long)r->counts.untracked);
}
