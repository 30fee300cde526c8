/* Instruction, constant and texture caches: read only, whole lines, small. */
#include "gpu/sm/ro_cache.h"

#include "gpu/sm/ticket.h"

static struct request *request_of(struct ro_cache *s, handle_t h)
{
    return pool_get(s->at.requests, h);
}

void ro_cache_init(struct ro_cache *s, struct arena *arena, const struct ro_cache_parts *parts)
{
    const struct ro_cache_config *c = parts->config;
    struct cache_shape shape = {.size_bytes = c->size_bytes,
                                .ways = c->ways,
                                .line_bytes = c->line_bytes,
                                .index = SET_LINEAR,
                                .mshrs = c->mshrs,
                                .merge_limit = c->merge_limit};
    u8 kind = parts->client == CLIENT_INSTRUCTION ? REQUEST_FETCH : REQUEST_LOAD;
    *s = (struct ro_cache){
        .config = c, .model = {.agent = parts->agent, .kind = kind}, .at = *parts};
    cache_init(&s->cache, arena, &shape, parts->requests, parts->lru, parts->seed);
}

bool ro_cache_holds(struct ro_cache *s, u64 line)
{
    struct cache_place p = cache_find(&s->cache, line, line);
    const struct line *l = cache_line(&s->cache, p);
    if (!l || l->state != LINE_VALID)
        return false;
    s->model.line = line;
    cache_touch(&s->cache, p, &s->model);
    return true;
}

static void ask(struct ro_cache *s, const struct request *r, u32 sectors, cycle_t now)
{
    handle_t h = pool_alloc(s->at.requests);
    struct request *f = request_of(s, h);
    *f = (struct request){.line = r->line,
                          .sectors = sectors,
                          .agent = r->agent,
                          .reply_to = r->reply_to,
                          .kind = s->model.kind,
                          .application = r->application,
                          .ticket = r->ticket,
                          .issued = now};
    s->at.ops->send(s->at.sm, h, now);
}

void ro_cache_prefetch(struct ro_cache *s, const struct request *missed, cycle_t now)
{
    u64 line = missed->line;
    u32 to_ask;
    for (u32 k = 0; k < s->config->prefetch_lines; k++) {
        line += s->config->line_bytes;
        if (mshr_probe(&s->cache.mshr, line) == MSHR_MERGED || ro_cache_holds(s, line))
            continue;
        if (mshr_is_full(&s->cache.mshr) || !s->at.ops->can_send(s->at.sm))
            return;
        handle_t h = pool_alloc(s->at.requests);
        struct request *r = request_of(s, h);
        *r = *missed;
        r->line = line;
        struct sm_ticket t = ticket_read(missed);
        t.entry = NO_ENTRY;
        r->ticket = ticket_write(t);
        r->next = HANDLE_NONE;
        mshr_add(&s->cache.mshr, line, h, &to_ask);
        ask(s, r, to_ask, now);
    }
}

enum ro_cache_answer ro_cache_access(struct ro_cache *s, handle_t h, cycle_t now)
{
    const struct request *r = request_of(s, h);
    u32 to_ask;
    if (ro_cache_holds(s, r->line)) {
        s->counts.accesses++;
        s->counts.hits++;
        return RO_CACHE_HIT;
    }
    enum mshr_answer answer = mshr_probe(&s->cache.mshr, r->line);
    if (answer == MSHR_FULL || answer == MSHR_MERGE_LIMIT ||
        (answer == MSHR_NEW && !s->at.ops->can_send(s->at.sm)))
        return RO_CACHE_BLOCKED;
    s->counts.accesses++;
    s->counts.misses++;
    mshr_add(&s->cache.mshr, r->line, h, &to_ask);
    if (to_ask) {
        struct request missed = *r; /* an ideal memory may answer, and free it, at once */
        ask(s, r, to_ask, now);
        ro_cache_prefetch(s, &missed, now);
    }
    return RO_CACHE_MISS;
}

bool ro_cache_put(struct ro_cache *s, u64 line)
{
    struct cache_place p = cache_find(&s->cache, line, line);
    struct request brought = {.line = line, .kind = s->model.kind};
    p.way = cache_victim(&s->cache, p.set, 0, &brought);
    if (p.way == NO_WAY)
        return false;
    cache_take(&s->cache, p.set, p.way, &brought, LINE_VALID);
    cache_line(&s->cache, p)->valid = (u8)s->cache.all_sectors;
    return true;
}

void ro_cache_reply(struct ro_cache *s, handle_t h, cycle_t now)
{
    const struct request *f = request_of(s, h);
    struct cache_place p = cache_find(&s->cache, f->line, f->line);
    p.way = cache_victim(&s->cache, p.set, 0, f);
    cache_take(&s->cache, p.set, p.way, f, LINE_VALID);
    handle_t next, w = cache_fill(&s->cache, p, f->line, f->sectors);
    pool_free(s->at.requests, h);
    for (; w; w = next) {
        const struct request *r = request_of(s, w);
        next = r->next;
        if (ticket_read(r).entry != NO_ENTRY) /* else a prefetch: nobody waits for it */
            s->at.ops->came(s->at.sm, s, r, now);
        pool_free(s->at.requests, w);
    }
}
