/*
 * Random machines: units on several clocks, joined by ports into a random graph
 * that may have circles, passing numbered tokens with random service times.
 * Some units change the frequency of a domain as they go.
 */
#ifndef SIM_GRAPH_H
#define SIM_GRAPH_H

#include "base/rng.h"
#include "sim/engine.h"
#include "sim/port.h"

#include <stdlib.h>
#include <string.h>

#define GRAPH_MOST_UNITS 24
#define GRAPH_MOST_PORTS 64
#define GRAPH_MOST_DOMAINS 5

struct graph_unit {
    struct graph *graph;
    u32 id;
    struct port *in[8], *out[8];
    u32 in_count, out_count;
    u32 service_max;
    bool holding, is_source, changes_clock;
    u32 token, to;
    cycle_t ready;
    u32 turn;
    u64 handled, busy, blocked, hash;
    cycle_t blocked_since;
    bool is_blocked;
};

struct graph {
    struct arena arena;
    struct engine engine;
    struct graph_unit units[GRAPH_MOST_UNITS];
    struct port ports[GRAPH_MOST_PORTS];
    u32 unit_count, port_count, domain_count;
    u64 key;
    u64 made, retired, limit;
    u32 hops;
};

/* A number that depends on what is being done, not on when it is asked. */
static inline u64 graph_draw(const struct graph_unit *u, u64 what)
{
    return rng_at(u->graph->key ^ ((u64)u->id << 32), what);
}

static inline void graph_retire(struct graph *g)
{
    if (++g->retired == g->limit)
        engine_stop(&g->engine);
}

static inline cycle_t graph_tick(void *self, cycle_t now)
{
    struct graph_unit *u = self;
    struct graph *g = u->graph;
    if (u->holding && now >= u->ready) {
        bool last = (u->token >> 24) >= g->hops || u->out_count == 0;
        struct port *out = last ? NULL : u->out[u->to];
        if (last) {
            u->holding = false;
            graph_retire(g);
        } else if (port_can_push(out)) {
            port_push(out, u->token + (1u << 24));
            u->holding = false;
        } else if (!u->is_blocked) {
            u->is_blocked = true;
            u->blocked_since = now;
        }
        if (!u->holding) {
            if (u->is_blocked)
                u->blocked += now - u->blocked_since;
            u->is_blocked = false;
            u->handled++;
            u->hash = u->hash * 31 + u->token + now;
        }
    }
    if (!u->holding) {
        /* inputs in turn, starting after the one served last */
        for (u32 i = 0; i < u->in_count && !u->holding; i++) {
            u32 k = (u->turn + i) % u->in_count;
            if (port_ready(u->in[k]) == 0)
                continue;
            u->token = port_pop(u->in[k]);
            u->turn = k + 1;
            u->holding = true;
        }
        if (!u->holding && u->is_source && g->made < g->limit) {
            u->token = (u32)(u->handled & 0xffffff);
            u->holding = true;
            g->made++;
        }
        if (u->holding) {
            u64 r = graph_draw(u, u->handled);
            u32 service = 1 + (u32)(r % u->service_max);
            u->ready = now + service;
            u->busy += service;
            u->to = u->out_count ? (u32)((r >> 32) % u->out_count) : 0;
            if (u->changes_clock && u->handled % 16 == 15)
                engine_set_hz(&g->engine, (u32)(r >> 40) % g->domain_count,
                              100000000 + (r >> 8) % 3000000000u);
        }
    }
    return u->holding && now < u->ready ? u->ready : CYCLE_NEVER;
}

/* order: units are added in this rotation; results must not depend on it, except
 * that sources race for the shared limit, so a graph has one source. */
static inline void graph_init(struct graph *g, u64 seed, bool no_skip, u32 rotation)
{
    memset(g, 0, sizeof *g);
    struct rng rng;
    rng_init(&rng, seed, "graph");
    g->key = rng_u64(&rng);
    engine_init(&g->engine, &g->arena,
                &(struct engine_options){.no_skip = no_skip, .watchdog_cycles = 30000});
    g->domain_count = 1 + (u32)rng_below(&rng, GRAPH_MOST_DOMAINS);
    g->unit_count = 2 + (u32)rng_below(&rng, GRAPH_MOST_UNITS - 2);
    g->limit = 20 + rng_below(&rng, 200);
    g->hops = 1 + (u32)rng_below(&rng, 12);
    bool clocks_change = rng_below(&rng, 3) == 0;
    for (u32 d = 0; d < g->domain_count; d++)
        engine_add_domain(&g->engine, "d", 100000000 + rng_below(&rng, 3000000000u));
    u32 domain[GRAPH_MOST_UNITS] = {0};
    for (u32 i = 0; i < g->unit_count; i++) {
        struct graph_unit *u = &g->units[i];
        u->graph = g;
        u->id = i;
        u->is_source = i == 0;
        u->service_max = rng_below(&rng, 4) == 0 ? 300 : 1 + (u32)rng_below(&rng, 6);
        domain[i] = (u32)rng_below(&rng, g->domain_count);
        u->changes_clock = clocks_change && i == 1;
    }
    u32 ports = g->unit_count + (u32)rng_below(&rng, g->unit_count);
    for (u32 i = 0; i < ports && g->port_count < GRAPH_MOST_PORTS; i++) {
        /* mostly forward, sometimes back: circles can hang, which is a result too */
        u32 from = (u32)rng_below(&rng, g->unit_count), to = (u32)rng_below(&rng, g->unit_count);
        u32 capacity = 1 + (u32)rng_below(&rng, 5);
        if (i < g->unit_count - 1) {
            from = i;
            to = i + 1;
        } else if (to < from && rng_below(&rng, 8)) {
            u32 swap = to;
            to = from;
            from = swap;
        }
        struct graph_unit *a = &g->units[from], *b = &g->units[to];
        if (from == to || a->out_count == 8 || b->in_count == 8)
            continue;
        struct port *p = &g->ports[g->port_count++];
        port_init(p, &g->engine, "p", capacity);
        a->out[a->out_count++] = p;
        b->in[b->in_count++] = p;
        p->producer = from; /* replaced by unit ids below */
        p->consumer = to;
    }
    u32 id_of[GRAPH_MOST_UNITS] = {0};
    for (u32 k = 0; k < g->unit_count; k++) {
        u32 i = (k + rotation) % g->unit_count;
        id_of[i] = engine_add_unit(&g->engine, domain[i], "u", graph_tick, &g->units[i]);
    }
    for (u32 i = 0; i < g->port_count; i++)
        port_connect(&g->ports[i], id_of[g->ports[i].producer], id_of[g->ports[i].consumer]);
    engine_start(&g->engine);
}

/* Everything that can be observed about a run, in one number. */
static inline u64 graph_digest(const struct graph *g, enum engine_end end)
{
    u64 h = (u64)end;
    for (u32 i = 0; i < g->unit_count; i++) {
        const struct graph_unit *u = &g->units[i];
        u64 parts[] = {u->handled, u->busy, u->blocked, u->hash, u->holding};
        for (size_t k = 0; k < ARRAY_LEN(parts); k++)
            h = h * 0x9E3779B97F4A7C15ull + parts[k] + 1;
    }
    for (u32 i = 0; i < g->port_count; i++)
        h = h * 31 + g->ports[i].counts.pushed * 7 + g->ports[i].counts.popped;
    /* a hang is noticed at different instants with and without skipping */
    if (end == ENGINE_STOPPED) {
        h = h * 31 + g->engine.now_fs;
        for (u32 d = 0; d < g->domain_count; d++)
            h = h * 31 + engine_cycle(&g->engine, d);
    }
    return h;
}

#endif
