#include "gpu/ideal.h"

#include "base/map.h"

/* From an SM's push to the answer in its port are two steps of one cycle each. */
#define PORT_CYCLES 2u

static bool is_hit(struct ideal *m, const struct request *r)
{
    struct place p = address_place(m->map, r->line);
    struct cache *c = &m->banks[p.bank];
    struct cache_place found = cache_find(c, p.bank_byte, r->line);
    m->accesses++;
    if (found.way != NO_WAY) {
        cache_touch(c, found, r);
        return true;
    }
    m->missed++;
    cache_take(c, found.set, cache_victim(c, found.set, 0, r), r, LINE_VALID);
    return false;
}

static void take(struct ideal *m, struct port *port, cycle_t now)
{
    while (port_ready(port)) {
        handle_t h = port_pop(port);
        struct request *r = pool_get(m->requests, h);
        bool hit = is_hit(m, r);
        if (r->kind == REQUEST_WRITEBACK) {
            pool_free(m->requests, h);
            continue;
        }
        r->flags |= REQUEST_REPLY;
        u32 cycles = hit ? m->config->ideal.hit_cycles : m->config->ideal.miss_cycles;
        delay_push(hit ? &m->hits : &m->misses, h, now + cycles - PORT_CYCLES);
    }
}

static void answer(struct ideal *m, struct delay *d, cycle_t now)
{
    while (delay_next(d) <= now) {
        handle_t h = delay_pop(d);
        const struct request *r = pool_get(m->requests, h);
        port_push(&m->sms[r->reply_to].reply, h);
    }
}

static cycle_t ideal_tick(void *self, cycle_t now)
{
    struct ideal *m = self;
    for (u32 i = 0; i < m->config->sm.count; i++) {
        take(m, &m->sms[i].miss, now);
        take(m, &m->sms[i].side_miss, now);
    }
    answer(m, &m->hits, now);
    answer(m, &m->misses, now);
    return max_u64(now + 1, min_u64(delay_next(&m->hits), delay_next(&m->misses)));
}

void ideal_init(struct ideal *m, struct sim *sim, domain_id domain, const struct gpu_config *c,
                u32 banks, const struct address_map *map, struct pool *requests, struct sm *sms,
                struct policy_choice replacement)
{
    *m = (struct ideal){
        .config = c, .engine = &sim->engine, .requests = requests, .map = map, .sms = sms};
    struct cache_shape shape = l2_bank_shape(&c->l2, banks, c->line_bytes);
    m->banks = ARENA_ARRAY(&sim->arena, struct cache, banks);
    for (u32 i = 0; i < banks; i++)
        cache_init(&m->banks[i], &sim->arena, &shape, requests, replacement,
                   hash_u64(sim->seed + i));
    delay_init(&m->hits, &sim->arena, requests->capacity);
    delay_init(&m->misses, &sim->arena, requests->capacity);
    m->unit = engine_add_unit(&sim->engine, domain, "ideal memory", ideal_tick, m);
    for (u32 i = 0; i < c->sm.count; i++) {
        port_connect(&sms[i].miss, sms[i].unit, m->unit);
        port_connect(&sms[i].side_miss, sms[i].unit, m->unit);
        port_connect(&sms[i].reply, m->unit, sms[i].unit);
    }
}
