/*
 * Which warps of a block waited for which while it was recorded.
 *
 * The recorder cannot know how a source counts at its barriers, and need not: it
 * sees which warps stand at which barrier, and when one continues. A barrier that opens
 * needed all arrivals there so far, and, unless it counts threads, all exits so
 * far. This is what a replay waits for, in any order of the warps.
 */
#ifndef SOURCE_RECORDING_BARRIER_LOG_H
#define SOURCE_RECORDING_BARRIER_LOG_H

#include "source/recording/format.h"

struct barrier_wait {
    u32 lanes;      /* that wait; 0: none */
    bool is_opened; /* and they need: */
    struct need need;
};

struct warp_log {
    enum warp_next state;
    u32 live;     /* lanes that have not exited */
    u32 waits_at; /* barriers, as bits */
    bool resumed; /* it stood, and has not made a step since */
    struct barrier_wait waits[RECORD_BARRIERS];
};

struct barrier_log {
    struct warp_log *warps;
    u32 warp_count;
    u32 arrivals[RECORD_BARRIERS], exits;
    u32 counted; /* barriers, as bits, whose last arrival named a number of threads */
};

void barrier_log_start(struct barrier_log *l, u32 warps, u32 threads);
void barrier_log_fini(struct barrier_log *l);
/* What a step of a warp's lanes waited for; they wait no more. At most RECORD_BARRIERS. */
u32 barrier_log_take_needs(struct barrier_log *l, u32 warp, u32 mask, struct need *out);
/* A step was made, and what the warp does next. Barriers that this alone shows to be open. */
u32 barrier_log_step(struct barrier_log *l, u32 warp, const struct winst *x, enum warp_next after);
/* A warp that stood goes on after another warp's step. Barriers that must have opened. */
u32 barrier_log_resume(struct barrier_log *l, u32 warp, const struct winst *cause);
/* These opened in the last step; by an exit or an arrival. */
void barrier_log_open(struct barrier_log *l, u32 barriers, bool by_exit);

#endif
