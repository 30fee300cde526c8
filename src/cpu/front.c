/* The front end: predicts blocks, asks for their lines, extracts their instructions. */
#include "cpu/core.h"

static u32 power_of_two(u32 n)
{
    u32 p = 1;
    while (p < n)
        p *= 2;
    return p;
}

void front_init(struct core *c)
{
    const struct core_fetch_config *f = &c->config->fetch;
    struct core_front *t = &c->front;
    struct arena *a = &c->sim->arena;
    t->block_mask = power_of_two(f->targets) - 1;
    t->blocks = ARENA_ARRAY(a, struct fetch_block, t->block_mask + 1);
    t->buffers = ARENA_ARRAY(a, struct line_buffer, f->line_buffers);
    /* a block has so many lines at most */
    t->asked_mask = power_of_two(f->targets * (f->block_bytes / 16 + 2)) - 1;
    t->asked = ARENA_ARRAY(a, u8, t->asked_mask + 1);
    front_restart(c);
}

void front_restart(struct core *c)
{
    struct core_front *t = &c->front;
    t->ended = t->is_wrong = t->is_blocked = false;
    t->late = CORE_FETCH;
    t->resume_at = 0;
    for (u32 i = 0; i < c->config->fetch.line_buffers; i++)
        t->buffers[i] = (struct line_buffer){.line = NO_LINE};
}

/* ---- prediction ---------------------------------------------------------------------------- */

#define MOST_BYTES 15u /* of an instruction of x86 */

static u64 last_byte(const struct cpu_instruction *i)
{
    return i->pc + (i->length ? i->length - 1u : 0);
}

/* Takes the next instruction of the stream into the ring; what is believed of it. */
static enum branch_verdict take(struct core *c, const struct cpu_instruction *i)
{
    struct core_front *t = &c->front;
    u32 slot = core_slot_of(c, t->predicted);
    c->instructions[slot] = *i;
    if (i->class == CPU_LOAD && !i->read_count) /* a trace that does not know the address */
        c->instructions[slot].class = CPU_NOP;
    c->ops[slot] = (struct core_op){
        .done_at = CYCLE_NEVER, .waiters = NO_NODE, .late = t->late, .stage = OP_FRONT};
    enum branch_verdict v =
        i->branch == CPU_NO_BRANCH ? BRANCH_RIGHT : branch_predict(&c->branch, i);
    t->late = CORE_RETIRED;
    t->predicted++;
    cpu_stream_skip(c->stream);
    return v;
}

static bool has_room(const struct core *c)
{
    return c->front.predicted - c->dispatched < FRONT_MOST;
}

/* Is it the next instruction in memory? Without a length, one that is near is taken for it. */
static bool follows(u64 last_pc, u64 length, u64 pc)
{
    return length ? pc == last_pc + length : pc - last_pc < MOST_BYTES + 1;
}

/* One block: up to a taken branch, a break in the addresses, or its longest length. */
static void predict_block(struct core *c, cycle_t now)
{
    struct core_front *t = &c->front;
    const struct cpu_instruction *i = cpu_stream_peek(c->stream);
    if (!i) {
        t->ended = true;
        return;
    }
    u64 start = i->pc, last_pc = i->pc, length = 0, line_mask = ~(u64)(c->caches.line_bytes - 1);
    struct fetch_block b = {.first = t->predicted, .line = start & line_mask};
    enum branch_verdict v = BRANCH_RIGHT;
    bool taken = false;
    while (i && follows(last_pc, length, i->pc) && i->pc - start < c->config->fetch.block_bytes &&
           has_room(c) && v == BRANCH_RIGHT && !taken) {
        taken = i->taken;
        last_pc = i->pc;
        length = i->length;
        b.last_line = last_byte(i) & line_mask;
        v = take(c, i);
        i = taken || v != BRANCH_RIGHT ? NULL : cpu_stream_peek(c->stream);
    }
    t->ended = !cpu_stream_peek(c->stream);
    b.end = t->predicted;
    b.reading = b.line;
    t->blocks[t->block_tail++ & t->block_mask] = b;
    c->counts.fetch_blocks++;
    if (v == BRANCH_WRONG) {
        c->ops[core_slot_of(c, t->predicted - 1)].is_wrong = true;
        t->is_wrong = true;
        t->late = CORE_BRANCH;
    } else if (v == BRANCH_LATE) {
        t->resume_at = now + 1 + c->config->branch.btb_miss_cycles;
        t->late = CORE_TARGET;
    }
}

static cycle_t predict(struct core *c, cycle_t now)
{
    struct core_front *t = &c->front;
    if (t->ended || t->is_wrong || t->block_tail - t->block_head == c->config->fetch.targets ||
        !has_room(c))
        return CYCLE_NEVER; /* until something else moves */
    if (now < t->resume_at)
        return t->resume_at;
    predict_block(c, now);
    return now + 1; /* its lines are asked for then */
}

void front_branch_done(struct core *c, cycle_t done_at)
{
    c->front.is_wrong = false;
    c->front.resume_at = done_at + c->config->branch.redirect_cycles;
}

/* ---- lines --------------------------------------------------------------------------------- */

/* The buffer that has a line, or waits for it; else the one used longest ago of those that are
 * free, or -1. */
static i32 buffer_for(struct core *c, u64 line, bool *found)
{
    i32 best = -1;
    struct line_buffer *buffers = c->front.buffers;
    for (u32 i = 0; i < c->config->fetch.line_buffers; i++) {
        const struct line_buffer *b = &buffers[i];
        *found = b->line == line;
        if (*found)
            return (i32)i;
        if (!b->users && b->ready != CYCLE_NEVER && (best < 0 || b->used < buffers[best].used))
            best = (i32)i;
    }
    return best;
}

static bool ask_line(struct core *c, u64 line, cycle_t now)
{
    struct core_front *t = &c->front;
    bool found;
    i32 at = buffer_for(c, line, &found);
    if (at < 0)
        return false;
    struct line_buffer *b = &t->buffers[at];
    if (!found) {
        struct cache_access a = {.address = line, .pc = line, .kind = WAIT_FETCH, .what = (u32)at};
        enum access_answer answer = caches_access(&c->caches, &a, now);
        if (answer == ACCESS_BLOCKED) {
            t->is_blocked = true;
            return false;
        }
        u32 extra = tlb_translate(&c->itlb, line);
        *b = (struct line_buffer){
            .line = line,
            .ready = answer == ACCESS_MISS ? CYCLE_NEVER : now + extra + c->config->l1i.hit_cycles};
    }
    c->counts.fetch_lines++;
    c->counts.line_buffer_hits += found;
    b->users++;
    b->used = ++t->clock;
    t->asked[t->asked_tail++ & t->asked_mask] = (u8)at;
    return true;
}

void front_line_came(struct core *c, u32 buffer, cycle_t now)
{
    c->front.buffers[buffer].ready = now;
}

static cycle_t ask_lines(struct core *c, cycle_t now)
{
    struct core_front *t = &c->front;
    u32 i = 0;
    for (; i < c->config->fetch.lines_per_cycle; i++) {
        if (t->block_asked == t->block_tail || t->is_blocked)
            break;
        struct fetch_block *b = &t->blocks[t->block_asked & t->block_mask];
        if (!ask_line(c, b->line, now))
            break;
        if (b->line >= b->last_line)
            t->block_asked++;
        b->line += c->caches.line_bytes;
    }
    return i ? now + 1 : CYCLE_NEVER; /* more of them, or a line that a buffer has */
}

/* ---- extraction ---------------------------------------------------------------------------- */

/* The line that is being read is no longer needed. */
static void leave_line(struct core *c, struct fetch_block *b)
{
    struct core_front *t = &c->front;
    t->buffers[t->asked[t->asked_head++ & t->asked_mask]].users--;
    if (b->reading >= b->last_line)
        t->block_head++;
    b->reading += c->caches.line_bytes;
}

/* Instructions of one line. False: the line is not there. */
static bool extract_line(struct core *c, struct fetch_block *b, cycle_t now)
{
    const struct core_fetch_config *f = &c->config->fetch;
    struct core_front *t = &c->front;
    const struct line_buffer *buffer = &t->buffers[t->asked[t->asked_head & t->asked_mask]];
    u64 line_end = b->reading + c->caches.line_bytes;
    u32 count = 0, bytes = 0;
    if (buffer->ready > now)
        return false;
    while (t->extracted < b->end) {
        const struct cpu_instruction *i = &c->instructions[core_slot_of(c, t->extracted)];
        if (last_byte(i) >= line_end)
            break; /* the rest of it lies in the next line */
        bytes += i->length;
        if (count == f->width || (bytes > f->bytes && count) ||
            t->extracted - c->dispatched >= f->queue_entries)
            return true;
        c->ops[core_slot_of(c, t->extracted)].ready_at = now + f->decode_cycles;
        t->extracted++;
        count++;
    }
    leave_line(c, b);
    return true;
}

static cycle_t extract(struct core *c, cycle_t now)
{
    struct core_front *t = &c->front;
    if (t->block_head == t->block_tail || t->asked_head == t->asked_tail)
        return CYCLE_NEVER;
    u64 before = t->extracted;
    u32 head = t->asked_head;
    struct fetch_block *b = &t->blocks[t->block_head & t->block_mask];
    if (!extract_line(c, b, now))
        return t->buffers[t->asked[head & t->asked_mask]].ready;
    /* nothing: the queue is full, and dispatch makes room */
    return t->extracted == before && t->asked_head == head ? CYCLE_NEVER : now + 1;
}

cycle_t front_tick(struct core *c, cycle_t now)
{
    cycle_t next = extract(c, now);
    next = min_u64(next, ask_lines(c, now));
    return min_u64(next, predict(c, now));
}

enum core_slot front_late(const struct core *c)
{
    const struct core_front *t = &c->front;
    if (c->dispatched == t->predicted)
        return t->late == CORE_RETIRED ? CORE_FETCH : (enum core_slot)t->late;
    if (c->dispatched >= t->extracted && t->asked_head != t->asked_tail) {
        const struct line_buffer *b = &t->buffers[t->asked[t->asked_head & t->asked_mask]];
        if (b->ready == CYCLE_NEVER)
            return CORE_ICACHE;
    }
    u8 late = c->ops[core_slot_of(c, c->dispatched)].late;
    return late == CORE_RETIRED ? CORE_FETCH : (enum core_slot)late;
}
