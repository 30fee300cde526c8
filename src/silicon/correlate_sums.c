/*
 * From launches to kernels, programs, scores and goals.
 *
 * A program that launches one kernel a hundred times says the same thing a hundred times: the
 * launches of a kernel are averaged first, and every kernel then weighs the same.
 */
#include "silicon/correlate.h"
#include "study/formula.h"

#include <math.h>
#include <string.h>

/* ---- means ---- */

struct mean {
    double sum;
    u32 count;
};

static void mean_add(struct mean *m, double x)
{
    if (isnan(x))
        return;
    m->sum += x;
    m->count++;
}

static double mean_of(const struct mean *m)
{
    return m->count ? m->sum / m->count : NAN;
}

/* ---- kernels ---- */

static u32 kernel_of(const struct correlate *c, struct correlate_result *out,
                     const struct silicon_launch *l)
{
    const char *program = c->silicon.programs[l->program];
    for (u32 i = out->kernel_count; i-- > 0;) {
        const struct correlate_kernel *k = &out->kernels[i];
        if (strcmp(k->name, l->kernel) == 0 && strcmp(k->program, program) == 0)
            return i;
    }
    out->kernels[out->kernel_count] =
        (struct correlate_kernel){.program = program,
                                  .name = l->kernel,
                                  .half = correlate_half_of(program),
                                  .bound_by = "",
                                  .stalls = silicon_stalls_of(&c->stalls, program, l->kernel)};
    return out->kernel_count++;
}

static void average_kernel(struct correlate_result *out, u32 kernel)
{
    struct correlate_kernel *k = &out->kernels[kernel];
    double longest = -1;
    for (u32 i = 0; i < counter_count(); i++) {
        struct mean silicon = {0}, simulated = {0}, error = {0}, absolute = {0};
        for (u32 n = 0; n < out->launch_count; n++) {
            const struct correlate_launch *l = &out->launches[n];
            if (!l->counts || l->kernel != kernel)
                continue;
            mean_add(&silicon, l->on_silicon[i]);
            mean_add(&simulated, l->simulated[i]);
            mean_add(&error, l->error[i]);
            mean_add(&absolute, fabs(l->error[i]));
        }
        k->on_silicon[i] = mean_of(&silicon);
        k->simulated[i] = mean_of(&simulated);
        k->error[i] = mean_of(&error);
        k->absolute[i] = mean_of(&absolute);
    }
    for (u32 n = 0; n < out->launch_count; n++) {
        const struct correlate_launch *l = &out->launches[n];
        if (!l->counts || l->kernel != kernel)
            continue;
        k->launches++;
        for (u32 i = 0; i < SLOT_COUNT; i++)
            k->slots[i] += l->slots[i];
        if (l->simulated[0] > longest) {
            longest = l->simulated[0];
            k->bound_by = l->bound_by;
        }
    }
}

static void make_kernels(const struct correlate *c, struct correlate_result *out)
{
    out->kernels = ARENA_ARRAY(c->arena, struct correlate_kernel, out->launch_count + 1);
    for (u32 i = 0; i < out->launch_count; i++) {
        struct correlate_launch *l = &out->launches[i];
        l->kernel = l->counts ? kernel_of(c, out, l->silicon) : UINT32_MAX;
    }
    for (u32 i = 0; i < out->kernel_count; i++)
        average_kernel(out, i);
}

/* ---- programs ---- */

static void average_program(const struct correlate_result *out, struct correlate_program *p)
{
    for (u32 i = 0; i < counter_count(); i++) {
        struct mean error = {0}, absolute = {0};
        for (u32 k = 0; k < out->kernel_count; k++) {
            if (strcmp(out->kernels[k].program, p->name) != 0)
                continue;
            mean_add(&error, out->kernels[k].error[i]);
            mean_add(&absolute, out->kernels[k].absolute[i]);
        }
        p->error[i] = mean_of(&error);
        p->absolute[i] = mean_of(&absolute);
    }
    for (u32 k = 0; k < out->kernel_count; k++) {
        bool own = strcmp(out->kernels[k].program, p->name) == 0;
        p->kernels += own;
        p->launches += own ? out->kernels[k].launches : 0;
    }
}

/* ---- scores ---- */

static bool is_of(enum correlate_half half, enum correlate_half own)
{
    return half == HALF_BOTH || half == own;
}

/* Over kernels; amounts that are zero have no logarithm and are left out there. */
static void correlations(const struct correlate *c, const struct correlate_result *out, u32 counter,
                         enum correlate_half half, struct correlate_score *s)
{
    u32 n = out->kernel_count;
    double *x = ARENA_ARRAY(c->arena, double, 4 * (size_t)n + 4), *y = x + n + 1;
    double *log_x = y + n + 1, *log_y = log_x + n + 1;
    for (u32 i = 0; i < n; i++) {
        const struct correlate_kernel *k = &out->kernels[i];
        bool is_there = is_of(half, k->half) && !isnan(k->absolute[counter]);
        x[i] = is_there ? k->on_silicon[counter] : NAN;
        y[i] = is_there ? k->simulated[counter] : NAN;
        log_x[i] = x[i] > 0 ? log(x[i]) : NAN;
        log_y[i] = y[i] > 0 ? log(y[i]) : NAN;
    }
    s->pearson = numbers_pearson(x, y, n);
    s->pearson_log = numbers_pearson(log_x, log_y, n);
    s->rank = numbers_spearman(x, y, n);
}

static u32 programs_with(const struct correlate_result *out, u32 counter, enum correlate_half half)
{
    u32 count = 0;
    for (u32 i = 0; i < out->program_count; i++)
        count += is_of(half, out->programs[i].half) && !isnan(out->programs[i].absolute[counter]);
    return count;
}

static struct correlate_score score(const struct correlate *c, const struct correlate_result *out,
                                    u32 counter, enum correlate_half half)
{
    struct correlate_score s = {.programs = programs_with(out, counter, half)};
    struct mean error = {0}, absolute = {0}, launches = {0};
    for (u32 i = 0; i < out->kernel_count; i++) {
        if (!is_of(half, out->kernels[i].half))
            continue;
        mean_add(&error, out->kernels[i].error[counter]);
        mean_add(&absolute, out->kernels[i].absolute[counter]);
    }
    for (u32 i = 0; i < out->launch_count; i++) {
        const struct correlate_launch *l = &out->launches[i];
        if (l->counts && is_of(half, out->kernels[l->kernel].half))
            mean_add(&launches, fabs(l->error[counter]));
    }
    s.kernels = absolute.count;
    s.launches = launches.count;
    s.error = mean_of(&error);
    s.absolute = mean_of(&absolute);
    s.by_launch = mean_of(&launches);
    correlations(c, out, counter, half, &s);
    return s;
}

/* ---- goals ---- */

enum goal_verdict goal_judge(const struct correlate_goal *g)
{
    if (isnan(g->measured))
        return GOAL_OPEN;
    return (g->at_least ? g->measured >= g->limit : g->measured <= g->limit) ? GOAL_MET
                                                                             : GOAL_MISSED;
}

static void set_goals(struct correlate_result *out)
{
    const struct correlate_score *s = out->scores[HALF_TEST];
    const struct correlate_score *l1 = &s[counter_find("l1_hit")], *l2 = &s[counter_find("l2_hit")],
                                 *dram = &s[counter_find("dram_bytes")];
    const struct correlate_goal goals[GOAL_COUNT] = {
        {"mean absolute error of cycles", 15, s[0].absolute, false, 1, " %"},
        {"Pearson correlation of cycles", 0.97, s[0].pearson, true, 3, ""},
        {"launches compared", 60, s[0].launches, true, 0, ""},
        {"programs compared", 25, s[0].programs, true, 0, ""},
        {"mean absolute error of the L1 hit rate", 5, l1->absolute, false, 1, " points"},
        {"mean absolute error of the L2 hit rate", 5, l2->absolute, false, 1, " points"},
        {"mean absolute error of DRAM bytes", 10, dram->absolute, false, 1, " %"},
    };
    memcpy(out->goals, goals, sizeof goals);
}

void correlate_sum(const struct correlate *c, struct correlate_result *out)
{
    make_kernels(c, out);
    for (u32 i = 0; i < out->program_count; i++)
        average_program(out, &out->programs[i]);
    for (u32 half = 0; half < HALF_COUNT; half++) {
        for (u32 i = 0; i < counter_count(); i++)
            out->scores[half][i] = score(c, out, i, (enum correlate_half)half);
    }
    set_goals(out);
}
