/* Lines that come to a bank from outside, between kernels: whatever goes for them goes at no cost.
 */
#include "mem/bank_parts.h"

/* The way that a line has now; NO_WAY: it found none. */
static u32 place(struct bank *b, u32 set, u64 line, bool as_next)
{
    u32 way = tags_find(&b->tags, set, line);
    if (way != NO_WAY)
        return way;
    way = tags_victim(&b->tags, set);
    if (way == NO_WAY)
        return way;
    if (as_next)
        tags_place_next(&b->tags, set, way, line);
    else
        tags_place(&b->tags, set, way, line, LINE_VALID);
    return way;
}

static void set_whole(struct bank *b, u32 set, u32 way, bool is_dirty)
{
    if (way == NO_WAY)
        return;
    struct line *l = tags_line(&b->tags, set, way);
    if (l->state != LINE_VALID)
        return;
    l->valid = (u8)bank_all_sectors(b);
    l->dirty = is_dirty ? l->valid : 0;
}

void bank_place_copied(struct bank *b, u64 line)
{
    u32 set = tags_set(&b->tags, address_place(b->map, line).bank_byte);
    set_whole(b, set, place(b, set, line, true), false);
    if (b->halves)
        bank_drop_copy(b, set, line, bank_all_sectors(b));
}

void bank_place_context(struct bank *b, u64 line, bool is_dirty)
{
    u32 set = tags_set(&b->tags, address_place(b->map, line).bank_byte);
    set_whole(b, set, place(b, set, line, false), is_dirty);
}
