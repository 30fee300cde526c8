/* An L1 that is filled without time: the lines that loads of untimed execution leave in it. */
#include "gpu/l1/l1_internal.h"

/* Where an attachment follows what comes and goes, only lines that were loaded with time are there.
 */
static bool is_watched(const struct l1 *l)
{
    return l->on.evicted || l->on.shows;
}

void l1_warm(struct l1 *l, u64 line, u32 sectors)
{
    struct cache *c = &l->cache;
    struct request r = {.line = line, .sectors = sectors, .kind = REQUEST_LOAD};
    if (l->config->flush_at_kernel_end || is_watched(l))
        return;
    struct cache_place p = cache_find(c, line, line);
    if (p.way != NO_WAY) {
        cache_touch(c, p, &r);
    } else {
        p.way = cache_victim(c, p.set, 0, &r);
        if (p.way == NO_WAY || cache_line(c, p)->dirty)
            return;
        if (cache_line(c, p)->state == LINE_VALID)
            cache_invalidate(c, p.set, p.way);
        cache_take(c, p.set, p.way, &r, LINE_VALID);
        cache_line(c, p)->valid = 0;
    }
    struct line *there = cache_line(c, p);
    there->valid = (u8)(there->valid | cache_fill_sectors(c, sectors, there->valid));
}
