/*
 * What PCAL decides for a whole chip: a vote on p among SMs that try different
 * ones, then N step by step, then watching (Li et al., HPCA 2015; Poise spec 3).
 *
 * Time goes in windows. In each, SM i runs the tuple that vote_n() and vote_p()
 * name and hands in what it achieved; vote_end() then says what the next window
 * is for. Knows nothing of cycles or SMs, so it can be tried on any surface.
 */
#ifndef POLICY_WARP_PCAL_VOTE_H
#define POLICY_WARP_PCAL_VOTE_H

#include "base/types.h"

#define MOST_VOTERS 1024u

enum vote_phase {
    VOTE_START, /* finds N: values are warps per scheduler, in thousandths */
    VOTE_P,     /* SMs run different p */
    VOTE_BASE,  /* all run the p that won */
    VOTE_CLIMB, /* one warp more */
    VOTE_HOLD,  /* until some SM gets slower */
};

struct vote_rules {
    double gain;        /* of a step of N that is kept */
    double drop;        /* of an SM that asks for another vote */
    double utilisation; /* of the shared resource, from which on N is left alone */
    bool climbs_again;  /* after every vote, also when a step of this kernel did not pay */
};

struct vote {
    struct vote_rules rules;
    u32 limit, n0, n, p;
    u8 phase;         /* enum vote_phase */
    bool has_climbed; /* until a step did not pay */
    double base;
    double value[MOST_VOTERS], reference[MOST_VOTERS];
    bool has_value[MOST_VOTERS], has_reference[MOST_VOTERS];
    u32 votes, steps, kept_steps; /* so far, of all kernels */
};

/* Of a struct that was zeroed once. n0: where it starts; 0: a window of VOTE_START finds it. limit:
 * W. */
void vote_begin(struct vote *v, const struct vote_rules *rules, u32 n0, u32 limit);
u32 vote_n(const struct vote *v);
u32 vote_p(const struct vote *v, u32 sm);
/* An SM that ran through the whole window: what it achieved. */
void vote_hand_in(struct vote *v, u32 sm, double value);
/* All have; utilisation is that of the window, 0 to 1. */
void vote_end(struct vote *v, double utilisation);

#endif
