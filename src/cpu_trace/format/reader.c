#include "cpu_trace/format/reader.h"

#include "cpu_trace/format/format.h"

#include <stdlib.h>

const struct container_kind cpu_trace_container = {
    .magic = CPU_TRACE_MAGIC, .noun = "CPU trace", .version = CPU_TRACE_VERSION};

static struct src_pos here(const struct cpu_trace *t)
{
    return (struct src_pos){t->file.path, 0, 0};
}

/* ---- directory ---- */

static const char *take_text(struct cpu_trace *t, struct cursor *in)
{
    u64 length = take_varint(in);
    if (length > cursor_left(in)) {
        in->is_short = true;
        return "";
    }
    char *text = arena_alloc(&t->file.arena, (size_t)length + 1);
    memcpy(text, in->at, (size_t)length);
    in->at += length;
    return text;
}

static bool breaks_off(const struct cpu_trace *t, const char *where, struct err *err)
{
    return err_at(err, here(t), "the CPU trace's directory ends in %s", where);
}

static bool take_about(struct cpu_trace *t, struct cursor *in, struct err *err)
{
    struct cpu_trace_about *a = &t->about;
    a->program = take_text(t, in);
    u64 count = take_varint(in);
    if (count > cursor_left(in))
        return breaks_off(t, "the arguments", err);
    const char **arguments = ARENA_ARRAY(&t->file.arena, const char *, count + 1);
    for (u32 i = 0; i < count; i++)
        arguments[i] = take_text(t, in);
    a->arguments = arguments;
    a->argument_count = (u32)count;
    a->sha256 = take_text(t, in);
    a->machine = take_text(t, in);
    a->origin = take_text(t, in);
    a->skipped = take_varint(in);
    a->asked = take_varint(in);
    a->whole = take_u8(in);
    return !in->is_short || breaks_off(t, "what it says of the program", err);
}

static bool take_threads(struct cpu_trace *t, struct cursor *in, struct err *err)
{
    u64 count = take_varint(in);
    if (count > cursor_left(in) || count > CPU_TRACE_THREADS)
        return err_at(err, here(t), "the CPU trace has %llu threads, expected at most %u",
                      (unsigned long long)count, CPU_TRACE_THREADS);
    t->thread_count = (u32)count;
    t->instructions = ARENA_ARRAY(&t->file.arena, u64, count + 1);
    for (u32 i = 0; i < count; i++)
        t->instructions[i] = take_varint(in);
    return !in->is_short || breaks_off(t, "the list of threads", err);
}

#define LEAST_BLOCK_BYTES 6u

static bool take_block(struct cpu_trace *t, struct cursor *in, u64 *sums, struct err *err)
{
    u32 n = t->block_count++;
    struct cpu_trace_block *b = &t->blocks[n];
    u64 expected = n ? b[-1].place.offset + b[-1].place.packed_bytes : 0;
    b->thread = take_u32(in);
    b->instructions = take_u32(in);
    b->items = take_u32(in);
    b->place.offset = expected + take_difference(in);
    b->place.packed_bytes = take_u32(in);
    b->place.raw_bytes = take_u32(in);
    if (in->is_short)
        return breaks_off(t, "the list of blocks", err);
    if (b->thread >= t->thread_count || b->items == 0 || b->items > BLOCK_ITEMS ||
        b->instructions > b->items)
        return err_at(err, here(t),
                      "block %u of the CPU trace has %u instructions in %u items of thread %u, "
                      "expected up to %u of a thread below %u",
                      n, b->instructions, b->items, b->thread, BLOCK_ITEMS, t->thread_count);
    b->first = sums[b->thread];
    sums[b->thread] += b->instructions;
    return container_check_place(&t->file, &b->place, "a block", err);
}

static bool take_blocks(struct cpu_trace *t, struct cursor *in, struct err *err)
{
    u64 count = take_varint(in);
    if (count > cursor_left(in) / LEAST_BLOCK_BYTES)
        return breaks_off(t, "the list of blocks", err);
    u64 *sums = ARENA_ARRAY(&t->file.arena, u64, t->thread_count + 1);
    t->blocks = ARENA_ARRAY(&t->file.arena, struct cpu_trace_block, count + 1);
    while (t->block_count < count) {
        if (!take_block(t, in, sums, err))
            return false;
    }
    for (u32 i = 0; i < t->thread_count; i++) {
        if (sums[i] != t->instructions[i])
            return err_at(err, here(t),
                          "the blocks of thread %u have %llu instructions, expected %llu", i,
                          (unsigned long long)sums[i], (unsigned long long)t->instructions[i]);
    }
    return cursor_left(in) == 0 ||
           err_at(err, here(t), "the CPU trace's directory continues after its last block");
}

bool cpu_trace_open(struct cpu_trace *t, const char *path, struct err *err)
{
    *t = (struct cpu_trace){0};
    if (!container_open(&t->file, &cpu_trace_container, path, err))
        return false;
    u8 *raw = container_unpack_new(&t->file, &t->file.directory, "the directory", err);
    if (!raw)
        return false;
    struct cursor in = {raw, raw + t->file.directory.raw_bytes, false};
    bool ok = take_about(t, &in, err) && take_threads(t, &in, err) &&
              cpu_trace_table_take(&t->table, &in, &t->file.arena, here(t), err) &&
              take_blocks(t, &in, err);
    free(raw);
    return ok;
}

void cpu_trace_close(struct cpu_trace *t)
{
    container_close(&t->file);
    *t = (struct cpu_trace){0};
    t->file.file = -1;
}

/* ---- streams ---- */

#define BATCH 256u

struct reader {
    struct cpu_trace trace;
    u32 thread;
    bool events;
    u32 next_block;  /* index of the one to read next */
    u32 block;       /* counts blocks that were read, from 1 */
    u32 items;       /* left in the block */
    u32 entry;       /* of the next item */
    bool last_taken; /* the end of the block */
    u64 last_target;
    u64 same_steps; /* before the next step in the list */
    bool has_step;  /* there is one */
    u64 last_address;
    u8 *packed, *raw;
    struct cursor steps, addresses, shapes;
    struct cpu_trace_way *ways;
    struct cpu_trace_operand *operands;
    struct cpu_vector *vectors; /* a ring; NULL: the trace has none */
    u32 next_vector;
    struct cpu_instruction batch[BATCH];
};

static bool is_damaged(struct cpu_stream *s, const char *what)
{
    const struct reader *r = s->self;
    return err_at(&s->err, here(&r->trace), "block %u of the CPU trace is damaged: %s",
                  r->next_block - 1, what);
}

static struct cursor take_list(struct cursor *in, u64 length)
{
    struct cursor list = {in->at, in->at + min_u64(length, cursor_left(in)), false};
    in->is_short |= length > cursor_left(in);
    in->at = list.end;
    return list;
}

static void take_same_steps(struct reader *r)
{
    r->has_step = cursor_left(&r->steps) > 0;
    r->same_steps = r->has_step ? take_varint(&r->steps) : UINT64_MAX;
}

static bool begin_block(struct cpu_stream *s)
{
    struct reader *r = s->self;
    struct cpu_trace *t = &r->trace;
    while (r->next_block < t->block_count && t->blocks[r->next_block].thread != r->thread)
        r->next_block++;
    if (r->next_block == t->block_count)
        return false;
    const struct cpu_trace_block *b = &t->blocks[r->next_block++];
    if (!container_unpack(&t->file, &b->place, r->packed, r->raw, &s->err))
        return false;
    struct cursor in = {r->raw, r->raw + b->place.raw_bytes, false};
    u64 first = take_varint(&in);
    r->last_taken = take_u8(&in);
    r->last_target = take_difference(&in);
    u64 steps = take_varint(&in), addresses = take_varint(&in), shapes = take_varint(&in);
    r->steps = take_list(&in, steps);
    r->addresses = take_list(&in, addresses);
    r->shapes = take_list(&in, shapes);
    if (in.is_short || cursor_left(&in) || first >= t->table.count)
        return is_damaged(s, "its lists do not fit");
    r->entry = (u32)first;
    r->items = b->items;
    r->block++;
    r->last_address = 0;
    take_same_steps(r);
    return true;
}

/* The way from the entry of an item to the next. False: it leads nowhere. */
static bool take_step(struct reader *r, struct cpu_instruction *i)
{
    const struct cpu_trace_table *table = &r->trace.table;
    struct cpu_trace_way *way = &r->ways[r->entry];
    u64 target = 0;
    bool has_target = false;
    if (way->block != r->block) {
        *way = cpu_trace_first_way(r->entry, i);
        way->block = r->block;
    }
    if (LIKELY(r->same_steps)) {
        r->same_steps--;
    } else {
        u64 step = take_varint(&r->steps), folded = step >> 2;
        way->next = r->entry + (u32)(folded >> 1 ^ (0 - (folded & 1)));
        way->taken = step & STEP_TAKEN;
        has_target = step & STEP_TARGET;
        target = has_target ? i->pc + take_difference(&r->steps) : 0;
        take_same_steps(r);
    }
    if (UNLIKELY(way->next >= table->count))
        return false;
    i->taken = way->taken;
    i->target =
        has_target ? target : cpu_trace_seems(i, i->taken, table->entries[way->next].fixed.pc);
    r->entry = way->next;
    return true;
}

static u64 take_address(struct reader *r, u32 operand)
{
    struct cpu_trace_operand *o = &r->operands[operand];
    u64 difference = take_difference(&r->addresses), address;
    if (LIKELY(o->block == r->block)) {
        address = o->last + o->stride + difference;
        o->stride = address - o->last;
    } else {
        address = r->last_address + difference;
        o->block = r->block;
        o->stride = 0;
    }
    o->last = r->last_address = address;
    return address;
}

static bool take_shape(struct reader *r, struct cpu_instruction *i)
{
    u32 counts = take_u8(&r->shapes), reads = counts & 7, writes = counts >> 3;
    if (reads > CPU_MOST_READS || writes > CPU_MOST_WRITES)
        return false;
    i->read_count = (u8)reads;
    i->write_count = (u8)writes;
    for (u32 k = 0; k < reads; k++)
        i->read_bytes[k] = take_u32(&r->shapes);
    for (u32 k = 0; k < writes; k++)
        i->write_bytes[k] = take_u32(&r->shapes);
    return true;
}

static bool take_vector(struct reader *r, struct cpu_instruction *i)
{
    struct cpu_vector *v = &r->vectors[r->next_vector++ % (2 * CPU_VECTORS_KEPT)];
    u32 first = take_u8(&r->shapes);
    v->is_scatter = first & 2;
    v->registers = (u8)(first >> 2);
    v->serial = take_u8(&r->shapes);
    v->lanes = v->active_lanes = v->count = v->element_bytes = 0;
    i->vector = v;
    if (!(first & 1))
        return true;
    u32 lanes = take_u32(&r->shapes), active = take_u32(&r->shapes);
    v->element_bytes = take_u8(&r->shapes);
    v->count = take_u8(&r->shapes);
    v->lanes = (u16)lanes;
    v->active_lanes = (u16)active;
    if (active > lanes || lanes > UINT16_MAX || v->count > CPU_MOST_ELEMENTS || !v->element_bytes ||
        v->element_bytes > 8)
        return false;
    for (u32 k = 0; k < v->count; k++)
        v->address[k] = r->last_address += take_difference(&r->addresses);
    return true;
}

static bool take_item(struct reader *r, struct cpu_instruction *i)
{
    const struct cpu_trace_entry *e = &r->trace.table.entries[r->entry];
    *i = e->fixed;
    i->thread = (u16)r->thread;
    if (UNLIKELY(e->is_variable) && !take_shape(r, i))
        return false;
    for (u32 k = 0; k < i->read_count; k++)
        i->read[k] = take_address(r, e->first_operand + k);
    u32 writes = e->first_operand + (e->is_variable ? CPU_MOST_READS : i->read_count);
    for (u32 k = 0; k < i->write_count; k++)
        i->write[k] = take_address(r, writes + k);
    if (UNLIKELY(e->is_vector) && !take_vector(r, i))
        return false;
    if (LIKELY(--r->items))
        return take_step(r, i);
    i->taken = r->last_taken;
    i->target = i->pc + r->last_target;
    return !r->has_step && !cursor_left(&r->addresses) && !cursor_left(&r->shapes);
}

static bool refill(struct cpu_stream *s)
{
    struct reader *r = s->self;
    u32 count = 0;
    while (!count) {
        if (!r->items && (s->err.kind || !begin_block(s)))
            return false;
        for (u32 n = (u32)min_u64(BATCH, r->items); n; n--) {
            struct cpu_instruction *i = &r->batch[count];
            if (UNLIKELY(!take_item(r, i))) {
                r->items = 0;
                return is_damaged(s, "an item leads nowhere");
            }
            count += i->class != CPU_EVENT || r->events;
        }
        if (r->steps.is_short || r->addresses.is_short || r->shapes.is_short) {
            r->items = 0;
            return is_damaged(s, "it is truncated");
        }
    }
    s->at = r->batch;
    s->end = r->batch + count;
    return true;
}

static bool restart(struct cpu_stream *s)
{
    struct reader *r = s->self;
    r->next_block = r->items = 0;
    return true;
}

static bool seek(struct cpu_stream *s, u64 position)
{
    struct reader *r = s->self;
    const struct cpu_trace *t = &r->trace;
    r->items = 0;
    for (u32 i = 0; i < t->block_count; i++) {
        const struct cpu_trace_block *b = &t->blocks[i];
        if (b->thread == r->thread && b->first <= position)
            r->next_block = i;
    }
    u64 left = position - t->blocks[r->next_block].first;
    for (const struct cpu_instruction *i; left && (i = cpu_stream_peek(s)); cpu_stream_skip(s))
        left -= i->class != CPU_EVENT;
    return !s->err.kind;
}

static void close_reader(struct cpu_stream *s)
{
    struct reader *r = s->self;
    cpu_trace_close(&r->trace);
    free(r->packed);
    free(r->raw);
    free(r->ways);
    free(r->operands);
    free(r->vectors);
    free(r);
}

static const struct cpu_stream_ops reader_ops = {
    .refill = refill, .restart = restart, .seek = seek, .close = close_reader};

static void *zeroed(size_t bytes)
{
    return memset(xrealloc(NULL, bytes + 1), 0, bytes + 1);
}

/* Room for the largest block, and for what is known of every entry. */
static void make_room(struct reader *r)
{
    const struct cpu_trace *t = &r->trace;
    size_t packed = 0, raw = 0;
    for (u32 i = 0; i < t->block_count; i++) {
        if (t->blocks[i].thread == r->thread) {
            packed = (size_t)max_u64(packed, t->blocks[i].place.packed_bytes);
            raw = (size_t)max_u64(raw, t->blocks[i].place.raw_bytes);
        }
    }
    r->packed = zeroed(packed);
    r->raw = zeroed(raw);
    for (u32 i = 0; i < t->table.count && !r->vectors; i++) {
        if (t->table.entries[i].is_vector)
            r->vectors = zeroed(2 * CPU_VECTORS_KEPT * sizeof *r->vectors);
    }
    r->ways = zeroed(t->table.count * sizeof *r->ways);
    r->operands = zeroed(t->table.operands * sizeof *r->operands);
}

bool cpu_trace_stream(struct cpu_stream *s, const char *path, u32 thread, bool events,
                      struct err *err)
{
    struct reader *r = xrealloc(NULL, sizeof *r);
    *r = (struct reader){.thread = thread, .events = events};
    *s = (struct cpu_stream){.ops = &reader_ops, .self = r};
    struct cpu_trace *t = &r->trace;
    bool ok = cpu_trace_open(t, path, err);
    if (ok && thread >= t->thread_count)
        ok = err_at(err, here(t), "thread %u does not exist, expected a number below %u", thread,
                    t->thread_count);
    if (!ok) {
        cpu_stream_close(s);
        return false;
    }
    make_room(r);
    s->description =
        arena_printf(&t->file.arena, "thread %u of %s, %s", thread, t->about.program, path);
    s->length = t->instructions[thread];
    s->thread = thread;
    s->thread_count = t->thread_count;
    s->machine = t->about.machine;
    return true;
}
