#include "cpu_trace/format/writer.h"

#include "cpu_trace/format/format.h"
#include "cpu_trace/format/table.h"

#include <assert.h>
#include <stdlib.h>

/* Of one thread: the block that grows. */
struct thread {
    bool is_used;
    u64 instructions; /* of the thread */
    u32 block;        /* counted from 1 */
    u32 items, block_instructions;
    u32 first, last; /* entries */
    bool last_taken;
    u64 last_target;
    u64 same_steps; /* since the last one that was written */
    u64 last_address;
    struct bytes steps, addresses, shapes;
    struct cpu_trace_way *ways; /* by entry */
    struct cpu_trace_operand *operands;
    u32 way_room, operand_room;
};

struct block_row {
    struct container_place place;
    u32 thread, instructions, items;
};

struct cpu_trace_writer {
    struct container_writer file;
    struct cpu_trace_table table;
    struct thread *threads;
    u32 thread_count;
    struct block_row *blocks;
    u32 block_count, block_room;
    struct bytes raw; /* scratch */
};

struct cpu_trace_writer *cpu_trace_create(const char *path, struct err *err)
{
    struct cpu_trace_writer *w = xrealloc(NULL, sizeof *w);
    *w = (struct cpu_trace_writer){0};
    if (container_create(&w->file, &cpu_trace_container, path, err))
        return w;
    cpu_trace_discard(w);
    return NULL;
}

/* ---- blocks ---- */

static void put_list(struct bytes *raw, const struct bytes *list)
{
    put_raw(raw, list->data, list->length);
}

static void end_block(struct cpu_trace_writer *w, u32 thread)
{
    struct thread *t = &w->threads[thread];
    struct bytes *raw = &w->raw;
    if (!t->items)
        return;
    raw->length = 0;
    put_varint(raw, t->first);
    put_u8(raw, t->last_taken);
    put_difference(raw, t->last_target - w->table.entries[t->last].fixed.pc);
    put_varint(raw, t->steps.length);
    put_varint(raw, t->addresses.length);
    put_varint(raw, t->shapes.length);
    put_list(raw, &t->steps);
    put_list(raw, &t->addresses);
    put_list(raw, &t->shapes);
    if (w->block_count == w->block_room) {
        w->block_room = w->block_room ? 2 * w->block_room : 64;
        w->blocks = xrealloc(w->blocks, w->block_room * sizeof *w->blocks);
    }
    w->blocks[w->block_count++] = (struct block_row){.place = container_put(&w->file, raw),
                                                     .thread = thread,
                                                     .instructions = t->block_instructions,
                                                     .items = t->items};
    t->items = t->block_instructions = 0;
    t->same_steps = t->last_address = 0;
    t->steps.length = t->addresses.length = t->shapes.length = 0;
}

static void *grown(void *array, u32 *room, u32 count, size_t size)
{
    u32 more = *room ? *room : 1024;
    while (more < count)
        more *= 2;
    u8 *a = xrealloc(array, more * size);
    memset(a + *room * size, 0, (more - *room) * size);
    *room = more;
    return a;
}

/* Room for what is known of every entry. */
static void make_room(struct cpu_trace_writer *w, struct thread *t)
{
    if (UNLIKELY(t->way_room < w->table.count))
        t->ways = grown(t->ways, &t->way_room, w->table.count, sizeof *t->ways);
    if (UNLIKELY(t->operand_room < w->table.operands))
        t->operands = grown(t->operands, &t->operand_room, w->table.operands, sizeof *t->operands);
}

static struct thread *find_thread(struct cpu_trace_writer *w, u32 thread)
{
    if (UNLIKELY(thread >= w->thread_count)) {
        assert(thread < CPU_TRACE_THREADS);
        w->threads = xrealloc(w->threads, (thread + 1) * sizeof *w->threads);
        memset(w->threads + w->thread_count, 0,
               (thread + 1 - w->thread_count) * sizeof *w->threads);
        w->thread_count = thread + 1;
    }
    w->threads[thread].is_used = true;
    return &w->threads[thread];
}

/* ---- items ---- */

static struct cpu_trace_way *way_of(const struct cpu_trace_writer *w, struct thread *t, u32 entry)
{
    struct cpu_trace_way *way = &t->ways[entry];
    if (way->block != t->block) {
        *way = cpu_trace_first_way(entry, &w->table.entries[entry].fixed);
        way->block = t->block;
    }
    return way;
}

static void put_step(struct cpu_trace_writer *w, struct thread *t, struct cpu_trace_way *way,
                     u32 entry, u64 seems)
{
    put_varint(&t->steps, t->same_steps);
    u64 difference = (u64)entry - t->last, folded = difference << 1 ^ (0 - (difference >> 63));
    put_varint(&t->steps, folded << 2 | (t->last_taken ? STEP_TAKEN : 0) |
                              (seems != t->last_target ? STEP_TARGET : 0));
    if (seems != t->last_target)
        put_difference(&t->steps, t->last_target - w->table.entries[t->last].fixed.pc);
    way->next = entry;
    way->taken = t->last_taken;
    t->same_steps = 0;
}

/* The step from the last item to this one; returns its entry. The entry that a thread went to the
 * last time is usually the right one. */
static u32 take_step(struct cpu_trace_writer *w, struct thread *t, const struct cpu_instruction *i)
{
    struct cpu_trace_way *way = way_of(w, t, t->last);
    const struct cpu_instruction *last = &w->table.entries[t->last].fixed;
    u32 entry = way->next;
    bool is_same =
        LIKELY(entry < w->table.count && cpu_trace_entry_is(&w->table.entries[entry], i));
    u64 seems = cpu_trace_seems(last, t->last_taken, i->pc);
    if (LIKELY(is_same && way->taken == t->last_taken && seems == t->last_target)) {
        t->same_steps++;
        return entry;
    }
    if (!is_same)
        entry = cpu_trace_table_find(&w->table, i);
    put_step(w, t, way, entry, seems);
    return entry;
}

static void put_address(struct thread *t, u32 operand, u64 address)
{
    struct cpu_trace_operand *o = &t->operands[operand];
    if (LIKELY(o->block == t->block)) {
        put_difference(&t->addresses, address - o->last - o->stride);
        o->stride = address - o->last;
    } else {
        put_difference(&t->addresses, address - t->last_address);
        o->block = t->block;
        o->stride = 0;
    }
    o->last = t->last_address = address;
}

static void put_shape(struct thread *t, const struct cpu_instruction *i)
{
    put_u8(&t->shapes, i->read_count | (u32)i->write_count << 3);
    for (u32 k = 0; k < i->read_count; k++)
        put_varint(&t->shapes, i->read_bytes[k]);
    for (u32 k = 0; k < i->write_count; k++)
        put_varint(&t->shapes, i->write_bytes[k]);
}

static void put_vector(struct thread *t, const struct cpu_vector *v)
{
    bool is_memory = v->lanes || v->count;
    put_u8(&t->shapes, is_memory | (u32)v->is_scatter << 1 | (u32)v->registers << 2);
    put_u8(&t->shapes, v->serial);
    if (!is_memory)
        return;
    put_varint(&t->shapes, v->lanes);
    put_varint(&t->shapes, v->active_lanes);
    put_u8(&t->shapes, v->element_bytes);
    put_u8(&t->shapes, v->count);
    for (u32 k = 0; k < v->count; k++) {
        put_difference(&t->addresses, v->address[k] - t->last_address);
        t->last_address = v->address[k];
    }
}

static bool is_full(const struct thread *t)
{
    return t->items == BLOCK_ITEMS ||
           t->steps.length + t->addresses.length + t->shapes.length >= BLOCK_RAW_BYTES;
}

void cpu_trace_put(struct cpu_trace_writer *w, u32 thread, const struct cpu_instruction *i)
{
    struct thread *t = find_thread(w, thread);
    u32 entry = t->items ? take_step(w, t, i) : cpu_trace_table_find(&w->table, i);
    const struct cpu_trace_entry *e = &w->table.entries[entry];
    make_room(w, t);
    if (UNLIKELY(!t->items)) {
        t->block++;
        t->first = entry;
    }
    if (UNLIKELY(e->is_variable))
        put_shape(t, i);
    for (u32 k = 0; k < i->read_count; k++)
        put_address(t, e->first_operand + k, i->read[k]);
    u32 writes = e->first_operand + (e->is_variable ? CPU_MOST_READS : i->read_count);
    for (u32 k = 0; k < i->write_count; k++)
        put_address(t, writes + k, i->write[k]);
    if (UNLIKELY(e->is_vector))
        put_vector(t, i->vector);
    bool is_instruction = i->class != CPU_EVENT;
    t->last = entry;
    t->last_taken = i->taken;
    t->last_target = i->target;
    t->items++;
    t->block_instructions += is_instruction;
    t->instructions += is_instruction;
    if (UNLIKELY(is_full(t)))
        end_block(w, thread);
}

/* ---- the end ---- */

void cpu_trace_name(struct cpu_trace_writer *w, const char *(*text_of)(void *context, u64 pc),
                    void *context)
{
    for (u32 i = 0; i < w->table.count; i++) {
        const char *text = text_of(context, w->table.entries[i].fixed.pc);
        w->table.entries[i].text = text ? text : "";
    }
}

static void put_text(struct bytes *out, const char *text)
{
    put_varint(out, strlen(text));
    put_raw(out, text, strlen(text));
}

static void put_about(struct bytes *out, const struct cpu_trace_about *a)
{
    put_text(out, a->program);
    put_varint(out, a->argument_count);
    for (u32 i = 0; i < a->argument_count; i++)
        put_text(out, a->arguments[i]);
    put_text(out, a->sha256);
    put_text(out, a->machine);
    put_text(out, a->origin);
    put_varint(out, a->skipped);
    put_varint(out, a->asked);
    put_u8(out, a->whole);
}

static void put_blocks(struct bytes *out, const struct cpu_trace_writer *w)
{
    u64 expected = 0;
    put_varint(out, w->block_count);
    for (u32 i = 0; i < w->block_count; i++) {
        const struct block_row *b = &w->blocks[i];
        put_varint(out, b->thread);
        put_varint(out, b->instructions);
        put_varint(out, b->items);
        put_difference(out, b->place.offset - expected);
        put_varint(out, b->place.packed_bytes);
        put_varint(out, b->place.raw_bytes);
        expected = b->place.offset + b->place.packed_bytes;
    }
}

bool cpu_trace_finish(struct cpu_trace_writer *w, const struct cpu_trace_about *about,
                      struct err *err)
{
    struct bytes directory = {0};
    for (u32 i = 0; i < w->thread_count; i++)
        end_block(w, i);
    put_about(&directory, about);
    put_varint(&directory, w->thread_count);
    for (u32 i = 0; i < w->thread_count; i++)
        put_varint(&directory, w->threads[i].instructions);
    cpu_trace_table_put(&directory, &w->table);
    put_blocks(&directory, w);
    bool ok = container_finish(&w->file, &directory);
    if (!ok && !err->kind)
        *err = w->file.err;
    free(directory.data);
    cpu_trace_discard(w);
    return ok;
}

void cpu_trace_discard(struct cpu_trace_writer *w)
{
    for (u32 i = 0; i < w->thread_count; i++) {
        struct thread *t = &w->threads[i];
        free(t->steps.data);
        free(t->addresses.data);
        free(t->shapes.data);
        free(t->ways);
        free(t->operands);
    }
    free(w->threads);
    free(w->blocks);
    free(w->raw.data);
    cpu_trace_table_fini(&w->table);
    container_writer_fini(&w->file);
    free(w);
}
