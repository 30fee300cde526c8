#include "cpu/core.h"

#include "cpu/shared_icache.h"

/* ---- dispatch ------------------------------------------------------------------------------ */

/* Of a sum in order; the wheel is as long as a latency can be. */
static u16 steps_behind_the_first(const struct core *c, const struct cpu_vector *v)
{
    u32 latency = c->config->units.fp_add.latency;
    return v->serial ? (u16)min_u64((v->serial - 1u) * latency, WHEEL - 1 - latency) : 0;
}

/* The window as dispatch finds it: nothing of this changes meanwhile. */
struct window {
    const struct cpu_instruction *instructions;
    struct rob_entry *entries;
    u64 *writers;
    u16 *node_next;
    u64 retired;
    u32 mask;
};

/* When its registers are there, as far as that is known; it hangs on lists of the others. */
static inline void find_sources(const struct window *w, u32 slot, const struct cpu_instruction *i,
                                cycle_t now)
{
    struct rob_entry *op = &w->entries[slot];
    cycle_t ready_at = now + 1;
    u32 left = 0;
    for (u32 k = 0, count = i->source_count; k < count; k++) {
        u64 writer = w->writers[i->sources[k]];
        if (writer <= 2 * w->retired) /* see rob_register_at */
            continue;
        struct rob_entry *of = &w->entries[(u32)((writer - 1) / 2) & w->mask];
        bool is_base = (writer - 1) & 1;
        cycle_t at = is_base ? of->base_at : of->done_at;
        if (at != CYCLE_NEVER) {
            ready_at = max_u64(ready_at, at);
            continue;
        }
        u16 *waiters = is_base ? &of->base_waiters : &of->waiters;
        u32 id = slot * OP_NODES + k;
        w->node_next[id] = *waiters;
        *waiters = (u16)id;
        left++;
    }
    op->ready_at = ready_at;
    op->sources_left = (u8)left;
}

static inline void dispatch_one(struct core *c, const struct window *w, u32 slot, cycle_t now)
{
    struct issue_queue *q = &c->issue;
    struct rob_entry *op = &w->entries[slot];
    const struct cpu_instruction *i = &w->instructions[slot];
    bool reads = i->read_count, touches = i->read_count | i->write_count;
    op->stage = OP_WAITS;
    op->waits = CORE_RETIRED;
    op->unit = reads || i->class == CPU_LOAD ? CPU_LOAD : i->class;
    find_sources(w, slot, i, now);
    if (touches || UNLIKELY(i->vector && i->vector->count))
        lsq_dispatch(&c->lsq, c->rob.dispatched);
    if (UNLIKELY(i->base_from))
        issue_base(q, slot, i->sources[i->base_from - 1], now);
    if (UNLIKELY(i->vector != NULL)) {
        vector_dispatch(&c->vector, i);
        op->more_latency = steps_behind_the_first(c, i->vector);
    }
    rob_dispatch(&c->rob);
    if (!reads && UNLIKELY(i->class == CPU_NOP || i->class == CPU_EVENT)) { /* it does nothing */
        if (!op->sources_left) {
            issue_complete(q, slot, op->ready_at, now);
            return;
        }
        op->unit = CPU_ALU;
    }
    q->unissued++;
    if (!op->sources_left)
        issue_schedule(q, slot, op->ready_at, now);
}

static cycle_t dispatch(struct core *c, cycle_t now)
{
    struct rob *r = &c->rob;
    const struct core_window_config *config = &c->config->window;
    const struct window w = {.instructions = r->instructions,
                             .entries = r->entries,
                             .writers = r->writers,
                             .node_next = c->issue.node_next,
                             .retired = r->retired,
                             .mask = r->mask};
    u64 room = r->window - (r->dispatched - r->retired);
    u64 most = min_u64(min_u64(config->dispatch_width, room), c->fetch.extracted - r->dispatched);
    for (u64 at = r->dispatched, end = at + most; at < end; at++) {
        u32 slot = (u32)at & w.mask;
        const struct cpu_instruction *i = &w.instructions[slot];
        if (issue_is_full(&c->issue) || !lsq_has_room(&c->lsq, i))
            return CYCLE_NEVER; /* until something else moves */
        if (UNLIKELY(i->vector != NULL) && !vector_has_registers(&c->vector, i))
            return CYCLE_NEVER;
        if (w.entries[slot].ready_at > now)
            return w.entries[slot].ready_at;
        dispatch_one(c, &w, slot, now);
    }
    return most == config->dispatch_width ? now + 1 : CYCLE_NEVER;
}

/* ---- retirement, and where its slots went --------------------------------------------------- */

static u32 retire(struct core *c, cycle_t now)
{
    struct rob *r = &c->rob;
    const struct cpu_instruction *instructions = r->instructions;
    const struct rob_entry *entries = r->entries;
    const u32 mask = r->mask;
    u64 first = r->retired, at = first;
    u64 end = min_u64(first + c->config->window.retire_width, r->dispatched);
    u32 reads = 0, writes = 0;
    for (; at < end && entries[(u32)at & mask].done_at <= now; at++) {
        const struct cpu_instruction *i = &instructions[(u32)at & mask];
        reads += lsq_reads_of(i);
        writes += lsq_writes_of(i);
        if (UNLIKELY(i->vector != NULL))
            vector_retire(&c->vector, i);
        c->counts.classes[i->class]++;
    }
    if (at == first)
        return 0;
    r->retired = at;
    lsq_retire(&c->lsq, reads, writes);
    c->counts.instructions += at - first;
    engine_progress(c->engine);
    return (u32)(at - first);
}

/* Why the window is empty. */
static enum core_slot empty_cause(const struct core *c)
{
    if (c->rob.dispatched == c->rob.predicted && c->fetch.ended)
        return CORE_STORES; /* what is left of the program */
    if (c->rob.dispatched < c->fetch.extracted &&
        !lsq_has_room(&c->lsq, &c->rob.instructions[rob_slot(&c->rob, c->rob.dispatched)]))
        return CORE_STORES;
    return fetch_late(&c->fetch);
}

/* Of the oldest instruction; CORE_SLOTS: where its data is will be known when it comes. */
static enum core_slot cause(const struct core *c)
{
    if (rob_is_empty(&c->rob))
        return empty_cause(c);
    u32 slot = rob_slot(&c->rob, c->rob.retired);
    const struct rob_entry *op = &c->rob.entries[slot];
    switch ((enum op_stage)op->stage) {
    case OP_DONE: /* others that wait for the same unit: there are too few pipes */
        return c->rob.instructions[slot].class == CPU_LOAD ? CORE_L1D
               : c->issue.ready_count[op->unit]            ? CORE_UNITS
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
    if (c->rate) {
        rate_settle(c, now);
        return;
    }
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
        fetch_line_came(&c->fetch, what, now);
        if (c->rate)
            c->rate->trips[what] = (struct line_trip){.level = (u8)level};
        return;
    }
    if (kind == WAIT_STORE) {
        lsq_line_came(&c->lsq, what);
        return;
    }
    struct rob_entry *op = &c->rob.entries[what];
    if (what == rob_slot(&c->rob, c->rob.retired))
        resolve(c, level);
    if (!--op->lines_left && op->stage == OP_MEMORY)
        issue_data_came(&c->issue, what, now);
}

static bool has_drained(const struct core *c)
{
    return c->rob.retired == c->rob.predicted && lsq_is_empty(&c->lsq);
}

static void end_program(struct core *c, cycle_t now)
{
    struct err ignored = ERR_INIT;
    cpu_stream_check(c->stream, c->err.kind == ERR_NONE ? &c->err : &ignored);
    c->counts.programs += !c->stream->goes_on;
    c->stream = NULL;
    if (c->rate)
        rate_leave(c, now);
    if (c->openmp) {
        openmp_account(c->openmp, c->index, c->counts.cycles, c->counts.instructions);
        openmp_end(c->openmp, c->index, engine_cycle(c->engine, c->openmp->domain));
    }
    if (c->on_end)
        c->on_end(c->context, c, now);
}

/* All that its program did before an event is done. Until it may go on the core has nothing to
 * do, and costs nothing. */
static void ask_to_go_on(struct core *c, cycle_t now)
{
    const struct cpu_instruction *event = cpu_stream_peek(c->stream);
    openmp_account(c->openmp, c->index, c->counts.cycles, c->counts.instructions);
    if (c->rate)
        rate_leave(c, now);
    c->paused = c->stream;
    c->stream = NULL;
    openmp_ask(c->openmp, c->index, event, engine_cycle(c->engine, c->openmp->domain));
}

void core_reach_mark(struct core *c, cycle_t now)
{
    c->mark_at = UINT64_MAX;
    c->on_mark(c->context, c, now);
}

bool core_rests(struct core *c, cycle_t now)
{
    if (LIKELY(!c->fetch.ended && !c->fetch.is_at_event) || !has_drained(c))
        return false;
    if (c->fetch.ended)
        end_program(c, now);
    else
        ask_to_go_on(c, now);
    return true;
}

static u32 free_mshrs(const struct core *c)
{
    const struct mshr *m = &c->caches.l1d.cache.mshr;
    return m->entry_count - m->in_use;
}

static cycle_t core_tick(void *self, cycle_t now)
{
    struct core *c = self;
    bool came;
    if (c->stream)
        charge_gap(c, now);
    cycle_t next = caches_tick(&c->caches, now, &came);
    if (UNLIKELY(c->icache))
        came |= icache_client_tick(c->icache, c, now);
    if (!c->stream)
        return next;
    if (came)
        c->fetch.is_blocked = c->lsq.is_blocked = false;
    issue_mshrs_free(&c->issue, free_mshrs(c));
    issue_turn(&c->issue, now);
    u32 retired = retire(c, now);
    issue_ready(&c->issue, now);
    u64 before = c->rob.dispatched;
    next = min_u64(next, dispatch(c, now));
    next = min_u64(next, lsq_drain(&c->lsq, now));
    next = min_u64(next, fetch_tick(&c->fetch, now));
    charge_cycle(c, retired, now);
    if (UNLIKELY(c->counts.instructions >= c->mark_at))
        core_reach_mark(c, now);
    if (UNLIKELY(core_rests(c, now)))
        return min_u64(next, caches_next(&c->caches, now)); /* lines that were fetched ahead */
    bool can_try = c->issue.by_mshrs.count && free_mshrs(c);
    if (retired || c->rob.dispatched != before || c->issue.ready_units || can_try)
        return now + 1;
    if (!rob_is_empty(&c->rob))
        next = min_u64(next, c->rob.entries[rob_slot(&c->rob, c->rob.retired)].done_at);
    next = min_u64(next, issue_next(&c->issue, now));
    return min_u64(next, caches_next(&c->caches, now));
}

static void core_explain(void *self, struct waits *waits)
{
    const struct core *c = self;
    if (c->stream && !rob_is_empty(&c->rob))
        waits_add(waits, UNIT_NONE, "instruction %llu at 0x%llx",
                  (unsigned long long)c->rob.retired,
                  (unsigned long long)c->rob.instructions[rob_slot(&c->rob, c->rob.retired)].pc);
}

/* ---- building ------------------------------------------------------------------------------ */

u64 core_most_requests(const struct core_config *c)
{
    return caches_most_requests(c);
}

static void branch_resolved(void *core, cycle_t done_at)
{
    fetch_branch_done(&((struct core *)core)->fetch, done_at);
}

static void init_memory(struct core *c, const struct build_site *site, const struct core_parts *p)
{
    const struct core_config *config = p->config;
    struct arena *a = &site->sim->arena;
    const struct caches_parts caches = {.config = config,
                                        .index = p->index,
                                        .agent = p->agent,
                                        .memory = p->memory,
                                        .policies = &p->policies->caches};
    address_table_init(&c->second_tlb, a, config->tlb.l2_entries, config->tlb.l2_ways);
    tlb_init(&c->itlb, a, &config->tlb, &c->second_tlb);
    tlb_init(&c->dtlb, a, &config->tlb, &c->second_tlb);
    caches_init(&c->caches, site, &caches);
    c->caches.core = c;
    c->caches.arrived = line_came;
}

static void init_pipeline(struct core *c, struct arena *a, const struct core_config *config)
{
    const struct fetch_parts fetch = {.config = &config->fetch,
                                      .rob = &c->rob,
                                      .branch = &c->branch,
                                      .caches = &c->caches,
                                      .itlb = &c->itlb,
                                      .counts = &c->counts};
    const struct lsq_parts lsq = {&config->lsq, &c->rob,    &c->issue, &c->caches,
                                  &c->dtlb,     &c->counts, &c->vector};
    c->vector.config = &config->vector;
    c->vector.bus_bytes =
        config->vector.bus_bytes ? config->vector.bus_bytes : c->caches.line_bytes;
    rob_init(&c->rob, a, config->window.rob_entries);
    issue_init(&c->issue, a, config, &c->rob, &c->lsq);
    c->issue.resolved = branch_resolved;
    c->issue.context = c;
    lsq_init(&c->lsq, a, &lsq);
    fetch_init(&c->fetch, a, &fetch);
    c->fetch.heeds_events = config->openmp;
}

static unit_tick *tick_of(const struct core_config *c)
{
    return c->backend == BACKEND_RATE ? rate_tick : core_tick;
}

static void init_rate(struct core *c, struct arena *a)
{
    const struct rate_config *r = &c->config->rate;
    bool is_wide = c->index < r->wide_cores;
    c->rate = ARENA_NEW(a, struct rate);
    c->rate->trips = ARENA_ARRAY(a, struct line_trip, c->config->fetch.line_buffers);
    rate_set(c, is_wide ? r->wide_serial : r->lean, is_wide ? r->wide_parallel : r->lean);
    caches_count_compulsory(&c->caches, a);
}

void core_share_icache(struct core *c, struct icache_client *k)
{
    c->icache = c->fetch.with.icache = k;
    if (c->rate)
        c->rate->trips = k->trips;
}

void core_init(struct core *c, const struct build_site *site, const struct core_parts *p)
{
    struct sim *sim = site->sim;
    *c = (struct core){.config = p->config,
                       .engine = &sim->engine,
                       .index = p->index,
                       .mark_at = UINT64_MAX,
                       .err = ERR_INIT};
    branch_init(&c->branch, &sim->arena, &p->config->branch, p->policies->branch,
                p->policies->indirect);
    init_memory(c, site, p);
    init_pipeline(c, &sim->arena, p->config);
    if (p->config->backend == BACKEND_RATE)
        init_rate(c, &sim->arena);
    c->unit = engine_add_unit(c->engine, p->domain, site_name(site, "core", p->index),
                              tick_of(p->config), c);
    c->caches.unit = c->unit;
    engine_explain_with(c->engine, c->unit, core_explain);
}

void core_start(struct core *c, struct cpu_stream *stream, u8 application)
{
    c->stream = stream;
    c->paused = NULL;
    c->caches.application = application;
    rob_forget_registers(&c->rob);
    fetch_restart(&c->fetch, stream);
    cycle_t next = engine_next_cycle(c->engine, c->engine->units[c->unit]->domain);
    c->last = next - 1;
    if (c->rate)
        rate_enter(c);
    engine_wake_at(c->engine, c->unit, next);
}

void core_go_on(struct core *c)
{
    c->stream = c->paused;
    c->paused = NULL;
    fetch_pass_event(&c->fetch);
    cycle_t next = engine_next_cycle(c->engine, c->engine->units[c->unit]->domain);
    c->last = next - 1;
    if (c->rate)
        rate_enter(c);
    engine_wake_at(c->engine, c->unit, next);
}

void core_cut(struct core *c)
{
    if (c->openmp)
        openmp_drop(c->openmp, c->index);
    if (c->paused)
        core_go_on(c);
    if (!c->stream)
        return;
    c->fetch.ended = true;
    engine_wake(c->engine, c->unit);
}
