/*
 * The L0 instruction cache, next to the decoders (sm.fetch.l0_bytes): its lines are fetched at
 * full speed. Lines come from the SM's larger instruction cache, one after the other at a rate of
 * their own, some ahead of the warp that asks.
 *
 * And what a launch brings: the first so many bytes of a kernel's code are in the larger cache when
 * its first block starts on the SM, each line once.
 */
#ifndef GPU_SM_L0_ICACHE_H
#define GPU_SM_L0_ICACHE_H

#include "gpu/sm/ro_cache.h"

#define LAUNCH_LINES 1024u /* at most, of a kernel's code that its launch brings */

struct l0_icache_parts {
    const struct fetch_config *config;
    struct ro_cache *larger;
    u64 seed;
    struct policy_choice lru;
};

struct l0_icache {
    struct cache cache; /* of no lines without sm.fetch.l0_bytes */
    cycle_t *ready;     /* by set and way: when the line has come */
    cycle_t port_free;  /* the next line leaves the larger cache then */
    u64 last;           /* line that was looked at last */
    u64 launch_start;   /* of the code of the kernel that began last; NO_LINE: its first fetch will
                           say */
    u64 launch_taken[LAUNCH_LINES / 64]; /* lines from there on that have been brought */
    struct l0_icache_parts at;
};

void l0_icache_init(struct l0_icache *n, struct arena *arena, const struct l0_icache_parts *parts);
/* A kernel's first block comes to the SM. */
void l0_icache_launch(struct l0_icache *n);
/* When a line can be fetched, now or later; CYCLE_NEVER: the larger cache has to ask for it. */
cycle_t l0_icache_fetch(struct l0_icache *n, u64 line, cycle_t now);
/* A warp that the request is of has come to a line: those after it are asked for
 * (sm.instruction.prefetch_on). */
void l0_icache_go_on(struct l0_icache *n, const struct request *here, cycle_t now);

#endif
