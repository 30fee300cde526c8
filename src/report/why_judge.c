/* One kernel or program judged: its bound, the facts behind it, remarks, gains. */
#include "report/why_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct why_words *why_words_of(const struct why *why)
{
    return strcmp(why->chip.schema->model, "cpu") == 0 ? &why_cpu_words : &why_gpu_words;
}

/* ---- the judgement ---- */

static void cite(const struct why_view *v, const struct why_rule *rule, struct why_verdict *out)
{
    for (u32 i = 0; rule->facts[i]; i++) {
        const struct measure *f = fact_find(v->why, rule->facts[i]);
        double value = fact_value(f, v->why, v->row);
        bool says_something = value > 0 || strstr(f->id, "hits"); /* no stall is no evidence */
        if (!isnan(value) && says_something)
            out->cited[out->cited_count++] = f;
    }
}

static void remark(const struct why_view *v, struct why_verdict *out)
{
    for (const struct remark_rule *r = why_words_of(v->why)->remarks; r->fact; r++) {
        double value = fact_of(v->why, v->row, r->fact);
        if (!isnan(value) && (r->is_above ? value > r->limit : value < r->limit))
            out->remarks[out->remark_count++] =
                (struct why_remark){fact_find(v->why, r->fact), r->advice};
    }
}

static int best_first(const void *a, const void *b)
{
    const struct why_gain_row *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return x->variant < y->variant ? -1 : 1;
}

/* Two changes at once are worth a word where they gain more than either alone. */
static bool adds_nothing(const struct why_view *v, const char *id, double gain)
{
    for (const struct whatif_joint *j = whatif_joints; j->id; j++) {
        for (u32 i = 0; strcmp(j->id, id) == 0 && i < ARRAY_LEN(j->parts); i++) {
            if (gain < CONFIRMS * why_gain(v->why, v->row, j->parts[i]))
                return true;
        }
    }
    return false;
}

static void sort_gains(const struct why_view *v, struct why_verdict *out)
{
    for (u32 i = 0; i < v->why->variant_count; i++) {
        const struct whatif *w = v->why->variants[i].whatif;
        double gain = why_gain(v->why, v->row, w->id);
        if (w->kind == WHATIF_CHANGE && !isnan(gain) && !adds_nothing(v, w->id, gain))
            out->gains[out->gain_count++] = (struct why_gain_row){i, gain};
    }
    qsort(out->gains, out->gain_count, sizeof out->gains[0], best_first);
}

/* A rung that the chip already is on counts as the one below. */
static double rung(const struct why *why, const struct why_row *row, const char *id, double below)
{
    double gain = why_gain(why, row, id);
    for (u32 i = 0; i < why->variant_count; i++) {
        const struct why_variant *v = &why->variants[i];
        if (strcmp(v->whatif->id, id) == 0 && !v->point)
            return below;
    }
    return gain;
}

static struct why_costs costs_of(const struct why *why, const struct why_row *row)
{
    const char *const *ladder = why_words_of(why)->ladder;
    double p_dram = ladder[0] ? rung(why, row, ladder[0], 1) : 1;
    double p_inf = ladder[1] ? rung(why, row, ladder[1], p_dram) : p_dram;
    double all = rung(why, row, ladder[2], p_inf);
    return (struct why_costs){p_dram, p_inf / p_dram, all / p_inf, all};
}

/* The variant of a what-if with its gain; a gain of NAN: it was not measured. */
static struct why_gain_row measured(const struct why_view *v, const char *id)
{
    for (u32 i = 0; i < v->why->variant_count; i++) {
        if (strcmp(v->why->variants[i].whatif->id, id) == 0)
            return (struct why_gain_row){i, why_gain(v->why, v->row, id)};
    }
    return (struct why_gain_row){0, NAN};
}

/* The remedies of a rule that were measured, the best first. */
static u32 remedies(const struct why_view *v, const struct why_rule *rule, struct why_gain_row *out)
{
    u32 count = 0;
    for (u32 i = 0; rule->remedies[i]; i++) {
        struct why_gain_row g = measured(v, rule->remedies[i]);
        if (!isnan(g.gain) && !adds_nothing(v, rule->remedies[i], g.gain))
            out[count++] = g;
    }
    qsort(out, count, sizeof *out, best_first);
    return count;
}

static bool rule_holds(const struct why_view *v, const struct why_rule *rule)
{
    struct why_gain_row gains[MOST_MEASURED];
    u32 count = remedies(v, rule, gains);
    if (!rule->holds)
        return v->claim == rule->claim && count && gains[0].gain >= CONFIRMS;
    return rule->holds(v) && !(count && gains[0].gain < CONFIRMS);
}

/* What the statistics say, although what should help then does not. */
static void doubt(const struct why_view *v, struct why_verdict *out)
{
    const struct why_rule *rule = why_words_of(v->why)->rules;
    for (; rule->holds != why_always; rule++) {
        struct why_gain_row gains[MOST_MEASURED];
        if (rule->holds || rule->claim != v->claim || !remedies(v, rule, gains))
            continue;
        if (gains[0].gain < CONFIRMS)
            out->doubt = (struct why_doubt){why_words_of(v->why)->claims[v->claim], gains[0]};
        return;
    }
}

/* The runs that a bound stands on; where nothing was tried against it, what memory costs besides.
 */
static void measure(const struct why_view *v, const struct why_rule *rule, struct why_verdict *out)
{
    out->measured_count = remedies(v, rule, out->measured);
    while (out->measured_count > 1 && out->measured[out->measured_count - 1].gain < CONFIRMS)
        out->measured_count--;
    struct why_gain_row all = measured(v, why_words_of(v->why)->ladder[2]);
    if (!rule->remedies[0] && !isnan(all.gain))
        out->measured[out->measured_count++] = all;
}

void why_judge(const struct why *why, const struct why_row *row, struct why_verdict *out)
{
    const struct why_words *words = why_words_of(why);
    struct why_view v = {.why = why,
                         .row = row,
                         .costs = costs_of(why, row),
                         .claim = words->claim ? words->claim(why, row) : NO_CLAIM};
    *out = (struct why_verdict){.row = row, .costs = v.costs};
    const struct why_rule *rule = words->rules;
    while (!rule_holds(&v, rule))
        rule++;
    out->rule = rule->id;
    out->bound = rule->bound ? rule->bound : words->claims[rule->claim];
    measure(&v, rule, out);
    if (rule->holds && v.claim != NO_CLAIM)
        doubt(&v, out);
    cite(&v, rule, out);
    remark(&v, out);
    sort_gains(&v, out);
}
