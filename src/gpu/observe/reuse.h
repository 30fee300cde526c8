/*
 * An oracle that looks into all other L1 caches when one of them misses (bandwidth-and-ccn spec
 * S12). It changes no timing.
 *
 * An SM notes the lines of its load misses; the oracle looks at the start of the
 * next cycle, before any SM has ticked, so the order of the SMs does not matter.
 */
#ifndef GPU_OBSERVE_REUSE_H
#define GPU_OBSERVE_REUSE_H

#include "gpu/sm/sm.h"
#include "stats/histogram.h"

struct reuse_counts {
    u64 misses, remote;       /* of this SM's load misses: all, and with the line in another L1 */
    struct histogram sharers; /* a bin per SM: how often it had the line */
};

/* Load misses of an SM in this cycle. */
struct reuse_log {
    struct l1_attachment attached;
    struct reuse *reuse;
    u32 count;
    u64 lines[16];
};

struct reuse {
    struct sm *sms;
    u32 count;
    unit_id unit;
    struct engine *engine;
    struct reuse_log *logs; /* by SM */
    struct reuse_counts *counts;
};

/* Before the SMs are added: its tick comes first. */
void reuse_init(struct reuse *r, struct sim *sim, domain_id domain, struct sm *sms, u32 count);
/* When the SMs are there: it is told of their misses. */
void reuse_watch(struct reuse *r);
extern const struct stat_def reuse_stats[];

#endif
