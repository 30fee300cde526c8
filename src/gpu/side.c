/* Instruction, constant and texture caches: read only, whole lines, small. */
#include "gpu/sm.h"

#include "base/map.h"

void side_init(struct side *s, struct sm *sm, const struct side_config *c, u8 client,
               const struct replacement_ops *lru)
{
    struct arena *arena = &sm->sim->arena;
    *s = (struct side){.config = c, .client = client};
    tags_init(&s->tags, arena, c->size_bytes / (c->line_bytes * c->ways), c->ways, c->line_bytes,
              SET_LINEAR, lru, hash_u64(sm->sim->seed + sm->index * 4u + client));
    mshr_init(&s->mshr, arena, sm->requests, c->mshrs, c->merge_limit);
}

bool side_holds(const struct side *s, u64 line)
{
    u32 set = tags_set(&s->tags, line), way = tags_find(&s->tags, set, line);
    if (way == NO_WAY || tags_line(&s->tags, set, way)->state != LINE_VALID)
        return false;
    s->tags.replacement.ops->hit((struct replacement *)&s->tags.replacement, set, way);
    return true;
}

static void ask(struct sm *sm, struct side *s, const struct request *r, u32 sectors, cycle_t now)
{
    handle_t h = pool_alloc(sm->requests);
    struct request *f = sm_request(sm, h);
    *f = (struct request){.line = r->line,
                          .sectors = sectors,
                          .agent = r->agent,
                          .reply_to = r->reply_to,
                          .kind = s->client == CLIENT_INSTRUCTION ? REQUEST_FETCH : REQUEST_LOAD,
                          .ticket = r->ticket,
                          .issued = now};
    sm_send(sm, h, &sm->side_miss, now);
}

/* Lines after one that missed, as far as there is room; nobody waits for them. */
static void prefetch(struct sm *sm, struct side *s, const struct request *missed, cycle_t now)
{
    u64 line = missed->line;
    u32 to_ask;
    for (u32 k = 0; k < s->config->prefetch_lines; k++) {
        line += s->config->line_bytes;
        if (mshr_probe(&s->mshr, line) == MSHR_MERGED || side_holds(s, line))
            continue;
        if (mshr_is_full(&s->mshr) || !sm_can_send(sm, &sm->side_miss, 1))
            return;
        handle_t h = pool_alloc(sm->requests);
        struct request *r = sm_request(sm, h);
        *r = *missed;
        r->line = line;
        struct sm_ticket t = ticket_read(missed);
        t.entry = NO_ENTRY;
        r->ticket = ticket_write(t);
        r->next = HANDLE_NONE;
        mshr_add(&s->mshr, line, h, &to_ask);
        ask(sm, s, r, to_ask, now);
    }
}

enum side_answer side_access(struct sm *sm, struct side *s, handle_t h, cycle_t now)
{
    const struct request *r = sm_request(sm, h);
    u32 to_ask;
    if (side_holds(s, r->line)) {
        s->counts.accesses++;
        s->counts.hits++;
        return SIDE_HIT;
    }
    enum mshr_answer answer = mshr_probe(&s->mshr, r->line);
    if (answer == MSHR_FULL || answer == MSHR_MERGE_LIMIT ||
        (answer == MSHR_NEW && !sm_can_send(sm, &sm->side_miss, 1)))
        return SIDE_BLOCKED;
    s->counts.accesses++;
    s->counts.misses++;
    mshr_add(&s->mshr, r->line, h, &to_ask);
    if (to_ask) {
        struct request missed = *r; /* an ideal memory may answer, and free it, at once */
        ask(sm, s, r, to_ask, now);
        prefetch(sm, s, &missed, now);
    }
    return SIDE_MISS;
}

static struct side *side_of(struct sm *sm, u8 client)
{
    return client == CLIENT_INSTRUCTION ? &sm->instruction
           : client == CLIENT_CONSTANT  ? &sm->constant
                                        : &sm->texture;
}

void side_reply(struct sm *sm, handle_t h, cycle_t now)
{
    const struct request *f = sm_request(sm, h);
    struct side *s = side_of(sm, ticket_read(f).client);
    u32 set = tags_set(&s->tags, f->line), way = tags_victim(&s->tags, set);
    u64 slots = 0;
    tags_place(&s->tags, set, way, f->line, LINE_VALID);
    handle_t next, w = mshr_arrive(&s->mshr, f->line, f->sectors);
    pool_free(sm->requests, h);
    for (; w; w = next) {
        const struct request *r = sm_request(sm, w);
        next = r->next;
        if (s->client == CLIENT_INSTRUCTION)
            slots |= (u64)(ticket_read(r).entry != NO_ENTRY) << ticket_read(r).warp;
        else
            lsu_answered(sm, ticket_read(r).entry,
                         max_u64(now + 1, r->issued + s->config->hit_cycles), now);
        pool_free(sm->requests, w);
    }
    fetch_filled(sm, slots);
}
