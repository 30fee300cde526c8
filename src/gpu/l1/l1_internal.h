/* What the files of an L1 share. */
#ifndef GPU_L1_L1_INTERNAL_H
#define GPU_L1_L1_INTERNAL_H

#include "gpu/l1/l1.h"

/* Calls the hooks of an event that give no answer. */
#define L1_TELL(l, event, ...)                                                                     \
    do {                                                                                           \
        for (struct l1_attachment *a_ = (l)->on.event; UNLIKELY(a_ != NULL); a_ = a_->next.event)  \
            a_->hooks->event(l, a_, __VA_ARGS__);                                                  \
    } while (0)

/* Ways of a set that must not be given up. */
static inline u64 l1_kept(struct l1 *l, u32 set)
{
    u64 kept = 0;
    for (struct l1_attachment *a = l->on.kept; UNLIKELY(a != NULL); a = a->next.kept)
        kept |= a->hooks->kept(l, a, set);
    return kept;
}

static inline bool l1_can_send(const struct l1 *l, u32 requests)
{
    return l->client->can_send(l->sm, requests);
}

/* What a miss that takes no line asks for, where that is less than a line: the smallest aligned
 * group of 1, 2, 4 ... sectors that has all of the lanes' words, as a coalescer makes them. 0: as
 * much as a fill brings. */
static inline u32 l1_bypass_sectors(const struct l1 *l, u32 wanted)
{
    const struct l1_config *c = l->config;
    if (c->bypass_bytes == L1_BYPASS_LINE || c->sectored)
        return 0;
    u32 first = (u32)__builtin_ctz(wanted), width = 1;
    while (wanted & ~(((1u << width) - 1) << first / width * width))
        width *= 2;
    return ((1u << width) - 1) << first / width * width;
}

/* A request of a region that is kept out. */
static inline void l1_count_bypass(struct l1 *l, const struct request *r, u64 *count, cycle_t now)
{
    ++*count;
    L1_TELL(l, bypassed, r, now);
}

/* The line of a request is there. */
static inline void l1_found(struct l1 *l, struct cache_place p, const struct request *r,
                            cycle_t now)
{
    l->bypass.found += (r->flags & REQUEST_BYPASS_L1) != 0;
    L1_TELL(l, found, p, r, now);
}

/* The line of a request has its way: from which warp it is. */
void l1_placed(struct l1 *l, struct cache_place p, const struct request *r);
/* The line of a request takes its way; the one that was there leaves. */
void l1_make_room(struct l1 *l, struct cache_place p, const struct request *r,
                  enum line_state state);

/* l1_store.c */
u8 l1_store(struct l1 *l, handle_t h, struct cache_place p, cycle_t now);
/* A store of that line waits to go below. */
bool l1_store_waits(const struct l1 *l, u64 line);

#endif
