#include "fabric/tile.h"

#include "fabric/modes.h"

#include <assert.h>

#define STATE_NAME(name, text) #name,
#define STATE_TEXT(name, text) text,
const char *const element_state_names[] = {ELEMENT_STATES(STATE_NAME)};
const char *const element_state_meanings[] = {ELEMENT_STATES(STATE_TEXT)};

/* clang-format off */
const struct stat_def tile_stats[] = {
    S_ARRAY(tile_counts, states, element_state_names, ELEMENT_STATE_COUNT, "cycles", "cycles of the elements, each charged to one state"),
    S_COUNT(tile_counts, element_cycles, "cycles", "cycles of all elements"),
    S_COUNT(tile_counts, operations, "operations", "operations issued"),
    S_COUNT(tile_counts, computes, "cycles", "cycles of computation"),
    S_COUNT(tile_counts, loads, "operations", "loads issued"),
    S_COUNT(tile_counts, stores, "operations", "stores issued"),
    S_COUNT(tile_counts, atomics, "operations", "atomics issued"),
    S_COUNT(tile_counts, scratchpad_accesses, "accesses", "accesses to the elements' own scratchpads"),
    S_COUNT(tile_counts, gated_operations, "operations", "operations issued by elements that are off"),
    S_COUNT(tile_counts, items, "items", "work items taken from the manager"),
    S_COUNT(tile_counts, parts, "parts", "parts of work items dealt to elements"),
    S_COUNT(tile_counts, charged_cycles, "cycles", "cycles charged to a state"),
    S_LAW(element_states, "charged_cycles == element_cycles", "each cycle of an element is charged once"),
    S_LAW(gated_elements, "gated_operations == 0", "an element that is off issues nothing"),
    S_END,
};
/* clang-format on */

#define BIT(i) ((u32)1 << (i))

/* ---- states -------------------------------------------------------------------------------- */

static void charge(struct tile *t, struct element *e, enum element_state state, cycle_t now)
{
    if (e->state == state)
        return;
    t->counts.states[e->state] += now - e->since;
    e->since = now;
    e->state = (u8)state;
}

void tile_settle(struct tile *t, cycle_t now)
{
    for (u32 i = 0; i < t->config->tile.elements; i++) {
        struct element *e = &t->elements[i];
        t->counts.states[e->state] += now - e->since;
        e->since = now;
    }
    t->counts.charged_cycles = 0;
    for (u32 k = 0; k < ELEMENT_STATE_COUNT; k++)
        t->counts.charged_cycles += t->counts.states[k];
    t->counts.element_cycles = now * t->config->tile.elements;
}

/* ---- answers ------------------------------------------------------------------------------- */

static u32 under_way(const struct element *e)
{
    return e->tail - e->head;
}

static void answer(void *context, u32 element, u32 slot)
{
    struct tile *t = context;
    struct element *e = &t->elements[element];
    u64 bit = (u64)1 << slot;
    u32 places = t->config->tile.outstanding;
    if (e->halves & bit) {
        e->halves &= ~bit;
        return;
    }
    e->done |= bit;
    while (e->head != e->tail && e->done >> e->head % places & 1) {
        e->done &= ~((u64)1 << e->head % places);
        e->head++;
    }
    if (t->waiting & BIT(element)) {
        t->waiting &= ~BIT(element);
        t->ready |= BIT(element);
    }
}

static void take_replies(struct tile *t)
{
    while (port_ready(&t->in)) {
        handle_t h = port_pop(&t->in);
        const struct request *r = pool_get(t->rl1.requests, h);
        if (r->kind == REQUEST_LOAD && !(r->ticket & TICKET_ELEMENT)) {
            rl1_fill(&t->rl1, h, answer, t);
            t->ready |= t->no_mshr;
            t->no_mshr = 0;
            continue;
        }
        if (r->kind == REQUEST_ATOMIC || r->kind == REQUEST_LOAD)
            answer(t, (u32)(r->ticket >> 8 & 255), (u32)(r->ticket & 255));
        else
            t->rl1.unacknowledged--;
        pool_free(t->rl1.requests, h);
    }
}

/* ---- operations ---------------------------------------------------------------------------- */

/* How an element goes on after an operation. */
enum went { WENT_ON, WENT_FREELY, STAYS };

static enum went stop(struct tile *t, u32 i, u32 *set, enum element_state state, cycle_t now)
{
    t->ready &= ~BIT(i);
    *set |= BIT(i);
    charge(t, &t->elements[i], state, now);
    return STAYS;
}

static enum went refused(struct tile *t, u32 i, enum rl1_answer why, cycle_t now)
{
    if (why == RL1_MSHR)
        return stop(t, i, &t->no_mshr, ELEMENT_mshr, now);
    if (why == RL1_ROOM)
        return stop(t, i, &t->no_room, ELEMENT_room, now);
    charge(t, &t->elements[i], ELEMENT_port, now);
    return STAYS;
}

static enum went busy(struct tile *t, u32 i, cycle_t until, enum element_state state, cycle_t now)
{
    struct element *e = &t->elements[i];
    charge(t, e, ELEMENT_issue, now);
    if (until <= now + 1)
        return WENT_ON;
    e->until = until;
    t->ready &= ~BIT(i);
    t->busy |= BIT(i);
    charge(t, e, state, now);
    return WENT_ON;
}

static enum rl1_answer access(struct tile *t, const struct fabric_op *op,
                              const struct rl1_access *a, cycle_t now)
{
    if (op->kind == OP_ATOMIC)
        return rl1_pass_atomic(&t->rl1, a);
    if (op->kind == OP_STREAM)
        return rl1_stream(&t->rl1, a, now);
    if (op->kind == OP_RL2_LOAD || op->kind == OP_RL2_STORE)
        return rl1_pass_scratchpad(&t->rl1, a);
    return rl1_access(&t->rl1, a, now);
}

/* A load or store of two lines takes two cycles, and one place of the queue. */
static enum went access_cache(struct tile *t, u32 i, struct fabric_op *op, cycle_t now)
{
    struct element *e = &t->elements[i];
    bool is_store = op->kind == OP_STORE || op->kind == OP_STREAM || op->kind == OP_RL2_STORE;
    u32 room = t->config->line_bytes - (u32)(op->address & (t->config->line_bytes - 1));
    u32 bytes = op->count < room ? op->count : room;
    if (!is_store && !e->is_split && under_way(e) == t->config->tile.outstanding)
        return stop(t, i, &t->waiting, ELEMENT_queue, now);
    u32 slot = (e->is_split && !is_store ? e->tail - 1 : e->tail) % t->config->tile.outstanding;
    const struct rl1_access a = {
        .address = op->address, .bytes = bytes, .element = i, .slot = slot, .is_store = is_store};
    enum rl1_answer got = access(t, op, &a, now);
    if (got > RL1_MISS)
        return refused(t, i, got, now);
    charge(t, e, ELEMENT_issue, now);
    if (got == RL1_HIT && !is_store)
        timed_push(&t->hits, i << 8 | slot, now + t->config->rl1.hit_cycles);
    if (!is_store && !e->is_split)
        e->tail++;
    if (bytes == op->count) {
        e->is_split = false;
        return WENT_ON;
    }
    op->address += bytes;
    op->count -= bytes;
    e->is_split = true;
    if (!is_store)
        e->halves |= (u64)1 << slot;
    return STAYS;
}

static enum went wait_for_loads(struct tile *t, u32 i, u32 count, cycle_t now)
{
    return under_way(&t->elements[i]) <= count ? WENT_FREELY
                                               : stop(t, i, &t->waiting, ELEMENT_loads, now);
}

static enum went park(struct tile *t, u32 i, cycle_t now)
{
    struct element *e = &t->elements[i];
    if (!e->poked && !(t->fed & BIT(i))) {
        stop(t, i, &t->parked, ELEMENT_parked, now);
        return WENT_ON;
    }
    e->poked = false;
    return WENT_FREELY;
}

static enum went wake(struct tile *t, u32 i, u32 other, cycle_t now)
{
    charge(t, &t->elements[i], ELEMENT_issue, now);
    if (t->parked & BIT(other)) {
        t->parked &= ~BIT(other);
        t->busy |= BIT(other); /* it starts in the next cycle */
        t->elements[other].until = now + 1;
    } else {
        t->elements[other].poked = true;
    }
    return WENT_ON;
}

static enum went issue(struct tile *t, u32 i, struct fabric_op *op, cycle_t now)
{
    switch ((enum fabric_op_kind)op->kind) {
    case OP_COMPUTE:
        return busy(t, i, now + op->count, ELEMENT_compute, now);
    case OP_SCRATCHPAD:
        return busy(t, i, now + op->count, ELEMENT_scratchpad, now);
    case OP_BANK:
        return busy(t, i, rl1_use_scratchpad(&t->rl1, i, op->count, now), ELEMENT_scratchpad, now);
    case OP_LOAD:
    case OP_STORE:
    case OP_STREAM:
    case OP_ATOMIC:
    case OP_RL2_LOAD:
    case OP_RL2_STORE:
        return access_cache(t, i, op, now);
    case OP_WAIT:
        return wait_for_loads(t, i, op->count, now);
    case OP_PARK:
        return park(t, i, now);
    case OP_WAKE:
        return wake(t, i, op->count, now);
    case OP_MORE:
        t->hungry |= ~t->fed & BIT(i); /* if one came after this was written: may be not again */
        return WENT_FREELY;
    case OP_RETURN: /* it takes no other either, until it says so again */
        charge(t, &t->elements[i], ELEMENT_issue, now);
        ring_push(&t->returned, (u32)op->address);
        t->hungry &= ~BIT(i);
        return WENT_ON;
    case OP_END:
        if (t->fed & BIT(i)) /* a part came after this was written */
            return WENT_FREELY;
        t->hungry &= ~BIT(i);
        stop(t, i, &t->idle, ELEMENT_idle, now);
        return WENT_ON;
    }
    return WENT_ON;
}

static void count(struct tile *t, const struct fabric_op *op, u32 i)
{
    struct tile_counts *c = &t->counts;
    c->operations += op->kind < OP_WAIT || op->kind == OP_SCRATCHPAD || op->kind == OP_BANK ||
                     op->kind == OP_WAKE || op->kind >= OP_RETURN;
    c->computes += op->kind == OP_COMPUTE ? op->count : 0;
    c->loads += op->kind == OP_LOAD;
    c->stores += op->kind == OP_STORE || op->kind == OP_STREAM;
    c->atomics += op->kind == OP_ATOMIC;
    c->scratchpad_accesses += op->kind == OP_SCRATCHPAD ? op->count : 0;
    c->gated_operations += !(t->on >> i & 1);
}

static void fill(struct tile *t, u32 i)
{
    struct element *e = &t->elements[i];
    struct fabric_turn turn = {.phase = t->phase,
                               .tile = t->index,
                               .element = i,
                               .mode = t->rl1.mode,
                               .rl2 = t->phases[t->phase].rl2,
                               .ops = e->ops};
    t->fed &= ~BIT(i);
    t->ops->fill(t->program, &turn);
    assert(turn.count > 0 && turn.count <= FABRIC_BATCH);
    e->next = 0;
    e->count = turn.count;
}

/* One operation that takes time, and those before it that do not. */
static void step(struct tile *t, u32 i, cycle_t now)
{
    struct element *e = &t->elements[i];
    enum went went = WENT_FREELY;
    while (went == WENT_FREELY) {
        if (e->next == e->count)
            fill(t, i);
        struct fabric_op *op = &e->ops[e->next];
        const struct fabric_op before = *op;
        went = issue(t, i, op, now);
        if (went == STAYS)
            return;
        count(t, &before, i);
        e->next++;
    }
}

/* ---- work ---------------------------------------------------------------------------------- */

static void start(struct tile *t, u32 i, u64 item, u32 part)
{
    const struct fabric_turn turn = {.phase = t->phase,
                                     .tile = t->index,
                                     .element = i,
                                     .mode = t->rl1.mode,
                                     .rl2 = t->phases[t->phase].rl2};
    struct element *e = &t->elements[i];
    t->ops->begin(t->program, &turn, item, part);
    if (t->idle & BIT(i)) {
        e->next = e->count = 0;
        t->idle &= ~BIT(i);
        t->ready |= BIT(i);
    } else {
        t->hungry &= ~BIT(i);
        t->fed |= BIT(i);
        t->ready |= t->parked & BIT(i);
        t->parked &= ~BIT(i);
    }
    t->counts.parts++;
}

static void ask(struct tile *t)
{
    while (!t->no_more && ring_count(&t->items) + t->asked < t->config->tile.items_ahead &&
           port_can_push(&t->up)) {
        port_push(&t->up, TILE_WANTS);
        t->asked++;
    }
}

static bool next_item(struct tile *t)
{
    while (t->part == t->parts && !ring_is_empty(&t->items)) {
        t->item = ring_pop(&t->items);
        t->part = 0;
        t->parts = t->ops->parts(t->program, t->phase, t->item);
        t->counts.items++;
    }
    ask(t);
    return t->part < t->parts;
}

/* One part at a time, to the first free element; without one, to the first that takes more. */
static void deal(struct tile *t, cycle_t now)
{
    u32 free = t->idle & t->leaders ? t->idle & t->leaders : t->hungry;
    if (t->stage != STAGE_WORKS || now < t->deals_at || !free)
        return;
    if (!ring_is_empty(&t->returned))
        start(t, (u32)__builtin_ctz(free), ring_pop(&t->returned), 0);
    else if (next_item(t))
        start(t, (u32)__builtin_ctz(free), t->item, t->part++);
    else
        return;
    t->deals_at = now + t->config->tile.assign_cycles;
}

/* Nobody has anything to do, and nothing is under way. */
static bool is_done(const struct tile *t)
{
    if (!t->no_more || t->part != t->parts || !ring_is_empty(&t->items) ||
        !ring_is_empty(&t->returned) || (t->idle & t->leaders) != t->leaders ||
        t->rl1.lines_coming || (t->ready | t->busy | t->waiting | t->no_mshr | t->no_room))
        return false;
    for (u32 i = 0; i < t->config->tile.elements; i++) {
        if (under_way(&t->elements[i]))
            return false;
    }
    return true;
}

/* ---- the manager's commands ---------------------------------------------------------------- */

static void begin_phase(struct tile *t, u32 phase, cycle_t now)
{
    const struct fabric_phase *p = &t->phases[phase];
    u32 on = fabric_on(t->config, p);
    bool changes = fabric_modes_differ(t->config, phase ? p - 1 : NULL, p);
    t->on = on;
    t->phase = phase;
    t->stage = STAGE_WORKS;
    t->no_more = false;
    t->asked = t->part = t->parts = 0;
    t->leaders = p->team == 2 ? on & 0x55555555u : on;
    t->idle = t->leaders;
    t->parked = on & ~t->leaders;
    rl1_switch(&t->rl1, p->mode, p->map);
    for (u32 i = 0; i < t->config->tile.elements; i++) {
        t->elements[i].next = t->elements[i].count = 0;
        t->elements[i].poked = false;
        charge(t, &t->elements[i],
               !(on >> i & 1)     ? ELEMENT_gated
               : t->idle >> i & 1 ? ELEMENT_idle
                                  : ELEMENT_parked,
               now);
    }
    t->deals_at = now + (changes ? t->config->crossbar.switch_cycles : 0);
}

static void take_commands(struct tile *t, cycle_t now)
{
    while (port_ready(&t->down)) {
        u32 value = port_pop(&t->down);
        if (!(value & TILE_COMMAND)) {
            ring_push(&t->items, value);
            t->asked--;
            continue;
        }
        u32 command = value & 3u, argument = (value & ~TILE_COMMAND) >> 2;
        if (command == TILE_PHASE) {
            begin_phase(t, argument, now);
        } else if (command == TILE_FLUSH) {
            t->stage = STAGE_FLUSHES;
            t->flushed = false;
        } else {
            t->no_more = true;
        }
    }
}

static void flush(struct tile *t)
{
    if (!t->flushed)
        t->flushed = rl1_flush(&t->rl1);
    if (!t->flushed || t->rl1.unacknowledged || !port_can_push(&t->up))
        return;
    port_push(&t->up, TILE_FLUSHED);
    t->stage = STAGE_WAITS;
}

/* ---- time ---------------------------------------------------------------------------------- */

static void end_waits(struct tile *t, cycle_t now)
{
    while (timed_next(&t->hits) <= now) {
        u32 value = timed_pop(&t->hits);
        answer(t, value >> 8, value & 255);
    }
    for (u32 left = t->busy; left; left &= left - 1) {
        u32 i = (u32)__builtin_ctz(left);
        if (t->elements[i].until <= now) {
            t->busy &= ~BIT(i);
            t->ready |= BIT(i);
        }
    }
    if (t->no_room && port_has_room(&t->out, 2)) {
        t->ready |= t->no_room;
        t->no_room = 0;
    }
}

static cycle_t next_tick(const struct tile *t, cycle_t now)
{
    if (t->ready)
        return now + 1;
    cycle_t next = timed_next(&t->hits);
    for (u32 left = t->busy; left; left &= left - 1)
        next = min_u64(next, t->elements[__builtin_ctz(left)].until);
    if (t->stage == STAGE_WORKS && (t->idle & t->leaders || t->hungry) &&
        (now < t->deals_at || t->part < t->parts || !ring_is_empty(&t->items) ||
         !ring_is_empty(&t->returned)))
        next = min_u64(next, max_u64(t->deals_at, now + 1));
    return next;
}

static cycle_t tile_tick(void *self, cycle_t now)
{
    struct tile *t = self;
    take_commands(t, now);
    take_replies(t);
    end_waits(t, now);
    deal(t, now);
    for (u32 left = t->ready; left; left &= left - 1)
        step(t, (u32)__builtin_ctz(left), now);
    if (t->stage == STAGE_FLUSHES) {
        flush(t);
    } else if (t->stage == STAGE_WORKS && is_done(t) && port_can_push(&t->up)) {
        port_push(&t->up, TILE_DONE);
        t->stage = STAGE_WAITS;
    }
    return next_tick(t, now);
}

static void explain(void *self, struct waits *waits)
{
    const struct tile *t = self;
    if (t->parked && t->stage == STAGE_WORKS)
        waits_add(waits, t->unit,
                  "elements 0x%x wait to be woken, but no running element can wake them",
                  t->parked);
}

void tile_init(struct tile *t, const struct tile_parts *p)
{
    struct sim *sim = p->site->sim;
    const struct fabric_config *c = p->config;
    struct arena *arena = &sim->arena;
    const char *name = site_name(p->site, "tile", p->index);
    *t = (struct tile){.sim = sim,
                       .config = c,
                       .ops = p->ops,
                       .program = p->program,
                       .phases = p->phases,
                       .index = p->index};
    t->unit = engine_add_unit(&sim->engine, p->domain, name, tile_tick, t);
    engine_explain_with(&sim->engine, t->unit, explain);
    t->elements = ARENA_ARRAY(arena, struct element, c->tile.elements);
    for (u32 i = 0; i < c->tile.elements; i++)
        t->elements[i].state = ELEMENT_idle;
    timed_init(&t->hits, arena, 2 * c->tile.elements * (c->rl1.hit_cycles + 1));
    ring_init(&t->items, arena, c->tile.items_ahead);
    ring_init(&t->returned, arena, c->tile.elements * FABRIC_BATCH);
    port_init(&t->out, &sim->engine, arena_printf(arena, "%s.miss", name), 8);
    port_init(&t->in, &sim->engine, arena_printf(arena, "%s.reply", name), 8);
    port_init(&t->up, &sim->engine, arena_printf(arena, "%s.up", name), 32);
    port_init(&t->down, &sim->engine, arena_printf(arena, "%s.down", name), 32);
    const struct rl1_parts rl1 = {.config = c,
                                  .tile = p->index,
                                  .requests = p->requests,
                                  .out = &t->out,
                                  .replacement = p->replacement};
    rl1_init(&t->rl1, p->site, &rl1);
}
