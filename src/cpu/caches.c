#include "cpu/caches.h"

#include "base/map.h"

#include <string.h>

#define ALL_ADDRESS_BITS (((u64)1 << APPLICATION_SHIFT) - 1)
/* Merges are no limit of a core: its window is. */
#define MERGE_LIMIT 4096u
#define PREFETCHED 1 /* line.owner: fetched ahead, and not used yet */

u64 caches_most_requests(const struct core_config *c)
{
    /* a long access has as many lines on their way as there are MSHRs */
    u64 accesses =
        (u64)c->lsq.load_entries + c->lsq.store_entries + CPU_MOST_READS + CPU_MOST_WRITES;
    u64 waiting = accesses * (c->l1d.mshrs + 1) + c->fetch.line_buffers;
    u64 lines = 3 * ((u64)c->l1i.mshrs + c->l1d.mshrs) + 4 * (u64)c->l2.mshrs;
    return waiting + lines + 256;
}

struct level_parts {
    const struct private_config *config;
    struct policy_choice replacement, prefetcher;
    u64 number; /* among the caches of all agents */
};

static void init_cache(struct private_cache *p, const struct caches *c, struct sim *sim,
                       const struct level_parts *parts)
{
    const struct private_config *config = parts->config;
    struct cache_shape shape = {.size_bytes = config->size_bytes,
                                .ways = config->ways,
                                .line_bytes = c->line_bytes,
                                .index = (enum set_index)config->set_index,
                                .mshrs = config->mshrs,
                                .merge_limit = MERGE_LIMIT};
    p->config = config;
    cache_init(&p->cache, &sim->arena, &shape, c->requests, parts->replacement,
               hash_u64(sim->seed + parts->number));
    prefetcher_init(&p->prefetcher, &sim->arena, parts->prefetcher);
}

static void init_queues(struct caches *c, struct sim *sim, const struct core_config *config,
                        const char *name)
{
    u32 l1_misses = config->l1i.mshrs + config->l1d.mshrs;
    timed_init(&c->to_l2, &sim->arena, 4 * l1_misses + 64);
    timed_init(&c->from_l2, &sim->arena, 4 * l1_misses + 64);
    timed_init(&c->to_memory, &sim->arena, 3 * config->l2.mshrs + 64);
    timed_init(&c->from_ideal, &sim->arena, config->l2.mshrs + 64);
    port_init(&c->out, &sim->engine, arena_printf(&sim->arena, "%s.miss", name), 8);
    port_init(&c->in, &sim->engine, arena_printf(&sim->arena, "%s.reply", name),
              config->l2.mshrs + 1);
}

void caches_init(struct caches *c, const struct build_site *site, const struct caches_parts *parts)
{
    struct sim *sim = site->sim;
    struct memory_system *memory = parts->memory;
    const struct core_config *config = parts->config;
    const struct cache_policies *p = parts->policies;
    *c = (struct caches){.engine = &sim->engine,
                         .requests = memory->requests,
                         .memory = memory,
                         .map = &memory->map,
                         .ideal = memory->config.ideal,
                         .agent = {.kind = AGENT_CPU,
                                   .socket = (u8)site->socket,
                                   .number = (u16)parts->agent,
                                   .index = (u16)parts->index,
                                   .node = (u16)parts->agent},
                         .line_bytes = memory->config.line_bytes,
                         .address_cycles = config->lsq.address_cycles};
    u64 number = (u64)parts->agent * 4;
    init_cache(&c->l1i, c, sim,
               &(struct level_parts){&config->l1i, p->l1i, p->l1i_prefetch, number});
    init_cache(&c->l1d, c, sim,
               &(struct level_parts){&config->l1d, p->l1d, p->l1d_prefetch, number + 1});
    init_cache(&c->l2, c, sim,
               &(struct level_parts){&config->l2, p->l2, p->l2_prefetch, number + 2});
    init_queues(c, sim, config, site_name(site, "core", parts->index));
}

#define MOST_TOUCHED 32768u /* lines: 2 MB of code */

void caches_count_compulsory(struct caches *c, struct arena *arena)
{
    c->touched = ARENA_NEW(arena, struct touched_lines);
    map_init_fixed(&c->touched->lines, arena, MOST_TOUCHED);
}

/* A line that misses; one that is missed for the first time. */
static void touch(struct touched_lines *t, u64 line)
{
    u64 before;
    if (map_get(&t->lines, line, &before) || t->lines.count == MOST_TOUCHED)
        return;
    map_put(&t->lines, line, 1);
    t->compulsory++;
}

u64 caches_line(const struct caches *c, u64 address)
{
    return application_base(c->application) +
           (address & ALL_ADDRESS_BITS & ~(u64)(c->line_bytes - 1));
}

/* ---- requests ------------------------------------------------------------------------------ */

static struct request *request_of(const struct caches *c, handle_t h)
{
    return pool_get(c->requests, h);
}

static struct wait_ticket ticket_of(const struct request *r)
{
    struct wait_ticket t;
    _Static_assert(sizeof t == sizeof r->ticket, "a ticket is 64 bits");
    memcpy(&t, &r->ticket, sizeof t);
    return t;
}

static handle_t new_request(struct caches *c, u64 line, enum request_kind kind, u64 pc,
                            struct wait_ticket t, cycle_t now)
{
    handle_t h = pool_alloc(c->requests);
    struct request *r = request_of(c, h);
    *r = (struct request){.line = line,
                          .sectors = c->l2.cache.all_sectors,
                          .agent = c->agent.number,
                          .reply_to = c->agent.node,
                          .kind = (u8)kind,
                          .application = c->application,
                          .pc = (u32)pc,
                          .issued = now};
    memcpy(&r->ticket, &t, sizeof t);
    return h;
}

static enum request_kind kind_of(enum wait_kind k)
{
    return k == WAIT_FETCH || k == WAIT_L1I ? REQUEST_FETCH : REQUEST_LOAD;
}

/* ---- lookups ------------------------------------------------------------------------------- */

/* The line that a level has; NULL: it has not. */
static struct line *find(struct private_cache *p, u64 line, struct cache_place *place)
{
    *place = cache_find(&p->cache, line, line);
    return cache_line(&p->cache, *place);
}

static void use(struct private_cache *p, struct cache_place place, struct line *l, u64 line)
{
    struct request touch = {.line = line};
    cache_touch(&p->cache, place, &touch);
    if (UNLIKELY(l->owner == PREFETCHED)) {
        l->owner = 0;
        p->counts.useful_prefetches++;
    }
}

/* ---- prefetches ---------------------------------------------------------------------------- */

static void ask_l2(struct caches *c, struct private_cache *p, u64 line, u64 pc, cycle_t due,
                   cycle_t now)
{
    struct wait_ticket t = {.kind = p == &c->l1i ? WAIT_L1I : WAIT_L1D};
    timed_push(&c->to_l2, new_request(c, line, kind_of(t.kind), pc, t, now), due);
    c->quiet_until = min_u64(c->quiet_until, due);
}

static void ask_memory(struct caches *c, u64 line, enum request_kind kind, u64 pc, cycle_t now)
{
    handle_t h = new_request(c, line, kind, pc, (struct wait_ticket){0}, now);
    timed_push(&c->to_memory, h, now + c->l2.config->hit_cycles);
}

/* Demand misses keep a quarter of the MSHRs for themselves. */
static bool has_room(const struct private_cache *p)
{
    const struct mshr *m = &p->cache.mshr;
    return m->in_use + (m->entry_count + 3) / 4 < m->entry_count;
}

static void prefetch(struct caches *c, struct private_cache *p, u64 line, u64 pc, cycle_t now)
{
    struct cache_place place;
    u32 to_ask;
    line = caches_line(c, line);
    if (!has_room(p) || find(p, line, &place) || mshr_find(&p->cache.mshr, line))
        return;
    handle_t h =
        new_request(c, line, REQUEST_LOAD, pc, (struct wait_ticket){.kind = WAIT_PREFETCH}, now);
    mshr_add(&p->cache.mshr, line, h, &to_ask);
    p->counts.prefetches++;
    if (p == &c->l2)
        ask_memory(c, line, REQUEST_LOAD, pc, now);
    else
        ask_l2(c, p, line, pc, now + p->config->hit_cycles, now);
}

static void train(struct caches *c, struct private_cache *p, u64 address, u64 pc, bool hit,
                  cycle_t now)
{
    const struct prefetcher_ops *ops = p->prefetcher.ops;
    struct prefetches wanted;
    if (LIKELY(!ops->access))
        return;
    wanted.count = 0;
    struct prefetch_access a = {.address = address,
                                .pc = pc,
                                .line = address & ~(u64)(c->line_bytes - 1),
                                .line_bytes = c->line_bytes,
                                .hit = hit};
    ops->access(&p->prefetcher, &a, &wanted);
    for (u32 i = 0; i < wanted.count; i++)
        prefetch(c, p, wanted.lines[i], pc, now);
}

/* ---- accesses of the core ------------------------------------------------------------------ */

static void count_late(struct caches *c, struct private_cache *p, const struct mshr_entry *e)
{
    if (e->count == 1 && ticket_of(request_of(c, e->first)).kind == WAIT_PREFETCH)
        p->counts.late_prefetches++;
}

/* A line that is not there. Blocked: it needs an MSHR. */
static enum access_answer miss(struct caches *c, struct private_cache *p,
                               const struct cache_access *a, u64 line, cycle_t now)
{
    struct mshr *m = &p->cache.mshr;
    struct mshr_entry *e = mshr_find(m, line);
    u32 to_ask;
    if (!e && mshr_is_full(m))
        return ACCESS_BLOCKED;
    p->counts.accesses++;
    p->counts.loads += a->kind == WAIT_LOAD;
    p->counts.load_misses += a->kind == WAIT_LOAD;
    p->counts.merges += e != NULL;
    p->counts.misses += e == NULL;
    if (e)
        count_late(c, p, e);
    struct wait_ticket t = {.what = a->what, .kind = (u16)a->kind};
    handle_t h = new_request(c, line, kind_of(a->kind), a->pc, t, now);
    mshr_add_to(m, e, line, h, &to_ask);
    if (!e) {
        u32 cycles = p->config->hit_cycles + (a->kind == WAIT_FETCH ? 0 : c->address_cycles);
        ask_l2(c, p, line, a->pc, now + cycles, now);
        if (UNLIKELY(c->touched) && a->kind == WAIT_FETCH)
            touch(c->touched, line);
    }
    return ACCESS_MISS;
}

enum access_answer caches_access(struct caches *c, const struct cache_access *a, cycle_t now)
{
    struct private_cache *p = a->kind == WAIT_FETCH ? &c->l1i : &c->l1d;
    u64 line = caches_line(c, a->address);
    struct cache_place place;
    struct line *l = find(p, line, &place);
    enum access_answer answer = ACCESS_HIT;
    if (LIKELY(l || p->config->perfect)) {
        p->counts.accesses++;
        p->counts.loads += a->kind == WAIT_LOAD;
        p->counts.hits++;
        if (LIKELY(l)) {
            use(p, place, l, line);
            if (a->kind == WAIT_STORE)
                l->dirty = (u8)p->cache.all_sectors;
        }
    } else {
        answer = miss(c, p, a, line, now);
        if (answer == ACCESS_BLOCKED)
            return answer;
    }
    train(c, p, a->address, a->pc, answer == ACCESS_HIT, now);
    return answer;
}

/* ---- lines that come ----------------------------------------------------------------------- */

/* Takes a way for a line; what is given up and dirty goes down a level. A victim of the L1D may
 * have brought the line back to the L2 while it was on its way there. */
static struct line *take_way(struct caches *c, struct private_cache *p, u64 line, cycle_t now)
{
    struct cache_place place;
    struct line *there = find(p, line, &place);
    if (there)
        return there;
    struct request access = {.line = line, .application = c->application};
    u32 set = place.set, way = cache_victim(&p->cache, set, 0, &access);
    struct line *l = tags_line(&p->cache.tags, set, way);
    if (l->state == LINE_VALID) {
        u64 victim = tags_address(&p->cache.tags, set, way);
        p->counts.evictions++;
        if (l->dirty) {
            p->counts.writebacks++;
            handle_t h = new_request(c, victim, REQUEST_WRITEBACK, 0, (struct wait_ticket){0}, now);
            timed_push(p == &c->l2 ? &c->to_memory : &c->to_l2, h, now + 1);
        }
    }
    cache_take(&p->cache, set, way, &access, LINE_VALID);
    l->valid = (u8)p->cache.all_sectors;
    return l;
}

static void fill(struct caches *c, struct private_cache *p, u64 line, enum memory_level level,
                 cycle_t now);

/* Tells those who waited; a line that only a prefetch wanted is marked. */
static void answer_all(struct caches *c, struct private_cache *p, struct line *l, u64 line,
                       enum memory_level level, cycle_t now)
{
    handle_t next, w = mshr_arrive(&p->cache.mshr, line, p->cache.all_sectors);
    bool is_wanted = false;
    for (; w; w = next) {
        const struct request *r = request_of(c, w);
        struct wait_ticket t = ticket_of(r);
        next = r->next;
        is_wanted |= t.kind != WAIT_PREFETCH;
        if (t.kind == WAIT_STORE)
            l->dirty = (u8)p->cache.all_sectors;
        if (t.kind == WAIT_L1D || t.kind == WAIT_L1I)
            fill(c, t.kind == WAIT_L1I ? &c->l1i : &c->l1d, line, level, now);
        else if (t.kind != WAIT_PREFETCH)
            c->arrived(c->core, (enum wait_kind)t.kind, t.what, level, now);
        pool_free(c->requests, w);
    }
    l->owner = is_wanted ? 0 : PREFETCHED;
}

static void fill(struct caches *c, struct private_cache *p, u64 line, enum memory_level level,
                 cycle_t now)
{
    p->counts.fills++;
    answer_all(c, p, take_way(c, p, line, now), line, level, now);
}

static void take_reply(struct caches *c, handle_t h, cycle_t now)
{
    const struct request *r = request_of(c, h);
    struct private_counts *n = &c->l2.counts;
    bool llc_hit = r->flags & REQUEST_L2_HIT;
    u64 cycles = now - r->issued, line = r->line;
    n->answered++;
    n->latency_cycles += cycles;
    n->llc_hits += llc_hit;
    n->llc_hit_latency_cycles += llc_hit ? cycles : 0;
    pool_free(c->requests, h);
    fill(c, &c->l2, line, llc_hit ? LEVEL_LLC : LEVEL_DRAM, now);
}

/* ---- the L2 -------------------------------------------------------------------------------- */

static void take_victim(struct caches *c, handle_t h, cycle_t now)
{
    u64 line = request_of(c, h)->line;
    c->l2.counts.writebacks_in++;
    if (!c->l2.config->perfect)
        take_way(c, &c->l2, line, now)->dirty = (u8)c->l2.cache.all_sectors;
    pool_free(c->requests, h);
}

/* A request of an L1. False: it has to wait for an MSHR. */
static bool look_up_l2(struct caches *c, handle_t h, cycle_t now)
{
    const struct request *r = request_of(c, h);
    struct private_cache *p = &c->l2;
    struct cache_place place;
    struct line *l = find(p, r->line, &place);
    bool hit = l || p->config->perfect;
    struct mshr_entry *e = hit ? NULL : mshr_find(&p->cache.mshr, r->line);
    u64 line = r->line, pc = r->pc;
    u32 to_ask;
    if (!hit && !e && mshr_is_full(&p->cache.mshr))
        return false;
    p->counts.accesses++;
    if (hit) {
        p->counts.hits++;
        if (l)
            use(p, place, l, line);
        timed_push(&c->from_l2, h, now + p->config->hit_cycles);
    } else {
        p->counts.merges += e != NULL;
        p->counts.misses += e == NULL;
        if (e)
            count_late(c, p, e);
        enum request_kind kind = (enum request_kind)r->kind;
        mshr_add_to(&p->cache.mshr, e, line, h, &to_ask);
        if (!e)
            ask_memory(c, line, kind, pc, now);
    }
    if (p->prefetcher.ops->access) /* addresses without the program's number */
        train(c, p, line & ALL_ADDRESS_BITS, pc, hit, now);
    return true;
}

/* Lines that come must find room for their victims: no new miss while there is less. */
static bool memory_queue_has_room(const struct caches *c)
{
    const struct timed_queue *q = &c->to_memory;
    return timed_count(q) + c->l2.config->mshrs + MOST_PREFETCHES + 2 <= q->capacity;
}

static void serve_l2(struct caches *c, cycle_t now)
{
    c->is_blocked = c->is_full = false;
    for (u32 i = 0; i < c->l2.config->ports && timed_next(&c->to_l2) <= now; i++) {
        handle_t h = timed_peek(&c->to_l2, 0);
        c->is_blocked = true;
        c->is_full = !memory_queue_has_room(c);
        if (c->is_full)
            return; /* until some of it has been sent */
        if (request_of(c, h)->kind == REQUEST_WRITEBACK)
            take_victim(c, h, now);
        else if (!look_up_l2(c, h, now))
            return; /* woken by a reply */
        c->is_blocked = false;
        timed_pop(&c->to_l2);
    }
}

cycle_t caches_next(const struct caches *c, cycle_t now)
{
    return c->is_blocked ? CYCLE_NEVER : max_u64(timed_next(&c->to_l2), now + 1);
}

/* ---- below --------------------------------------------------------------------------------- */

static cycle_t send(struct caches *c, cycle_t now)
{
    bool is_fixed = c->ideal->model == MEMORY_FIXED;
    while (timed_next(&c->to_memory) <= now) {
        if (!is_fixed && !port_can_push(&c->out))
            return CYCLE_NEVER;
        handle_t h = timed_pop(&c->to_memory);
        struct request *r = request_of(c, h);
        r->issued_fs = c->engine->now_fs;
        r->issued = now;
        if (!is_fixed) {
            r->to = (u16)address_place(c->map, r->line).bank;
            port_push(&c->out, h);
        } else if (r->kind == REQUEST_WRITEBACK) {
            pool_free(c->requests, h);
        } else {
            timed_push(&c->from_ideal, h, now + c->ideal->fixed_cycles);
        }
    }
    return timed_next(&c->to_memory);
}

cycle_t caches_work(struct caches *c, cycle_t now, bool *came)
{
    while (port_ready(&c->in)) {
        take_reply(c, port_pop(&c->in), now);
        *came = true;
    }
    while (timed_next(&c->from_ideal) <= now) {
        take_reply(c, timed_pop(&c->from_ideal), now);
        *came = true;
    }
    while (timed_next(&c->from_l2) <= now) {
        handle_t h = timed_pop(&c->from_l2);
        const struct request *r = request_of(c, h);
        struct private_cache *p = ticket_of(r).kind == WAIT_L1I ? &c->l1i : &c->l1d;
        u64 line = r->line;
        pool_free(c->requests, h);
        fill(c, p, line, LEVEL_L2, now);
        *came = true;
    }
    serve_l2(c, now);
    cycle_t next = send(c, now);
    if (c->is_full && memory_queue_has_room(c))
        c->is_blocked = false; /* in the next cycle */
    next = min_u64(next, caches_next(c, now));
    next = min_u64(next, timed_next(&c->from_l2));
    next = min_u64(next, timed_next(&c->from_ideal));
    /* requests that find no room below are tried again whenever the core ticks */
    c->quiet_until = timed_next(&c->to_memory) <= now ? 0 : next;
    return max_u64(next, now + 1); /* an ideal memory may take no time at all */
}

/* ---- without time -------------------------------------------------------------------------- */

static void warm_memory(struct caches *c, u64 line, enum request_kind kind, u64 pc)
{
    if (!c->memory->banks)
        return;
    struct request r = {.line = line,
                        .sectors = c->l2.cache.all_sectors,
                        .agent = c->agent.number,
                        .kind = (u8)kind,
                        .application = c->application,
                        .pc = (u32)pc};
    bank_warm(&c->memory->banks[address_place(c->map, line).bank], &r);
}

/* As take_way: a dirty victim goes down a level at once. */
static struct line *warm_way(struct caches *c, struct private_cache *p, u64 line)
{
    struct cache_place place;
    struct line *there = find(p, line, &place);
    if (there || p->config->perfect)
        return there;
    struct request access = {.line = line, .application = c->application};
    u32 set = tags_set(&p->cache.tags, line);
    u32 way = cache_victim(&p->cache, set, 0, &access);
    struct line *l = tags_line(&p->cache.tags, set, way);
    u64 victim = tags_address(&p->cache.tags, set, way);
    bool is_dirty = l->state == LINE_VALID && l->dirty;
    cache_take(&p->cache, set, way, &access, LINE_VALID);
    l->valid = (u8)p->cache.all_sectors;
    if (is_dirty && p == &c->l2)
        warm_memory(c, victim, REQUEST_WRITEBACK, 0);
    else if (is_dirty && (there = warm_way(c, &c->l2, victim)))
        there->dirty = (u8)c->l2.cache.all_sectors;
    return l;
}

static void warm_level(struct caches *c, struct private_cache *p, u64 line, u64 address, u64 pc,
                       enum request_kind kind);

static void warm_prefetches(struct caches *c, struct private_cache *p, u64 address, u64 pc,
                            bool hit)
{
    const struct prefetcher_ops *ops = p->prefetcher.ops;
    struct prefetches wanted = {.count = 0};
    struct prefetch_access a = {.address = address,
                                .pc = pc,
                                .line = address & ~(u64)(c->line_bytes - 1),
                                .line_bytes = c->line_bytes,
                                .hit = hit};
    ops->access(&p->prefetcher, &a, &wanted);
    for (u32 i = 0; i < wanted.count; i++) {
        struct cache_place place;
        u64 line = caches_line(c, wanted.lines[i]);
        if (find(p, line, &place))
            continue;
        if (p == &c->l2)
            warm_memory(c, line, REQUEST_LOAD, pc);
        else
            warm_level(c, &c->l2, line, line & ALL_ADDRESS_BITS, pc, REQUEST_LOAD);
        warm_way(c, p, line)->owner = PREFETCHED;
    }
}

/* The line is there afterwards, and in the levels below that were asked for it. */
static void warm_level(struct caches *c, struct private_cache *p, u64 line, u64 address, u64 pc,
                       enum request_kind kind)
{
    struct cache_place place;
    struct line *l = find(p, line, &place);
    bool hit = l || p->config->perfect;
    if (l) {
        struct request touch = {.line = line};
        cache_touch(&p->cache, place, &touch);
        l->owner = 0;
    } else if (!hit && p == &c->l2) {
        warm_memory(c, line, kind, pc);
        warm_way(c, p, line);
    } else if (!hit) {
        warm_level(c, &c->l2, line, line & ALL_ADDRESS_BITS, pc, kind);
        warm_way(c, p, line);
    }
    if (UNLIKELY(p->prefetcher.ops->access))
        warm_prefetches(c, p, address, pc, hit);
}

void caches_warm(struct caches *c, const struct cache_access *a)
{
    struct private_cache *p = a->kind == WAIT_FETCH ? &c->l1i : &c->l1d;
    u64 line = caches_line(c, a->address);
    struct cache_place place;
    struct line *l;
    warm_level(c, p, line, a->address, a->pc, kind_of(a->kind));
    if (a->kind == WAIT_STORE && (l = find(p, line, &place)))
        l->dirty = (u8)p->cache.all_sectors;
}
