/*
 * The request throttler of a core (bandwidth-and-ccn spec S15): is asking the
 * other L1s worth it?
 *
 * An epoch starts with a sample, in which the core asks. At its end the core
 * goes on asking if enough of the requests that it injected and that came back
 * within the sample were answered; else it stops until the next epoch. Time is
 * counted in instructions, so the state is a function of that count: nothing has
 * to happen at the end of a sample.
 */
#ifndef CCN_THROTTLE_H
#define CCN_THROTTLE_H

#include "ccn/config.h"

struct throttle {
    const struct throttle_config *config;
    u64 epoch, start; /* of the current one: its number, its first instruction */
    u64 total, hits;  /* of its sample */
    bool decided, on;
    u64 *epochs_on, *epochs_off; /* counters of the owner's */
};

/* May the core ask? instructions: so far; never fewer than at an earlier call. */
bool throttle_allows(struct throttle *t, u64 instructions);
/* A request that was injected in that epoch has been answered by another L1, or not. */
void throttle_resolved(struct throttle *t, u64 instructions, u64 epoch, bool hit);

#endif
