/* The comparison in sentences. */
#include "report/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What usually stands behind a class: a measure, and +1 when more of it means more of the class. */
struct evidence {
    const char *class, *measure;
    int sign;
};

static const struct evidence evidence[] = {
    {"structural_mem", "l1_stall_mshr", 1},
    {"structural_mem", "l1_stall_cache", 1},
    {"structural_mem", "l1_stall_bp_l2", 1},
    {"structural_mem", "lines_per_load", 1},
    {"structural_mem", "passes_per_access", 1},
    {"data_mem", "miss_latency", 1},
    {"data_mem", "l1_hit_rate", -1},
    {"data_mem", "l2_hit_rate", -1},
    {"data_mem", "hop_request", 1},
    {"data_mem", "hop_l2", 1},
    {"data_mem", "hop_dram", 1},
    {"data_mem", "hop_reply", 1},
    {"fetch", "icache_hit_rate", -1},
    {"issued", "warp_instructions", 1},
    {"structural_alu", "warp_instructions", 1},
    {"data_alu", "warp_instructions", 1},
};

static const struct diff_measure *measured(const struct diff *d, const char *id)
{
    for (u32 i = 0; i < d->measure_count; i++) {
        if (strcmp(d->measures[i].measure->id, id) == 0)
            return &d->measures[i];
    }
    return NULL;
}

/* How much a measure moved: points of a ratio, else the part of the larger value. */
static double movement(const struct diff_measure *m)
{
    double change = fabs(m->b - m->a);
    if (strcmp(m->measure->unit, "ratio") == 0)
        return change;
    double larger = fmax(fabs(m->a), fabs(m->b));
    return larger > 0 ? change / larger : 0;
}

#define WORTH_SAYING 0.02

/* The `rank`-th strongest evidence that moved the way the class did, or NULL. */
static const struct diff_measure *evidence_for(const struct diff *d, const struct diff_class *c,
                                               u32 rank)
{
    const struct diff_measure *best = NULL;
    double limit = INFINITY;
    for (u32 round = 0; round <= rank; round++) {
        best = NULL;
        for (size_t i = 0; i < ARRAY_LEN(evidence); i++) {
            const struct evidence *e = &evidence[i];
            const struct diff_measure *m =
                strcmp(e->class, c->name) == 0 ? measured(d, e->measure) : NULL;
            if (!m || (m->b - m->a) * (c->b - c->a) * e->sign <= 0)
                continue;
            double moved = movement(m);
            if (moved >= WORTH_SAYING && moved < limit && (!best || moved > movement(best)))
                best = m;
        }
        if (!best)
            return NULL;
        limit = movement(best);
    }
    return best;
}

static const char *moved_words(struct diff *d, const struct diff_measure *m)
{
    char a[64], b[64];
    measure_text(m->measure, m->a, a, sizeof a);
    measure_text(m->measure, m->b, b, sizeof b);
    return arena_printf(&d->arena, "%s %s from %s to %s", m->measure->label,
                        m->b > m->a ? "rose" : "fell", a, b);
}

#define MOST_REASONS 4
#define MOST_EVIDENCE 2
#define SMALLEST_SHARE 0.05

/* "less barrier (all warps waited at barriers): 500 -> 20 cycles" */
static const char *class_words(struct diff *d, const struct diff_class *c)
{
    return arena_printf(&d->arena, "%s %s (%s): %.0f -> %.0f cycles", c->b < c->a ? "less" : "more",
                        c->name, cycle_stack_meaning(machine_stack(d->b), c->name), c->a, c->b);
}

static void explain_class(struct diff *d, const struct diff_class *c)
{
    const char *text = class_words(d, c);
    /* parts of more than the whole mean that others work against them */
    if (c->share <= 1)
        text = arena_printf(&d->arena, "%.0f %% of it is %s", 100 * c->share, text);
    else
        text = arena_printf(&d->arena, "%s, %.2f times the difference", text, c->share);
    for (u32 i = 0; i < MOST_EVIDENCE; i++) {
        const struct diff_measure *m = evidence_for(d, c, i);
        if (m)
            text = arena_printf(&d->arena, "%s; %s", text, moved_words(d, m));
    }
    d->reasons[d->reason_count++] = text;
}

static void explain_against(struct diff *d)
{
    if (!d->class_count)
        return;
    const struct diff_class *c = &d->classes[d->class_count - 1];
    if (c->share < -SMALLEST_SHARE)
        d->reasons[d->reason_count++] =
            arena_printf(&d->arena, "against it: %s", class_words(d, c));
}

/* " at 1.40 GHz" when the clocks differ, so that cycles alone would mislead */
static const char *clock_words(struct diff *d, const struct capacities *chip)
{
    double a = capacity_value(&d->chip_a, "clock_hz"), b = capacity_value(&d->chip_b, "clock_hz");
    double hz = capacity_value(chip, "clock_hz");
    return a == b || isnan(hz) ? "" : arena_printf(&d->arena, " at %.2f GHz", hz / 1e9);
}

static const char *headline(struct diff *d)
{
    double a = result_cycles(d->a), b = result_cycles(d->b);
    if (isnan(d->speedup) || (d->speedup == 1 && a == b))
        return arena_printf(&d->arena, "B takes as long as A: %.0f cycles", b);
    return arena_printf(&d->arena, "B is %.2f times %s: %.0f cycles%s instead of %.0f%s",
                        d->speedup >= 1 ? d->speedup : 1 / d->speedup,
                        d->speedup >= 1 ? "faster" : "slower", b, clock_words(d, &d->chip_b), a,
                        clock_words(d, &d->chip_a));
}

void diff_explain(struct diff *d)
{
    d->reasons = ARENA_ARRAY(&d->arena, const char *, MOST_REASONS + 1);
    d->headline = headline(d);
    for (u32 i = 0; i < d->class_count && d->reason_count + 1 < MOST_REASONS; i++) {
        if (d->classes[i].share >= SMALLEST_SHARE)
            explain_class(d, &d->classes[i]);
    }
    explain_against(d);
}
