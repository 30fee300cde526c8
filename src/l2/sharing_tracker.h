/*
 * A sharing tracker at a bank of the L2: which L1s have which of the bank's lines. A miss on such a
 * line is answered after so many cycles instead of by DRAM (bandwidth-and-ccn spec S18).
 */
#ifndef L2_SHARING_TRACKER_H
#define L2_SHARING_TRACKER_H

#include "base/timed_queue.h"
#include "mem/request.h"
#include "l2/sharers.h"

struct tracker {
    struct sharers sharers;
    struct timed_queue coming; /* answers of L1s */
    u32 cycles;                /* that one takes */
};

static inline struct tracker *tracker_create(struct arena *arena, u32 lines, u32 misses, u32 cycles)
{
    struct tracker *t = ARENA_NEW(arena, struct tracker);
    sharers_init(&t->sharers, arena, lines);
    timed_init(&t->coming, arena, misses);
    t->cycles = cycles;
    return t;
}

/* Does another L1 have what a load asks for? */
static inline bool tracker_has(const struct tracker *t, const struct request *r)
{
    return t && r->kind == REQUEST_LOAD &&
           (sharers_of(&t->sharers, r->line) & ~((u64)1 << r->agent)) != 0;
}

static inline cycle_t tracker_next(const struct tracker *t)
{
    return t ? timed_next(&t->coming) : CYCLE_NEVER;
}

#endif
