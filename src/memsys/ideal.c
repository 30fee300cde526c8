#include "memsys/memory_system.h"

#include "base/map.h"

#include <string.h>

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
        u32 cycles = hit ? m->config->hit_cycles : m->config->miss_cycles;
        timed_push(hit ? &m->hits : &m->misses, h, now + cycles - PORT_CYCLES);
    }
}

static void answer(struct ideal *m, struct timed_queue *d, cycle_t now)
{
    while (timed_next(d) <= now) {
        handle_t h = timed_pop(d);
        const struct request *r = pool_get(m->requests, h);
        port_push(m->clients[r->reply_to].in, h);
    }
}

static cycle_t ideal_tick(void *self, cycle_t now)
{
    struct ideal *m = self;
    for (u32 i = 0; i < m->client_count; i++) {
        for (u32 k = 0; k < MEMORY_CLIENT_PORTS; k++) {
            if (m->clients[i].out[k])
                take(m, m->clients[i].out[k], now);
        }
    }
    answer(m, &m->hits, now);
    answer(m, &m->misses, now);
    return max_u64(now + 1, min_u64(timed_next(&m->hits), timed_next(&m->misses)));
}

void ideal_init(struct ideal *m, const struct ideal_parts *p)
{
    struct sim *sim = p->site->sim;
    const struct memory_config *c = p->config;
    struct memory_client *own = ARENA_ARRAY(&sim->arena, struct memory_client, p->client_count);
    memcpy(own, p->clients, p->client_count * sizeof *own);
    *m = (struct ideal){.config = c->ideal,
                        .engine = &sim->engine,
                        .requests = p->requests,
                        .map = p->map,
                        .clients = own,
                        .client_count = p->client_count};
    struct cache_shape shape = l2_bank_shape(c->l2, p->banks, c->line_bytes);
    m->banks = ARENA_ARRAY(&sim->arena, struct cache, p->banks);
    for (u32 i = 0; i < p->banks; i++)
        cache_init(&m->banks[i], &sim->arena, &shape, p->requests, p->replacement,
                   hash_u64(sim->seed + i));
    timed_init(&m->hits, &sim->arena, p->requests->capacity);
    timed_init(&m->misses, &sim->arena, p->requests->capacity);
    m->unit = engine_add_unit(&sim->engine, p->domain, site_name_of(p->site, "ideal memory"),
                              ideal_tick, m);
    for (u32 i = 0; i < p->client_count; i++) {
        for (u32 k = 0; k < MEMORY_CLIENT_PORTS; k++) {
            if (own[i].out[k])
                port_connect(own[i].out[k], own[i].unit, m->unit);
        }
        port_connect(own[i].in, m->unit, own[i].unit);
    }
}
