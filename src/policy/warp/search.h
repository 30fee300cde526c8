/*
 * Poise's local search: N with p fixed, then p with N fixed, each by probing a
 * stride to both sides, moving while that improves and halving the stride when
 * it does not (Poise spec 5).
 *
 * The caller measures: search_next() names the tuple to try, search_measured()
 * takes its value, until search_next() says that n and p are final. Knows
 * nothing of time or SMs, so it can be tried on any surface.
 */
#ifndef POLICY_WARP_SEARCH_H
#define POLICY_WARP_SEARCH_H

#include "base/types.h"

enum search_axis { SEARCH_N, SEARCH_P, SEARCH_DONE };
enum search_step { SEARCH_CENTRE, SEARCH_LOW, SEARCH_HIGH, SEARCH_DECIDE };

struct search {
    u32 limit, at[2]; /* W; N and p of the centre */
    u32 strides[2];   /* to start with */
    bool remeasure;   /* a point whose value is known (spec A8) */
    u8 axis, step;
    u32 stride;
    bool has_best, has_last;
    double best, low, high; /* of the centre and its neighbours */
    u32 last;               /* the centre before this one, and its value */
    double last_value;
    u32 probes;
};

void search_begin(struct search *s, u32 n, u32 p, u32 limit, u32 stride_n, u32 stride_p,
                  bool remeasure);
/* False: the search has ended, at s->at. */
bool search_next(struct search *s, u32 *n, u32 *p);
/* What the tuple of the last search_next() is worth; more is better. */
void search_measured(struct search *s, double value);

#endif
