/*
 * The unit for bulk and tensor copies (TMA): a queue of copies, carried out one line at a time.
 *
 * A copy waits for those before it, then sends a request for a line every sm.transfer.interval
 * cycles, past L1; the SM's path to the network is shared with its loads. When all lines are there,
 * and written to shared memory, its source is told (source_ops.arrived).
 */
#ifndef GPU_SM_TRANSFERS_H
#define GPU_SM_TRANSFERS_H

#include "base/types.h"
#include "sim/port.h"

struct arena;
struct sm;
struct winst;
struct transfer_config;

#define MOST_TRANSFERS 64u

struct transfer {
    u64 *lines;
    u32 room, count, sent, left; /* lines; left: not answered */
    u32 token, boxes, warp, group;
    const void *stream; /* the block's; it may have ended */
    cycle_t from;       /* its first line goes then */
    u8 application;
    bool is_store, is_used;
};

struct transfer_unit {
    struct transfer all[MOST_TRANSFERS];
    u8 queue[MOST_TRANSFERS]; /* not all sent, oldest first */
    u32 queued, used;
    cycle_t next;      /* when it has something to do; CYCLE_NEVER: not without help */
    u64 copies, lines; /* so far */
};

void transfers_init(struct transfer_unit *u);
static inline bool transfers_full(const struct transfer_unit *u)
{
    return u->used == MOST_TRANSFERS;
}
void transfer_issue(struct sm *sm, u32 slot, const struct winst *x, cycle_t now);
void transfers_cycle(struct sm *sm, cycle_t now);
/* A line has come, or was written. */
void transfer_answered(struct sm *sm, handle_t request, cycle_t now);

#endif
