#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXPONENT_CLAMP 10 /* as the policy has it: Poise spec 5 */

static bool is_used(const struct train_kernel *k, const char *left_out)
{
    return k->verdict == KERNEL_KEPT && (!left_out || strcmp(k->program, left_out) != 0);
}

/* Features that take part, in the order of their table. */
static u32 list_features(const struct train_options *o, u32 used[FEATURE_COUNT])
{
    u32 count = 0;
    for (u32 i = 0; i < FEATURE_COUNT; i++) {
        if (!o->without[i])
            used[count++] = i;
    }
    return count;
}

static u32 fill_rows(const struct train_set *set, const char *left_out,
                     const struct train_options *o, double *x, double *n, double *p)
{
    u32 used[FEATURE_COUNT], columns = list_features(o, used), rows = 0;
    for (u32 i = 0; i < set->count; i++) {
        const struct train_kernel *k = &set->kernels[i];
        if (!is_used(k, left_out))
            continue;
        for (u32 c = 0; c < columns; c++)
            x[rows * columns + c] = k->x[used[c]];
        n[rows] = k->target.n * o->scale / k->profile.limit;
        p[rows++] = k->target.p * o->scale / k->profile.limit;
    }
    return rows;
}

bool train(struct trained *trained, const struct train_set *set, const char *left_out,
           const struct train_options *o, struct err *err)
{
    struct arena arena = {0};
    double *x = ARENA_ARRAY(&arena, double, FEATURE_COUNT * set->count + 1);
    double *n = ARENA_ARRAY(&arena, double, set->count + 1);
    double *p = ARENA_ARRAY(&arena, double, set->count + 1);
    u32 used[FEATURE_COUNT], columns = list_features(o, used);
    *trained = (struct trained){.weights.divisor = o->divisor,
                                .kernels = fill_rows(set, left_out, o, x, n, p)};
    struct regression r = {
        .x = x, .rows = trained->kernels, .columns = columns, .dispersion = o->dispersion};
    r.y = n;
    bool ok = regression_fit(&r, &trained->n, err);
    r.y = p;
    ok = ok && regression_fit(&r, &trained->p, err);
    for (u32 c = 0; ok && c < columns; c++) {
        trained->weights.alpha[used[c]] = trained->n.b[c];
        trained->weights.beta[used[c]] = trained->p.b[c];
    }
    arena_fini(&arena);
    return ok;
}

struct warp_tuple train_predict(const struct weights *w, const struct train_kernel *k,
                                const struct train_options *o)
{
    struct prediction r = weights_predict(w, k->x, EXPONENT_CLAMP, o->scale, k->profile.limit);
    return (struct warp_tuple){r.n, r.p};
}

static double distance(u32 a, u32 b)
{
    return a > b ? a - b : b - a;
}

static void add_errors(struct train_errors *e, const struct train_kernel *k, struct warp_tuple t)
{
    const struct profile *f = &k->profile;
    double n = distance(t.n, k->target.n), p = distance(t.p, k->target.p);
    e->kernels++;
    e->n_of_target += n / k->target.n;
    e->p_of_target += p / k->target.p;
    e->n_of_limit += n / f->limit;
    e->p_of_limit += p / f->limit;
    e->at_predicted += 1 / profile_speedup(f, t.n, t.p);
    e->at_target += 1 / profile_speedup(f, k->target.n, k->target.p);
    e->at_best += 1 / profile_speedup(f, k->best.n, k->best.p);
}

struct train_errors train_errors(const struct train_set *set, const char *program,
                                 const struct weights *w, const struct train_options *o)
{
    struct train_errors e = {0};
    for (u32 i = 0; i < set->count; i++) {
        const struct train_kernel *k = &set->kernels[i];
        if (k->verdict == KERNEL_KEPT && (!program || strcmp(k->program, program) == 0))
            add_errors(&e, k, train_predict(w, k, o));
    }
    double count = e.kernels ? (double)e.kernels : (double)NAN;
    return (struct train_errors){.kernels = e.kernels,
                                 .n_of_target = e.n_of_target / count,
                                 .p_of_target = e.p_of_target / count,
                                 .n_of_limit = e.n_of_limit / count,
                                 .p_of_limit = e.p_of_limit / count,
                                 .at_predicted = count / e.at_predicted,
                                 .at_target = count / e.at_target,
                                 .at_best = count / e.at_best};
}

/* ---- one tuple for all ---- */

static double at_constant(const struct train_kernel *k, struct warp_tuple t)
{
    u32 n = t.n < k->profile.limit ? t.n : k->profile.limit;
    return profile_speedup(&k->profile, n, t.p < n ? t.p : n);
}

double train_at_constant(const struct train_set *set, const char *program, struct warp_tuple t)
{
    double sum = 0;
    u32 count = 0;
    for (u32 i = 0; i < set->count; i++) {
        const struct train_kernel *k = &set->kernels[i];
        if (k->verdict == KERNEL_KEPT && (!program || strcmp(k->program, program) == 0)) {
            sum += 1 / at_constant(k, t);
            count++;
        }
    }
    return count ? count / sum : (double)NAN;
}

struct warp_tuple train_constant(const struct train_set *set, const char *left_out)
{
    static const u32 grid[] = {1, 2, 3, 4, 6, 8, 12, 16, 24};
    struct warp_tuple best = {0, 0};
    double least = INFINITY;
    for (u32 n = 0; n < ARRAY_LEN(grid); n++) {
        for (u32 p = 0; p <= n; p++) {
            struct warp_tuple t = {grid[n], grid[p]};
            double sum = 0;
            for (u32 i = 0; i < set->count; i++) {
                const struct train_kernel *k = &set->kernels[i];
                if (is_used(k, left_out))
                    sum += 1 / at_constant(k, t);
            }
            if (sum > 0 && sum < least) {
                least = sum;
                best = t;
            }
        }
    }
    return best;
}

u32 train_distinct(const struct train_set *set)
{
    u32 distinct = 0;
    for (u32 i = 0; i < set->count; i++) {
        const struct train_kernel *k = &set->kernels[i];
        bool is_first = k->verdict == KERNEL_KEPT;
        for (u32 j = 0; is_first && j < i; j++) {
            const struct train_kernel *o = &set->kernels[j];
            is_first = o->verdict != KERNEL_KEPT || strcmp(o->program, k->program) != 0 ||
                       strcmp(o->name, k->name) != 0;
        }
        distinct += is_first;
    }
    return distinct;
}

bool train_leave_out(struct train_options *o, const char *feature, struct err *err)
{
    const char *names[2 * FEATURE_one];
    char numbers[FEATURE_COUNT][8];
    for (u32 i = 0; i < FEATURE_one; i++) {
        snprintf(numbers[i], sizeof numbers[i], "x%u", i + 1);
        if (strcmp(feature, features[i].name) == 0 || strcmp(feature, numbers[i]) == 0) {
            o->without[i] = true;
            return true;
        }
        names[2 * i] = numbers[i];
        names[2 * i + 1] = features[i].name;
    }
    return err_unknown(err, (struct src_pos){0}, "feature", feature, names, ARRAY_LEN(names), NULL);
}
