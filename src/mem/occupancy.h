/*
 * Occupancy of a queue over the cycles in which it held anything.
 *
 * Usage lifetime is the time with at least one entry; it is split by the share of
 * the capacity in use. Time is added when the level changes, so the owner of the queue may sleep,
 * and an idle queue reports nothing at all.
 */
#ifndef MEM_OCCUPANCY_H
#define MEM_OCCUPANCY_H

#include "base/types.h"
#include "stats/def.h"

#include <assert.h>

#define OCCUPANCY_BINS 5

/* Shares of the capacity in percent: the last is a full queue. */
static const char *const occupancy_labels[OCCUPANCY_BINS] = {
    "below_25", "from_25", "from_50", "from_75", "full",
};

struct occupancy {
    u64 bins[OCCUPANCY_BINS]; /* cycles */
    cycle_t since;            /* of the current level */
    u32 level, capacity;
};

/* A row of the table over `owner`, which holds a struct occupancy called `field`. */
#define S_OCCUPANCY(owner, id, field, text)                                                        \
    {                                                                                              \
        .name = #id, .kind = STAT_ARRAY, .offset = S_AT(owner, field.bins),                        \
        .labels = occupancy_labels, .label_count = OCCUPANCY_BINS, .unit = "cycles",               \
        .meaning = text                                                                            \
    }

static inline void occupancy_init(struct occupancy *o, u32 capacity)
{
    *o = (struct occupancy){.capacity = capacity};
}

/* From cycle `now` on the queue holds `level` entries. Cycles never go back. */
static inline void occupancy_set(struct occupancy *o, cycle_t now, u32 level)
{
    assert(now >= o->since && level <= o->capacity);
    if (o->level)
        o->bins[(u64)o->level * (OCCUPANCY_BINS - 1) / o->capacity] += now - o->since;
    o->level = level;
    o->since = now;
}

/* Counts the time up to `now`, for statistics that are read while entries wait. */
static inline void occupancy_close(struct occupancy *o, cycle_t now)
{
    if (now > o->since)
        occupancy_set(o, now, o->level);
}

/* The usage lifetime so far. */
static inline u64 occupancy_cycles(const struct occupancy *o)
{
    u64 sum = 0;
    for (u32 i = 0; i < OCCUPANCY_BINS; i++)
        sum += o->bins[i];
    return sum;
}

#endif
