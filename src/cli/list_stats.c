/* heddle list stats: every statistic of a chip, as text or as a page. */
#include "cli/list_stats.h"

#include "cli/command.h"

#include "machine/policies.h"
#include "policy/registry.h"
#include "run/run.h"

#include <stdio.h>
#include <string.h>

struct listing {
    bool names_only, markdown;
};

static void heading(const struct listing *l, const char *name)
{
    if (l->markdown)
        printf("\n## %s\n\n| statistic | unit | meaning |\n|---|---|---|\n", name);
}

static void row(const struct listing *l, const char *name, const char *unit, const char *meaning)
{
    if (l->names_only)
        printf("%s\n", name);
    else if (l->markdown)
        printf("| `%s` | %s | %s |\n", name, unit ? unit : "", meaning);
    else
        printf("  %-28s %-10s %s\n", name, unit ? unit : "", meaning);
}

static void kernel_line(void *context, const struct record_field *f)
{
    char text[512];
    if (f->part)
        snprintf(text, sizeof text, "%s (%s.%s)", f->def->meaning, f->part, f->def->name);
    else
        snprintf(text, sizeof text, "%s", f->def->meaning);
    row(context, f->name, f->def->unit, text);
}

static void measures(const struct listing *l, const char *title, const struct measure *m)
{
    if (m && l->markdown)
        heading(l, title);
    else if (m)
        printf("%s:\n", title);
    for (; m && m->id; m++)
        row(l, m->id, m->unit, m->label);
}

/* The numbers recorded for each kernel, and the measures that pages show. */
static void stats_of_model(struct listing *l, const struct model *model)
{
    if (l->names_only)
        return;
    if (model->kernel_record) {
        if (l->markdown)
            heading(l, "Numbers of each kernel");
        else
            printf("numbers of each kernel, from its start to its end:\n");
        record_visit(model->kernel_record, kernel_line, l);
    }
    measures(l, l->markdown ? "Measures of a run" : "measures of a run, in pages and comparisons",
             model->measures);
    measures(l, l->markdown ? "Measures of a kernel" : "measures of a kernel, for `heddle why`",
             model->facts);
}

/* Component: the part of a statistic's name before the first dot. */
static size_t component_length(const char *group)
{
    return strcspn(group, ".");
}

static bool same_component(const char *a, const char *b)
{
    size_t length = component_length(a);
    return length == component_length(b) && strncmp(a, b, length) == 0;
}

static void stats_of_node(const struct listing *l, const struct stats *s, u32 i)
{
    for (u32 k = 0; k < i; k++) {
        if (strcmp(s->nodes[k].group, s->nodes[i].group) == 0)
            return; /* another unit of the same kind */
    }
    for (const struct stat_def *d = s->nodes[i].table; d && d->kind != STAT_END; d++) {
        char name[192];
        snprintf(name, sizeof name, "%s%s%s", s->nodes[i].group, *s->nodes[i].group ? "." : "",
                 d->name);
        if (d->kind != STAT_LAW)
            row(l, name, d->unit, d->meaning);
    }
}

/* On a page, a section for each component, in the order in which the first of its units is built.
 */
static void stats_by_component(const struct listing *l, const struct stats *s)
{
    for (u32 i = 0; i < s->node_count; i++) {
        const char *group = s->nodes[i].group;
        u32 k = 0;
        while (k < i && !same_component(s->nodes[k].group, group))
            k++;
        if (k < i)
            continue;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)component_length(group), group);
        heading(l, *name ? name : "run");
        for (k = i; k < s->node_count; k++) {
            if (same_component(s->nodes[k].group, group))
                stats_of_node(l, s, k);
        }
    }
}

/* The statistics of a machine exist once it is built. */
static bool stats_of_chip(struct listing *l, const char *chip, struct err *err)
{
    struct run run;
    struct run_request request = {.chip = {.chip = chip, .folders = chip_folders()}};
    bool ok = run_open(&run, &request, err);
    if (ok && l->markdown) {
        printf("# Statistics of %s\n\nWritten by `heddle list stats --markdown`.\n", chip);
        stats_by_component(l, &run.sim.stats);
    }
    for (u32 i = 0; ok && !l->markdown && i < run.sim.stats.node_count; i++)
        stats_of_node(l, &run.sim.stats, i);
    if (ok)
        stats_of_model(l, run.model);
    run_close(&run);
    return ok;
}

/* What a policy counts is there when the chip uses it. */
static void stats_of_policies(const struct listing *l)
{
    const struct policy_ops *p;
    for (const char *const *word = policy_use_words(); !l->names_only && *word; word++) {
        const struct policy_use *use = policy_use_find(*word);
        for (u32 i = 0; (p = policy_at(use->question, i)); i++) {
            if (!p->stats)
                continue;
            char title[96];
            snprintf(title, sizeof title, "%s=%s", use->word, p->name);
            if (l->markdown)
                heading(l, title);
            else
                printf("with --policy %s:\n", title);
            for (const struct stat_def *d = p->stats; d->kind != STAT_END; d++) {
                char name[192];
                snprintf(name, sizeof name, "%s.%s", use->stats, d->name);
                if (d->kind != STAT_LAW)
                    row(l, name, d->unit, d->meaning);
            }
        }
    }
}

bool list_stats(const char *chip, bool names_only, bool markdown, struct err *err)
{
    struct listing l = {names_only, markdown};
    if (!stats_of_chip(&l, chip, err))
        return false;
    stats_of_policies(&l);
    return true;
}
