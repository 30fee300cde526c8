/* What the files of an L1 share. */
#ifndef GPU_L1_L1_INTERNAL_H
#define GPU_L1_L1_INTERNAL_H

#include "gpu/sm/sm.h"

/* Ways of a set that must not be given up. */
static inline u64 l1_kept(struct sm *sm, u32 set)
{
    return UNLIKELY(sm->policy.ops->protects) ? sm->policy.ops->protects(&sm->policy, set) : 0;
}

/* What a miss that takes no line asks for, where that is less than a line: the smallest aligned
 * group of 1, 2, 4 ... sectors that has all of the lanes' words, as a coalescer makes them. 0: as
 * much as a fill brings. */
static inline u32 l1_bypass_sectors(const struct sm *sm, u32 wanted)
{
    const struct l1_config *c = &sm->config->sm.l1;
    if (c->bypass_bytes == L1_BYPASS_LINE || c->sectored)
        return 0;
    u32 first = (u32)__builtin_ctz(wanted), width = 1;
    while (wanted & ~(((1u << width) - 1) << first / width * width))
        width *= 2;
    return ((1u << width) - 1) << first / width * width;
}

/* A store is where it belongs: whoever sent it is told. */
void l1_store_done(struct sm *sm, const struct request *r);
void l1_send(struct sm *sm, handle_t h, cycle_t now);
/* The line of a request takes its way; who was there leaves. */
void l1_make_room(struct sm *sm, struct cache_place p, const struct request *r,
                  enum line_state state);
/* The store is in its line, and nowhere else until that leaves. */
u8 l1_keep_store(struct sm *sm, handle_t h, struct cache_place p);
/* Where L1 writes back a store of whole sectors takes a line, for which a dirty one may leave.
 * False: it goes below, or *stall says what it waits for. */
bool l1_can_keep_new(struct sm *sm, const struct request *r, struct cache_place *p, u8 *stall);

/* A request of a region that is kept out. */
static inline void count_bypass(const struct sm *sm, const struct request *r, u64 *count,
                                cycle_t now)
{
    ++*count;
    sm_region(sm, r->region, now)->bypass_l1++;
}

/* Its line was there: the region's hit, where somebody counts. */
static inline void count_l1_hit(struct sm *sm, const struct request *r, cycle_t now)
{
    if (LIKELY(!r->region))
        return;
    sm_region(sm, r->region, now)->l1_hits++;
    sm->l1.bypass.found += (r->flags & REQUEST_BYPASS_L1) != 0;
}

#endif
