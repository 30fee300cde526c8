#include "cpu/core.h"

#include <string.h>

/* ---- the wheel, and what can issue --------------------------------------------------------- */

static void make_ready(struct core *c, u32 slot)
{
    struct core_op *op = &c->ops[slot];
    op->stage = OP_READY;
    c->ready[op->unit][slot / 64] |= (u64)1 << slot % 64;
    c->ready_any[slot / 64] |= (u64)1 << slot % 64;
    c->ready_words |= (u64)1 << slot / 64;
    c->ready_count[op->unit]++;
    c->ready_units |= 1u << op->unit;
}

static void take_ready(struct core *c, u32 slot, u32 unit)
{
    c->ready[unit][slot / 64] &= ~((u64)1 << slot % 64);
    if (!(c->ready_any[slot / 64] &= ~((u64)1 << slot % 64)))
        c->ready_words &= ~((u64)1 << slot / 64);
    if (!--c->ready_count[unit])
        c->ready_units &= ~(1u << unit);
}

void core_schedule(struct core *c, u32 slot, cycle_t at, cycle_t now)
{
    if (at <= now) {
        make_ready(c, slot);
        return;
    }
    u32 spoke = (u32)at % WHEEL;
    c->ops[slot].stage = OP_WAITS;
    c->ops[slot].next = c->wheel[spoke];
    c->wheel[spoke] = slot + 1;
    c->wheel_used[spoke / 64] |= (u64)1 << spoke % 64;
}

static void turn_wheel(struct core *c, cycle_t now)
{
    u32 spoke = (u32)now % WHEEL;
    if (!(c->wheel_used[spoke / 64] >> spoke % 64 & 1))
        return;
    c->wheel_used[spoke / 64] &= ~((u64)1 << spoke % 64);
    for (u32 next, at = c->wheel[spoke]; at; at = next) {
        next = c->ops[at - 1].next;
        make_ready(c, at - 1);
    }
    c->wheel[spoke] = 0;
}

/* The next cycle in which something on the wheel is due. */
static cycle_t wheel_next(const struct core *c, cycle_t now)
{
    u32 first = (u32)(now + 1) % WHEEL;
    for (u32 i = 0; i <= WHEEL / 64; i++) {
        u32 word = (first / 64 + i) % (WHEEL / 64);
        u64 bits = c->wheel_used[word];
        if (i == 0)
            bits &= ~(u64)0 << first % 64;
        else if (i == WHEEL / 64)
            bits &= ((u64)1 << first % 64) - 1;
        if (bits) {
            u32 spoke = word * 64 + (u32)__builtin_ctzll(bits);
            return now + 1 + (spoke + WHEEL - first) % WHEEL;
        }
    }
    return CYCLE_NEVER;
}

/* ---- dependences --------------------------------------------------------------------------- */

void core_depend(struct core *c, u32 slot, u32 node, u64 producer)
{
    if (producer < c->retired)
        return;
    struct core_op *op = &c->ops[slot], *of = &c->ops[core_slot_of(c, producer)];
    if (of->stage == OP_DONE) {
        op->ready_at = max_u64(op->ready_at, of->done_at);
        return;
    }
    u32 id = slot * OP_NODES + node;
    c->node_next[id] = of->waiters;
    of->waiters = (u16)id;
    op->sources_left++;
}

/* Its result is known to be there at done_at. */
static void complete(struct core *c, u32 slot, cycle_t done_at, cycle_t now)
{
    struct core_op *op = &c->ops[slot];
    op->stage = OP_DONE;
    op->done_at = done_at;
    for (u16 next, id = op->waiters; id != NO_NODE; id = next) {
        u32 consumer = id / OP_NODES;
        struct core_op *w = &c->ops[consumer];
        next = c->node_next[id];
        w->ready_at = max_u64(w->ready_at, done_at);
        if (!--w->sources_left)
            core_schedule(c, consumer, w->ready_at, now);
    }
    op->waiters = NO_NODE;
    if (op->is_wrong)
        front_branch_done(c, done_at);
    if (c->instructions[slot].write_count)
        lsq_store_done(c);
}

void core_data_came(struct core *c, u32 slot, cycle_t now)
{
    struct core_op *op = &c->ops[slot];
    u8 class = c->instructions[slot].class;
    op->ready_at = max_u64(op->ready_at, now);
    if (class == CPU_LOAD) {
        complete(c, slot, op->ready_at, now);
        return;
    }
    op->unit = class == CPU_NOP ? CPU_ALU : class;
    op->waits = CORE_L1D;
    core_schedule(c, slot, op->ready_at, now);
}

/* ---- accesses that are tried again ---------------------------------------------------------- */

void core_block(struct core *c, u32 slot, enum core_slot why)
{
    struct blocked *b = why == CORE_MSHR ? &c->by_mshrs : &c->by_stores;
    c->ops[slot].waits = (u8)why;
    b->slots[slot / 64] |= (u64)1 << slot % 64;
    b->count++;
}

/* The oldest so many can be tried again. */
static void unblock(struct core *c, struct blocked *b, u32 most)
{
    u32 first = core_slot_of(c, c->retired);
    for (u32 i = 0; b->count && most && i <= c->words; i++) {
        u32 w = (first / 64 + i) & (c->words - 1);
        u64 in_turn = i == 0 ? ~(u64)0 << first % 64 : ~(u64)0; /* the rest of its word is last */
        for (u64 bits = b->slots[w] & in_turn; bits && most; bits &= bits - 1, most--) {
            u32 slot = w * 64 + (u32)__builtin_ctzll(bits);
            b->slots[w] &= ~((u64)1 << slot % 64);
            b->count--;
            make_ready(c, slot);
        }
    }
}

void core_stores_moved(struct core *c)
{
    if (UNLIKELY(c->by_stores.count))
        unblock(c, &c->by_stores, UINT32_MAX);
}

/* As many as there are MSHRs: one that needs none lets the next try in the next cycle. */
static void try_mshrs(struct core *c)
{
    const struct mshr *m = &c->caches.l1d.cache.mshr;
    if (UNLIKELY(c->by_mshrs.count) && !mshr_is_full(m))
        unblock(c, &c->by_mshrs, m->entry_count - m->in_use);
}

/* ---- issue --------------------------------------------------------------------------------- */

cycle_t *core_free_pipe(struct core *c, u32 unit, cycle_t now)
{
    for (u32 i = 0; i < c->units[unit].pipes; i++) {
        if (c->pipe_free[unit][i] <= now)
            return &c->pipe_free[unit][i];
    }
    return NULL;
}

static enum issue_answer issue_reads(struct core *c, u32 slot, cycle_t now)
{
    struct core_op *op = &c->ops[slot];
    enum issue_answer answer = lsq_issue_reads(c, slot, now);
    if (answer == ISSUE_BUSY)
        return answer;
    take_ready(c, slot, CPU_LOAD);
    if (answer == ISSUE_BLOCKED)
        op->stage = OP_BLOCKED;
    if (answer != ISSUE_DONE)
        return answer;
    op->stage = OP_MEMORY;
    c->unissued -= c->instructions[slot].class == CPU_LOAD;
    if (!op->lines_left)
        core_data_came(c, slot, now);
    return ISSUE_DONE;
}

/* An instruction that is ready; busy: its unit takes no more in this cycle. */
static enum issue_answer issue_one(struct core *c, u32 slot, cycle_t now)
{
    struct core_op *op = &c->ops[slot];
    u32 unit = op->unit;
    if (unit == CPU_LOAD)
        return issue_reads(c, slot, now);
    cycle_t *pipe = core_free_pipe(c, unit, now);
    if (!pipe)
        return ISSUE_BUSY;
    *pipe = now + c->units[unit].interval;
    take_ready(c, slot, unit);
    c->unissued--;
    complete(c, slot, now + c->units[unit].latency, now);
    return ISSUE_DONE;
}

/* The word from the i-th behind the first on in which something is ready; the first is also the
 * last, for what is before the head there. More than c->words: none. */
static u32 next_ready_word(const struct core *c, u32 first, u32 i)
{
    for (u64 words = c->ready_words; i <= c->words; i++) {
        u32 w = (first + i) & (c->words - 1);
        u64 here = words >> w;
        if (here & 1)
            return i;
        u32 skip = here ? (u32)__builtin_ctzll(here) : c->words - w; /* or to word 0 */
        i += skip - 1;
    }
    return i;
}

/* Oldest first, whatever is ready and has a unit. */
static void issue_any(struct core *c, cycle_t now)
{
    u32 left = c->config->window.issue_width, units = c->ready_units;
    u32 head = core_slot_of(c, c->retired);
    for (u32 i = next_ready_word(c, head / 64, 0); units && left && i <= c->words;
         i = next_ready_word(c, head / 64, i + 1)) {
        u32 w = (head / 64 + i) & (c->words - 1);
        u64 bits = c->ready_any[w], in_turn = ~(u64)0;
        if (i == 0)
            in_turn <<= head % 64;
        else if (i == c->words)
            in_turn = ((u64)1 << head % 64) - 1;
        for (u32 u = c->ready_units & ~units; u; u &= u - 1)
            bits &= ~c->ready[__builtin_ctz(u)][w];
        for (bits &= in_turn; bits && left; bits &= bits - 1) {
            u32 slot = w * 64 + (u32)__builtin_ctzll(bits), unit = c->ops[slot].unit;
            if (!(units >> unit & 1))
                continue;
            enum issue_answer answer = issue_one(c, slot, now);
            if (answer == ISSUE_BUSY)
                units &= ~(1u << unit);
            else
                left -= answer == ISSUE_DONE;
        }
    }
}

/* The oldest that has not issued, and those behind it as far as they are ready too. */
static void issue_in_order(struct core *c, cycle_t now)
{
    for (u32 left = c->config->window.issue_width; c->issue_at < c->dispatched;) {
        u32 slot = core_slot_of(c, c->issue_at);
        const struct core_op *op = &c->ops[slot];
        bool is_load = c->instructions[slot].class == CPU_LOAD;
        if (c->issue_at < c->retired || op->stage == OP_DONE ||
            (op->stage == OP_MEMORY && is_load)) {
            c->issue_at++;
            continue;
        }
        if (!left || op->stage != OP_READY || issue_one(c, slot, now) != ISSUE_DONE)
            return;
        left--;
    }
}

/* ---- dispatch ------------------------------------------------------------------------------ */

static void dispatch_one(struct core *c, cycle_t now)
{
    u32 slot = core_slot_of(c, c->dispatched);
    struct core_op *op = &c->ops[slot];
    const struct cpu_instruction *i = &c->instructions[slot];
    op->ready_at = now + 1;
    op->stage = OP_WAITS;
    op->waits = CORE_RETIRED;
    op->unit = i->read_count || i->class == CPU_LOAD ? CPU_LOAD : i->class;
    for (u32 k = 0; k < i->source_count; k++) {
        u64 writer = c->writers[i->sources[k]];
        if (writer)
            core_depend(c, slot, k, writer - 1);
    }
    if (i->read_count | i->write_count)
        lsq_dispatch(c, c->dispatched);
    for (u32 k = 0; k < i->destination_count; k++)
        c->writers[i->destinations[k]] = c->dispatched + 1;
    c->dispatched++;
    bool does_nothing = !i->read_count && (i->class == CPU_NOP || i->class == CPU_EVENT);
    if (does_nothing && !op->sources_left) {
        complete(c, slot, op->ready_at, now);
        return;
    }
    if (does_nothing)
        op->unit = CPU_ALU;
    c->unissued++;
    if (!op->sources_left)
        core_schedule(c, slot, op->ready_at, now);
}

static cycle_t dispatch(struct core *c, cycle_t now)
{
    const struct core_window_config *w = &c->config->window;
    for (u32 i = 0; i < w->dispatch_width; i++) {
        u32 slot = core_slot_of(c, c->dispatched);
        if (c->dispatched == c->front.extracted || c->dispatched - c->retired == w->rob_entries ||
            c->unissued == w->scheduler_entries || !lsq_has_room(c, &c->instructions[slot]))
            return CYCLE_NEVER; /* until something else moves */
        if (c->ops[slot].ready_at > now)
            return c->ops[slot].ready_at;
        dispatch_one(c, now);
    }
    return now + 1;
}

/* ---- retirement, and where its slots went --------------------------------------------------- */

static u32 retire(struct core *c, cycle_t now)
{
    u32 n = 0;
    for (; n < c->config->window.retire_width && c->retired < c->dispatched; n++) {
        u32 slot = core_slot_of(c, c->retired);
        if (c->ops[slot].done_at > now)
            break;
        const struct cpu_instruction *i = &c->instructions[slot];
        lsq_retire(c, i);
        c->counts.classes[i->class]++;
        c->retired++;
    }
    c->counts.instructions += n;
    if (n)
        engine_progress(c->engine);
    return n;
}

/* Why the window is empty. */
static enum core_slot empty_cause(const struct core *c)
{
    if (c->dispatched == c->front.predicted && c->front.ended)
        return CORE_STORES; /* what is left of the program */
    if (c->dispatched < c->front.extracted &&
        !lsq_has_room(c, &c->instructions[core_slot_of(c, c->dispatched)]))
        return CORE_STORES;
    return front_late(c);
}

/* Of the oldest instruction; CORE_SLOTS: where its data is will be known when it comes. */
static enum core_slot cause(const struct core *c)
{
    if (c->retired == c->dispatched)
        return empty_cause(c);
    u32 slot = core_slot_of(c, c->retired);
    const struct core_op *op = &c->ops[slot];
    switch ((enum op_stage)op->stage) {
    case OP_DONE: /* others that wait for the same unit: there are too few pipes */
        return c->instructions[slot].class == CPU_LOAD ? CORE_L1D
               : c->ready_count[op->unit]              ? CORE_UNITS
                                                       : CORE_EXECUTE;
    case OP_MEMORY:
        return CORE_SLOTS;
    case OP_READY:
        return CORE_UNITS;
    case OP_BLOCKED:
        return (enum core_slot)op->waits;
    default: /* on the wheel: just dispatched, or for a reason */
        return op->waits != CORE_RETIRED  ? (enum core_slot)op->waits
               : op->late != CORE_RETIRED ? (enum core_slot)op->late
                                          : CORE_FETCH;
    }
}

static void charge(struct core *c, enum core_slot why, u64 slots)
{
    c->counts.charged_slots += slots;
    if (why == CORE_SLOTS)
        c->unresolved += slots;
    else
        c->counts.slots[why] += slots;
}

static void resolve(struct core *c, enum memory_level level)
{
    c->counts.slots[CORE_L1D + level] += c->unresolved;
    c->unresolved = 0;
}

/* Cycles up to `now`, without it, in which nothing moved. */
static void charge_gap(struct core *c, cycle_t now)
{
    if (now <= c->last + 1)
        return;
    u64 gap = now - c->last - 1, slots = gap * c->config->window.retire_width;
    c->counts.cycles += gap;
    c->counts.all_slots += slots;
    charge(c, cause(c), slots);
    c->last = now - 1;
}

static void charge_cycle(struct core *c, u32 retired, cycle_t now)
{
    u32 width = c->config->window.retire_width;
    c->counts.cycles++;
    c->counts.all_slots += width;
    charge(c, CORE_RETIRED, retired);
    if (retired < width)
        charge(c, cause(c), width - retired);
    c->last = now;
}

void core_settle(struct core *c, cycle_t now)
{
    if (!c->stream)
        return;
    charge_gap(c, now);
    if (!c->engine->sampling)
        resolve(c, LEVEL_DRAM); /* the data will not come any more */
}

/* ---- time ---------------------------------------------------------------------------------- */

static void line_came(void *core, enum wait_kind kind, u32 what, enum memory_level level,
                      cycle_t now)
{
    struct core *c = core;
    if (kind == WAIT_FETCH) {
        front_line_came(c, what, now);
        return;
    }
    if (kind == WAIT_STORE) {
        c->stores[what].lines_left--;
        return;
    }
    struct core_op *op = &c->ops[what];
    if (what == core_slot_of(c, c->retired))
        resolve(c, level);
    if (!--op->lines_left && op->stage == OP_MEMORY)
        core_data_came(c, what, now);
}

static bool has_ended(const struct core *c)
{
    return c->front.ended && c->retired == c->front.predicted && lsq_is_empty(c);
}

static void end_program(struct core *c, cycle_t now)
{
    struct err ignored = ERR_INIT;
    cpu_stream_check(c->stream, c->err.kind == ERR_NONE ? &c->err : &ignored);
    c->stream = NULL;
    c->counts.programs++;
    if (c->on_end)
        c->on_end(c->context, c, now);
}

static cycle_t core_tick(void *self, cycle_t now)
{
    struct core *c = self;
    bool came;
    if (c->stream)
        charge_gap(c, now);
    cycle_t next = caches_tick(&c->caches, now, &came);
    if (!c->stream)
        return next;
    if (came)
        c->front.is_blocked = c->store_blocked = false;
    try_mshrs(c);
    turn_wheel(c, now);
    u32 retired = retire(c, now);
    if (c->config->window.in_order)
        issue_in_order(c, now);
    else
        issue_any(c, now);
    u64 before = c->dispatched;
    next = min_u64(next, dispatch(c, now));
    next = min_u64(next, lsq_drain(c, now));
    next = min_u64(next, front_tick(c, now));
    charge_cycle(c, retired, now);
    if (UNLIKELY(has_ended(c))) {
        end_program(c, now);
        return next;
    }
    bool can_try = c->by_mshrs.count && !mshr_is_full(&c->caches.l1d.cache.mshr);
    if (retired || c->dispatched != before || c->ready_units || can_try)
        return now + 1;
    if (c->retired < c->dispatched)
        next = min_u64(next, c->ops[core_slot_of(c, c->retired)].done_at);
    next = min_u64(next, wheel_next(c, now));
    return min_u64(next, caches_next(&c->caches, now));
}

static void core_explain(void *self, struct waits *waits)
{
    const struct core *c = self;
    if (c->stream && c->retired < c->dispatched)
        waits_add(waits, UNIT_NONE, "instruction %llu at 0x%llx", (unsigned long long)c->retired,
                  (unsigned long long)c->instructions[core_slot_of(c, c->retired)].pc);
}

/* ---- building ------------------------------------------------------------------------------ */

u64 core_most_requests(const struct core_config *c)
{
    return caches_most_requests(c);
}

static void init_units(struct core *c)
{
    const struct core_units_config *u = &c->config->units;
    const struct unit_row rows[CPU_CLASS_COUNT] = {
        [CPU_ALU] = u->alu,       [CPU_MUL] = u->mul,       [CPU_DIV] = u->div,
        [CPU_FP_ADD] = u->fp_add, [CPU_FP_MUL] = u->fp_mul, [CPU_FP_DIV] = u->fp_div,
        [CPU_FP_FMA] = u->fp_fma, [CPU_SIMD] = u->simd,     [CPU_LOAD] = u->load,
        [CPU_STORE] = u->store,   [CPU_BRANCH] = u->branch, [CPU_NOP] = u->alu,
        [CPU_SYSTEM] = u->system, [CPU_EVENT] = u->alu,
    };
    memcpy(c->units, rows, sizeof rows);
    for (u32 i = 0; i < CPU_CLASS_COUNT; i++) {
        c->pipe_free[i] = ARENA_ARRAY(&c->sim->arena, cycle_t, rows[i].pipes);
        c->ready[i] = ARENA_ARRAY(&c->sim->arena, u64, c->words);
    }
}

void core_init(struct core *c, const struct build_site *site, domain_id domain,
               const struct core_config *config, u32 index, u32 agent, struct memory_system *memory,
               const struct core_policies *p)
{
    struct sim *sim = site->sim;
    struct arena *a = &sim->arena;
    u32 slots = 64;
    while (slots < config->window.rob_entries + FRONT_MOST)
        slots *= 2;
    *c = (struct core){.config = config,
                       .sim = sim,
                       .engine = &sim->engine,
                       .index = index,
                       .mask = slots - 1,
                       .words = slots / 64,
                       .err = ERR_INIT};
    c->instructions = ARENA_ARRAY(a, struct cpu_instruction, slots);
    c->ops = ARENA_ARRAY(a, struct core_op, slots);
    c->node_next = ARENA_ARRAY(a, u16, slots * OP_NODES);
    c->ready_any = ARENA_ARRAY(a, u64, c->words);
    c->by_stores.slots = ARENA_ARRAY(a, u64, c->words);
    c->by_mshrs.slots = ARENA_ARRAY(a, u64, c->words);
    init_units(c);
    branch_init(&c->branch, a, &config->branch, p->branch);
    address_table_init(&c->second_tlb, a, config->tlb.l2_entries, config->tlb.l2_ways);
    tlb_init(&c->itlb, a, &config->tlb, &c->second_tlb);
    tlb_init(&c->dtlb, a, &config->tlb, &c->second_tlb);
    caches_init(&c->caches, site, config, index, agent, memory, &p->caches);
    c->caches.core = c;
    c->caches.arrived = line_came;
    lsq_init(c);
    front_init(c);
    c->unit = engine_add_unit(c->engine, domain, site_name(site, "core", index), core_tick, c);
    c->caches.unit = c->unit;
    engine_explain_with(c->engine, c->unit, core_explain);
}

void core_start(struct core *c, struct cpu_stream *stream, u8 application)
{
    c->stream = stream;
    c->caches.application = application;
    memset(c->writers, 0, sizeof c->writers);
    front_restart(c);
    cycle_t next = engine_next_cycle(c->engine, c->engine->units[c->unit]->domain);
    c->last = next - 1;
    engine_wake_at(c->engine, c->unit, next);
}

void core_cut(struct core *c)
{
    if (!c->stream)
        return;
    c->front.ended = true;
    engine_wake(c->engine, c->unit);
}
