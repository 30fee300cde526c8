#include "gpu/sm/l0_icache.h"

#include <string.h>

void l0_icache_init(struct l0_icache *n, struct arena *arena, const struct l0_icache_parts *parts)
{
    const struct fetch_config *c = parts->config;
    *n = (struct l0_icache){.last = NO_LINE, .launch_start = NO_LINE, .at = *parts};
    if (!c->l0_bytes)
        return;
    struct cache_shape shape = {.size_bytes = c->l0_bytes,
                                .ways = c->l0_ways,
                                .line_bytes = parts->larger->config->line_bytes,
                                .index = SET_LINEAR,
                                .mshrs = 1,
                                .merge_limit = 1};
    cache_init(&n->cache, arena, &shape, parts->larger->at.requests, parts->lru, parts->seed);
    n->ready = ARENA_ARRAY(arena, cycle_t, (size_t)n->cache.tags.sets * c->l0_ways);
}

void l0_icache_launch(struct l0_icache *n)
{
    n->launch_start = NO_LINE;
    memset(n->launch_taken, 0, sizeof n->launch_taken);
}

/* The larger cache has the line, perhaps because the launch has brought it. */
static bool is_held(struct l0_icache *n, u64 line)
{
    struct ro_cache *s = n->at.larger;
    if (ro_cache_holds(s, line))
        return true;
    u64 size = s->config->line_bytes, number = (line - n->launch_start) / size;
    if (line < n->launch_start || (number + 1) * size > n->at.config->launch_bytes ||
        n->launch_taken[number / 64] >> number % 64 & 1)
        return false;
    n->launch_taken[number / 64] |= (u64)1 << number % 64;
    return ro_cache_put(s, line);
}

/* The line is on its way from the larger cache, which has it. */
static cycle_t bring(struct l0_icache *n, u64 line, cycle_t now)
{
    const struct fetch_config *c = n->at.config;
    struct cache_place p = cache_find(&n->cache, line, line);
    struct request r = {.line = line, .kind = REQUEST_FETCH};
    p.way = cache_victim(&n->cache, p.set, 0, &r);
    cache_take(&n->cache, p.set, p.way, &r, LINE_VALID);
    n->port_free = max_u64(n->port_free + c->l0_line_cycles, now + c->l0_cycles);
    return n->ready[p.set * n->cache.tags.ways + p.way] = n->port_free;
}

/* Lines after one that a warp has come to. */
static void bring_ahead(struct l0_icache *n, u64 line, cycle_t now)
{
    u64 size = n->at.larger->config->line_bytes;
    for (u32 k = 1; k <= n->at.config->l0_ahead; k++) {
        u64 next = line + k * size;
        if (cache_find(&n->cache, next, next).way != NO_WAY)
            continue;
        if (!is_held(n, next))
            return;
        bring(n, next, now);
    }
}

cycle_t l0_icache_fetch(struct l0_icache *n, u64 line, cycle_t now)
{
    if (UNLIKELY(n->launch_start == NO_LINE))
        n->launch_start = line;
    struct cache_place p = cache_find(&n->cache, line, line);
    cycle_t ready;
    if (LIKELY(p.way != NO_WAY)) {
        struct request r = {.line = line, .kind = REQUEST_FETCH};
        ready = max_u64(now, n->ready[p.set * n->cache.tags.ways + p.way]);
        if (LIKELY(line == n->last))
            return ready;
        cache_touch(&n->cache, p, &r);
    } else if (is_held(n, line)) {
        ready = bring(n, line, now);
    } else {
        return CYCLE_NEVER;
    }
    n->last = line;
    bring_ahead(n, line, now);
    return ready;
}

void l0_icache_go_on(struct l0_icache *n, const struct request *here, cycle_t now)
{
    struct ro_cache *s = n->at.larger;
    u32 lines = s->config->prefetch_lines;
    u64 size = s->config->line_bytes, last = here->line + lines * size;
    if (is_held(n, last) || mshr_probe(&s->cache.mshr, last) == MSHR_MERGED)
        return;
    for (u32 k = 1; k < lines; k++)
        is_held(n, here->line + k * size); /* what the launch has brought is not asked for */
    ro_cache_prefetch(s, here, now);
}
