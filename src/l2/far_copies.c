#include "l2/bank_internal.h"

u32 bank_copy_for(const struct bank *b, u32 set, const struct request *r)
{
    if ((r->kind != REQUEST_LOAD && r->kind != REQUEST_FETCH) || r->flags & REQUEST_BLIND ||
        !far_l2_is_far(b->halves, r->agent))
        return NO_WAY; /* a copy is never newer than DRAM: a blind load does not see it */
    const struct tags *t = &b->halves->other->cache.tags;
    u32 way = tags_find(t, set, r->line);
    return way == NO_WAY || r->sectors & ~(u32)tags_line(t, set, way)->valid ? NO_WAY : way;
}

/* Where all ways wait for DRAM, or the victim has to wait for its way there, there is no copy; nor
 * of a line that was not kept. */
static void keep_copy(struct bank *b, u32 set, const struct request *r, u32 sectors)
{
    struct bank *o = b->halves->other;
    struct tags *t = &o->cache.tags;
    u32 way = tags_find(t, set, r->line);
    if (!sectors)
        return;
    if (way != NO_WAY) {
        tags_hit(t, set, way, r);
    } else {
        way = cache_victim(&o->cache, set, 0, r);
        if (way == NO_WAY || !bank_can_give_up(o, set, way))
            return;
        cache_take(&o->cache, set, way, r, LINE_VALID);
    }
    struct line *copy = tags_line(t, set, way);
    copy->valid = (u8)(copy->valid | sectors);
}

void bank_drop_copy(struct bank *b, u32 set, u64 line, u32 sectors)
{
    struct tags *t = &b->halves->other->cache.tags;
    u32 way = tags_find(t, set, line);
    if (way == NO_WAY)
        return;
    struct line *copy = tags_line(t, set, way);
    copy->valid = (u8)(copy->valid & ~sectors);
    if (!copy->valid)
        tags_invalidate(t, set, way);
}

bool bank_update_copy(struct bank *b, u32 set, const struct request *r, u32 sectors)
{
    bool far = far_l2_is_far(b->halves, r->agent);
    bool reads = r->kind == REQUEST_LOAD || r->kind == REQUEST_FETCH;
    if (far && r->kind != REQUEST_ATOMIC) /* those are done where the line lives */
        keep_copy(b, set, r, sectors);
    else if (!reads)
        bank_drop_copy(b, set, r->line, r->sectors);
    return far && reads;
}

bool bank_port_is_kept(const struct bank *b, bool copy, cycle_t now)
{
    if (LIKELY(!b->halves))
        return now < b->port_free;
    const struct far_l2 *h = b->halves, *other = h->other->halves;
    return copy ? now < h->copies.free || now < half_port_seen(&other->own, now)
                : now < b->port_free || now < half_port_seen(&other->copies, now);
}

static cycle_t sooner(cycle_t a, cycle_t b, cycle_t now)
{
    return b > now && b < a ? b : a;
}

cycle_t bank_port_next(const struct bank *b, cycle_t now)
{
    if (LIKELY(!b->halves))
        return b->port_free;
    const struct far_l2 *h = b->halves, *other = h->other->halves;
    cycle_t next = sooner(CYCLE_NEVER, b->port_free, now);
    next = sooner(next, h->copies.free, now);
    next = sooner(next, other->own.free, now);
    next = sooner(next, other->copies.free, now);
    return next == CYCLE_NEVER ? now + 1 : next;
}

static struct far_l2 *far_l2_create(struct arena *arena, struct bank *other, bool is_upper,
                                    u32 cycles)
{
    struct far_l2 *h = ARENA_NEW(arena, struct far_l2);
    *h = (struct far_l2){.other = other,
                         .cycles = cycles,
                         .agents = other->config->half_agents,
                         .is_upper = is_upper};
    timed_init(&h->coming, arena, FAR_L2_ENTRIES);
    return h;
}

void bank_pair(struct bank *lower, struct bank *upper, struct arena *arena, u32 cycles)
{
    lower->halves = far_l2_create(arena, upper, false, cycles);
    upper->halves = far_l2_create(arena, lower, true, cycles);
}
