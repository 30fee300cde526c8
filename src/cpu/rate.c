#include "cpu/rate.h"

#include "cpu/core.h"
#include "cpu/shared_icache.h"

/* clang-format off */
const char *const rate_class_names[RATE_CLASSES + 1] = {"backend", "branch", "bus", "contention", "icache", "memory", "fetch", NULL};
const char *const rate_class_meanings[RATE_CLASSES] = {
    [RATE_BACKEND] = "at the rate of the back end",
    [RATE_BRANCH] = "after a mispredicted branch, or a target that was known late",
    [RATE_BUS] = "a line was on an instruction bus",
    [RATE_CONTENTION] = "a request waited for an instruction bus",
    [RATE_ICACHE] = "an I-cache miss that the L2 had was outstanding",
    [RATE_MEMORY] = "an I-cache miss that the L2 did not have was outstanding",
    [RATE_FETCH] = "the front end delivered too few instructions",
};

const struct stat_def rate_stats[] = {
    S_ARRAY(rate_counts, classes, rate_class_names, RATE_CLASSES, "cycles", "cycles by cause: the back end's rate, a mispredicted branch, the latency of an instruction bus, contention for it, I-cache misses that hit in the L2, I-cache misses that miss there too, the front end otherwise"),
    S_COUNT(rate_counts, all_cycles, "cycles", "cycles from each start to the next wait or end"),
    S_COUNT(rate_counts, charged_cycles, "cycles", "cycles charged to a cause"),
    S_LAW(stalls, "charged_cycles == all_cycles", "every cycle is charged once"),
    S_END,
};

static const char *const source_names[] = {"trace", "chip", NULL};

const struct param rate_params[] = {
    P_CHOICE(rate_config, source, RATES_OF_TRACE, source_names, "where rates come from: measured ones that are stored with the trace (heddle trace rate), or those below; synthetic kernels always have those below", "hpc-cores spec 1.2"),
    P_U32(rate_config, wide_cores, 1, 0, 64, "cores", "cores, from core 0 on, that have the rates of the wide core", "Milic 2017, table 5.1: one master"),
    P_DOUBLE(rate_config, wide_serial, 2.0, 0.01, 8.0, "instructions/cycle", "rate of a wide core outside parallel regions", "hpc-cores spec 1.2, for micro-checks"),
    P_DOUBLE(rate_config, wide_parallel, 1.6, 0.01, 8.0, "instructions/cycle", "rate of a wide core inside parallel regions", "hpc-cores spec 1.2, for micro-checks"),
    P_DOUBLE(rate_config, lean, 0.9, 0.01, 8.0, "instructions/cycle", "rate of all other cores", "hpc-cores spec 1.2, for micro-checks"),
    P_U32(rate_config, resolve_cycles, 7, 0, 100, "cycles", "time from a branch leaving the queue to its result; the next prediction follows core.branch.redirect_cycles later", "hpc-cores spec 1.2: 8 together"),
    P_END,
};
/* clang-format on */

/* ---- charging ------------------------------------------------------------------------------- */

/* So that the statistics of any core say where its slots went. */
static const u8 slot_of[RATE_CLASSES] = {
    [RATE_BACKEND] = CORE_RETIRED,  [RATE_BRANCH] = CORE_BRANCH, [RATE_BUS] = CORE_FETCH,
    [RATE_CONTENTION] = CORE_FETCH, [RATE_ICACHE] = CORE_ICACHE, [RATE_MEMORY] = CORE_ICACHE,
    [RATE_FETCH] = CORE_FETCH,
};

/* The next cycles that have not been charged. */
static void charge(struct core *c, enum rate_class why, u64 cycles)
{
    u64 slots = cycles * c->config->window.retire_width;
    c->rate->counts.classes[why] += cycles;
    c->rate->counts.charged_cycles += cycles;
    c->counts.cycles += cycles;
    c->counts.all_slots += slots;
    c->counts.charged_slots += slots;
    c->counts.slots[slot_of[why]] += slots;
    c->last += cycles;
}

/* Cycles with an empty queue: those whose credit is at least an instruction are stalls. */
static void charge_empty(struct core *c, enum rate_class why, u64 cycles)
{
    struct rate *r = c->rate;
    u64 credit = r->credit + r->rate * cycles;
    u64 stalls = r->rate >= RATE_ONE ? cycles : credit / RATE_ONE;
    r->credit = credit % RATE_ONE;
    charge(c, why, stalls);
    charge(c, RATE_BACKEND, cycles - stalls);
}

/* ---- waits for a line ------------------------------------------------------------------------ */

struct phase {
    cycle_t end; /* the first cycle behind it */
    u8 class;
};

/* Of a line that came in cycle `came`; how many. What would not have been waited without others on
 * the bus is contention; what would not without a bus is the bus's; the rest went by below. */
static u32 phases_of(const struct core *c, u32 buffer, cycle_t came, struct phase out[3])
{
    const struct line_trip *t = &c->rate->trips[buffer];
    u8 below = t->level == LEVEL_L2 ? RATE_ICACHE : RATE_MEMORY;
    if (!t->is_shared) {
        out[0] = (struct phase){CYCLE_NEVER, below};
        return 1;
    }
    const struct sharing_config *s = &c->config->sharing;
    u64 bus = s->bus_cycles + sharing_line_cycles(s, c->caches.line_bytes);
    cycle_t alone = came - line_trip_contention(t, came, bus);
    out[0] = (struct phase){alone - bus, t->level == LEVEL_L1 ? RATE_BUS : below};
    out[1] = (struct phase){alone, RATE_BUS};
    out[2] = (struct phase){CYCLE_NEVER, RATE_CONTENTION};
    return 3;
}

/* Cycles before `now`, now that the line is there. */
static void charge_wait(struct core *c, cycle_t now)
{
    struct rate *r = c->rate;
    struct phase phases[3];
    cycle_t came = c->fetch.buffers[r->waits_for].ready;
    u32 count = phases_of(c, r->waits_for, came, phases), i = 0;
    if (r->is_short) {
        while (phases[i].end <= c->last + 1)
            i++;
        charge(c, (enum rate_class)phases[i].class, 1);
    }
    for (i = 0; i < count && c->last + 1 < now; i++) {
        cycle_t end = min_u64(phases[i].end, now);
        if (end <= c->last + 1)
            continue;
        charge_empty(c, (enum rate_class)phases[i].class, end - c->last - 1);
    }
    r->recent = phases[count > 1].class;
    r->waits_for = NO_BUFFER;
    r->is_short = false;
}

/* The buffer whose line the queue waits for. */
static u32 awaited(const struct fetch *f)
{
    if (f->with.rob->dispatched < f->extracted || f->asked_head == f->asked_tail)
        return NO_BUFFER;
    u32 buffer = f->asked[f->asked_head & f->asked_mask];
    return f->buffers[buffer].ready == CYCLE_NEVER ? buffer : NO_BUFFER;
}

/* Why the queue has too few instructions, if not for a line. */
static enum rate_class cause(const struct core *c)
{
    enum core_slot late = fetch_late(&c->fetch);
    if (late == CORE_BRANCH || late == CORE_TARGET)
        return RATE_BRANCH;
    return (enum rate_class)c->rate->recent;
}

/* Cycles before `now` in which the core slept. False: it waits for a line that has not come. */
static bool charge_sleep(struct core *c, cycle_t now)
{
    struct rate *r = c->rate;
    if (r->waits_for != NO_BUFFER) {
        if (c->fetch.buffers[r->waits_for].ready == CYCLE_NEVER)
            return false;
        charge_wait(c, now);
    } else if (now > c->last + 1) {
        charge_empty(c, (enum rate_class)r->idle, now - c->last - 1);
    }
    return true;
}

/* ---- the cycle ------------------------------------------------------------------------------- */

static u32 take(struct core *c, u32 most, cycle_t now)
{
    struct rob *r = &c->rob;
    u32 n = 0;
    for (; n < most && r->retired < c->fetch.extracted; n++) {
        u32 slot = rob_slot(r, r->retired);
        const struct rob_entry *op = &r->entries[slot];
        if (op->ready_at > now)
            break;
        c->counts.classes[r->instructions[slot].class]++;
        if (op->is_wrong)
            fetch_branch_done(&c->fetch, now + c->config->rate.resolve_cycles);
        r->dispatched = ++r->retired;
    }
    c->counts.instructions += n;
    if (n) {
        c->rate->recent = RATE_FETCH;
        engine_progress(c->engine);
    }
    return n;
}

static void work(struct core *c, cycle_t now)
{
    struct rate *r = c->rate;
    u64 credit = r->credit + r->rate;
    u32 wanted = (u32)(credit / RATE_ONE), taken = take(c, wanted, now);
    if (taken == wanted) {
        r->credit = credit % RATE_ONE;
        charge(c, RATE_BACKEND, 1);
        return;
    }
    r->waits_for = awaited(&c->fetch);
    r->is_short = taken > 0 && r->waits_for != NO_BUFFER;
    if (r->waits_for == NO_BUFFER || taken)
        r->credit = credit % RATE_ONE;
    if (r->waits_for == NO_BUFFER)
        charge(c, cause(c), 1);
}

/* The next cycle in which it can take something. */
static cycle_t next_take(const struct core *c, cycle_t now)
{
    const struct rob *r = &c->rob;
    if (r->retired == c->fetch.extracted)
        return CYCLE_NEVER;
    return max_u64(now + 1, r->entries[rob_slot(r, r->retired)].ready_at);
}

cycle_t rate_tick(void *self, cycle_t now)
{
    struct core *c = self;
    bool came;
    cycle_t next = caches_tick(&c->caches, now, &came);
    if (c->icache)
        came |= icache_client_tick(c->icache, c, now);
    if (!c->stream)
        return next;
    if (came)
        c->fetch.is_blocked = false;
    if (UNLIKELY(now <= c->last)) /* started before the first cycle, in which all are ticked */
        c->last = c->rate->from = now - 1;
    bool is_charged = charge_sleep(c, now);
    if (is_charged)
        work(c, now);
    next = min_u64(next, fetch_tick(&c->fetch, now));
    if (is_charged && c->rate->waits_for == NO_BUFFER) {
        c->rate->waits_for = awaited(&c->fetch);
        c->rate->idle = (u8)cause(c);
    }
    if (UNLIKELY(c->counts.instructions >= c->mark_at))
        core_reach_mark(c, now);
    if (UNLIKELY(core_rests(c, now)))
        return min_u64(next, caches_next(&c->caches, now));
    next = min_u64(next, next_take(c, now));
    return min_u64(next, caches_next(&c->caches, now));
}

/* ---- programs -------------------------------------------------------------------------------- */

void rate_set(struct core *c, double serial, double parallel)
{
    c->rate->rates[OPENMP_SERIAL] = (u64)(serial * (double)RATE_ONE + 0.5);
    c->rate->rates[OPENMP_PARALLEL] = (u64)(parallel * (double)RATE_ONE + 0.5);
}

void rate_enter(struct core *c)
{
    struct rate *r = c->rate;
    bool is_parallel = c->openmp && c->openmp->threads[c->index].depth;
    r->rate = r->rates[is_parallel ? OPENMP_PARALLEL : OPENMP_SERIAL];
    r->from = c->last;
    r->waits_for = NO_BUFFER;
    r->is_short = false;
    r->idle = r->recent = RATE_FETCH;
}

void rate_leave(struct core *c, cycle_t now)
{
    c->rate->counts.all_cycles += now - c->rate->from;
    c->rate->from = now;
}

void rate_settle(struct core *c, cycle_t now)
{
    struct rate *r = c->rate;
    if (r->waits_for == NO_BUFFER)
        charge_sleep(c, now);
    else if (!c->engine->sampling) { /* the line will not come any more */
        r->waits_for = NO_BUFFER;
        charge_empty(c, RATE_MEMORY, now - c->last - 1);
    }
    rate_leave(c, now - 1);
}
