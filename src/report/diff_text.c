/* The comparison on a screen. */
#include "report/diff.h"

#include <math.h>
#include <string.h>

static void who(const char *letter, const struct result *r, struct text *out)
{
    text_printf(out, "%s  %s on %s, %s\n", letter, result_about(r, "workload"),
                result_about(r, "chip"), r->file);
}

#define SHORT_LIST 20

static void settings(const struct diff *d, bool all, struct text *out)
{
    u32 shown = all || d->setting_count <= 2 * SHORT_LIST ? d->setting_count : SHORT_LIST;
    if (!d->setting_count) {
        text_printf(out, "\nconfiguration: the same\n");
        return;
    }
    text_printf(out, "\nconfiguration: %u parameter%s\n", d->setting_count,
                d->setting_count == 1 ? " differs" : "s differ");
    for (u32 i = 0; i < shown; i++) {
        const struct diff_setting *s = &d->settings[i];
        text_printf(out, "  %-36s %s -> %s\n", s->path, s->a ? s->a : "(none)",
                    s->b ? s->b : "(none)");
    }
    if (shown < d->setting_count)
        text_printf(out, "  and %u more: --all shows them\n", d->setting_count - shown);
}

static void classes(const struct diff *d, struct text *out)
{
    if (!d->class_count)
        return;
    double a = 0, b = 0;
    text_printf(out, "\n%-34s %12s %12s %12s %10s\n", "where the cycles went", "A", "B", "B - A",
                "part");
    for (u32 i = 0; i < d->class_count; i++) {
        const struct diff_class *c = &d->classes[i];
        a += c->a;
        b += c->b;
        if (c->a == 0 && c->b == 0)
            continue;
        text_printf(out, "  %-32s %12.1f %12.1f %+12.1f", c->name, c->a, c->b, c->b - c->a);
        if (!isnan(c->share))
            text_printf(out, " %8.1f %%", 100 * c->share);
        text_printf(out, "\n");
    }
    text_printf(out, "  %-32s %12.1f %12.1f %+12.1f\n", "all", a, b, b - a);
}

/* Points for percentages, else per cent of A. */
static void change_text(const struct diff_measure *m, char *out, size_t size)
{
    if (strcmp(m->measure->unit, "ratio") == 0)
        snprintf(out, size, "%+.1f points", 100 * (m->b - m->a));
    else if (m->a != 0)
        snprintf(out, size, "%+.1f %%", 100 * (m->b - m->a) / m->a);
    else
        snprintf(out, size, "from none");
}

/* A change too small to show is no change: of a percentage in points, else of the value. */
#define SMALLEST_CHANGE 5e-4

static bool changed(const struct diff_measure *m)
{
    bool is_ratio = strcmp(m->measure->unit, "ratio") == 0;
    double scale = is_ratio ? 1 : fmax(fabs(m->a), fabs(m->b));
    return fabs(m->b - m->a) >= SMALLEST_CHANGE * scale && m->a != m->b;
}

static void measure_rows(const struct diff *d, enum measure_group group, struct text *out)
{
    bool titled = false;
    for (u32 i = 0; i < d->measure_count; i++) {
        const struct diff_measure *m = &d->measures[i];
        if (m->measure->group != group || !changed(m))
            continue;
        if (!titled)
            text_printf(out, "\n%-34s %12s %12s %15s\n", measure_group_names[group], "A", "B",
                        "change");
        titled = true;
        char a[64], b[64], change[64];
        measure_text(m->measure, m->a, a, sizeof a);
        measure_text(m->measure, m->b, b, sizeof b);
        change_text(m, change, sizeof change);
        text_printf(out, "  %-32s %12s %12s %15s\n", m->measure->label, a, b, change);
    }
}

static void kernel_rows(const struct diff *d, struct text *out)
{
    if (!d->kernel_count)
        return;
    text_printf(out, "\n%-34s %12s %12s %12s\n",
                d->same_kernels ? "kernels" : "kernels (not the same launches)", "A cycles",
                "B cycles", "A / B");
    for (u32 i = 0; i < d->kernel_count; i++) {
        const struct diff_kernel *k = &d->kernels[i];
        char name[64];
        snprintf(name, sizeof name, "%.24s x%u", k->name, k->launches_a);
        if (k->launches_a != k->launches_b)
            snprintf(name, sizeof name, "%.24s x%u, x%u", k->name, k->launches_a, k->launches_b);
        text_printf(out, "  %-32s %12.0f %12.0f", name, k->a, k->b);
        if (k->launches_a && k->launches_b && k->b > 0)
            text_printf(out, " %12.2f", k->a / k->b);
        if (k->why)
            text_printf(out, "  %s %.0f -> %.0f", k->why, k->why_a, k->why_b);
        text_printf(out, "\n");
    }
}

static void statistic_rows(const struct diff *d, bool all, struct text *out)
{
    /* without measures, as for chips that are no GPU, the statistics are what there is */
    u32 count = all ? d->statistic_count : d->measure_count ? 0 : d->statistic_count;
    if (!all && count > SHORT_LIST)
        count = SHORT_LIST;
    if (count)
        text_printf(out, "\n%-40s %18s %18s\n", "statistics", "A", "B");
    for (u32 i = 0; i < count; i++) {
        const struct diff_statistic *s = &d->statistics[i];
        text_printf(out, "  %-38s %18.10g %18.10g  %s\n", s->name, s->a, s->b, s->unit);
    }
}

void diff_to_text(const struct diff *d, bool all, struct text *out)
{
    who("A", d->a, out);
    who("B", d->b, out);
    if (strcmp(result_about(d->a, "workload"), result_about(d->b, "workload")) != 0)
        text_printf(out, "The workloads differ: part of the difference is the work itself.\n");
    text_printf(out, "\n%s.\n", d->headline);
    for (u32 i = 0; i < d->reason_count; i++)
        text_printf(out, "  %s\n", d->reasons[i]);
    settings(d, all, out);
    classes(d, out);
    for (u32 g = 0; g < MEASURE_GROUPS; g++)
        measure_rows(d, g, out);
    kernel_rows(d, out);
    statistic_rows(d, all, out);
}
