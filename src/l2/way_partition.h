/*
 * The ways of a cache, divided between lines of this socket's memory and of others': remote lines
 * take the first ways of a set, local lines the rest. Every way is looked up: a line in a way that
 * is the other group's by now stays until it is given up (hpc-cores-and-numa-gpu spec 2.9).
 *
 * A decision holds from the next instant on, so that the order of ticks does not matter.
 */
#ifndef L2_WAY_PARTITION_H
#define L2_WAY_PARTITION_H

#include "sim/engine.h"

struct way_partition {
    const struct engine *engine;
    u32 ways, remote;
    u32 before; /* of `remote`, up to the instant of the decision */
    u64 decided_fs;
};

static inline void split_init(struct way_partition *s, const struct engine *e, u32 ways, u32 remote)
{
    *s = (struct way_partition){.engine = e, .ways = ways, .remote = remote, .before = remote};
}

static inline void split_decide(struct way_partition *s, u32 remote)
{
    s->before = s->engine->now_fs > s->decided_fs ? s->remote : s->before;
    s->remote = remote;
    s->decided_fs = s->engine->now_fs;
}

/* Ways that a line may take, as bits. */
static inline u64 split_ways(const struct way_partition *s, bool is_remote)
{
    u32 remote = s->engine->now_fs > s->decided_fs ? s->remote : s->before;
    u64 first = ((u64)1 << remote) - 1;
    return is_remote ? first : ~first;
}

#endif
