/*
 * Bytes by time, in a bounded number of slices: when time goes beyond the last one, every two
 * become one, and a slice is twice as long.
 */
#ifndef FABRIC_TRAFFIC_H
#define FABRIC_TRAFFIC_H

#include "base/types.h"

#define TRAFFIC_SLICES 256u
#define TRAFFIC_PARTS 20u /* of a run, as its statistics have them */

struct traffic {
    u64 bytes[TRAFFIC_SLICES];
    u32 shift; /* a slice has 2^shift cycles */
};

/* Times do not go back. */
void traffic_add(struct traffic *t, cycle_t now, u64 bytes);
/* Adds what each part of the time up to `end` has, parts of equal length; within a slice the
 * bytes are spread evenly. Nothing is lost. */
void traffic_share(const struct traffic *t, cycle_t end, u64 parts[TRAFFIC_PARTS]);

#endif
