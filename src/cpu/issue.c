#include "cpu/issue.h"

#include "cpu/lsq.h"

#include <string.h>

/* ---- the wheel, and what can issue --------------------------------------------------------- */

static void make_ready(struct issue_queue *q, u32 slot)
{
    struct rob_entry *op = &q->rob->entries[slot];
    struct ready_word *word = &q->ready[slot / 64];
    u64 bit = (u64)1 << slot % 64;
    u32 unit = op->unit;
    op->stage = OP_READY;
    word->of[unit] |= bit;
    word->any |= bit;
    q->ready_words |= (u64)1 << slot / 64;
    q->ready_count[unit]++;
    q->ready_units |= 1u << unit;
}

static void take_ready(struct issue_queue *q, u32 slot, u32 unit)
{
    struct ready_word *word = &q->ready[slot / 64];
    u64 others = ~((u64)1 << slot % 64);
    word->of[unit] &= others;
    if (!(word->any &= others))
        q->ready_words &= ~((u64)1 << slot / 64);
    if (!--q->ready_count[unit])
        q->ready_units &= ~(1u << unit);
}

void issue_at_once(struct issue_queue *q, u32 slot)
{
    make_ready(q, slot);
}

void issue_turn(struct issue_queue *q, cycle_t now)
{
    u32 spoke = wheel_spoke(&q->wheel, now), units = 0;
    if (!wheel_is_used(&q->wheel, spoke))
        return;
    wheel_clear(&q->wheel, spoke);
    struct rob_entry *entries = q->rob->entries;
    struct ready_word *ready = q->ready;
    u64 words = 0;
    for (u32 at = q->due[spoke]; at;) {
        u32 slot = at - 1, unit;
        struct rob_entry *op = &entries[slot];
        struct ready_word *word = &ready[slot / 64];
        u64 bit = (u64)1 << slot % 64;
        at = op->next;
        unit = op->unit;
        op->stage = OP_READY;
        word->of[unit] |= bit;
        word->any |= bit;
        q->ready_count[unit]++;
        words |= (u64)1 << slot / 64;
        units |= 1u << unit;
    }
    q->ready_words |= words;
    q->ready_units |= units;
    q->due[spoke] = 0;
}

cycle_t issue_next(const struct issue_queue *q, cycle_t now)
{
    return wheel_next(&q->wheel, now);
}

/* ---- dependences --------------------------------------------------------------------------- */

void issue_depend_on(struct issue_queue *q, u32 slot, u32 node, u64 producer)
{
    struct rob_entry *of = &q->rob->entries[rob_slot(q->rob, producer)];
    if (producer >= q->rob->retired)
        issue_depend(q, slot, node, of->done_at, &of->waiters);
}

static inline void wake(struct issue_queue *q, u16 *waiters, cycle_t at, cycle_t now);

/* What the base is worked out from is there: an addition later so is the base. It takes no pipe: a
 * stack engine or the adder of the address makes it. */
static void base_known(struct issue_queue *q, u32 slot, cycle_t from_at, cycle_t now)
{
    struct rob_entry *op = &q->rob->entries[slot];
    op->base_at = from_at + q->units[CPU_ALU].latency;
    wake(q, &op->base_waiters, op->base_at, now);
}

/* A result that these wait for is known to be there at `at`. */
static void wake_all(struct issue_queue *q, u16 *waiters, cycle_t at, cycle_t now)
{
    const u16 *node_next = q->node_next;
    struct rob_entry *entries = q->rob->entries;
    u16 id = *waiters;
    *waiters = NO_NODE;
    for (u16 next; id != NO_NODE; id = next) {
        u32 consumer = id / OP_NODES;
        struct rob_entry *w = &entries[consumer];
        next = node_next[id];
        if (UNLIKELY(id % OP_NODES == BASE_NODE)) {
            base_known(q, consumer, at, now);
            continue;
        }
        cycle_t ready_at = max_u64(w->ready_at, at);
        w->ready_at = ready_at;
        if (!--w->sources_left)
            issue_schedule(q, consumer, ready_at, now);
    }
}

static inline void wake(struct issue_queue *q, u16 *waiters, cycle_t at, cycle_t now)
{
    if (*waiters != NO_NODE)
        wake_all(q, waiters, at, now);
}

void issue_base(struct issue_queue *q, u32 slot, u8 from, cycle_t now)
{
    u16 *waiters = NULL;
    cycle_t at = rob_register_at(q->rob, from, &waiters);
    if (at == CYCLE_NEVER)
        issue_wait_for(q, slot, BASE_NODE, waiters);
    else
        base_known(q, slot, max_u64(at, now + 1), now);
}

static inline void complete(struct issue_queue *q, u32 slot, cycle_t done_at, cycle_t now)
{
    struct rob_entry *op = &q->rob->entries[slot];
    const struct cpu_instruction *i = &q->rob->instructions[slot];
    op->stage = OP_DONE;
    op->done_at = done_at;
    wake(q, &op->waiters, done_at, now);
    if (UNLIKELY(op->is_wrong))
        q->resolved(q->context, done_at);
    if (i->write_count || i->class == CPU_STORE)
        lsq_store_done(q->lsq);
}

void issue_complete(struct issue_queue *q, u32 slot, cycle_t done_at, cycle_t now)
{
    complete(q, slot, done_at, now);
}

void issue_data_came(struct issue_queue *q, u32 slot, cycle_t now)
{
    struct rob_entry *op = &q->rob->entries[slot];
    u8 class = q->rob->instructions[slot].class;
    op->ready_at = max_u64(op->ready_at, now);
    if (class == CPU_LOAD) {
        issue_complete(q, slot, op->ready_at, now);
        return;
    }
    op->unit = class == CPU_NOP ? CPU_ALU : class;
    op->waits = CORE_L1D;
    issue_schedule(q, slot, op->ready_at, now);
}

/* ---- accesses that are tried again ---------------------------------------------------------- */

void issue_block(struct issue_queue *q, u32 slot, enum core_slot why)
{
    struct blocked *b = why == CORE_MSHR ? &q->by_mshrs : &q->by_stores;
    q->rob->entries[slot].waits = (u8)why;
    b->slots[slot / 64] |= (u64)1 << slot % 64;
    b->count++;
}

/* The oldest so many can be tried again. */
static void unblock(struct issue_queue *q, struct blocked *b, u32 most)
{
    u32 first = rob_slot(q->rob, q->rob->retired);
    for (u32 i = 0; b->count && most && i <= q->rob->words; i++) {
        u32 w = (first / 64 + i) & (q->rob->words - 1);
        u64 in_turn = i == 0 ? ~(u64)0 << first % 64 : ~(u64)0; /* the rest of its word is last */
        for (u64 bits = b->slots[w] & in_turn; bits && most; bits &= bits - 1, most--) {
            u32 slot = w * 64 + (u32)__builtin_ctzll(bits);
            b->slots[w] &= ~((u64)1 << slot % 64);
            b->count--;
            make_ready(q, slot);
        }
    }
}

void issue_stores_moved(struct issue_queue *q)
{
    if (UNLIKELY(q->by_stores.count))
        unblock(q, &q->by_stores, UINT32_MAX);
}

/* As many as there are MSHRs: one that needs none lets the next try in the next cycle. */
void issue_mshrs_free(struct issue_queue *q, u32 mshrs)
{
    if (UNLIKELY(q->by_mshrs.count))
        unblock(q, &q->by_mshrs, mshrs);
}

/* ---- issue --------------------------------------------------------------------------------- */

cycle_t *issue_free_pipe(struct issue_queue *q, u32 unit, cycle_t now)
{
    cycle_t *pipe = q->pipe_free[unit];
    for (const cycle_t *end = pipe + q->units[unit].pipes; pipe != end; pipe++) {
        if (*pipe <= now)
            return pipe;
    }
    return NULL;
}

static enum issue_answer issue_reads(struct issue_queue *q, u32 slot, cycle_t now)
{
    struct rob_entry *op = &q->rob->entries[slot];
    enum issue_answer answer = lsq_issue_reads(q->lsq, slot, now);
    if (answer == ISSUE_BUSY)
        return answer;
    take_ready(q, slot, CPU_LOAD);
    if (answer == ISSUE_BLOCKED)
        op->stage = OP_BLOCKED;
    if (answer != ISSUE_DONE)
        return answer;
    op->stage = OP_MEMORY;
    q->unissued -= q->rob->instructions[slot].class == CPU_LOAD;
    if (!op->lines_left)
        issue_data_came(q, slot, now);
    return ISSUE_DONE;
}

/* An instruction that is ready, on another unit than that of loads; busy: it takes no more in this
 * cycle. */
static inline enum issue_answer issue_plain(struct issue_queue *q, u32 slot, u32 unit, cycle_t now)
{
    const struct unit_row *row = &q->units[unit];
    cycle_t *pipe = issue_free_pipe(q, unit, now);
    if (!pipe)
        return ISSUE_BUSY;
    *pipe = now + row->interval;
    take_ready(q, slot, unit);
    q->unissued--;
    complete(q, slot, now + row->latency + q->rob->entries[slot].more_latency, now);
    return ISSUE_DONE;
}

static enum issue_answer issue_one(struct issue_queue *q, u32 slot, cycle_t now)
{
    u32 unit = q->rob->entries[slot].unit;
    return unit == CPU_LOAD ? issue_reads(q, slot, now) : issue_plain(q, slot, unit, now);
}

/* What is ready in a word, of units that take more. */
static u64 ready_of(const struct issue_queue *q, u32 word, u32 units)
{
    const struct ready_word *w = &q->ready[word];
    u64 bits = w->any;
    for (u32 u = q->ready_units & ~units; u; u &= u - 1)
        bits &= ~w->of[__builtin_ctz(u)];
    return bits;
}

/* Oldest first, whatever is ready and has a unit: from the word of the oldest instruction on to the
 * last, those before it, and what lies in it before the oldest. A store that issues may make loads
 * ready, in this cycle where they come later. */
static void issue_any(struct issue_queue *q, cycle_t now)
{
    u32 left = q->config->issue_width, units = q->ready_units;
    if (!units)
        return;
    const struct rob_entry *entries = q->rob->entries;
    u32 head = rob_slot(q->rob, q->rob->retired), first = head / 64;
    const u64 front = ((u64)1 << head % 64) - 1, before = ((u64)1 << first) - 1;
    const u64 parts[] = {~before, before, (u64)1 << first};
    for (u32 part = 0; part < ARRAY_LEN(parts); part++) {
        for (u64 words, rest = parts[part]; (words = q->ready_words & rest);) {
            u32 w = (u32)__builtin_ctzll(words);
            u64 bits = ready_of(q, w, units);
            if (w == first)
                bits &= part == 0 ? ~front : front;
            for (rest &= ~(u64)1 << w; bits; bits &= bits - 1) {
                u32 slot = w * 64 + (u32)__builtin_ctzll(bits), unit = entries[slot].unit;
                if (!(units >> unit & 1))
                    continue;
                enum issue_answer answer =
                    unit == CPU_LOAD ? issue_reads(q, slot, now) : issue_plain(q, slot, unit, now);
                if (answer == ISSUE_BUSY)
                    units &= ~(1u << unit);
                else
                    left -= answer == ISSUE_DONE;
                if (!left || !units)
                    return;
            }
        }
    }
}

/* The oldest that has not issued, and those behind it as far as they are ready too. */
static void issue_in_order(struct issue_queue *q, cycle_t now)
{
    for (u32 left = q->config->issue_width; q->oldest < q->rob->dispatched;) {
        u32 slot = rob_slot(q->rob, q->oldest);
        const struct rob_entry *op = &q->rob->entries[slot];
        bool is_load = q->rob->instructions[slot].class == CPU_LOAD;
        if (q->oldest < q->rob->retired || op->stage == OP_DONE ||
            (op->stage == OP_MEMORY && is_load)) {
            q->oldest++;
            continue;
        }
        if (!left || op->stage != OP_READY || issue_one(q, slot, now) != ISSUE_DONE)
            return;
        left--;
    }
}

void issue_ready(struct issue_queue *q, cycle_t now)
{
    if (q->config->in_order)
        issue_in_order(q, now);
    else
        issue_any(q, now);
}

/* ---- building ------------------------------------------------------------------------------ */

static void init_units(struct issue_queue *q, struct arena *arena,
                       const struct core_units_config *u)
{
    const struct unit_row rows[CPU_CLASS_COUNT] = {
        [CPU_ALU] = u->alu,       [CPU_MUL] = u->mul,       [CPU_DIV] = u->div,
        [CPU_FP_ADD] = u->fp_add, [CPU_FP_MUL] = u->fp_mul, [CPU_FP_DIV] = u->fp_div,
        [CPU_FP_FMA] = u->fp_fma, [CPU_SIMD] = u->simd,     [CPU_LOAD] = u->load,
        [CPU_STORE] = u->store,   [CPU_BRANCH] = u->branch, [CPU_NOP] = u->alu,
        [CPU_SYSTEM] = u->system, [CPU_EVENT] = u->alu,
    };
    memcpy(q->units, rows, sizeof rows);
    for (u32 i = 0; i < CPU_CLASS_COUNT; i++) {
        q->pipe_free[i] = ARENA_ARRAY(arena, cycle_t, rows[i].pipes);
    }
}

void issue_init(struct issue_queue *q, struct arena *arena, const struct core_config *config,
                struct rob *rob, struct lsq *lsq)
{
    *q = (struct issue_queue){.config = &config->window, .rob = rob, .lsq = lsq};
    q->node_next = ARENA_ARRAY(arena, u16, (rob->mask + 1) * OP_NODES);
    q->ready = arena_alloc_aligned(arena, rob->words * sizeof *q->ready, 64);
    q->by_stores.slots = ARENA_ARRAY(arena, u64, rob->words);
    q->by_mshrs.slots = ARENA_ARRAY(arena, u64, rob->words);
    wheel_init(&q->wheel, arena, WHEEL - 1);
    init_units(q, arena, &config->units);
}
