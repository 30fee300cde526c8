/*
 * How fast one kernel is at every tuple {N, p}, and which tuple training aims
 * at: the one whose surroundings are fast too (Poise spec 4.3).
 *
 * Cycles are put in for the tuples that were run. Between them, speedups are
 * interpolated, so that a coarse grid is scored by the same rule as the full one:
 * linearly in N and p within a rectangle of measured tuples, and within the
 * triangles along the diagonal. Only measured tuples become targets.
 */
#ifndef TRAIN_PROFILE_H
#define TRAIN_PROFILE_H

#include "base/arena.h"
#include "base/err.h"

#define MOST_LIMIT 64u

/* What a score is divided by, and of what it is made: Poise spec A5. */
enum score_rule {
    SCORE_WEIGHTS, /* speedups, by the weights of the neighbours that exist */
    SCORE_COUNT,   /* speedups, by the number of them: favours edges */
    SCORE_GAIN,    /* speedups less 1, by the number of them */
    SCORE_RULES,
};
extern const char *const score_rule_names[SCORE_RULES];

struct warp_tuple {
    u32 n, p;
};

struct profile {
    u32 limit;       /* W of the kernel: 1 <= p <= n <= limit */
    u64 *cycles;     /* 0: not measured */
    double *speedup; /* over (W, W); by profile_fill */
};

void profile_init(struct profile *f, u32 limit, struct arena *arena);
/* A tuple beyond the limit is the limit's; of two that are the same, the one put last stays. */
void profile_put(struct profile *f, u32 n, u32 p, u64 cycles);
/* False: the measured tuples are no grid that has (1, 1), (W, W) and every p <= n of its values. */
bool profile_fill(struct profile *f);

u64 profile_cycles(const struct profile *f, u32 n, u32 p);
double profile_speedup(const struct profile *f, u32 n, u32 p);
double profile_score(const struct profile *f, u32 n, u32 p, enum score_rule rule);
/* Of the measured tuples that with the highest speedup, and with the highest score; of equals the
 * one with the fewest warps. */
struct warp_tuple profile_best(const struct profile *f);
struct warp_tuple profile_target(const struct profile *f, enum score_rule rule);

#endif
