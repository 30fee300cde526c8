#include "fabric/rl2.h"

#include "base/map.h"
#include "fabric/rl1.h"

#include <assert.h>

#define MERGE_LIMIT 4096u
#define TILE_SHIFT 32u /* in the ticket of a request passed on: the tile that asked */

/* clang-format off */
const struct stat_def rl2_stats[] = {
    S_COUNT(rl2_counts, accesses, "requests", "requests served"),
    S_COUNT(rl2_counts, loads, "requests", "requests for lines"),
    S_COUNT(rl2_counts, victims, "requests", "lines written back by tiles"),
    S_COUNT(rl2_counts, atomics, "requests", "atomics passed on to memory"),
    S_COUNT(rl2_counts, hits, "requests", "requests that found their line"),
    S_COUNT(rl2_counts, misses, "requests", "requests that fetched a line from memory"),
    S_COUNT(rl2_counts, merges, "requests", "requests whose line was already on its way"),
    S_COUNT(rl2_counts, allocations, "requests", "write-backs from tiles that took a line"),
    S_COUNT(rl2_counts, fills, "lines", "lines filled"),
    S_COUNT(rl2_counts, evictions, "lines", "lines evicted"),
    S_COUNT(rl2_counts, writebacks, "lines", "dirty lines evicted"),
    S_COUNT(rl2_counts, flushed_lines, "lines", "dirty lines written back between phases"),
    S_COUNT(rl2_counts, passed, "requests", "requests passed on to memory while the bank was no cache, atomics excluded"),
    S_COUNT(rl2_counts, scratchpad_accesses, "requests", "accesses by offset while the bank was a scratchpad (no tag lookup)"),
    S_RATIO(rl2_counts, hit_rate, hits, accesses, "hits per request"),
    S_LAW(rl2_answers, "hits + misses + merges + allocations + atomics + passed + scratchpad_accesses == accesses", "each request has one outcome"),
    S_LAW(rl2_fills, "fills == misses", "each line that was asked for comes once"),
    S_END,
};
/* clang-format on */

static struct request *request_of(const struct rl2_bank *b, handle_t h)
{
    return pool_get(b->requests, h);
}

static struct cache_place find(const struct rl2_bank *b, u64 line)
{
    u64 byte = line;
    if (b->config->rl2.sharing == RL2_ALL)
        byte = line / b->config->line_bytes / b->config->rl2.banks << b->cache.tags.line_shift;
    return cache_find(&b->cache, byte, line);
}

/* ---- memory -------------------------------------------------------------------------------- */

static void send(struct rl2_bank *b, handle_t h, cycle_t now)
{
    struct request *r = request_of(b, h);
    r->agent = b->agent.number;
    r->reply_to = b->agent.node;
    r->to = (u16)address_place(&b->memory->map, r->line).bank;
    r->issued = now;
    r->issued_fs = b->sim->engine.now_fs;
    port_push(&b->out, h);
}

static void ask(struct rl2_bank *b, u64 line, u32 sectors, enum request_kind kind, cycle_t now)
{
    handle_t h = pool_alloc(b->requests);
    *request_of(b, h) = (struct request){.line = line,
                                         .sectors = sectors,
                                         .kind = (u8)kind,
                                         .flags = REQUEST_BYPASS_L2 | REQUEST_WHOLE};
    traffic_add(&b->traffic, now, request_data_bytes(request_of(b, h)));
    send(b, h, now);
}

static void write_back(struct rl2_bank *b, struct cache_place p, enum request_kind kind,
                       cycle_t now)
{
    struct line *line = cache_line(&b->cache, p);
    ask(b, tags_address(&b->cache.tags, p.set, p.way), line->dirty, kind, now);
    line->dirty = 0;
}

static void evict(struct rl2_bank *b, struct cache_place p, cycle_t now)
{
    const struct line *line = cache_line(&b->cache, p);
    if (line->state != LINE_VALID)
        return;
    b->counts.evictions++;
    if (line->dirty) {
        b->counts.writebacks++;
        write_back(b, p, REQUEST_WRITEBACK, now);
    }
}

/* ---- requests of tiles --------------------------------------------------------------------- */

/* False: not now. */
static bool load(struct rl2_bank *b, handle_t h, cycle_t now)
{
    const struct request *r = request_of(b, h);
    struct cache_place p = find(b, r->line);
    struct cache_miss m;
    if (cache_holds(&b->cache, p, r)) {
        cache_touch(&b->cache, p, r);
        timed_push(&b->answers, h, now + b->config->rl2.hit_cycles);
        b->counts.hits++;
        return true;
    }
    if (mshr_find(&b->cache.mshr, r->line)) {
        cache_merge(&b->cache, h);
        b->counts.merges++;
        return true;
    }
    if (cache_plan(&b->cache, p, r, true, 0, &m) != CACHE_CAN ||
        !port_has_room(&b->out, m.dirty_victim ? 2 : 1))
        return false;
    if (m.reserves)
        evict(b, m.place, now);
    u64 line = r->line;
    ask(b, line, cache_start(&b->cache, &m, h), REQUEST_LOAD, now);
    b->counts.misses++;
    return true;
}

/* What a tile wrote back: with an answer when it is being flushed. */
static bool take_victim(struct rl2_bank *b, handle_t h, cycle_t now)
{
    const struct request *r = request_of(b, h);
    struct cache_place p = find(b, r->line);
    if (p.way == NO_WAY) {
        p.way = cache_victim(&b->cache, p.set, 0, r);
        if (p.way == NO_WAY || (cache_line(&b->cache, p)->dirty && !port_can_push(&b->out)))
            return false;
        evict(b, p, now);
        cache_take(&b->cache, p.set, p.way, r, LINE_VALID);
        cache_line(&b->cache, p)->valid = 0;
        b->counts.allocations++;
    } else {
        cache_touch(&b->cache, p, r);
        b->counts.hits++;
    }
    struct line *line = cache_line(&b->cache, p);
    line->valid = (u8)(line->valid | r->sectors);
    line->dirty = (u8)(line->dirty | r->sectors);
    if (r->kind == REQUEST_STORE)
        timed_push(&b->answers, h, now + b->config->rl2.hit_cycles);
    else
        pool_free(b->requests, h);
    return true;
}

/* To memory as it is; its answer goes on to the tile. A victim has none. */
static bool pass(struct rl2_bank *b, handle_t h, cycle_t now)
{
    struct request *r = request_of(b, h);
    bool is_atomic = r->kind == REQUEST_ATOMIC;
    if (!port_can_push(&b->out))
        return false;
    r->ticket |= TICKET_PASSED | (u64)r->reply_to << TILE_SHIFT;
    b->counts.atomics += is_atomic;
    b->counts.passed += !is_atomic;
    if (!is_atomic) {
        r->flags |= REQUEST_BYPASS_L2 | REQUEST_WHOLE;
        traffic_add(&b->traffic, now, request_data_bytes(r));
    }
    send(b, h, now);
    return true;
}

/* An answer for a store, too: a phase ends when it is done. */
static bool use_scratchpad(struct rl2_bank *b, handle_t h, cycle_t now)
{
    assert(b->mode == RL2_SCRATCHPAD);
    timed_push(&b->answers, h, now + b->config->rl2.scratchpad_cycles);
    b->counts.scratchpad_accesses++;
    return true;
}

static bool serve_cache(struct rl2_bank *b, handle_t h, u8 kind, cycle_t now)
{
    return kind == REQUEST_LOAD     ? load(b, h, now)
           : kind == REQUEST_ATOMIC ? pass(b, h, now)
                                    : take_victim(b, h, now);
}

static bool serve(struct rl2_bank *b, handle_t h, cycle_t now)
{
    const struct request *r = request_of(b, h);
    u8 kind = r->kind;
    bool is_taken = r->ticket & TICKET_SCRATCHPAD ? use_scratchpad(b, h, now)
                    : b->mode == RL2_CACHE        ? serve_cache(b, h, kind, now)
                                                  : pass(b, h, now);
    b->counts.accesses += is_taken;
    b->counts.loads += is_taken && kind == REQUEST_LOAD;
    b->counts.victims += is_taken && kind != REQUEST_LOAD && kind != REQUEST_ATOMIC;
    return is_taken;
}

/* ---- answers ------------------------------------------------------------------------------- */

static void fill(struct rl2_bank *b, handle_t h, cycle_t now)
{
    const struct request *r = request_of(b, h);
    struct cache_place p = find(b, r->line);
    u64 line = r->line;
    handle_t next, w = cache_fill(&b->cache, p, line, r->sectors);
    for (; w; w = next) {
        next = request_of(b, w)->next;
        timed_push(&b->answers, w, now + 1);
    }
    cache_filled(&b->cache, p, line);
    pool_free(b->requests, h);
    b->counts.fills++;
}

static void take_answer(struct rl2_bank *b, handle_t h, cycle_t now)
{
    struct request *r = request_of(b, h);
    if (r->ticket & TICKET_PASSED) {
        r->reply_to = (u16)(r->ticket >> TILE_SHIFT);
        r->ticket &= TICKET_PASSED - 1;
        timed_push(&b->answers, h, now + 1);
    } else if (r->kind == REQUEST_LOAD) {
        fill(b, h, now);
    } else {
        b->unacknowledged--;
        pool_free(b->requests, h);
    }
}

static void send_answers(struct rl2_bank *b, cycle_t now)
{
    while (timed_next(&b->answers) <= now) {
        struct request *r = request_of(b, timed_peek(&b->answers, 0));
        struct port *port = &b->reply[r->reply_to % b->config->rl2.ports];
        if (!port_can_push(port))
            return;
        r->to = r->reply_to;
        r->flags |= REQUEST_REPLY;
        port_push(port, timed_pop(&b->answers));
    }
}

/* ---- between phases ------------------------------------------------------------------------ */

static bool flush_lines(struct rl2_bank *b, cycle_t now)
{
    const struct tags *t = &b->cache.tags;
    for (; b->flush_at < t->sets * t->ways; b->flush_at++) {
        struct cache_place p = {b->flush_at / t->ways, b->flush_at % t->ways};
        const struct line *line = cache_line(&b->cache, p);
        if (line->state == LINE_INVALID)
            continue;
        if (line->dirty) {
            if (!port_can_push(&b->out))
                return false;
            write_back(b, p, REQUEST_STORE, now);
            b->unacknowledged++;
            b->counts.flushed_lines++;
        }
        cache_invalidate(&b->cache, p.set, p.way);
    }
    b->flush_at = 0;
    return true;
}

static void flush(struct rl2_bank *b, cycle_t now)
{
    if (!b->flushed)
        b->flushed = flush_lines(b, now);
    if (!b->flushed || b->unacknowledged || !port_can_push(&b->up))
        return;
    port_push(&b->up, 0);
    b->flushes = b->flushed = false;
}

/* ---- time ---------------------------------------------------------------------------------- */

/* Those with something in them, the one whose turn it is first. */
static bool serve_ports(struct rl2_bank *b, cycle_t now)
{
    u32 first = (u32)(now % b->config->rl2.ports);
    u64 before = ((u64)1 << first) - 1;
    u64 turns[] = {b->rung & ~before, b->rung & before};
    bool more = false;
    for (u32 n = 0; n < ARRAY_LEN(turns); n++) {
        for (u64 left = turns[n]; left; left &= left - 1) {
            u32 i = (u32)__builtin_ctzll(left);
            struct port *in = &b->in[i];
            if (!port_ready(in) || !serve(b, port_head(in), now))
                continue;
            port_pop(in);
            more |= port_count(in) > 0;
            if (!port_count(in))
                b->rung &= ~((u64)1 << i);
        }
    }
    return more;
}

/* A port that could not be served is looked at again when a line comes or room is made. */
static cycle_t rl2_tick(void *self, cycle_t now)
{
    struct rl2_bank *b = self;
    while (port_ready(&b->down)) {
        u32 command = port_pop(&b->down);
        if (command == RL2_FLUSH)
            b->flushes = true;
        else
            b->mode = (u8)(command - RL2_SET);
    }
    while (port_ready(&b->answer))
        take_answer(b, port_pop(&b->answer), now);
    bool more = serve_ports(b, now);
    send_answers(b, now);
    if (b->flushes)
        flush(b, now);
    return more ? now + 1 : max_u64(timed_next(&b->answers), now + 1);
}

static struct port *make_ports(struct rl2_bank *b, const char *name, const char *what, u32 capacity)
{
    struct port *ports = ARENA_ARRAY(&b->sim->arena, struct port, b->config->rl2.ports);
    for (u32 i = 0; i < b->config->rl2.ports; i++)
        port_init(&ports[i], &b->sim->engine,
                  arena_printf(&b->sim->arena, "%s.%s%u", name, what, i), capacity);
    return ports;
}

static void init_queues(struct rl2_bank *b, const char *name)
{
    struct sim *sim = b->sim;
    const struct fabric_config *c = b->config;
    b->in = make_ports(b, name, "in", 4);
    for (u32 i = 0; i < c->rl2.ports; i++) {
        b->in[i].bell = &b->rung;
        b->in[i].bell_bit = (u64)1 << i;
    }
    b->reply = make_ports(b, name, "reply", 4);
    port_init(&b->out, &sim->engine, arena_printf(&sim->arena, "%s.miss", name), 16);
    port_init(&b->answer, &sim->engine, arena_printf(&sim->arena, "%s.answer", name), 16);
    port_init(&b->up, &sim->engine, arena_printf(&sim->arena, "%s.up", name), 2);
    port_init(&b->down, &sim->engine, arena_printf(&sim->arena, "%s.down", name), 2);
    /* all that tiles can have asked for at once */
    u64 mshrs = max_u64(c->rl1.mshrs, c->rl1.private_mshrs);
    u64 lines = c->rl1.banks * c->rl1.bank_bytes / c->line_bytes;
    u64 answers = c->rl1.banks * mshrs + 2 * c->tile.elements * c->tile.outstanding + lines;
    timed_init(&b->answers, &sim->arena, (u32)(c->tile.count * answers));
}

void rl2_init(struct rl2_bank *b, const struct build_site *site, const struct rl2_parts *p)
{
    struct sim *sim = site->sim;
    const struct fabric_config *c = p->config;
    const char *name = site_name(site, "rl2.bank", p->index);
    *b = (struct rl2_bank){.sim = sim,
                           .config = c,
                           .memory = p->memory,
                           .requests = p->memory->requests,
                           .index = p->index,
                           .agent = {.kind = AGENT_FABRIC,
                                     .socket = (u8)site->socket,
                                     .number = (u16)p->agent,
                                     .index = (u16)p->index,
                                     .node = (u16)p->agent}};
    b->unit = engine_add_unit(&sim->engine, p->domain, name, rl2_tick, b);
    struct cache_shape shape = {.size_bytes = c->rl2.bank_bytes,
                                .ways = c->rl2.ways,
                                .line_bytes = c->line_bytes,
                                .mshrs = c->rl2.mshrs,
                                .merge_limit = MERGE_LIMIT};
    cache_init(&b->cache, &sim->arena, &shape, b->requests, p->replacement,
               hash_u64(sim->seed + 1000003 + p->index));
    init_queues(b, name);
}

void rl2_client(struct rl2_bank *b, struct memory_client *out)
{
    *out = (struct memory_client){.agent = b->agent,
                                  .out = {&b->out, NULL},
                                  .in = &b->answer,
                                  .unit = b->unit,
                                  .retired = &b->counts.accesses,
                                  .misses = &b->counts.misses,
                                  .clock_hz = b->config->tile.clock_hz};
}
