/* A bank that is filled without time: what an access leaves in tags, replacement and monitors. */
#include "l2/bank_internal.h"

static struct line *place_line(struct bank *b, struct cache_place *p, const struct request *r)
{
    p->way = cache_victim(&b->cache, p->set, 0, r);
    if (p->way == NO_WAY)
        return NULL;
    if (tags_line(&b->cache.tags, p->set, p->way)->state == LINE_VALID)
        cache_invalidate(&b->cache, p->set, p->way); /* without a way to DRAM */
    cache_take(&b->cache, p->set, p->way, r, LINE_VALID);
    struct line *l = cache_line(&b->cache, *p);
    l->valid = (u8)b->cache.all_sectors;
    l->slot = r->home;
    return l;
}

void bank_warm(struct bank *b, const struct request *r)
{
    struct cache_place p = bank_find(b, r->line);
    bool hit = cache_holds(&b->cache, p, r);
    struct line *l = hit ? cache_line(&b->cache, p) : NULL;
    if (UNLIKELY(b->ways))
        bank_observe(b, r, hit);
    if (hit)
        cache_touch(&b->cache, p, r);
    else
        l = place_line(b, &p, r);
    if (!l || (r->kind != REQUEST_STORE && r->kind != REQUEST_WRITEBACK))
        return;
    l->dirty = (u8)(l->dirty | r->sectors);
    if (UNLIKELY(b->ways))
        bank_note_dirty(b, p.set);
}
