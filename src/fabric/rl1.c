#include "fabric/rl1.h"

#include "base/map.h"

#include <assert.h>

#define MERGE_LIMIT 4096u /* the elements' queues are the limit */

/* clang-format off */
const struct stat_def rl1_stats[] = {
    S_COUNT(rl1_counts, accesses, "accesses", "element accesses to banks used as caches"),
    S_COUNT(rl1_counts, loads, "accesses", "load accesses to banks used as caches"),
    S_COUNT(rl1_counts, stores, "accesses", "store accesses to banks used as caches"),
    S_COUNT(rl1_counts, lookups, "lookups", "tag lookups: accesses, and those refused for lack of an MSHR or of room"),
    S_COUNT(rl1_counts, hits, "accesses", "accesses that found their data (a store: its line)"),
    S_COUNT(rl1_counts, misses, "accesses", "loads that requested a line"),
    S_COUNT(rl1_counts, merges, "accesses", "loads whose line was already on its way"),
    S_COUNT(rl1_counts, store_allocations, "accesses", "stores that took a line without fetching it"),
    S_COUNT(rl1_counts, fills, "lines", "lines filled"),
    S_COUNT(rl1_counts, evictions, "lines", "lines evicted"),
    S_COUNT(rl1_counts, writebacks, "lines", "dirty lines evicted"),
    S_COUNT(rl1_counts, flushed_lines, "lines", "dirty lines written back before a mode change"),
    S_COUNT(rl1_counts, port_conflicts, "accesses", "accesses refused because all ports were busy"),
    S_COUNT(rl1_counts, passed, "accesses", "accesses that bypassed to the second level (no tag lookup)"),
    S_COUNT(rl1_counts, bank_accesses, "accesses", "accesses to banks used as scratchpads (no tag lookup)"),
    S_RATIO(rl1_counts, hit_rate, hits, accesses, "hits per access"),
    S_LAW(rl1_answers, "hits + misses + merges + store_allocations == accesses", "each access has one outcome"),
    S_LAW(rl1_fills, "fills == misses", "each line that was asked for comes once"),
    S_END,
};
/* clang-format on */

void rl1_init(struct rl1 *l, const struct build_site *site, const struct rl1_parts *p)
{
    struct arena *arena = &site->sim->arena;
    const struct fabric_config *c = p->config;
    *l = (struct rl1){.config = c, .requests = p->requests, .out = p->out, .tile = p->tile};
    l->banks = ARENA_ARRAY(arena, struct rl1_bank, c->rl1.banks);
    l->bank_shift = (u32)__builtin_ctz(c->rl1.banks);
    /* a bank may have all of the shared cache's lines on their way */
    struct cache_shape shape = {.size_bytes = c->rl1.bank_bytes,
                                .ways = c->rl1.ways,
                                .line_bytes = c->line_bytes,
                                .mshrs = (u32)max_u64(c->rl1.mshrs, c->rl1.private_mshrs),
                                .merge_limit = MERGE_LIMIT};
    for (u32 i = 0; i < c->rl1.banks; i++)
        cache_init(&l->banks[i].cache, arena, &shape, p->requests, p->replacement,
                   hash_u64(site->sim->seed + (u64)p->tile * c->rl1.banks + i));
}

void rl1_switch(struct rl1 *l, enum fabric_mode mode, const struct fabric_place *map)
{
    l->mode = mode;
    l->map = map;
}

u32 rl2_bank_of(const struct fabric_config *c, u32 tile, u64 line)
{
    if (c->rl2.sharing == RL2_GROUP)
        return tile / (c->tile.count / c->rl2.banks);
    return (u32)(line / c->line_bytes) & (c->rl2.banks - 1);
}

/* ---- where a line is ----------------------------------------------------------------------- */

static struct rl1_bank *bank_of(struct rl1 *l, u64 line, u32 element)
{
    if (l->mode == FABRIC_SHARED)
        return &l->banks[(u32)(line / l->config->line_bytes) & (l->config->rl1.banks - 1)];
    return &l->banks[l->mode == FABRIC_MAP ? l->map[element].cache : element & ~1u];
}

static struct cache_place find(const struct rl1 *l, const struct rl1_bank *b, u64 line)
{
    u64 byte = line;
    if (l->mode == FABRIC_SHARED)
        byte = line / l->config->line_bytes >> l->bank_shift << b->cache.tags.line_shift;
    return cache_find(&b->cache, byte, line);
}

/* ---- ports --------------------------------------------------------------------------------- */

static bool take(cycle_t *cycle, u32 *used, u32 ports, cycle_t now)
{
    if (*cycle != now) {
        *cycle = now;
        *used = 0;
    }
    if (*used == ports)
        return false;
    ++*used;
    return true;
}

static bool take_port(struct rl1 *l, struct rl1_bank *b, cycle_t now)
{
    const struct rl1_config *c = &l->config->rl1;
    if (l->mode == FABRIC_SHARED ? take(&l->port_cycle, &l->port_used, c->ports, now)
                                 : take(&b->port_cycle, &b->port_used, c->private_ports, now))
        return true;
    l->counts.port_conflicts++;
    return false;
}

/* ---- to the second level ------------------------------------------------------------------- */

static handle_t new_request(struct rl1 *l, u64 line, u32 sectors, enum request_kind kind,
                            u64 ticket)
{
    const struct fabric_config *c = l->config;
    handle_t h = pool_alloc(l->requests);
    *(struct request *)pool_get(l->requests, h) = (struct request){
        .line = line,
        .sectors = sectors,
        .kind = (u8)kind,
        .agent = (u16)l->tile,
        .reply_to = (u16)l->tile,
        .to = (u16)(rl2_bank_of(c, l->tile, line) * c->rl2.ports + l->tile % c->rl2.ports),
        .ticket = ticket};
    return h;
}

static void write_back(struct rl1 *l, struct rl1_bank *b, struct cache_place p,
                       enum request_kind kind)
{
    struct line *line = cache_line(&b->cache, p);
    u64 address = tags_address(&b->cache.tags, p.set, p.way);
    port_push(l->out, new_request(l, address, line->dirty, kind, 0));
    line->dirty = 0;
}

static void evict(struct rl1 *l, struct rl1_bank *b, struct cache_place p)
{
    const struct line *line = cache_line(&b->cache, p);
    if (line->state != LINE_VALID)
        return;
    l->counts.evictions++;
    if (line->dirty) {
        l->counts.writebacks++;
        write_back(l, b, p, REQUEST_WRITEBACK);
    }
}

/* ---- accesses ------------------------------------------------------------------------------ */

static u32 sectors_of(const struct rl1 *l, const struct rl1_access *a)
{
    u32 first = (u32)(a->address & (l->config->line_bytes - 1));
    u32 from = first / SECTOR_BYTES, to = (first + a->bytes - 1) / SECTOR_BYTES;
    return (2u << to) - (1u << from);
}

static enum rl1_answer store(struct rl1 *l, struct rl1_bank *b, struct cache_place p,
                             const struct request *r)
{
    struct line *line = cache_line(&b->cache, p);
    if (line) {
        l->counts.hits++;
        cache_touch(&b->cache, p, r);
    } else {
        p.way = cache_victim(&b->cache, p.set, 0, r);
        if (p.way == NO_WAY)
            return RL1_MSHR;
        line = cache_line(&b->cache, p);
        if (line->dirty && !port_can_push(l->out))
            return RL1_ROOM;
        evict(l, b, p);
        cache_take(&b->cache, p.set, p.way, r, LINE_VALID);
        line->valid = line->dirty = 0;
        l->counts.store_allocations++;
    }
    line->valid = (u8)(line->valid | r->sectors);
    line->dirty = (u8)(line->dirty | r->sectors);
    return RL1_HIT;
}

static handle_t waiter(struct rl1 *l, const struct rl1_access *a, const struct request *r)
{
    return new_request(l, r->line, r->sectors, REQUEST_LOAD, (u64)a->element << 8 | a->slot);
}

static enum rl1_answer miss(struct rl1 *l, struct rl1_bank *b, struct cache_place p,
                            const struct rl1_access *a, const struct request *r)
{
    const struct rl1_config *c = &l->config->rl1;
    struct cache_miss m;
    if (mshr_find(&b->cache.mshr, r->line)) { /* whole lines are asked for */
        cache_merge(&b->cache, waiter(l, a, r));
        l->counts.merges++;
        return RL1_MISS;
    }
    if (l->mode == FABRIC_SHARED ? l->lines_coming == c->mshrs
                                 : b->cache.mshr.in_use == c->private_mshrs)
        return RL1_MSHR;
    if (cache_plan(&b->cache, p, r, true, 0, &m) != CACHE_CAN)
        return RL1_MSHR;
    if (!port_has_room(l->out, m.dirty_victim ? 2 : 1))
        return RL1_ROOM;
    if (m.reserves)
        evict(l, b, m.place);
    u32 to_ask = cache_start(&b->cache, &m, waiter(l, a, r));
    if (m.reserves)
        cache_line(&b->cache, m.place)->valid = cache_line(&b->cache, m.place)->dirty = 0;
    port_push(l->out, new_request(l, r->line, to_ask, REQUEST_LOAD, (u64)(b - l->banks)));
    l->lines_coming++;
    l->counts.misses++;
    return RL1_MISS;
}

/* Past all banks. Stores are acknowledged, so that a phase ends when they are where others see
 * them; no more are under way than the banks have lines. */
static enum rl1_answer pass(struct rl1 *l, const struct rl1_access *a, u64 flag)
{
    const struct fabric_config *c = l->config;
    u64 line = a->address & ~(u64)(c->line_bytes - 1);
    if (!port_can_push(l->out) ||
        (a->is_store && l->unacknowledged == c->rl1.banks * (c->rl1.bank_bytes / c->line_bytes)))
        return RL1_ROOM;
    port_push(l->out,
              new_request(l, line, sectors_of(l, a), a->is_store ? REQUEST_STORE : REQUEST_LOAD,
                          TICKET_ELEMENT | flag | (u64)a->element << 8 | a->slot));
    l->unacknowledged += a->is_store;
    return a->is_store ? RL1_HIT : RL1_MISS;
}

enum rl1_answer rl1_pass_scratchpad(struct rl1 *l, const struct rl1_access *a)
{
    const struct rl2_config *c = &l->config->rl2;
    assert(a->address + a->bytes <= c->bank_bytes * (c->sharing == RL2_ALL ? c->banks : 1u));
    return pass(l, a, TICKET_SCRATCHPAD);
}

static enum rl1_answer pass_banks(struct rl1 *l, const struct rl1_access *a)
{
    enum rl1_answer passed = pass(l, a, 0);
    l->counts.passed += passed <= RL1_MISS;
    return passed;
}

/* Through the port that it would have with the banks. */
enum rl1_answer rl1_stream(struct rl1 *l, const struct rl1_access *a, cycle_t now)
{
    u64 line = a->address & ~(u64)(l->config->line_bytes - 1);
    if (l->mode != FABRIC_BYPASS && !take_port(l, bank_of(l, line, a->element), now))
        return RL1_PORT;
    return pass_banks(l, a);
}

enum rl1_answer rl1_access(struct rl1 *l, const struct rl1_access *a, cycle_t now)
{
    if (l->mode == FABRIC_BYPASS)
        return pass_banks(l, a);
    u64 line = a->address & ~(u64)(l->config->line_bytes - 1);
    struct rl1_bank *b = bank_of(l, line, a->element);
    if (!take_port(l, b, now))
        return RL1_PORT;
    const struct request r = {.line = line, .sectors = sectors_of(l, a)};
    struct cache_place p = find(l, b, line);
    enum rl1_answer answer = RL1_HIT;
    l->counts.lookups++;
    if (a->is_store) {
        answer = store(l, b, p, &r);
    } else if (cache_holds(&b->cache, p, &r)) {
        cache_touch(&b->cache, p, &r);
        l->counts.hits++;
    } else {
        answer = miss(l, b, p, a, &r);
    }
    bool is_taken = answer <= RL1_MISS;
    l->counts.accesses += is_taken;
    l->counts.loads += is_taken && !a->is_store;
    l->counts.stores += is_taken && a->is_store;
    return answer;
}

enum rl1_answer rl1_pass_atomic(struct rl1 *l, const struct rl1_access *a)
{
    u64 line = a->address & ~(u64)(l->config->line_bytes - 1);
    if (!port_can_push(l->out))
        return RL1_ROOM;
    port_push(l->out, new_request(l, line, sectors_of(l, a), REQUEST_ATOMIC,
                                  (u64)a->element << 8 | a->slot));
    return RL1_MISS;
}

cycle_t rl1_use_scratchpad(struct rl1 *l, u32 element, u32 accesses, cycle_t now)
{
    u32 bank = l->mode == FABRIC_MAP ? l->map[element].scratchpad : element | 1;
    assert((l->mode == FABRIC_PRIVATE || l->mode == FABRIC_MAP) && bank < l->config->rl1.banks);
    struct rl1_bank *b = &l->banks[bank];
    u64 cycles = (u64)accesses * l->config->rl1.scratchpad_cycles;
    b->scratchpad_free = max_u64(b->scratchpad_free, now) + cycles;
    l->counts.bank_accesses += accesses;
    return b->scratchpad_free;
}

void rl1_fill(struct rl1 *l, handle_t h, void (*done)(void *context, u32 element, u32 slot),
              void *context)
{
    const struct request *r = pool_get(l->requests, h);
    struct rl1_bank *b = &l->banks[r->ticket];
    u64 line = r->line;
    struct cache_place p = find(l, b, line);
    handle_t next, w = cache_fill(&b->cache, p, line, r->sectors);
    for (; w; w = next) {
        const struct request *waiting = pool_get(l->requests, w);
        next = waiting->next;
        done(context, (u32)(waiting->ticket >> 8), (u32)(waiting->ticket & 255));
        pool_free(l->requests, w);
    }
    cache_filled(&b->cache, p, line);
    pool_free(l->requests, h);
    l->lines_coming--;
    l->counts.fills++;
}

/* ---- before a change of mode --------------------------------------------------------------- */

bool rl1_flush(struct rl1 *l)
{
    const struct tags *t = &l->banks[0].cache.tags;
    for (; l->flush_bank < l->config->rl1.banks; l->flush_bank++, l->flush_at = 0) {
        struct rl1_bank *b = &l->banks[l->flush_bank];
        for (; l->flush_at < t->sets * t->ways; l->flush_at++) {
            struct cache_place p = {l->flush_at / t->ways, l->flush_at % t->ways};
            const struct line *line = cache_line(&b->cache, p);
            if (line->state == LINE_INVALID)
                continue;
            if (line->dirty) {
                if (!port_can_push(l->out))
                    return false;
                write_back(l, b, p, REQUEST_STORE);
                l->unacknowledged++;
                l->counts.flushed_lines++;
            }
            cache_invalidate(&b->cache, p.set, p.way);
        }
    }
    l->flush_bank = l->flush_at = 0;
    return true;
}
