#include "cpu/fetch.h"

#include "cpu/shared_icache.h"

static u32 power_of_two(u32 n)
{
    u32 p = 1;
    while (p < n)
        p *= 2;
    return p;
}

void fetch_init(struct fetch *f, struct arena *arena, const struct fetch_parts *with)
{
    const struct core_fetch_config *c = with->config;
    *f = (struct fetch){.with = *with};
    f->block_mask = power_of_two(c->targets) - 1;
    f->blocks = ARENA_ARRAY(arena, struct fetch_block, f->block_mask + 1);
    f->buffers = ARENA_ARRAY(arena, struct line_buffer, c->line_buffers);
    /* a block has so many lines at most */
    f->asked_mask = power_of_two(c->targets * (c->block_bytes / 16 + 2)) - 1;
    f->asked = ARENA_ARRAY(arena, u8, f->asked_mask + 1);
    fetch_restart(f, NULL);
}

void fetch_restart(struct fetch *f, struct cpu_stream *stream)
{
    f->stream = stream;
    f->ended = f->is_wrong = f->is_late = f->is_blocked = f->is_translating = false;
    f->is_at_event = false;
    f->translated = NO_LINE;
    f->late = CORE_FETCH;
    f->resume_at = 0;
    for (u32 i = 0; i < f->with.config->line_buffers; i++)
        f->buffers[i] = (struct line_buffer){.line = NO_LINE};
}

/* ---- prediction ---------------------------------------------------------------------------- */

#define MOST_BYTES 15u /* of an instruction of x86 */

static u64 last_byte(const struct cpu_instruction *i)
{
    return i->pc + (i->length ? i->length - 1u : 0);
}

/* Is it the next instruction in memory? Without a length, one that is near is taken for it. */
static bool follows(u64 last_pc, u64 length, u64 pc)
{
    return length ? pc == last_pc + length : pc - last_pc < MOST_BYTES + 1;
}

static bool is_event(const struct fetch *f, const struct cpu_instruction *i)
{
    return UNLIKELY(i->class == CPU_EVENT) && f->heeds_events;
}

void fetch_pass_event(struct fetch *f)
{
    cpu_stream_skip(f->stream);
    f->is_at_event = false;
    f->ended = !cpu_stream_peek(f->stream);
}

/* Instructions that go from the stream into the ROB, up to a taken branch, a break in the
 * addresses, or the longest length of a block; what is believed of the last. The first is peeked at
 * already. */
static enum branch_verdict take_block(struct fetch *f, struct fetch_block *b,
                                      const struct cpu_instruction *i)
{
    struct rob *r = f->with.rob;
    const u64 start = i->pc, most = f->with.config->block_bytes, full = r->dispatched + FRONT_MOST;
    u64 last_pc = start, length = 0, last_at = start;
    enum branch_verdict v = BRANCH_RIGHT;
    while (i && !is_event(f, i) && follows(last_pc, length, i->pc) && i->pc - start < most &&
           r->predicted < full) {
        last_pc = i->pc;
        length = i->length;
        last_at = last_byte(i);
        rob_take(r, i, (enum core_slot)f->late);
        f->late = CORE_RETIRED;
        if (i->branch != CPU_NO_BRANCH)
            v = branch_predict(f->with.branch, i);
        bool ends = i->taken || v != BRANCH_RIGHT;
        cpu_stream_skip(f->stream);
        i = ends ? NULL : cpu_stream_peek(f->stream);
    }
    b->last_line = last_at & ~(u64)(f->with.caches->line_bytes - 1);
    return v;
}

static void predict_block(struct fetch *f, cycle_t now)
{
    const struct cpu_instruction *i = cpu_stream_peek(f->stream);
    if (!i) {
        f->ended = true;
        return;
    }
    if (is_event(f, i)) {
        f->is_at_event = true;
        return;
    }
    struct fetch_block b = {.first = f->with.rob->predicted,
                            .line = i->pc & ~(u64)(f->with.caches->line_bytes - 1)};
    enum branch_verdict v = take_block(f, &b, i);
    f->ended = !cpu_stream_peek(f->stream);
    b.end = f->with.rob->predicted;
    b.reading = b.line;
    f->blocks[f->block_tail++ & f->block_mask] = b;
    f->with.counts->fetch_blocks++;
    if (v == BRANCH_WRONG) {
        f->with.rob->entries[rob_slot(f->with.rob, f->with.rob->predicted - 1)].is_wrong = true;
        f->is_wrong = true;
        f->late = CORE_BRANCH;
    } else if (v == BRANCH_LATE) {
        f->is_late = true;
        f->resume_at = now + 1 + f->with.branch->config->btb_miss_cycles;
        f->late = CORE_TARGET;
    }
}

static cycle_t predict(struct fetch *f, cycle_t now)
{
    if (f->ended || f->is_wrong || f->is_late || f->is_at_event ||
        f->block_tail - f->block_head == f->with.config->targets || !rob_can_take(f->with.rob))
        return CYCLE_NEVER; /* until something else moves */
    if (now < f->resume_at)
        return f->resume_at;
    predict_block(f, now);
    return now + 1; /* its lines are asked for then */
}

void fetch_branch_done(struct fetch *f, cycle_t done_at)
{
    f->is_wrong = false;
    f->resume_at = done_at + f->with.branch->config->redirect_cycles;
}

/* ---- lines --------------------------------------------------------------------------------- */

/* The buffer that has a line, or waits for it; else the one used longest ago of those that are
 * free, or -1. */
static i32 buffer_for(struct fetch *f, u64 line, bool *found)
{
    i32 best = -1;
    struct line_buffer *buffers = f->buffers;
    for (u32 i = 0; i < f->with.config->line_buffers; i++) {
        const struct line_buffer *b = &buffers[i];
        *found = b->line == line;
        if (*found)
            return (i32)i;
        if (!b->users && b->ready != CYCLE_NEVER && (best < 0 || b->used < buffers[best].used))
            best = (i32)i;
    }
    return best;
}

/* The page of a line comes before its access, whether the L1I then has the line or not. False: it
 * is not known yet. */
static bool translate(struct fetch *f, u64 line, cycle_t now)
{
    if (f->translated != line) {
        f->translated = line;
        f->translated_at = now + tlb_translate(f->with.itlb, line);
    }
    f->is_translating = f->translated_at > now;
    return !f->is_translating;
}

/* Into a buffer that is free. False: not in this cycle. */
static bool access_line(struct fetch *f, u32 at, u64 line, cycle_t now)
{
    struct cache_access a = {.address = line, .pc = line, .kind = WAIT_FETCH, .what = at};
    if (!translate(f, line, now))
        return false;
    enum access_answer answer = UNLIKELY(f->with.icache)
                                    ? icache_ask(f->with.icache, f->with.caches, line, at, now)
                                    : caches_access(f->with.caches, &a, now);
    f->is_blocked = answer == ACCESS_BLOCKED;
    if (f->is_blocked)
        return false;
    f->translated = NO_LINE;
    f->buffers[at] = (struct line_buffer){
        .line = line,
        .ready =
            answer == ACCESS_MISS ? CYCLE_NEVER : now + f->with.caches->l1i.config->hit_cycles};
    return true;
}

static bool ask_line(struct fetch *f, u64 line, cycle_t now)
{
    bool found;
    i32 at = buffer_for(f, line, &found);
    if (at < 0 || (!found && !access_line(f, (u32)at, line, now)))
        return false;
    struct line_buffer *b = &f->buffers[at];
    f->with.counts->fetch_lines++;
    f->with.counts->line_buffer_hits += found;
    b->users++;
    b->used = ++f->clock;
    f->asked[f->asked_tail++ & f->asked_mask] = (u8)at;
    return true;
}

void fetch_line_came(struct fetch *f, u32 buffer, cycle_t now)
{
    f->buffers[buffer].ready = now;
}

static cycle_t ask_lines(struct fetch *f, cycle_t now)
{
    u32 i = 0;
    for (; i < f->with.config->lines_per_cycle; i++) {
        if (f->block_asked == f->block_tail || f->is_blocked)
            break;
        struct fetch_block *b = &f->blocks[f->block_asked & f->block_mask];
        if (!ask_line(f, b->line, now))
            break;
        if (b->line >= b->last_line)
            f->block_asked++;
        b->line += f->with.caches->line_bytes;
    }
    if (i)
        return now + 1; /* more of them, or a line that a buffer has */
    return f->is_translating ? f->translated_at : CYCLE_NEVER;
}

/* ---- extraction ---------------------------------------------------------------------------- */

/* The line that is being read is no longer needed. */
static void leave_line(struct fetch *f, struct fetch_block *b)
{
    f->buffers[f->asked[f->asked_head++ & f->asked_mask]].users--;
    if (b->reading >= b->last_line)
        f->block_head++;
    b->reading += f->with.caches->line_bytes;
}

/* Instructions up to one whose last byte is not before the end of the line, as far as width, bytes
 * and the queue behind go. False: there are more of them. */
static bool extract_up_to(struct fetch *f, u64 block_end, u64 line_end, cycle_t now)
{
    const struct core_fetch_config *config = f->with.config;
    const struct rob *r = f->with.rob;
    const cycle_t ready_at = now + config->decode_cycles;
    u64 at = f->extracted,
        most = min_u64(at + config->width, r->dispatched + config->queue_entries);
    u32 bytes = 0, most_bytes = config->bytes;
    bool all = true;
    for (u64 first = at; at < block_end; at++) {
        u32 slot = rob_slot(r, at);
        const struct cpu_instruction *i = &r->instructions[slot];
        if (last_byte(i) >= line_end)
            break; /* the rest of it lies in the next line */
        bytes += i->length;
        all = at < most && (bytes <= most_bytes || at == first);
        if (!all)
            break;
        r->entries[slot].ready_at = ready_at;
    }
    f->extracted = at;
    return all;
}

/* Instructions of one line. False: the line is not there. */
static bool extract_line(struct fetch *f, struct fetch_block *b, cycle_t now)
{
    const struct line_buffer *buffer = &f->buffers[f->asked[f->asked_head & f->asked_mask]];
    if (buffer->ready > now)
        return false;
    if (!extract_up_to(f, b->end, b->reading + f->with.caches->line_bytes, now))
        return true;
    if (f->is_late &&
        f->extracted == f->with.rob->predicted) { /* it was the last: its bytes are there */
        f->is_late = false;
        f->resume_at = max_u64(f->resume_at, now + 1);
    }
    leave_line(f, b);
    return true;
}

static cycle_t extract(struct fetch *f, cycle_t now)
{
    if (f->block_head == f->block_tail || f->asked_head == f->asked_tail)
        return CYCLE_NEVER;
    u64 before = f->extracted;
    u32 head = f->asked_head;
    struct fetch_block *b = &f->blocks[f->block_head & f->block_mask];
    if (!extract_line(f, b, now))
        return f->buffers[f->asked[head & f->asked_mask]].ready;
    /* nothing: the queue is full, and dispatch makes room */
    return f->extracted == before && f->asked_head == head ? CYCLE_NEVER : now + 1;
}

cycle_t fetch_tick(struct fetch *f, cycle_t now)
{
    cycle_t next = extract(f, now);
    next = min_u64(next, ask_lines(f, now));
    return min_u64(next, predict(f, now));
}

enum core_slot fetch_late(const struct fetch *f)
{
    if (f->with.rob->dispatched == f->with.rob->predicted)
        return f->late == CORE_RETIRED ? CORE_FETCH : (enum core_slot)f->late;
    if (f->with.rob->dispatched >= f->extracted && f->asked_head != f->asked_tail) {
        const struct line_buffer *b = &f->buffers[f->asked[f->asked_head & f->asked_mask]];
        if (b->ready == CYCLE_NEVER)
            return CORE_ICACHE;
    } else if (f->is_translating && f->with.rob->dispatched >= f->extracted) {
        return CORE_TLB;
    }
    u8 late = f->with.rob->entries[rob_slot(f->with.rob, f->with.rob->dispatched)].late;
    return late == CORE_RETIRED ? CORE_FETCH : (enum core_slot)late;
}
