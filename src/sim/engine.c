#include "sim/threads/thread_pool.h"
#include "sim/later.h"
#include "sim/port.h"

#include <assert.h>
#include <string.h>

#define ASLEEP UINT64_MAX
#define POLL_STEPS 16384

void engine_init(struct engine *e, struct arena *arena, const struct engine_options *options)
{
    *e = (struct engine){.arena = arena, .options = *options};
}

/* ---- edges ---------------------------------------------------------------- */

static void set_step(struct domain *d, u64 hz)
{
    d->hz = hz;
    d->step_fs = FS_PER_SECOND / hz;
    d->step_rest = FS_PER_SECOND % hz;
}

/* The instant of an edge at or after base_cycle. */
static u64 edge_fs(const struct domain *d, cycle_t cycle)
{
    u128 scaled = (u128)(cycle - d->base_cycle) * FS_PER_SECOND;
    return d->base_fs + (u64)((scaled + d->hz - 1) / d->hz);
}

/* The last cycle with an edge at or before an instant. */
static cycle_t cycle_at(const struct domain *d, u64 fs)
{
    if (fs < d->base_fs)
        return d->base_cycle - 1;
    return d->base_cycle + (cycle_t)((u128)(fs - d->base_fs) * d->hz / FS_PER_SECOND);
}

/* So many cycles (2^20) can be added up without a wide division. */
#define NEAR_CYCLES ((u64)1 << 20)

/* The instant of an edge from base_fs on: before rounding up, as whole femtoseconds and parts of
 * one, hz to the whole. */
struct edge_part {
    u64 fs, rest;
};

/* Is the next edge, that after `now`, of the current frequency, and the given one near behind? */
static bool is_near(const struct domain *d, cycle_t cycle)
{
    return d->now + 1 >= d->base_cycle && cycle - (d->now + 1) < NEAR_CYCLES;
}

/* Of the edge of a cycle that is_near. */
static struct edge_part part_ahead(const struct domain *d, cycle_t cycle)
{
    u64 steps = cycle - (d->now + 1), rest = d->part_rest + steps * d->step_rest;
    u64 fs = d->part_fs + steps * d->step_fs;
    if (rest < d->hz)
        return (struct edge_part){fs, rest};
    return (struct edge_part){fs + rest / d->hz, rest % d->hz};
}

/* The instant of an edge from the next on. */
static u64 coming_fs(const struct domain *d, cycle_t cycle)
{
    if (UNLIKELY(!is_near(d, cycle)))
        return edge_fs(d, cycle);
    struct edge_part p = part_ahead(d, cycle);
    return d->base_fs + p.fs + (p.rest > 0);
}

/* Makes `cycle` the current one and prepares the instant of the edge after it. */
static void move_to(struct domain *d, cycle_t cycle)
{
    if (LIKELY(cycle == d->now + 1 && cycle >= d->base_cycle)) {
        d->part_fs += d->step_fs;
        d->part_rest += d->step_rest;
        if (d->part_rest >= d->hz) {
            d->part_rest -= d->hz;
            d->part_fs++;
        }
    } else if (LIKELY(is_near(d, cycle))) {
        struct edge_part p = part_ahead(d, cycle + 1);
        d->part_fs = p.fs;
        d->part_rest = p.rest;
    } else {
        u128 scaled = (u128)(cycle + 1 - d->base_cycle) * FS_PER_SECOND;
        d->part_fs = (u64)(scaled / d->hz);
        d->part_rest = (u64)(scaled % d->hz);
    }
    d->now = cycle;
    d->next_fs = d->base_fs + d->part_fs + (d->part_rest > 0);
}

cycle_t engine_cycle(const struct engine *e, domain_id domain)
{
    return cycle_at(&e->domains[domain], e->now_fs);
}

cycle_t engine_next_cycle(const struct engine *e, domain_id domain)
{
    const struct domain *d = &e->domains[domain];
    if (UNLIKELY(d->now + 1 < d->base_cycle))
        return cycle_at(d, e->now_fs) + 1;
    /* the edge after `now` is the next one, unless the domain slept past it */
    if (LIKELY(d->next_fs > e->now_fs))
        return d->now + 1;
    /* no step is longer than this: one that is not too far, and a few more */
    cycle_t next = d->now + 1 + (e->now_fs - d->next_fs) / (d->step_fs + 1);
    if (UNLIKELY(!is_near(d, next)))
        return cycle_at(d, e->now_fs) + 1;
    while (coming_fs(d, next) <= e->now_fs)
        next++;
    return next;
}

/* From the next edge on, which is at `fs`, edges are those of `hz`. */
static void rebase(struct domain *d, cycle_t edge, u64 fs, u64 hz)
{
    d->base_cycle = edge;
    d->base_fs = fs;
    set_step(d, hz);
    if (d->now + 1 == edge) {
        d->next_fs = fs;
        d->part_fs = d->part_rest = 0;
    }
    /* an edge of this very instant that is yet to be ticked stays where it is */
    if (d->wake_fs != ASLEEP && d->wake_cycle >= edge)
        d->wake_fs = edge_fs(d, d->wake_cycle);
}

void engine_set_hz(struct engine *e, domain_id domain, u64 hz)
{
    struct domain *d = &e->domains[domain];
    assert(hz > 0);
    if (!e->started) {
        set_step(d, hz);
        return;
    }
    cycle_t edge = engine_next_cycle(e, domain);
    rebase(d, edge, edge_fs(d, edge), hz);
}

void engine_hold(struct engine *e, domain_id domain, u64 until_fs)
{
    struct domain *d = &e->domains[domain];
    assert(e->started);
    cycle_t edge = engine_next_cycle(e, domain);
    u64 fs = edge_fs(d, edge);
    if (until_fs > fs)
        rebase(d, edge, until_fs, d->hz);
}

/* ---- building --------------------------------------------------------------- */

domain_id engine_add_domain(struct engine *e, const char *name, u64 hz)
{
    assert(!e->started && hz > 0);
    struct domain *more = ARENA_ARRAY(e->arena, struct domain, e->domain_count + 1);
    if (e->domain_count)
        memcpy(more, e->domains, e->domain_count * sizeof *more);
    e->domains = more;
    struct domain *d = &e->domains[e->domain_count];
    *d = (struct domain){.name = name, .now = CYCLE_NEVER, .wake_fs = ASLEEP};
    set_step(d, hz);
    return e->domain_count++;
}

unit_id engine_add_unit(struct engine *e, domain_id domain, const char *name, unit_tick *tick,
                        void *self)
{
    assert(!e->started && domain < e->domain_count);
    if (e->unit_count == e->unit_room) {
        e->unit_room = e->unit_room ? e->unit_room * 2 : 64;
        struct unit **more = ARENA_ARRAY(e->arena, struct unit *, e->unit_room);
        if (e->unit_count)
            memcpy(more, e->units, e->unit_count * sizeof *more);
        e->units = more;
    }
    struct unit *u = ARENA_NEW(e->arena, struct unit);
    *u = (struct unit){.name = name,
                       .self = self,
                       .tick = tick,
                       .domain = domain,
                       .id = e->unit_count,
                       .slot = e->domains[domain].unit_count++};
    e->units[e->unit_count] = u;
    return e->unit_count++;
}

void engine_set_background(struct engine *e, unit_id unit)
{
    e->units[unit]->is_background = true;
}

void engine_explain_with(struct engine *e, unit_id unit, unit_explain *explain)
{
    e->units[unit]->explain = explain;
}

void engine_end_with(struct engine *e, unit_id unit, unit_tick *end)
{
    assert(!e->started);
    e->units[unit]->end = end;
}

void engine_fetch_ahead(struct engine *e, unit_id unit, u32 bytes)
{
    assert(!e->started);
    e->units[unit]->hot_bytes = bytes;
}

void engine_commit_with(struct engine *e, domain_id domain, unit_commit *commit, void *self)
{
    struct commit *c = ARENA_NEW(e->arena, struct commit), **link = &e->domains[domain].commits;
    *c = (struct commit){.run = commit, .self = self};
    while (*link)
        link = &(*link)->next;
    *link = c;
}

void engine_set_shard(struct engine *e, unit_id unit, u32 stage, u32 shard)
{
    assert(!e->started);
    e->units[unit]->stage = stage;
    e->units[unit]->shard = shard;
}

void engine_let_wait(struct engine *e, unit_id unit, unit_can_wait *can_wait)
{
    e->units[unit]->can_wait = can_wait;
}

void engine_tick_apart(struct engine *e, domain_id domain)
{
    e->domains[domain].is_apart = true;
}

void engine_keep_serial(struct engine *e, bool wish)
{
    e->kept_serial += wish ? 1u : ~0u;
}

static void set_all(struct domain *d, u64 *bits)
{
    for (u32 w = 0; w < d->words; w++) {
        u32 left = d->unit_count - w * 64;
        bits[w] = left >= 64 ? ~(u64)0 : ((u64)1 << left) - 1;
    }
}

void engine_start(struct engine *e)
{
    assert(!e->started);
    e->started = true;
    for (u32 i = 0; i < e->domain_count; i++) {
        struct domain *d = &e->domains[i];
        d->words = (d->unit_count + 63) / 64;
        d->first_word = e->wake_words;
        e->wake_words += d->words;
        d->due = ARENA_ARRAY(e->arena, u64, d->words + 1);
        d->after = ARENA_ARRAY(e->arena, u64, d->words + 1);
        d->ticking = ARENA_ARRAY(e->arena, u64, d->words + 1);
        d->open = ARENA_ARRAY(e->arena, u64, d->words + 1);
        d->units = ARENA_ARRAY(e->arena, struct unit *, d->unit_count + 1);
        d->ticks = ARENA_ARRAY(e->arena, struct slot_tick, d->unit_count + 1);
        d->wake_at = ARENA_ARRAY(e->arena, cycle_t, d->unit_count + 1);
        wheel_init(&d->wheel, e->arena, LATER_CYCLES - 1);
        d->first = ARENA_ARRAY(e->arena, u32, LATER_CYCLES);
        d->later = ARENA_ARRAY(e->arena, u32, d->unit_count + 1);
        d->earlier = ARENA_ARRAY(e->arena, u32, d->unit_count + 1);
        d->heap = ARENA_ARRAY(e->arena, u32, d->unit_count + 1);
        d->heap_at = ARENA_ARRAY(e->arena, u32, d->unit_count + 1);
        for (u32 spoke = 0; spoke < LATER_CYCLES; spoke++)
            d->first[spoke] = NO_SLOT;
        for (u32 s = 0; s < d->unit_count; s++)
            d->wake_at[s] = CYCLE_NEVER;
        d->is_few = d->words == 1;
        d->later_next = CYCLE_NEVER;
        set_all(d, d->due);
        d->wake_fs = d->unit_count ? 0 : ASLEEP; /* edge 0 of every domain is at instant 0 */
    }
    for (u32 i = 0; i < e->unit_count; i++) {
        struct unit *u = e->units[i];
        struct domain *d = &e->domains[u->domain];
        d->units[u->slot] = u;
        d->ticks[u->slot] = (struct slot_tick){u->tick, u->self, u->hot_bytes, u->end != NULL};
        u->bit = d->first_word * 64 + u->slot;
    }
    for (u32 i = 0; i < e->domain_count; i++) {
        struct domain *d = &e->domains[i];
        d->is_small = d->is_few && !e->options.no_skip;
        for (u32 s = 0; s < d->unit_count; s++)
            d->is_small &= !d->ticks[s].in_parts;
    }
    e->stages = ARENA_ARRAY(e->arena, struct stage *, MOST_STAGES);
    for (u32 i = 0; i < e->domain_count; i++)
        stages_find(e, &e->domains[i]);
    if (e->options.threads > 1)
        e->thread_pool = thread_pool_create(e, e->options.threads);
}

void engine_fini(struct engine *e)
{
    thread_pool_destroy(e->thread_pool);
    e->thread_pool = NULL;
    arena_fini(&e->threads_arena);
}

u32 engine_threads(const struct engine *e)
{
    return thread_pool_threads(e->thread_pool);
}

/* ---- waking ----------------------------------------------------------------- */

static void wake_slot(const struct engine *e, struct domain *d, u32 slot, cycle_t at)
{
    /* The domain has yet to tick at this very instant, perhaps this unit, too: it needs
     * both ticks, and has room for one later wake-up. */
    if (d->wake_fs == e->now_fs && at == d->wake_cycle + 1) {
        d->after[slot / 64] |= (u64)1 << (slot % 64);
        return;
    }
    if (at == d->now + 1)
        d->due[slot / 64] |= (u64)1 << (slot % 64);
    else
        wake_later(d, slot, at);
    if (d->wake_fs == ASLEEP || at < d->wake_cycle) {
        d->wake_cycle = at;
        d->wake_fs = at == d->now + 1 ? d->next_fs : coming_fs(d, at);
    }
}

void engine_wake_at(struct engine *e, unit_id unit, cycle_t at)
{
    assert(!e->parallel);
    const struct unit *u = e->units[unit];
    wake_slot(e, &e->domains[u->domain], u->slot, max_u64(at, engine_next_cycle(e, u->domain)));
}

static void cancel(struct engine *e, unit_id unit)
{
    const struct unit *u = e->units[unit];
    struct domain *d = &e->domains[u->domain];
    if (d->wake_at[u->slot] != CYCLE_NEVER)
        forget(d, u->slot);
}

void engine_cancel(struct engine *e, unit_id unit)
{
    if (UNLIKELY(e->parallel))
        engine_lane->cancel[engine_lane->cancel_count++] = unit;
    else
        cancel(e, unit);
}

void engine_keep_bell(struct port *p)
{
    engine_lane->bells[engine_lane->bell_count++] = (struct bell){p->bell, p->bell_bit};
}

void engine_note_progress(struct engine *e)
{
    (void)e;
    engine_lane->progress++;
}

void engine_wake(struct engine *e, unit_id unit)
{
    const struct unit *u = e->units[unit];
    if (UNLIKELY(e->parallel)) {
        engine_lane->wakes[u->bit / 64] |= (u64)1 << (u->bit % 64);
        return;
    }
    struct domain *d = &e->domains[u->domain];
    if (LIKELY(d->next_fs > e->now_fs && d->now + 1 >= d->base_cycle)) { /* it has ticked by now */
        d->due[u->slot / 64] |= (u64)1 << (u->slot % 64);
        if (d->next_fs < d->wake_fs) {
            d->wake_cycle = d->now + 1;
            d->wake_fs = d->next_fs;
        }
        return;
    }
    wake_slot(e, d, u->slot, engine_next_cycle(e, u->domain));
}

/* ---- what threads have kept ---------------------------------------------------- */

static void merge_domain(const struct engine *e, struct domain *d, const u64 *wakes)
{
    cycle_t next = engine_next_cycle(e, (domain_id)(d - e->domains));
    for (u32 w = 0; w < d->words; w++) {
        if (LIKELY(d->wake_fs != e->now_fs && next == d->now + 1)) {
            d->due[w] |= wakes[w];
            continue;
        }
        for (u64 bits = wakes[w]; bits; bits &= bits - 1)
            wake_slot(e, d, w * 64 + (u32)__builtin_ctzll(bits), next);
    }
    if (d->wake_fs == ASLEEP || next < d->wake_cycle) {
        d->wake_cycle = next;
        d->wake_fs = next == d->now + 1 ? d->next_fs : coming_fs(d, next);
    }
}

void engine_merge_wakes(struct engine *e, const u64 *wakes)
{
    for (u32 i = 0; i < e->domain_count; i++) {
        struct domain *d = &e->domains[i];
        u64 any = 0;
        for (u32 w = 0; w < d->words; w++)
            any |= wakes[d->first_word + w];
        if (any)
            merge_domain(e, d, wakes + d->first_word);
    }
}

void engine_merge_later(struct engine *e, const struct lane *l)
{
    for (u32 i = 0; i < l->cancel_count; i++)
        cancel(e, l->cancel[i]);
    for (u32 i = 0; i < l->later_count; i++) {
        const struct unit *u = e->units[l->later[i].unit];
        wake_later(&e->domains[u->domain], u->slot, l->later[i].at);
    }
}

void engine_merge_open(struct engine *e, const struct lane *l)
{
    for (u32 i = 0; i < e->domain_count; i++) {
        struct domain *d = &e->domains[i];
        for (u32 w = 0; w < d->words; w++) {
            d->open[w] |= l->open[d->first_word + w];
            d->has_open |= d->open[w] != 0;
        }
    }
}

/* ---- running ---------------------------------------------------------------- */

static void sleep_until(struct domain *d, u32 slot, cycle_t next)
{
    assert(next > d->now);
    if (next == d->now + 1)
        d->due[slot / 64] |= (u64)1 << (slot % 64);
    else if (next != CYCLE_NEVER)
        wake_later(d, slot, next);
}

static void commit(const struct domain *d)
{
    for (const struct commit *c = d->commits; c; c = c->next)
        c->run(c->self);
}

static void end_slots(struct domain *d)
{
    for (u32 w = 0; w < d->words; w++) {
        for (; d->open[w]; d->open[w] &= d->open[w] - 1) {
            u32 slot = w * 64 + (u32)__builtin_ctzll(d->open[w]);
            struct unit *u = d->units[slot];
            sleep_until(d, slot, u->end(u->self, d->now));
        }
    }
}

/* What the units that have ticked so far have left to be done; those of a stage, or none. */
void engine_end_ticks(struct engine *e, struct domain *d, struct stage *s)
{
    commit(d);
    if (LIKELY(!d->has_open))
        return;
    d->has_open = false;
    struct round r;
    r.part = STAGE_END;
    r.count = 1;
    r.stages[0] = s;
    r.units[0] = s ? bits_count(d->open, s->first, s->end) : 0;
    if (r.units[0] > 1 && thread_pool_tick(e->thread_pool, &r)) {
        memset(d->open, 0, d->words * sizeof *d->open);
    } else {
        bool timed = r.units[0] && stage_asks(s, STAGE_END);
        u64 start = timed ? host_clock() : 0;
        end_slots(d);
        if (timed)
            stage_took(s, STAGE_END, r.units[0], host_clock() - start);
    }
    commit(d);
}

/* A unit whose tick has a second part. */
static void stays_open(struct domain *d, u32 word, u32 slot, cycle_t next)
{
    assert(next == d->now);
    (void)next;
    d->open[word] |= (u64)1 << slot;
    d->has_open = true;
}

/* Units from one slot to before another, by this thread. */
void engine_tick_slots(struct engine *e, struct domain *d, u32 from, u32 to)
{
    bool in_parts = false;
    for (u32 w = from / 64; w * 64 < to; w++) {
        u64 bits = d->ticking[w];
        if (w == from / 64)
            bits &= ~(u64)0 << (from % 64);
        if (to - w * 64 < 64)
            bits &= ((u64)1 << (to - w * 64)) - 1;
        e->ticks += (u32)__builtin_popcountll(bits);
        const struct slot_tick *slots = d->ticks + w * 64;
        while (bits) {
            u32 slot = (u32)__builtin_ctzll(bits);
            const struct slot_tick *s = &slots[slot];
            bits &= bits - 1;
            if (LIKELY(bits))
                slot_fetch(&slots[__builtin_ctzll(bits)]);
            if (UNLIKELY(in_parts && !s->in_parts))
                engine_end_ticks(e, d, NULL);
            in_parts = s->in_parts;
            cycle_t next = s->tick(s->self, d->now);
            if (LIKELY(next == d->now + 1))
                d->due[w] |= (u64)1 << slot;
            else if (LIKELY(next == CYCLE_NEVER))
                continue;
            else if (next > d->now)
                wake_later(d, w * 64 + slot, next);
            else
                stays_open(d, w, slot, next);
        }
    }
    if (in_parts)
        engine_end_ticks(e, d, NULL);
}

/* The next cycle of a domain begins. */
void engine_begin_cycle(const struct engine *e, struct domain *d)
{
    bool consecutive = d->wake_cycle == d->now + 1;
    move_to(d, d->wake_cycle);
    u64 *set = d->ticking;
    d->ticking = d->due;
    d->due = set;
    /* `due` holds ticks for the cycle after the last; if that one was skipped
     * there were none */
    assert(consecutive || d->words == 0 || d->ticking[0] == 0 || d->now == 0);
    (void)consecutive;
    for (u32 w = 0; w < d->words; w++) {
        d->due[w] = d->after[w];
        d->after[w] = 0;
    }
    take_due(d);
    d->wake_fs = ASLEEP;
    if (UNLIKELY(e->options.no_skip))
        set_all(d, d->ticking);
}

void engine_end_cycle(const struct engine *e, struct domain *d)
{
    u64 any = UNLIKELY(e->options.no_skip) && d->unit_count;
    for (u32 w = 0; w < d->words; w++)
        any |= d->due[w];
    cycle_t next = any ? d->now + 1 : next_later(d);
    d->wake_cycle = next;
    d->wake_fs = any ? d->next_fs : next != CYCLE_NEVER ? coming_fs(d, next) : ASLEEP;
}

/* tick_domain without what only large domains need: on a machine of a few units the engine would
 * take a tenth of the time. */
static void tick_small(struct engine *e, struct domain *d)
{
    move_to(d, d->wake_cycle);
    const cycle_t now = d->now;
    u64 bits = d->due[0];
    d->due[0] = d->after[0];
    d->after[0] = 0;
    if (d->later_next <= now)
        bits |= few_take(d, now);
    d->wake_fs = ASLEEP;
    e->ticks += (u32)__builtin_popcountll(bits);
    const struct slot_tick *slots = d->ticks;
    while (bits) {
        u32 slot = (u32)__builtin_ctzll(bits);
        bits &= bits - 1;
        if (bits)
            slot_fetch(&slots[__builtin_ctzll(bits)]);
        cycle_t next = slots[slot].tick(slots[slot].self, now);
        assert(next > now);
        if (LIKELY(next == now + 1))
            d->due[0] |= (u64)1 << slot;
        else if (next != CYCLE_NEVER)
            wake_later(d, slot, next);
    }
    if (LIKELY(d->due[0])) {
        d->wake_cycle = now + 1;
        d->wake_fs = d->next_fs;
    } else {
        d->wake_cycle = d->later_next;
        d->wake_fs = d->later_next != CYCLE_NEVER ? coming_fs(d, d->later_next) : ASLEEP;
    }
}

static void tick_domain(struct engine *e, struct domain *d)
{
    if (LIKELY(d->is_small)) {
        tick_small(e, d);
        return;
    }
    engine_begin_cycle(e, d);
    engine_tick_slots(e, d, 0, d->unit_count);
    engine_end_cycle(e, d);
}

static struct domain *earliest(struct engine *e)
{
    struct domain *best = NULL;
    u64 fs = ASLEEP;
    for (u32 i = 0; i < e->domain_count; i++) {
        if (e->domains[i].wake_fs < fs) {
            fs = e->domains[i].wake_fs;
            best = &e->domains[i];
        }
    }
    return best;
}

/* Nobody but watchers has asked for a tick, whether or not everybody gets one. */
static bool all_sleep(const struct engine *e)
{
    for (u32 i = 0; i < e->unit_count; i++) {
        const struct unit *u = e->units[i];
        const struct domain *d = &e->domains[u->domain];
        bool soon = (d->due[u->slot / 64] | d->after[u->slot / 64]) >> (u->slot % 64) & 1;
        if (!u->is_background && (soon || d->wake_at[u->slot] != CYCLE_NEVER))
            return false;
    }
    return true;
}

static bool hung(struct engine *e, u64 at_fs, u64 watchdog_fs)
{
    if (e->progress != e->progress_seen) {
        e->progress_seen = e->progress;
        e->progress_fs = e->now_fs;
    }
    return at_fs - e->progress_fs > watchdog_fs;
}

/* The limit counts cycles of the first domain, also while that one sleeps. */
static bool past_limit(const struct engine *e, const struct domain *d)
{
    cycle_t max = e->options.max_cycles;
    if (d == e->domains)
        return d->wake_cycle >= max;
    return cycle_at(e->domains, d->wake_fs) >= max;
}

/* To the end of the last cycle before the limit: sleepers have slept until then. */
static void move_to_limit(struct engine *e)
{
    if (engine_cycle(e, 0) < e->options.max_cycles)
        e->now_fs = edge_fs(e->domains, e->options.max_cycles) - 1;
}

void engine_stop(struct engine *e)
{
    __atomic_store_n(&e->stopping, true, __ATOMIC_RELAXED);
}

void engine_finish(struct engine *e)
{
    e->finishing = true;
}

enum engine_end engine_run(struct engine *e)
{
    assert(e->started);
    e->stopping = false;
    const struct engine_options *o = &e->options;
    u64 watchdog_fs = o->watchdog_cycles ? o->watchdog_cycles * e->domains[0].step_fs : UINT64_MAX;
    for (u32 steps = 1;; steps++) {
        struct domain *d = earliest(e);
        if (UNLIKELY(e->stopping) && (!d || d->wake_fs != e->now_fs))
            return ENGINE_STOPPED;
        if (UNLIKELY(e->finishing) && all_sleep(e))
            return ENGINE_STOPPED;
        if (UNLIKELY(!d))
            return ENGINE_HUNG;
        if (UNLIKELY(o->max_cycles) && past_limit(e, d)) {
            move_to_limit(e);
            return ENGINE_LIMIT;
        }
        if (UNLIKELY(hung(e, d->wake_fs, watchdog_fs)))
            return ENGINE_HUNG;
        e->now_fs = d->wake_fs;
        if (UNLIKELY(e->thread_pool && !e->kept_serial))
            engine_tick_instant(e, d);
        else
            tick_domain(e, d);
        if (UNLIKELY(steps % POLL_STEPS == 0) && o->poll && !o->poll(o->poll_context, e))
            return ENGINE_INTERRUPTED;
    }
}
