#include "sim/engine.h"

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

/* Makes `cycle` the current one and prepares the instant of the edge after it. */
static void move_to(struct domain *d, cycle_t cycle)
{
    bool in_step = cycle == d->now + 1 && cycle >= d->base_cycle + 1;
    d->now = cycle;
    if (LIKELY(in_step)) {
        d->part_fs += d->step_fs;
        d->part_rest += d->step_rest;
        if (d->part_rest >= d->hz) {
            d->part_rest -= d->hz;
            d->part_fs++;
        }
    } else {
        u128 scaled = (u128)(cycle + 1 - d->base_cycle) * FS_PER_SECOND;
        d->part_fs = (u64)(scaled / d->hz);
        d->part_rest = (u64)(scaled % d->hz);
    }
    d->next_fs = d->base_fs + d->part_fs + (d->part_rest > 0);
}

cycle_t engine_cycle(const struct engine *e, domain_id domain)
{
    return cycle_at(&e->domains[domain], e->now_fs);
}

cycle_t engine_next_cycle(const struct engine *e, domain_id domain)
{
    const struct domain *d = &e->domains[domain];
    if (LIKELY(d->next_fs > e->now_fs && d->now + 1 >= d->base_cycle)) {
        /* the edge after `now` is the next one, unless the domain slept past it */
        return d->now + 1;
    }
    return cycle_at(d, e->now_fs) + 1;
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
    u64 fs = edge_fs(d, edge);
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

/* ---- later wake-ups --------------------------------------------------------- */

/*
 * A unit has one later wake-up at most, the earliest asked for. Up to
 * WHEEL_CYCLES ahead it hangs on the spoke of its cycle, a doubly linked list;
 * further ahead it is in a heap, where it stays even when its cycle comes near.
 */
#define WHEEL_CYCLES 1024u
#define NO_SLOT UINT32_MAX
#define IN_WHEEL UINT32_MAX /* heap_at of a unit that hangs on the wheel */

static void wheel_add(struct domain *d, u32 slot, cycle_t at)
{
    u32 spoke = (u32)(at % WHEEL_CYCLES), first = d->wheel[spoke];
    d->wheel_prev[slot] = NO_SLOT;
    d->wheel_next[slot] = first;
    if (first != NO_SLOT)
        d->wheel_prev[first] = slot;
    d->wheel[spoke] = slot;
    d->wheel_used[spoke / 64] |= (u64)1 << (spoke % 64);
    d->heap_at[slot] = IN_WHEEL;
}

static void wheel_remove(struct domain *d, u32 slot)
{
    u32 spoke = (u32)(d->wake_at[slot] % WHEEL_CYCLES);
    u32 next = d->wheel_next[slot], prev = d->wheel_prev[slot];
    if (next != NO_SLOT)
        d->wheel_prev[next] = prev;
    if (prev != NO_SLOT)
        d->wheel_next[prev] = next;
    else
        d->wheel[spoke] = next;
    if (d->wheel[spoke] == NO_SLOT)
        d->wheel_used[spoke / 64] &= ~((u64)1 << (spoke % 64));
}

/* The next cycle after `now` with something on its spoke, or CYCLE_NEVER. */
static cycle_t wheel_first(const struct domain *d)
{
    u32 start = (u32)((d->now + 1) % WHEEL_CYCLES);
    for (u32 i = 0; i <= WHEEL_CYCLES / 64; i++) {
        u32 word = (start / 64 + i) % (WHEEL_CYCLES / 64);
        u64 bits = d->wheel_used[word];
        if (i == 0)
            bits &= ~(u64)0 << (start % 64);
        else if (i == WHEEL_CYCLES / 64)
            bits &= ~(~(u64)0 << (start % 64));
        if (bits) {
            u32 spoke = word * 64 + (u32)__builtin_ctzll(bits);
            return d->now + 1 + (spoke - start) % WHEEL_CYCLES;
        }
    }
    return CYCLE_NEVER;
}

static bool wakes_before(const struct domain *d, u32 a, u32 b)
{
    return d->wake_at[a] != d->wake_at[b] ? d->wake_at[a] < d->wake_at[b] : a < b;
}

static void heap_place(struct domain *d, u32 at, u32 slot)
{
    d->heap[at] = slot;
    d->heap_at[slot] = at;
}

static void heap_up(struct domain *d, u32 at, u32 slot)
{
    for (; at > 0; at = (at - 1) / 2) {
        u32 parent = d->heap[(at - 1) / 2];
        if (!wakes_before(d, slot, parent))
            break;
        heap_place(d, at, parent);
    }
    heap_place(d, at, slot);
}

static void heap_down(struct domain *d, u32 at, u32 slot)
{
    for (;;) {
        u32 child = 2 * at + 1;
        if (child >= d->heap_count)
            break;
        if (child + 1 < d->heap_count && wakes_before(d, d->heap[child + 1], d->heap[child]))
            child++;
        if (!wakes_before(d, d->heap[child], slot))
            break;
        heap_place(d, at, d->heap[child]);
        at = child;
    }
    heap_place(d, at, slot);
}

static void heap_remove(struct domain *d, u32 slot)
{
    u32 at = d->heap_at[slot], last = d->heap[--d->heap_count];
    if (last == slot)
        return;
    if (at > 0 && wakes_before(d, last, d->heap[(at - 1) / 2]))
        heap_up(d, at, last);
    else
        heap_down(d, at, last);
}

static void forget(struct domain *d, u32 slot)
{
    if (d->heap_at[slot] == IN_WHEEL)
        wheel_remove(d, slot);
    else
        heap_remove(d, slot);
    d->wake_at[slot] = CYCLE_NEVER;
}

/* The earlier of two wake-ups stays; a tick too many does no harm. */
static void wake_later(struct domain *d, u32 slot, cycle_t at)
{
    if (d->wake_at[slot] <= at)
        return;
    if (d->wake_at[slot] != CYCLE_NEVER)
        forget(d, slot);
    d->wake_at[slot] = at;
    if (at - d->now < WHEEL_CYCLES)
        wheel_add(d, slot, at);
    else
        heap_up(d, d->heap_count++, slot);
}

/* The units whose wake-up is this cycle join those that tick. */
static void take_due(struct domain *d)
{
    u32 spoke = (u32)(d->now % WHEEL_CYCLES);
    for (u32 slot = d->wheel[spoke], next; slot != NO_SLOT; slot = next) {
        next = d->wheel_next[slot];
        d->wake_at[slot] = CYCLE_NEVER;
        d->ticking[slot / 64] |= (u64)1 << (slot % 64);
    }
    d->wheel[spoke] = NO_SLOT;
    d->wheel_used[spoke / 64] &= ~((u64)1 << (spoke % 64));
    while (d->heap_count && d->wake_at[d->heap[0]] <= d->now) {
        u32 slot = d->heap[0];
        forget(d, slot);
        d->ticking[slot / 64] |= (u64)1 << (slot % 64);
    }
}

static cycle_t next_later(const struct domain *d)
{
    cycle_t near = wheel_first(d);
    return d->heap_count ? min_u64(near, d->wake_at[d->heap[0]]) : near;
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
    e->units[unit]->end = end;
}

void engine_commit_with(struct engine *e, domain_id domain, unit_commit *commit, void *self)
{
    struct commit *c = ARENA_NEW(e->arena, struct commit), **link = &e->domains[domain].commits;
    *c = (struct commit){.run = commit, .self = self};
    while (*link)
        link = &(*link)->next;
    *link = c;
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
        d->due = ARENA_ARRAY(e->arena, u64, d->words + 1);
        d->after = ARENA_ARRAY(e->arena, u64, d->words + 1);
        d->ticking = ARENA_ARRAY(e->arena, u64, d->words + 1);
        d->open = ARENA_ARRAY(e->arena, u64, d->words + 1);
        d->units = ARENA_ARRAY(e->arena, struct unit *, d->unit_count + 1);
        d->wake_at = ARENA_ARRAY(e->arena, cycle_t, d->unit_count + 1);
        d->wheel = ARENA_ARRAY(e->arena, u32, WHEEL_CYCLES);
        d->wheel_used = ARENA_ARRAY(e->arena, u64, WHEEL_CYCLES / 64);
        d->wheel_next = ARENA_ARRAY(e->arena, u32, d->unit_count + 1);
        d->wheel_prev = ARENA_ARRAY(e->arena, u32, d->unit_count + 1);
        d->heap = ARENA_ARRAY(e->arena, u32, d->unit_count + 1);
        d->heap_at = ARENA_ARRAY(e->arena, u32, d->unit_count + 1);
        for (u32 spoke = 0; spoke < WHEEL_CYCLES; spoke++)
            d->wheel[spoke] = NO_SLOT;
        for (u32 s = 0; s < d->unit_count; s++)
            d->wake_at[s] = CYCLE_NEVER;
        set_all(d, d->due);
        d->wake_fs = d->unit_count ? 0 : ASLEEP; /* edge 0 of every domain is at instant 0 */
    }
    for (u32 i = 0; i < e->unit_count; i++)
        e->domains[e->units[i]->domain].units[e->units[i]->slot] = e->units[i];
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
        d->wake_fs = at == d->now + 1 ? d->next_fs : edge_fs(d, at);
    }
}

void engine_wake_at(struct engine *e, unit_id unit, cycle_t at)
{
    const struct unit *u = e->units[unit];
    wake_slot(e, &e->domains[u->domain], u->slot, max_u64(at, engine_next_cycle(e, u->domain)));
}

void engine_cancel(struct engine *e, unit_id unit)
{
    const struct unit *u = e->units[unit];
    struct domain *d = &e->domains[u->domain];
    if (d->wake_at[u->slot] != CYCLE_NEVER)
        forget(d, u->slot);
}

void engine_wake(struct engine *e, unit_id unit)
{
    const struct unit *u = e->units[unit];
    wake_slot(e, &e->domains[u->domain], u->slot, engine_next_cycle(e, u->domain));
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

/* What the units that have ticked so far have left to be done. */
static void end_ticks(struct domain *d)
{
    commit(d);
    if (LIKELY(!d->has_open))
        return;
    d->has_open = false;
    for (u32 w = 0; w < d->words; w++) {
        for (; d->open[w]; d->open[w] &= d->open[w] - 1) {
            u32 slot = w * 64 + (u32)__builtin_ctzll(d->open[w]);
            struct unit *u = d->units[slot];
            sleep_until(d, slot, u->end(u->self, d->now));
        }
    }
    commit(d);
}

static void tick_units(struct engine *e, struct domain *d)
{
    bool in_parts = false;
    for (u32 w = 0; w < d->words; w++) {
        for (u64 bits = d->ticking[w]; bits; bits &= bits - 1) {
            u32 slot = w * 64 + (u32)__builtin_ctzll(bits);
            struct unit *u = d->units[slot];
            if (UNLIKELY(in_parts && !u->end))
                end_ticks(d);
            in_parts = u->end;
            cycle_t next = u->tick(u->self, d->now);
            if (UNLIKELY(next == d->now)) {
                d->open[w] |= (u64)1 << (slot % 64);
                d->has_open = true;
            } else {
                sleep_until(d, slot, next);
            }
            e->ticks++;
        }
    }
    if (in_parts)
        end_ticks(d);
}

static void tick_domain(struct engine *e, struct domain *d)
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
    tick_units(e, d);
    u64 any = UNLIKELY(e->options.no_skip) && d->unit_count;
    for (u32 w = 0; w < d->words; w++)
        any |= d->due[w];
    cycle_t next = any ? d->now + 1 : next_later(d);
    d->wake_cycle = next;
    d->wake_fs = any ? d->next_fs : next != CYCLE_NEVER ? edge_fs(d, next) : ASLEEP;
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
    e->stopping = true;
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
        tick_domain(e, d);
        if (UNLIKELY(steps % POLL_STEPS == 0) && o->poll && !o->poll(o->poll_context, e))
            return ENGINE_INTERRUPTED;
    }
}
