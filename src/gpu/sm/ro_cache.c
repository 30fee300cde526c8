/* Instruction, constant and texture caches: read only, whole lines, small. */
#include "gpu/sm/sm.h"

#include "base/map.h"

void ro_cache_init(struct ro_cache *s, struct sm *sm, const struct ro_cache_config *c, u8 client,
                   struct policy_choice lru)
{
    struct cache_shape shape = {.size_bytes = c->size_bytes,
                                .ways = c->ways,
                                .line_bytes = c->line_bytes,
                                .index = SET_LINEAR,
                                .mshrs = c->mshrs,
                                .merge_limit = c->merge_limit};
    *s = (struct ro_cache){
        .config = c,
        .client = client,
        .model = {.agent = sm->agent.number,
                  .kind = client == CLIENT_INSTRUCTION ? REQUEST_FETCH : REQUEST_LOAD}};
    cache_init(&s->cache, &sm->sim->arena, &shape, sm->requests, lru,
               hash_u64(sm->sim->seed + sm->index * 4u + client));
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

static void ask(struct sm *sm, struct ro_cache *s, const struct request *r, u32 sectors,
                cycle_t now)
{
    handle_t h = pool_alloc(sm->requests);
    struct request *f = sm_request(sm, h);
    *f = (struct request){.line = r->line,
                          .sectors = sectors,
                          .agent = r->agent,
                          .reply_to = r->reply_to,
                          .kind = s->client == CLIENT_INSTRUCTION ? REQUEST_FETCH : REQUEST_LOAD,
                          .application = r->application,
                          .ticket = r->ticket,
                          .issued = now};
    sm_send(sm, h, &sm->ro_cache_miss, now);
}

void ro_cache_prefetch(struct sm *sm, struct ro_cache *s, const struct request *missed, cycle_t now)
{
    u64 line = missed->line;
    u32 to_ask;
    for (u32 k = 0; k < s->config->prefetch_lines; k++) {
        line += s->config->line_bytes;
        if (mshr_probe(&s->cache.mshr, line) == MSHR_MERGED || ro_cache_holds(s, line))
            continue;
        if (mshr_is_full(&s->cache.mshr) || !sm_can_send(sm, &sm->ro_cache_miss, 1))
            return;
        handle_t h = pool_alloc(sm->requests);
        struct request *r = sm_request(sm, h);
        *r = *missed;
        r->line = line;
        struct sm_ticket t = ticket_read(missed);
        t.entry = NO_ENTRY;
        r->ticket = ticket_write(t);
        r->next = HANDLE_NONE;
        mshr_add(&s->cache.mshr, line, h, &to_ask);
        ask(sm, s, r, to_ask, now);
    }
}

enum ro_cache_answer ro_cache_access(struct sm *sm, struct ro_cache *s, handle_t h, cycle_t now)
{
    const struct request *r = sm_request(sm, h);
    u32 to_ask;
    if (ro_cache_holds(s, r->line)) {
        s->counts.accesses++;
        s->counts.hits++;
        return RO_CACHE_HIT;
    }
    enum mshr_answer answer = mshr_probe(&s->cache.mshr, r->line);
    if (answer == MSHR_FULL || answer == MSHR_MERGE_LIMIT ||
        (answer == MSHR_NEW && !sm_can_send(sm, &sm->ro_cache_miss, 1)))
        return RO_CACHE_BLOCKED;
    s->counts.accesses++;
    s->counts.misses++;
    mshr_add(&s->cache.mshr, r->line, h, &to_ask);
    if (to_ask) {
        struct request missed = *r; /* an ideal memory may answer, and free it, at once */
        ask(sm, s, r, to_ask, now);
        ro_cache_prefetch(sm, s, &missed, now);
    }
    return RO_CACHE_MISS;
}

static struct ro_cache *ro_cache_of(struct sm *sm, u8 client)
{
    return client == CLIENT_INSTRUCTION ? &sm->instruction
           : client == CLIENT_CONSTANT  ? &sm->constant
                                        : &sm->texture;
}

void ro_cache_reply(struct sm *sm, handle_t h, cycle_t now)
{
    const struct request *f = sm_request(sm, h);
    struct ro_cache *s = ro_cache_of(sm, ticket_read(f).client);
    struct cache_place p = cache_find(&s->cache, f->line, f->line);
    u64 slots = 0;
    p.way = cache_victim(&s->cache, p.set, 0, f);
    cache_take(&s->cache, p.set, p.way, f, LINE_VALID);
    handle_t next, w = cache_fill(&s->cache, p, f->line, f->sectors);
    pool_free(sm->requests, h);
    for (; w; w = next) {
        const struct request *r = sm_request(sm, w);
        next = r->next;
        struct sm_ticket t = ticket_read(r);
        if (t.entry == NO_ENTRY)
            ; /* a prefetch: nobody waits for it */
        else if (s->client == CLIENT_INSTRUCTION)
            slots |= (u64)1 << t.warp;
        else
            lsu_answered(&sm->lsu, t.entry, max_u64(now + 1, r->issued + s->config->hit_cycles),
                         now);
        pool_free(sm->requests, w);
    }
    warp_fetch_filled(&sm->fetch, slots);
}
