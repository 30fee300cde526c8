/*
 * The cores that have a copy of each line: a table from lines to sets of cores.
 *
 * It holds as many lines as its owner said when the chip was built; a line that
 * no core has takes no room.
 */
#ifndef L2_SHARERS_H
#define L2_SHARERS_H

#include "base/arena.h"
#include "base/map.h"

#define SHARERS_MOST_CORES 64u

struct sharers {
    struct map by_line; /* line -> bit per core */
    u32 room;
    u64 lost; /* copies that found no room */
};

static inline void sharers_init(struct sharers *s, struct arena *arena, u32 lines)
{
    *s = (struct sharers){.room = lines};
    map_init_fixed(&s->by_line, arena, lines);
}

static inline u64 sharers_of(const struct sharers *s, u64 line)
{
    u64 cores;
    return map_get(&s->by_line, line, &cores) ? cores : 0;
}

static inline void sharers_set(struct sharers *s, u64 line, u32 core, bool has_it)
{
    u64 before = sharers_of(s, line), bit = (u64)1 << core;
    u64 after = has_it ? before | bit : before & ~bit;
    if (after == before)
        return;
    if (!after)
        map_remove(&s->by_line, line);
    else if (before || s->by_line.count < s->room)
        map_put(&s->by_line, line, after);
    else
        s->lost++;
}

#endif
