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
    struct request r = {.line = line, .sectors = sectors, .kind = REQUEST_LOAD};
    if (!l->config->flush_at_kernel_end && !is_watched(l))
        cache_warm(&l->cache, &r);
}

void l1_warm_store(struct l1 *l, u64 line)
{
    if (l->config->flush_at_kernel_end || is_watched(l) || l->config->write_hit != L1_WRITE_EVICT)
        return;
    struct cache_place p = cache_find(&l->cache, line, line);
    struct line *there = cache_line(&l->cache, p);
    if (there && there->state == LINE_VALID && !there->dirty)
        cache_invalidate(&l->cache, p.set, p.way);
}
