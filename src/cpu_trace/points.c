#include "cpu_trace/points.h"

#include "base/rng.h"
#include "stats/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 100u /* of k-means at most */
#define ENOUGH 0.9  /* of the range of the criterion */

struct clustering {
    u32 count;
    double middles[POINTS_MOST_CLUSTERS][POINTS_DIMENSIONS];
    u64 sizes[POINTS_MOST_CLUSTERS];
    double error; /* sum of squared distances */
};

static double distance(const double *a, const double *b)
{
    double sum = 0;
    for (u32 d = 0; d < POINTS_DIMENSIONS; d++)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

static u32 nearest(const struct clustering *c, const double *v, double *how_far)
{
    u32 best = 0;
    *how_far = distance(c->middles[0], v);
    for (u32 k = 1; k < c->count; k++) {
        double far = distance(c->middles[k], v);
        if (far < *how_far) {
            *how_far = far;
            best = k;
        }
    }
    return best;
}

/* The first middles: each an interval, the further from those before the likelier (k-means++). */
static void seed_middles(struct clustering *c, const struct points_profile *p, u32 count,
                         struct rng *rng)
{
    memcpy(c->middles[0], p->intervals[rng_below(rng, p->count)].vector, sizeof c->middles[0]);
    for (c->count = 1; c->count < count; c->count++) {
        double all = 0, how_far;
        for (u32 n = 0; n < p->count; n++) {
            nearest(c, p->intervals[n].vector, &how_far);
            all += how_far;
        }
        double at = rng_unit(rng) * all;
        u32 chosen = p->count - 1;
        for (u32 n = 0; n < p->count; n++) {
            nearest(c, p->intervals[n].vector, &how_far);
            at -= how_far;
            if (at < 0) {
                chosen = n;
                break;
            }
        }
        memcpy(c->middles[c->count], p->intervals[chosen].vector, sizeof c->middles[0]);
    }
}

/* Each to its nearest middle; false: nothing has changed. */
static bool assign(struct clustering *c, struct points_profile *p)
{
    bool has_changed = false;
    c->error = 0;
    memset(c->sizes, 0, sizeof c->sizes);
    for (u32 n = 0; n < p->count; n++) {
        double how_far;
        u32 k = nearest(c, p->intervals[n].vector, &how_far);
        has_changed |= p->intervals[n].cluster != k;
        p->intervals[n].cluster = k;
        c->sizes[k]++;
        c->error += how_far;
    }
    return has_changed;
}

/* A cluster that has become empty keeps its middle. */
static void move_middles(struct clustering *c, const struct points_profile *p)
{
    for (u32 k = 0; k < c->count; k++) {
        if (c->sizes[k])
            memset(c->middles[k], 0, sizeof c->middles[k]);
    }
    for (u32 n = 0; n < p->count; n++) {
        const struct points_interval *i = &p->intervals[n];
        for (u32 d = 0; d < POINTS_DIMENSIONS; d++)
            c->middles[i->cluster][d] += i->vector[d] / (double)c->sizes[i->cluster];
    }
}

static void find_clusters(struct clustering *c, struct points_profile *p, u32 count, u64 seed)
{
    struct rng rng;
    rng_init(&rng, seed + count, "points");
    seed_middles(c, p, count, &rng);
    for (u32 n = 0; n < p->count; n++)
        p->intervals[n].cluster = UINT32_MAX;
    for (u32 round = 0; round < ROUNDS && assign(c, p); round++)
        move_middles(c, p);
}

/* Pelleg and Moore, ICML 2000, as SimPoint uses it. */
static double criterion(const struct clustering *c, u32 count)
{
    double all = count, dimensions = POINTS_DIMENSIONS, clusters = c->count;
    double free = all - clusters;
    double variance = fmax(free > 0 ? c->error / (dimensions * free) : 0, 1e-12);
    double likelihood = 0;
    for (u32 k = 0; k < c->count; k++) {
        double n = (double)c->sizes[k];
        if (n > 0)
            likelihood += n * log(n / all) -
                          n * dimensions / 2 * log(6.283185307179586 * variance) -
                          (n - 1) * dimensions / 2;
    }
    return likelihood - (clusters * (dimensions + 1)) / 2 * log(all);
}

/* The smallest number that is good enough. */
static u32 choose_count(struct points_profile *p, u32 most, u64 seed)
{
    double scores[POINTS_MOST_CLUSTERS + 1], low = INFINITY, high = -INFINITY;
    struct clustering *c = xrealloc(NULL, sizeof *c);
    for (u32 k = 1; k <= most; k++) {
        find_clusters(c, p, k, seed);
        scores[k] = criterion(c, p->count);
        low = fmin(low, scores[k]);
        high = fmax(high, scores[k]);
    }
    free(c);
    for (u32 k = 1; k < most; k++) {
        if (scores[k] >= low + ENOUGH * (high - low))
            return k;
    }
    return most;
}

/* Where an interval begins. */
static u64 start_of(const struct points_profile *p, u32 interval)
{
    u64 at = 0;
    for (u32 n = 0; n < interval; n++)
        at += p->intervals[n].instructions;
    return at;
}

/* A member of the cluster by chance, other than the one that stands for it. */
static u32 choose_second(const struct points_profile *p, u32 cluster, u32 first, u32 members,
                         struct rng *rng)
{
    u32 left = members > 1 ? (u32)rng_below(rng, members - 1) : 0;
    for (u32 n = 0; members > 1 && n < p->count; n++) {
        if (p->intervals[n].cluster == cluster && n != first && !left--)
            return n;
    }
    return first;
}

static void add_window(struct points *out, const struct points_profile *p,
                       const struct clustering *c, u32 cluster, struct rng *rng)
{
    u64 all = 0, instructions = 0;
    u32 best = UINT32_MAX, members = 0;
    double least = INFINITY;
    for (u32 n = 0; n < p->count; n++) {
        const struct points_interval *i = &p->intervals[n];
        all += i->instructions;
        if (i->cluster != cluster)
            continue;
        double far = distance(c->middles[cluster], i->vector);
        members++;
        instructions += i->instructions;
        if (far < least) {
            least = far;
            best = n;
        }
    }
    if (!members)
        return;
    u32 second = choose_second(p, cluster, best, members, rng);
    out->windows[out->count++] =
        (struct points_window){.first = start_of(p, best),
                               .count = p->intervals[best].instructions,
                               .weight = (double)instructions / (double)all,
                               .interval = best,
                               .intervals = members,
                               .second = second,
                               .second_first = start_of(p, second),
                               .second_count = p->intervals[second].instructions};
}

static int by_first(const void *a, const void *b)
{
    const struct points_window *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static double find_spread(const struct points *w, const struct points_profile *p)
{
    double middle[POINTS_DIMENSIONS] = {0}, within = 0, whole = 0;
    for (u32 n = 0; n < p->count; n++) {
        for (u32 d = 0; d < POINTS_DIMENSIONS; d++)
            middle[d] += p->intervals[n].vector[d] / p->count;
    }
    for (u32 n = 0; n < p->count; n++) {
        const struct points_interval *i = &p->intervals[n];
        for (u32 k = 0; k < w->count; k++) {
            const struct points_interval *r = &p->intervals[w->windows[k].interval];
            if (r->cluster == i->cluster)
                within += sqrt(distance(r->vector, i->vector));
        }
        whole += sqrt(distance(middle, i->vector));
    }
    return whole > 0 ? within / whole : 0;
}

void points_choose(struct points *out, struct points_profile *p, u32 most_clusters, u64 seed)
{
    /* with a cluster for each interval, nothing would be left to judge it by */
    u32 half = p->count > 1 ? p->count / 2 : 1;
    u32 most = (u32)min_u64(min_u64(most_clusters, POINTS_MOST_CLUSTERS), half);
    struct clustering *c = xrealloc(NULL, sizeof *c);
    *out = (struct points){0};
    find_clusters(c, p, choose_count(p, most, seed), seed);
    struct rng rng;
    rng_init(&rng, seed, "second windows");
    for (u32 k = 0; k < c->count; k++)
        add_window(out, p, c, k, &rng);
    free(c);
    qsort(out->windows, out->count, sizeof out->windows[0], by_first);
    out->spread = find_spread(out, p);
}

double points_estimate(const struct points *w, const struct points_profile *p,
                       enum points_measure m, double *whole)
{
    double estimate = 0;
    u64 all = 0, instructions = 0;
    for (u32 n = 0; n < p->count; n++) {
        all += p->intervals[n].measures[m];
        instructions += p->intervals[n].instructions;
    }
    for (u32 k = 0; k < w->count; k++) {
        const struct points_interval *i = &p->intervals[w->windows[k].interval];
        estimate += w->windows[k].weight * (double)i->measures[m] / (double)i->instructions;
    }
    *whole = instructions ? (double)all / (double)instructions : 0;
    return estimate;
}

/* A cluster gives one degree of freedom, that of its pair. */
double points_mean(const struct points *w, const double *found, const double *second, double *error)
{
    struct estimate sum = {0};
    for (u32 k = 0; k < w->count; k++) {
        double weight = w->windows[k].weight, difference = found[k] - second[k];
        /* of a mean of two: (difference^2 / 2) / 2 */
        struct estimate e = {.total = weight * (found[k] + second[k]) / 2,
                             .variance = weight * weight * difference * difference / 4};
        e.degrees_sum = e.variance * e.variance;
        estimate_add(&sum, &e);
    }
    *error = estimate_half_width(&sum);
    return sum.total;
}
