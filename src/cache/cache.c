#include "cache/cache.h"

#include <string.h>

void cache_init(struct cache *c, struct arena *arena, const struct cache_shape *shape,
                struct pool *requests, struct policy_choice replacement, u64 seed)
{
    *c = (struct cache){
        .requests = requests,
        .line_bytes = shape->line_bytes,
        .fill_bytes = shape->fill_bytes,
        .all_sectors = (1u << (shape->line_bytes / SECTOR_BYTES)) - 1,
    };
    u32 sets = (u32)(shape->size_bytes / ((u64)shape->ways * shape->line_bytes));
    tags_init(&c->tags, arena, sets, shape->ways, shape->line_bytes, shape->index, replacement,
              seed);
    mshr_init(&c->mshr, arena, requests, shape->mshrs, shape->merge_limit);
}

static void show(struct cache *c, u32 set, u32 way, u64 line)
{
    if (UNLIKELY(c->events && c->events->shows))
        c->events->shows(c, set, way, line);
}

void cache_take(struct cache *c, u32 set, u32 way, const struct request *r, enum line_state state)
{
    if (tags_line(&c->tags, set, way)->state == LINE_VALID && c->events && c->events->evicted)
        c->events->evicted(c, set, way);
    tags_place(&c->tags, set, way, r, state);
    if (UNLIKELY(c->versions))
        c->versions[(size_t)set * c->tags.ways + way] = 0;
    show(c, set, way, state == LINE_VALID ? r->line : NO_LINE);
}

void cache_take_next(struct cache *c, u32 set, u32 way, const struct request *r)
{
    if (tags_line(&c->tags, set, way)->state == LINE_VALID && c->events && c->events->evicted)
        c->events->evicted(c, set, way);
    tags_place_next(&c->tags, set, way, r->line);
    show(c, set, way, r->line);
}

void cache_invalidate(struct cache *c, u32 set, u32 way)
{
    tags_invalidate(&c->tags, set, way);
    show(c, set, way, NO_LINE);
}

void cache_flush(struct cache *c)
{
    const struct tags *t = &c->tags;
    for (u32 set = 0; set < t->sets; set++) {
        for (u64 left = t->in_set[set].valid; left; left &= left - 1) {
            u32 way = (u32)__builtin_ctzll(left);
            if (!tags_line(t, set, way)->dirty)
                cache_invalidate(c, set, way);
        }
    }
}

void cache_use_ways(struct cache *c, u32 ways)
{
    tags_use_ways(&c->tags, ways);
    for (u32 set = 0; c->events && c->events->shows && set < c->tags.sets; set++) {
        for (u32 way = c->tags.usable; way < c->tags.ways; way++)
            show(c, set, way, NO_LINE);
    }
}

enum cache_answer cache_plan(struct cache *c, struct cache_place p, const struct request *access,
                             bool reserves, u64 kept, struct cache_miss *m)
{
    *m = (struct cache_miss){.place = p, .is_there = p.way != NO_WAY};
    if (!m->is_there && reserves) {
        m->place.way = cache_victim(c, p.set, kept, access);
        if (m->place.way == NO_WAY)
            return CACHE_NO_WAY;
        m->reserves = true;
        m->dirty_victim = tags_line(&c->tags, p.set, m->place.way)->dirty != 0;
    }
    return mshr_is_full(&c->mshr) ? CACHE_NO_MSHR : CACHE_CAN;
}

u32 cache_fill_sectors(const struct cache *c, u32 wanted, u32 valid)
{
    if (!c->fill_bytes)
        return c->all_sectors;
    if (c->fill_bytes <= SECTOR_BYTES)
        return wanted;
    u32 width = c->fill_bytes / SECTOR_BYTES, group = (1u << width) - 1, all = 0;
    for (u32 at = 0; at < c->line_bytes / SECTOR_BYTES; at += width)
        all |= wanted & group << at ? group << at : 0;
    return wanted | (all & ~valid);
}

u32 cache_start(struct cache *c, const struct cache_miss *m, handle_t h)
{
    struct request *r = pool_get(c->requests, h);
    u32 wanted = r->sectors, to_ask;
    if (m->reserves)
        cache_take(c, m->place.set, m->place.way, r, LINE_RESERVED);
    else if (m->is_there) /* not to be given up meanwhile */
        tags_set_state(&c->tags, m->place.set, m->place.way, LINE_RESERVED);
    r->sectors = UNLIKELY(m->sectors)
                     ? m->sectors
                     : cache_fill_sectors(c, wanted, m->is_there ? cache_valid(c, m->place) : 0);
    mshr_add(&c->mshr, r->line, h, &to_ask);
    r->sectors = wanted;
    return to_ask;
}

u32 cache_merge(struct cache *c, handle_t h)
{
    u32 to_ask;
    mshr_add(&c->mshr, ((const struct request *)pool_get(c->requests, h))->line, h, &to_ask);
    return to_ask;
}

handle_t cache_fill(struct cache *c, struct cache_place p, u64 line, u32 sectors)
{
    if (p.way != NO_WAY) {
        struct line *l = tags_line(&c->tags, p.set, p.way);
        l->valid = (u8)(l->valid | sectors);
    }
    return mshr_arrive(&c->mshr, line, sectors);
}

void cache_filled(struct cache *c, struct cache_place p, u64 line)
{
    if (p.way == NO_WAY || mshr_find(&c->mshr, line))
        return;
    tags_set_state(&c->tags, p.set, p.way, LINE_VALID);
    show(c, p.set, p.way, line);
}

void cache_warm(struct cache *c, const struct request *r)
{
    struct cache_place p = cache_find(c, r->line, r->line);
    if (p.way != NO_WAY) {
        cache_touch(c, p, r);
    } else {
        p.way = cache_victim(c, p.set, 0, r);
        if (p.way == NO_WAY || tags_line(&c->tags, p.set, p.way)->dirty)
            return;
        if (tags_line(&c->tags, p.set, p.way)->state == LINE_VALID)
            cache_invalidate(c, p.set, p.way);
        cache_take(c, p.set, p.way, r, LINE_VALID);
        cache_line(c, p)->valid = 0;
    }
    struct line *l = cache_line(c, p);
    l->valid = (u8)(l->valid | cache_fill_sectors(c, r->sectors, l->valid));
}
