/*
 * Deadlocks that keep the machine busy: every warp that is left waits for others
 * of its block, or goes round in a loop and reads memory that no warp writes.
 *
 * A look now and then compares with the last time that something changed. When
 * no memory has changed, no clock was read, no block has come or gone, and every
 * warp has come back to where it was with the registers it had, it will do so
 * for ever. A loop that counts does not come back.
 */
#ifndef RUN_SPIN_DETECTION_H
#define RUN_SPIN_DETECTION_H

#include "gpu/gpu.h"

struct spinning {
    cycle_t patience, next; /* cycles without a change; of the next look */
    cycle_t since;
    u64 changes;      /* a sum over all that would be one */
    bool is_watching; /* the states below are those of `since` */
    u64 *states;      /* by SM and slot */
    u64 *left;        /* by SM: slots of warps that have not come back since */
};

/* patience 0: never */
void spinning_init(struct spinning *s, struct arena *arena, const struct gpu *g, cycle_t patience);
/* Looks if it is time to. True: nothing has changed for that long, and nothing will: the host
 * may write nothing of what is read. */
bool spinning_look(struct spinning *s, const struct gpu *g, cycle_t now,
                   bool (*host_may_write)(u64 address));
/* For the report of a hang, which may be all that is done with the machine after it. */
void spinning_mark(struct gpu *g);

#endif
