/* Stores that an L1 keeps until their line leaves. */
#include "gpu/l1/l1_internal.h"

u8 l1_keep_store(struct sm *sm, handle_t h, struct cache_place p)
{
    const struct request *r = sm_request(sm, h);
    struct line *line = cache_line(&sm->l1.cache, p);
    line->dirty = (u8)(line->dirty | r->sectors);
    line->valid = (u8)(line->valid | r->sectors);
    cache_touch(&sm->l1.cache, p, r);
    sm->l1.counts.stores++;
    l1_store_done(sm, r);
    pool_free(sm->requests, h);
    return L1_STALL_NONE;
}

bool l1_can_keep_new(struct sm *sm, const struct request *r, struct cache_place *p, u8 *stall)
{
    const struct l1_config *c = &sm->config->sm.l1;
    if (p->way != NO_WAY || c->write_miss != L1_WRITE_ALLOCATE || !(r->flags & REQUEST_WHOLE) ||
        r->flags & (REQUEST_NO_FILL | REQUEST_NO_L1 | REQUEST_LOCAL))
        return false;
    u32 way = cache_victim(&sm->l1.cache, p->set, l1_kept(sm, p->set), r);
    if (way == NO_WAY)
        return false;
    if (tags_line(&sm->l1.cache.tags, p->set, way)->dirty && !sm_can_send(sm, &sm->miss, 1)) {
        *stall = L1_STALL_L2;
        return false;
    }
    p->way = way;
    l1_make_room(sm, *p, r, LINE_VALID);
    return true;
}
