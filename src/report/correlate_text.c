/* A comparison with silicon on a screen. */
#include "report/correlate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_OUTLIERS 5u

static void number(struct text *out, double x, int width, bool is_signed)
{
    if (isnan(x))
        text_printf(out, "%*s", width, "-");
    else if (is_signed)
        text_printf(out, "%+*.1f", width, x);
    else
        text_printf(out, "%*.1f", width, x);
}

/* ---- programs ---- */

struct listed {
    const struct correlate_program *program;
};

static int worst_first(const void *a, const void *b)
{
    const struct correlate_program *x = ((const struct listed *)a)->program;
    const struct correlate_program *y = ((const struct listed *)b)->program;
    if (x->absolute[0] > y->absolute[0] || x->absolute[0] < y->absolute[0])
        return x->absolute[0] > y->absolute[0] ? -1 : 1;
    return strcmp(x->name, y->name);
}

static const char *const shown[] = {"warp_instructions", "occupancy", "l1_hit", "l2_hit",
                                    "dram_bytes"};

#define SHOWN_HEAD "   insts%%  occ pts   L1 pts   L2 pts    DRAM%%\n"

static void shown_errors(const double *error, struct text *out)
{
    for (size_t i = 0; i < ARRAY_LEN(shown); i++)
        number(out, error[counter_find(shown[i])], 9, true);
    text_printf(out, "\n");
}

static void program_line(const struct correlate_program *p, struct text *out)
{
    text_printf(out, "%-14s %-5s %7u %8u ", p->name, half_names[p->half], p->kernels, p->launches);
    number(out, p->absolute[0], 8, false);
    number(out, p->error[0], 9, true);
    shown_errors(p->error, out);
}

static void programs_text(const struct correlate *c, const struct correlate_result *r,
                          struct text *out)
{
    struct listed *list = ARENA_ARRAY(c->arena, struct listed, r->program_count + 1);
    u32 count = 0;
    for (u32 i = 0; i < r->program_count; i++) {
        if (r->programs[i].launches)
            list[count++].program = &r->programs[i];
    }
    qsort(list, count, sizeof *list, worst_first);
    text_printf(out, "program        half  kernels launches  cycles%%   signed" SHOWN_HEAD);
    for (u32 i = 0; i < count; i++)
        program_line(list[i].program, out);
}

static void not_compared(const struct correlate *c, const struct correlate_result *r,
                         struct text *out)
{
    for (u32 i = 0; i < r->program_count; i++) {
        const struct correlate_program *p = &r->programs[i];
        if (p->failure)
            text_printf(out, "%-14s %-5s not compared: %s\n", p->name, half_names[p->half],
                        p->failure);
        else if (!p->launches)
            text_printf(out, "%-14s %-5s no launch above %.0f cycles\n", p->name,
                        half_names[p->half], c->request.least_cycles);
    }
}

/* ---- kernels ---- */

static void kernels_text(const struct correlate *c, const struct correlate_result *r,
                         struct text *out)
{
    const u32 *order = correlate_order(c, r);
    text_printf(out, "%-14s %-22s %-5s %8s %10s %10s  cycles%%   signed" SHOWN_HEAD, "program",
                "kernel", "half", "launches", "simulated", "silicon");
    for (u32 i = 0; i < r->kernel_count; i++) {
        const struct correlate_kernel *k = &r->kernels[order[i]];
        text_printf(out, "%-14s %-22s %-5s %8u %10.0f %10.0f ", k->program, k->name,
                    half_names[k->half], k->launches, k->simulated[0], k->on_silicon[0]);
        number(out, k->absolute[0], 8, false);
        number(out, k->error[0], 9, true);
        shown_errors(k->error, out);
    }
}

/* ---- summary ---- */

static void score_line(const struct counter *counter, const struct correlate_score *s,
                       struct text *out)
{
    text_printf(out, "  %-27s %8u ", counter->words, s->kernels);
    number(out, s->absolute, 8, false);
    text_printf(out, " %-3s ", counter->kind == COUNTER_PERCENT ? "pts" : "%");
    number(out, s->error, 8, true);
    number(out, s->by_launch, 10, false);
    if (isnan(s->pearson))
        text_printf(out, "%10s%9s\n", "-", "-");
    else
        text_printf(out, "%10.3f%9.3f\n", s->pearson, s->rank);
}

static void half_line(enum correlate_half half, const struct correlate_score *s, struct text *out)
{
    if (!s->kernels)
        return;
    text_printf(out, "  cycles, half \"%s\": %.1f %% over %u kernels (%u launches of %u programs)",
                half_names[half], s->absolute, s->kernels, s->launches, s->programs);
    if (!isnan(s->pearson))
        text_printf(out, ", Pearson %.3f, of logarithms %.3f, rank %.3f", s->pearson,
                    s->pearson_log, s->rank);
    text_printf(out, "\n");
}

static void scores_text(const struct correlate_result *r, struct text *out)
{
    text_printf(out, "\nmean error over kernels, half \"test\" (never used for fitting)\n");
    text_printf(out, "  %-27s %8s %8s %3s  %8s%10s%10s%9s\n", "counter", "kernels", "absolute", "",
                "signed", "by launch", "Pearson", "rank");
    for (u32 i = 0; i < counter_count(); i++) {
        if (r->scores[HALF_TEST][i].kernels)
            score_line(&correlate_counters[i], &r->scores[HALF_TEST][i], out);
    }
    for (u32 half = 0; half < HALF_COUNT; half++)
        half_line((enum correlate_half)half, &r->scores[half][0], out);
}

static void goals_text(const struct correlate_result *r, struct text *out)
{
    static const char *const verdicts[] = {"met", "missed", "open"};
    text_printf(out, "\ngoals, half \"test\"\n");
    for (u32 i = 0; i < GOAL_COUNT; i++) {
        const struct correlate_goal *g = &r->goals[i];
        enum goal_verdict v = goal_judge(g);
        text_printf(out, "  %-7s %-40s ", verdicts[v], g->what);
        if (v == GOAL_OPEN)
            text_printf(out, "nothing to judge");
        else
            text_printf(out, "%.*f%s", g->digits, g->measured, g->unit);
        text_printf(out, " (%s %.*f)\n", g->at_least ? "at least" : "at most", g->limit < 1 ? 2 : 0,
                    g->limit);
    }
}

static void outliers_text(const struct correlate *c, const struct correlate_result *r,
                          struct text *out)
{
    const u32 *order = correlate_order(c, r);
    if (r->kernel_count)
        text_printf(out, "\nfurthest off\n");
    for (u32 i = 0; i < r->kernel_count && i < SHOWN_OUTLIERS; i++) {
        const struct correlate_kernel *k = &r->kernels[order[i]];
        text_printf(out, "  %s %s: %.0f cycles, silicon %.0f (%+.0f %%)\n    ", k->program, k->name,
                    k->simulated[0], k->on_silicon[0], k->error[0]);
        correlate_diagnose(k, out);
        text_printf(out, "\n");
    }
}

/* ---- fit ---- */

static void settings_text(const struct fit_trial *t, u32 count, const char *before,
                          struct text *out)
{
    for (u32 i = 0; i < count; i++)
        text_printf(out, "%s%s", before, t->settings[i]);
}

static void fit_text(const struct correlate_fitted *fit, struct text *out)
{
    text_printf(out, "fit on half \"tune\": mean absolute error of cycles\n");
    for (u32 i = 0; i < fit->count; i++) {
        const struct fit_trial *t = &fit->trials[i];
        text_printf(out, "  ");
        number(out, t->absolute, 7, false);
        text_printf(out, " %%  %u kernels ", t->kernels);
        settings_text(t, fit->settings, " ", out);
        text_printf(out, "%s\n", i == fit->chosen ? "  <- chosen" : "");
    }
    text_printf(out, "the results below use");
    settings_text(&fit->trials[fit->chosen], fit->settings, " --set ", out);
    text_printf(out, "\n\n");
}

void correlate_text(const struct correlate *c, const struct correlate_result *r,
                    const struct correlate_fitted *fit, bool by_kernel, struct text *out)
{
    if (fit->count)
        fit_text(fit, out);
    (by_kernel ? kernels_text : programs_text)(c, r, out);
    not_compared(c, r, out);
    scores_text(r, out);
    goals_text(r, out);
    outliers_text(c, r, out);
}
