/* Totals of a program from the launches that were timed. */
#include "sampling/sample.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A class with its timed launches, and a column of one value of each. */
struct column {
    struct estimate_class class;
    struct estimate_unit *units;
    const struct sampled_launch **launches;
    double *values;
    u32 group;
    u32 kernel; /* of the estimates */
};

struct work {
    struct sample *sample;
    struct sample_estimates *out;
    struct column *columns;
    u32 count;
    struct estimate *sums; /* of each kernel, for one value */
};

static u32 kernel_of(struct sample_estimates *e, const char *name)
{
    for (u32 i = 0; i < e->kernel_count; i++) {
        if (strcmp(e->kernels[i].kernel, name) == 0)
            return i;
    }
    e->kernels[e->kernel_count].kernel = name;
    return e->kernel_count++;
}

static void *zeroed(size_t count, size_t size)
{
    void *p = xrealloc(NULL, (count + 1) * size);
    memset(p, 0, (count + 1) * size);
    return p;
}

/* A run that the program's end cut off: its launch stands for what there was of it. */
static void weigh_open_runs(struct sample *s)
{
    for (u32 i = 0; i < s->group_count; i++) {
        struct sample_group *g = &s->groups[i];
        u32 stands_for = design_last(&g->design);
        if (g->open && stands_for)
            s->launches[g->open - 1].weight = stands_for;
    }
}

static void find_columns(struct work *w)
{
    struct sample *s = w->sample;
    u32 *first = zeroed(s->group_count, sizeof *first), n = 0;
    for (u32 g = 0; g < s->group_count; g++) {
        first[g] = n;
        n += s->groups[g].classes.count;
    }
    w->columns = zeroed(n, sizeof *w->columns);
    w->count = n;
    for (u32 g = 0; g < s->group_count; g++) {
        for (u32 i = 0; i < s->groups[g].classes.count; i++) {
            const struct launch_class *of = &s->groups[g].classes.classes[i];
            struct column *c = &w->columns[first[g] + i];
            c->units = zeroed(of->sampled, sizeof *c->units);
            c->launches = zeroed(of->sampled, sizeof *c->launches);
            c->values = zeroed(of->sampled, sizeof *c->values);
            c->group = g;
            c->kernel = kernel_of(w->out, s->groups[g].kernel);
            c->class = (struct estimate_class){
                .population = of->population, .size = of->size, .units = c->units};
        }
    }
    for (u32 i = 0; i < s->launch_count; i++) {
        const struct sampled_launch *l = &s->launches[i];
        struct column *c = &w->columns[first[l->group] + l->class];
        c->launches[c->class.count] = l;
        c->units[c->class.count++] = (struct estimate_unit){.weight = l->weight, .size = l->size};
    }
    free(first);
}

static void count_kernels(struct work *w)
{
    struct sample_totals *all = &w->out->program;
    for (u32 i = 0; i < w->count; i++) {
        const struct column *c = &w->columns[i];
        struct sample_totals *k = &w->out->kernels[c->kernel];
        double timed = 0;
        for (u32 n = 0; n < c->class.count; n++)
            timed += c->launches[n]->timed;
        struct sample_totals *const to[] = {k, all};
        for (u32 n = 0; n < 2; n++) {
            to[n]->launches += c->class.population;
            to[n]->timed += c->class.count;
            to[n]->instructions += c->class.size;
            to[n]->timed_instructions += timed;
            to[n]->unseen += c->class.count ? 0 : c->class.size;
        }
    }
}

/* ---- one value ---- */

/* What classes of a kernel say of the errors within one: pooled by degrees of freedom. A kernel
 * with fewer than 3 takes those of the program. */
struct pooled {
    double variance, degrees;
};

static struct pooled pool(const struct work *w, u32 kernel, bool of_all)
{
    struct pooled p = {0};
    for (u32 i = 0; i < w->count; i++) {
        const struct column *c = &w->columns[i];
        double degrees, v;
        if (!c->class.count || (!of_all && c->kernel != kernel))
            continue;
        v = estimate_relative_variance(&c->class, c->values, &degrees);
        p.variance += v * degrees;
        p.degrees += degrees;
    }
    p.variance = p.degrees > 0 ? p.variance / p.degrees : 0;
    return p;
}

static struct pooled pool_of(const struct work *w, u32 kernel)
{
    struct pooled own = pool(w, kernel, false);
    return own.degrees < 3 ? pool(w, 0, true) : own;
}

/* The line through the timed launches of a kernel, by size. */
struct line {
    double n, x, y, xx, xy, yy;
};

static void line_add(struct line *l, double x, double y)
{
    l->n++;
    l->x += x;
    l->y += y;
    l->xx += x * x;
    l->xy += x * y;
    l->yy += y * y;
}

static struct line line_of(const struct work *w, u32 kernel)
{
    struct line l = {0};
    for (u32 i = 0; i < w->count; i++) {
        const struct column *c = &w->columns[i];
        for (u32 k = 0; k < c->class.count && c->kernel == kernel; k++)
            line_add(&l, c->units[k].size, c->values[k]);
    }
    return l;
}

/* A class of which none was timed: as the line of its kernel has it. What is off for one of its
 * launches is off for all. */
static struct estimate predict_unseen(const struct work *w, const struct column *of)
{
    struct line l = line_of(w, of->kernel);
    double launches = (double)of->class.population, x = of->class.size / launches;
    double sxx = l.n > 0 ? l.xx - l.x * l.x / l.n : 0, sxy = l.n > 0 ? l.xy - l.x * l.y / l.n : 0;
    bool has_slope = l.n >= 3 && sxx > 1e-4 * l.xx;
    double slope = has_slope ? sxy / sxx : l.x > 0 ? l.y / l.x : 0;
    double constant = has_slope ? (l.y - slope * l.x) / l.n : 0;
    double degrees = l.n - (has_slope ? 2 : 1), mean = l.n > 0 ? l.x / l.n : 0;
    double squares = l.yy - constant * l.y - slope * l.xy;
    struct estimate e = {.total = fmax(launches * (constant + slope * x), 0)};
    if (l.yy <= 0)
        return e;
    e.is_unknown = degrees < 1;
    if (e.is_unknown)
        return e;
    double far = has_slope ? (x - mean) * (x - mean) / sxx : 0;
    e.variance = fmax(squares, 0) / degrees * launches * launches * (1 + 1 / l.n + far);
    e.degrees_sum = e.variance * e.variance / degrees;
    return e;
}

/* What was timed of a launch may itself be an estimate, from 4 waves. */
static void add_predicted(const struct column *c, u32 value, struct estimate *e)
{
    for (u32 i = 0; i < c->class.count; i++) {
        double g = c->units[i].g;
        if (!c->launches[i]->variances)
            continue;
        double variance = g * g * c->launches[i]->variances[value];
        if (isinf(variance)) { /* it had no steady rate */
            e->is_unknown = true;
            continue;
        }
        e->variance += variance;
        e->degrees_sum += variance * variance / 3;
    }
}

static void add_floor(struct estimate *e, double deviation, double degrees)
{
    double variance = deviation * deviation;
    e->variance += variance;
    e->degrees_sum += variance * variance / degrees;
}

static void estimate_value(struct work *w, u32 value)
{
    struct sample_estimates *out = w->out;
    struct estimate program = {0};
    for (u32 i = 0; i < w->count; i++) {
        for (u32 k = 0; k < w->columns[i].class.count; k++)
            w->columns[i].values[k] = w->columns[i].launches[k]->values[value];
    }
    memset(w->sums, 0, out->kernel_count * sizeof *w->sums);
    for (u32 i = 0; i < w->count; i++) {
        const struct column *c = &w->columns[i];
        struct pooled p = {0}; /* not asked for where all were timed */
        if (c->class.count && c->class.count < c->class.population)
            p = pool_of(w, c->kernel);
        struct estimate e = c->class.count
                                ? estimate_total(&c->class, c->values, p.variance, p.degrees)
                                : predict_unseen(w, c);
        add_predicted(c, value, &e);
        estimate_add(&w->sums[c->kernel], &e);
        estimate_add(&program, &e);
    }
    for (u32 k = 0; w->sample->floors && k < out->kernel_count; k++) {
        const struct sample_totals *of = &out->kernels[k];
        double untimed = of->instructions > 0 ? 1 - of->timed_instructions / of->instructions : 0;
        double deviation = w->sample->floors[value] * w->sums[k].total * untimed;
        add_floor(&w->sums[k], deviation, w->sample->floor_degrees);
        add_floor(&program, deviation, w->sample->floor_degrees);
    }
    for (u32 k = 0; k < out->kernel_count; k++)
        out->kernels[k].values[value] = (struct sample_total){
            w->sums[k].total, estimate_half_width(&w->sums[k]), w->sums[k].is_unknown};
    out->program.values[value] =
        (struct sample_total){program.total, estimate_half_width(&program), program.is_unknown};
}

void sample_estimate(struct sample *s, struct sample_estimates *out)
{
    struct work w = {.sample = s, .out = out};
    *out = (struct sample_estimates){.kernels = zeroed(s->group_count, sizeof *out->kernels)};
    weigh_open_runs(s);
    find_columns(&w);
    out->class_count = w.count;
    out->program.values = zeroed(s->value_count, sizeof *out->program.values);
    for (u32 k = 0; k < out->kernel_count; k++)
        out->kernels[k].values = zeroed(s->value_count, sizeof *out->kernels[k].values);
    for (u32 i = 0; i < w.count; i++) {
        if (w.columns[i].class.count)
            estimate_calibrate(&w.columns[i].class);
    }
    count_kernels(&w);
    w.sums = zeroed(out->kernel_count, sizeof *w.sums);
    for (u32 v = 0; v < s->value_count; v++)
        estimate_value(&w, v);
    for (u32 i = 0; i < w.count; i++) {
        free(w.columns[i].units);
        free(w.columns[i].launches);
        free(w.columns[i].values);
    }
    free(w.columns);
    free(w.sums);
}

void sample_estimates_fini(struct sample_estimates *e)
{
    for (u32 k = 0; k < e->kernel_count; k++)
        free(e->kernels[k].values);
    free(e->kernels);
    free(e->program.values);
    *e = (struct sample_estimates){0};
}
