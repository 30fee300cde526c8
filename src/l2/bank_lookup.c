/* Lines that come to a bank from outside, between kernels: whatever goes for them goes at no cost.
 */
#include "l2/bank_internal.h"

/* The place that a line has now; no way: it found none. */
static struct cache_place place(struct bank *b, const struct request *r, bool as_next)
{
    struct tags *t = &b->cache.tags;
    struct cache_place p = bank_find(b, r->line);
    if (p.way != NO_WAY)
        return p;
    p.way = cache_victim(&b->cache, p.set, 0, r);
    if (p.way == NO_WAY)
        return p;
    if (as_next)
        tags_place_next(t, p.set, p.way, r->line);
    else
        tags_place(t, p.set, p.way, r, LINE_VALID);
    return p;
}

static void set_whole(struct bank *b, struct cache_place p, u64 line, bool is_dirty)
{
    struct line *l = cache_line(&b->cache, p);
    if (l && l->state == LINE_VALID) {
        l->valid = (u8)b->cache.all_sectors;
        l->dirty = is_dirty ? l->valid : 0;
    }
    BANK_TELL(b, placed, p, line);
}

static void place_from_outside(struct bank *b, u64 line, bool as_next)
{
    struct request copy = {.line = line, .kind = REQUEST_STORE};
    struct cache_place p = place(b, &copy, as_next);
    set_whole(b, p, line, false);
}

void bank_place_copied(struct bank *b, u64 line)
{
    place_from_outside(b, line, true);
}

void bank_place_code(struct bank *b, u64 line)
{
    place_from_outside(b, line, false);
}

void bank_place_context(struct bank *b, u64 line, bool is_dirty)
{
    struct request before = {.line = line, .kind = REQUEST_STORE};
    set_whole(b, place(b, &before, false), line, is_dirty);
}

void bank_empty(struct bank *b)
{
    struct tags *t = &b->cache.tags;
    if (b->ways && b->ways->state != WAYS_STEADY)
        return; /* ways go off: they are being emptied by themselves */
    for (u32 set = 0; set < t->sets; set++) {
        for (u32 way = 0; way < t->ways; way++)
            tags_line(t, set, way)->dirty = 0;
        if (b->ways)
            bank_note_dirty(b, set);
    }
    cache_flush(&b->cache);
}
