#include "cpu_trace/format/table.h"

#include "base/arena.h"
#include "cpu_trace/format/format.h"

#include <stdlib.h>

#define MOST_SHAPES 4u /* of one pc before there is a variable entry */
#define MOST_ENTRIES (1u << 22)
#define OPERANDS (CPU_MOST_READS + CPU_MOST_WRITES)

static u32 operand_count(const struct cpu_trace_entry *e)
{
    return e->is_variable ? OPERANDS : (u32)e->fixed.read_count + e->fixed.write_count;
}

/* ---- making ---- */

/* Counts of reads and writes lie among the rest, and are no part of it here. */
bool cpu_trace_same_work(const struct cpu_instruction *f, const struct cpu_instruction *i)
{
    struct cpu_instruction with_counts = *i;
    with_counts.read_count = f->read_count;
    with_counts.write_count = f->write_count;
    return f->pc == i->pc &&
           cpu_trace_same_bytes(f, &with_counts, CPU_TRACE_WORK_AT, CPU_TRACE_WORK_END) &&
           (!cpu_trace_is_direct(i) || f->target == i->target);
}

static u32 add(struct cpu_trace_table *t, const struct cpu_instruction *i, bool is_variable)
{
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 1024;
        t->entries = xrealloc(t->entries, t->room * sizeof *t->entries);
    }
    struct cpu_trace_entry *e = &t->entries[t->count];
    struct cpu_instruction *f = &e->fixed;
    *e = (struct cpu_trace_entry){
        .is_variable = is_variable, .is_vector = i->vector != NULL, .text = ""};
    *f = (struct cpu_instruction){.pc = i->pc,
                                  .target = cpu_trace_is_direct(i) ? i->target : 0,
                                  .source_count = i->source_count,
                                  .destination_count = i->destination_count,
                                  .length = i->length,
                                  .class = i->class,
                                  .branch = i->branch,
                                  .event = i->event};
    memcpy(f->sources, i->sources, i->source_count);
    memcpy(f->destinations, i->destinations, i->destination_count);
    if (!is_variable) {
        f->read_count = i->read_count;
        f->write_count = i->write_count;
        memcpy(f->read_bytes, i->read_bytes, i->read_count * sizeof i->read_bytes[0]);
        memcpy(f->write_bytes, i->write_bytes, i->write_count * sizeof i->write_bytes[0]);
    }
    e->first_operand = t->operands;
    t->operands += operand_count(e);
    return t->count++;
}

u32 cpu_trace_table_find(struct cpu_trace_table *t, const struct cpu_instruction *i)
{
    u64 first;
    u32 shapes = 0;
    bool is_known = map_get(&t->by_pc, i->pc, &first);
    for (u32 next = is_known ? (u32)first + 1 : 0; next; next = t->entries[next - 1].same_pc) {
        const struct cpu_trace_entry *e = &t->entries[next - 1];
        if (cpu_trace_entry_is(e, i))
            return next - 1;
        shapes += e->is_vector == (i->vector != NULL) && cpu_trace_same_work(&e->fixed, i);
    }
    u32 id = add(t, i, shapes >= MOST_SHAPES);
    t->entries[id].same_pc = is_known ? (u32)first + 1 : 0;
    map_put(&t->by_pc, i->pc, id);
    return id;
}

void cpu_trace_table_fini(struct cpu_trace_table *t)
{
    map_fini(&t->by_pc);
    free(t->entries);
    *t = (struct cpu_trace_table){0};
}

/* ---- on disk ---- */

enum entry_flag {
    ENTRY_VARIABLE = 1,
    ENTRY_MEMORY = 2,
    ENTRY_BRANCH = 4,
    ENTRY_EVENT = 8,
    ENTRY_VECTOR = 16,
    ENTRY_FLAGS = 31,
};

static u32 flags_of(const struct cpu_trace_entry *e)
{
    const struct cpu_instruction *f = &e->fixed;
    return (e->is_variable ? ENTRY_VARIABLE : 0) |
           (f->read_count || f->write_count ? ENTRY_MEMORY : 0) |
           (f->branch != CPU_NO_BRANCH ? ENTRY_BRANCH : 0) |
           (f->class == CPU_EVENT ? ENTRY_EVENT : 0) | (e->is_vector ? ENTRY_VECTOR : 0);
}

/* Difference of the pc to the end of the entry before, flags, class, length, counts of sources +
 * 16 x destinations, registers; as flags say: reads + 8 x writes and their bytes; kind of branch,
 * and target of a direct one as a difference to the pc; event; then the text. */
static void put_entry(struct bytes *out, const struct cpu_trace_entry *e, u64 expected_pc)
{
    const struct cpu_instruction *f = &e->fixed;
    u32 flags = flags_of(e);
    put_difference(out, f->pc - expected_pc);
    put_u8(out, flags);
    put_u8(out, f->class);
    put_u8(out, f->length);
    put_u8(out, f->source_count | (u32)f->destination_count << 4);
    put_raw(out, f->sources, f->source_count);
    put_raw(out, f->destinations, f->destination_count);
    if (flags & ENTRY_MEMORY) {
        put_u8(out, f->read_count | (u32)f->write_count << 3);
        for (u32 k = 0; k < f->read_count; k++)
            put_varint(out, f->read_bytes[k]);
        for (u32 k = 0; k < f->write_count; k++)
            put_varint(out, f->write_bytes[k]);
    }
    if (flags & ENTRY_BRANCH) {
        put_u8(out, f->branch);
        if (cpu_trace_is_direct(f))
            put_difference(out, f->target - f->pc);
    }
    if (flags & ENTRY_EVENT)
        put_u8(out, f->event);
    put_varint(out, strlen(e->text));
    put_raw(out, e->text, strlen(e->text));
}

void cpu_trace_table_put(struct bytes *out, const struct cpu_trace_table *t)
{
    u64 expected_pc = 0;
    put_varint(out, t->count);
    for (u32 i = 0; i < t->count; i++) {
        const struct cpu_instruction *f = &t->entries[i].fixed;
        put_entry(out, &t->entries[i], expected_pc);
        expected_pc = f->pc + f->length;
    }
}

static bool take_memory(struct cpu_instruction *f, struct cursor *in)
{
    u32 counts = take_u8(in);
    f->read_count = counts & 7;
    f->write_count = (u8)(counts >> 3);
    if (f->read_count > CPU_MOST_READS || f->write_count > CPU_MOST_WRITES)
        return false;
    for (u32 k = 0; k < f->read_count; k++)
        f->read_bytes[k] = take_u32(in);
    for (u32 k = 0; k < f->write_count; k++)
        f->write_bytes[k] = take_u32(in);
    return true;
}

static bool take_registers(struct cpu_instruction *f, struct cursor *in)
{
    u32 counts = take_u8(in);
    f->source_count = counts & 15;
    f->destination_count = (u8)(counts >> 4);
    if (f->source_count > CPU_MOST_SOURCES || f->destination_count > CPU_MOST_DESTINATIONS)
        return false;
    bool ok = true;
    for (u32 k = 0; k < f->source_count; k++)
        ok &= (f->sources[k] = take_u8(in)) != CPU_REG_NONE;
    for (u32 k = 0; k < f->destination_count; k++)
        ok &= (f->destinations[k] = take_u8(in)) != CPU_REG_NONE;
    return ok;
}

static bool take_text(const char **text, struct cursor *in, struct arena *arena)
{
    u64 length = take_varint(in);
    if (length > cursor_left(in))
        return false;
    char *copy = length ? arena_alloc(arena, (size_t)length + 1) : NULL;
    for (u64 i = 0; i < length; i++)
        copy[i] = (char)take_u8(in);
    *text = copy ? copy : "";
    return true;
}

/* What is put_entry's. */
static bool take_entry(struct cpu_trace_entry *e, struct cursor *in, u64 expected_pc,
                       struct arena *arena)
{
    struct cpu_instruction *f = &e->fixed;
    f->pc = expected_pc + take_difference(in);
    u32 flags = take_u8(in);
    f->class = take_u8(in);
    f->length = take_u8(in);
    e->is_variable = flags & ENTRY_VARIABLE;
    e->is_vector = flags & ENTRY_VECTOR;
    if (flags & ~(u32)ENTRY_FLAGS || f->class >= CPU_CLASS_COUNT || !take_registers(f, in) ||
        (flags & ENTRY_VARIABLE && flags & ENTRY_MEMORY))
        return false;
    if (flags & ENTRY_MEMORY && !take_memory(f, in))
        return false;
    if (flags & ENTRY_BRANCH) {
        f->branch = take_u8(in);
        f->target = cpu_trace_is_direct(f) ? f->pc + take_difference(in) : 0;
    }
    if (flags & ENTRY_EVENT)
        f->event = take_u8(in);
    return f->branch < CPU_BRANCH_COUNT && f->event < CPU_EVENT_COUNT &&
           (f->class == CPU_BRANCH) == (f->branch != CPU_NO_BRANCH) &&
           (f->class == CPU_EVENT) == !!(flags & ENTRY_EVENT) && take_text(&e->text, in, arena) &&
           !in->is_short;
}

#define LEAST_ENTRY_BYTES 6u

bool cpu_trace_table_take(struct cpu_trace_table *t, struct cursor *in, struct arena *arena,
                          struct src_pos at, struct err *err)
{
    u64 count = take_varint(in), expected_pc = 0;
    if (count > cursor_left(in) / LEAST_ENTRY_BYTES || count > MOST_ENTRIES)
        return err_at(err, at,
                      "the trace has %llu different instructions in %zu bytes, expected "
                      "fewer",
                      (unsigned long long)count, cursor_left(in));
    *t = (struct cpu_trace_table){.count = (u32)count};
    t->entries = ARENA_ARRAY(arena, struct cpu_trace_entry, count + 1);
    for (u32 i = 0; i < t->count; i++) {
        struct cpu_trace_entry *e = &t->entries[i];
        if (!take_entry(e, in, expected_pc, arena))
            return err_at(err, at, "instruction %u of the trace's table makes no sense", i);
        cpu_instruction_find_base(&e->fixed, e->text);
        e->first_operand = t->operands;
        t->operands += operand_count(e);
        expected_pc = e->fixed.pc + e->fixed.length;
    }
    return true;
}
