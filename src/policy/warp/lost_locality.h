/*
 * CCWS's measure of lost locality: which warps keep the right to load (Poise
 * spec 3).
 *
 * A line that leaves the L1 goes into the victim tags of the warp that brought
 * it. A warp that misses on one of its own victims has lost locality: its score
 * rises, and falls by itself with time. Warps are admitted in order of their
 * scores until the sum reaches a cut-off; with every score at its base that is
 * all of them.
 *
 * Scores fall without being counted down: a score is a value and the cycle it had
 * it in. The owner calls back at `wake`, the next cycle in which the admitted
 * set can change by itself.
 */
#ifndef POLICY_WARP_LOST_LOCALITY_H
#define POLICY_WARP_LOST_LOCALITY_H

#include "gpu/sm/warp_policy.h"

#define MOST_VICTIMS 64u /* of a warp */

struct lost_locality_config {
    u32 vta_sets, vta_ways;
    u32 base, decay, cutoff_per_warp, k;
    bool caps, ranks_waiting;
};
extern const struct param lost_locality_params[];
param_check lost_locality_check;

struct lost_locality_counts {
    u64 victims, victim_hits;
    u64 cycles, admitted_cycles, ranked_cycles; /* warps, added up over cycles */
};

struct lost_locality {
    const struct lost_locality_config *config;
    const struct warp_view *view;
    u64 victims[MOST_SM_WARPS][MOST_VICTIMS]; /* line + 1 by set, newest first; 0: none */
    u64 age[MOST_SM_WARPS];                   /* of the warp that the slot's account is of */
    u64 known;                                /* slots with an account */
    u64 score[MOST_SM_WARPS];
    cycle_t stamp[MOST_SM_WARPS];
    u64 hits[MOST_SM_WARPS], issued[MOST_SM_WARPS];
    u64 all_hits, all_issued; /* of the warps that are there */
    u64 admitted;             /* may load */
    u64 ranked;               /* were ranked */
    cycle_t wake, counted_to;
    bool has_started;
    struct lost_locality_counts counts;
};

void lost_locality_init(struct lost_locality *l, const struct lost_locality_config *c,
                        const struct warp_view *v);
u64 lost_locality_score(const struct lost_locality *l, u32 slot, cycle_t now);
/* A warp issues; a line of it is evicted; it misses. */
void lost_locality_issued(struct lost_locality *l, u32 slot);
void lost_locality_evicted(struct lost_locality *l, u32 slot, u64 line);
/* True: it missed a line that it has lost; the ranking must be worked out again. */
bool lost_locality_missed(struct lost_locality *l, u32 slot, u64 line, cycle_t now);
/* Ranks: after a miss as above, when warps come, go or wait, and at `wake`. */
void lost_locality_rank(struct lost_locality *l, cycle_t now);
/* Counts up to a cycle. */
void lost_locality_settle(struct lost_locality *l, cycle_t now);

#endif
