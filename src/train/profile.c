#include "train/profile.h"

#include <assert.h>
#include <math.h>

const char *const score_rule_names[SCORE_RULES] = {"weights", "count", "gain"};

/* By |i| + |j|: Dublish et al., HPCA 2019, table IV. */
static const double omega[] = {1, 0.50, 0.25};

/* Scores that differ by less are one score, summed up in another order. */
#define SAME_SCORE 1e-9

static u32 at(u32 n, u32 p)
{
    assert(p >= 1 && p <= n && n <= MOST_LIMIT);
    return n * (n - 1) / 2 + p - 1;
}

void profile_init(struct profile *f, u32 limit, struct arena *arena)
{
    u32 count = limit * (limit + 1) / 2;
    assert(limit >= 1 && limit <= MOST_LIMIT);
    *f = (struct profile){.limit = limit,
                          .cycles = ARENA_ARRAY(arena, u64, count),
                          .speedup = ARENA_ARRAY(arena, double, count)};
}

void profile_put(struct profile *f, u32 n, u32 p, u64 cycles)
{
    n = n < f->limit ? n : f->limit;
    f->cycles[at(n, p < n ? p : n)] = cycles;
}

u64 profile_cycles(const struct profile *f, u32 n, u32 p)
{
    return f->cycles[at(n, p)];
}

double profile_speedup(const struct profile *f, u32 n, u32 p)
{
    return f->speedup[at(n, p)];
}

/* ---- between measured tuples ---- */

static double measured(const struct profile *f, u32 n, u32 p)
{
    return (double)f->cycles[at(f->limit, f->limit)] / (double)f->cycles[at(n, p)];
}

static double between(double a, double b, double share)
{
    return a + (b - a) * share;
}

/* n lies in [n0, n1] and p in [p0, p1], neighbouring values of the grid; n0 == n1 on one of them.
 */
static double interpolate(const struct profile *f, u32 n, u32 p, const u32 n_edge[2],
                          const u32 p_edge[2])
{
    u32 n0 = n_edge[0], n1 = n_edge[1], p0 = p_edge[0], p1 = p_edge[1];
    double u = n1 > n0 ? (double)(n - n0) / (n1 - n0) : 0;
    double v = p1 > p0 ? (double)(p - p0) / (p1 - p0) : 0;
    if (p1 <= n0)
        return between(between(measured(f, n0, p0), measured(f, n1, p0), u),
                       between(measured(f, n0, p1), measured(f, n1, p1), u), v);
    /* along the diagonal (n0, p1) does not exist: p0 is n0, p1 is n1 */
    double corner = measured(f, n0, p0), below = measured(f, n1, p0), beyond = measured(f, n1, p1);
    return corner + (below - corner) * u + (beyond - below) * v;
}

/* The values of the grid around each number. False: 1 or the limit is none of them. */
static bool find_edges(const struct profile *f, u32 edges[][2])
{
    u32 last = 0;
    for (u32 n = 1; n <= f->limit; n++) {
        last = f->cycles[at(n, n)] ? n : last;
        edges[n][0] = last;
    }
    for (u32 n = f->limit; n >= 1; n--) {
        last = f->cycles[at(n, n)] ? n : last;
        edges[n][1] = last;
    }
    return f->cycles[at(1, 1)] && f->cycles[at(f->limit, f->limit)];
}

static bool is_grid(const struct profile *f, u32 edges[][2])
{
    for (u32 n = 1; n <= f->limit; n++) {
        for (u32 p = 1; p <= n; p++) {
            bool wanted = edges[n][0] == n && edges[p][0] == p;
            if (wanted && !f->cycles[at(n, p)])
                return false;
        }
    }
    return true;
}

bool profile_fill(struct profile *f)
{
    u32 edges[MOST_LIMIT + 1][2];
    if (!find_edges(f, edges) || !is_grid(f, edges))
        return false;
    for (u32 n = 1; n <= f->limit; n++) {
        for (u32 p = 1; p <= n; p++)
            f->speedup[at(n, p)] = interpolate(f, n, p, edges[n], edges[p]);
    }
    return true;
}

/* ---- scores ---- */

double profile_score(const struct profile *f, u32 n, u32 p, enum score_rule rule)
{
    double sum = 0, weights = 0;
    u32 count = 0;
    for (u32 a = n - 1; a <= n + 1; a++) {
        for (u32 b = p - 1; b <= p + 1; b++) {
            if (a < 1 || a > f->limit || b < 1 || b > a)
                continue;
            double weight = omega[(a != n) + (b != p)];
            sum += weight * (f->speedup[at(a, b)] - (rule == SCORE_GAIN));
            weights += weight;
            count++;
        }
    }
    return sum / (rule == SCORE_WEIGHTS ? weights : count);
}

struct warp_tuple profile_target(const struct profile *f, enum score_rule rule)
{
    struct warp_tuple target = {1, 1};
    double highest = -INFINITY;
    for (u32 n = 1; n <= f->limit; n++) {
        for (u32 p = 1; p <= n; p++) {
            if (!f->cycles[at(n, p)])
                continue; /* nobody knows how fast it is */
            double score = profile_score(f, n, p, rule);
            if (score > highest + SAME_SCORE) {
                highest = score;
                target = (struct warp_tuple){n, p};
            }
        }
    }
    return target;
}

struct warp_tuple profile_best(const struct profile *f)
{
    struct warp_tuple best = {1, 1};
    for (u32 n = 1; n <= f->limit; n++) {
        for (u32 p = 1; p <= n; p++) {
            if (f->speedup[at(n, p)] > f->speedup[at(best.n, best.p)])
                best = (struct warp_tuple){n, p};
        }
    }
    return best;
}
