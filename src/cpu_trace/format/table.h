/*
 * The table of a trace: every instruction of the program that was met, once.
 *
 * One that accesses memory in several ways (a string instruction, a masked load) has several
 * entries, until they are many: then one that is variable stands for all further ones.
 */
#ifndef CPU_TRACE_FORMAT_TABLE_H
#define CPU_TRACE_FORMAT_TABLE_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "cpu_trace/format/format.h"

struct arena;

struct cpu_trace_entry {
    /* Without addresses, thread and whether it was taken. The target is that of a direct branch;
     * a variable one has no reads and writes. */
    struct cpu_instruction fixed;
    u32 first_operand; /* index of its operands among those of all entries */
    u32 same_pc;       /* the next entry + 1 with the same pc; 0: none */
    bool is_variable;
    bool is_vector;   /* items have what struct cpu_vector says */
    const char *text; /* as an assembler writes it; "" when not known */
};

struct cpu_trace_table {
    struct cpu_trace_entry *entries;
    u32 count, room;
    u32 operands;
    struct map by_pc; /* first entry of a pc; of a table that is made */
};

/* The entry of an instruction, which is made when there is none. */
u32 cpu_trace_table_find(struct cpu_trace_table *t, const struct cpu_instruction *i);
/* The same but for accesses. */
bool cpu_trace_same_work(const struct cpu_instruction *f, const struct cpu_instruction *i);

/* All that an instruction is, but for its pc and target, lies behind each other. */
#define CPU_TRACE_SHAPE_AT offsetof(struct cpu_instruction, read_bytes)
#define CPU_TRACE_WORK_AT offsetof(struct cpu_instruction, sources)
#define CPU_TRACE_WORK_END (offsetof(struct cpu_instruction, event) + 1)

/* Of a few dozen bytes, without a call; the last eight may overlap those before. */
static inline bool cpu_trace_same_bytes(const struct cpu_instruction *a,
                                        const struct cpu_instruction *b, size_t from, size_t to)
{
    const u8 *x = (const u8 *)a, *y = (const u8 *)b;
    u64 differ = 0;
#pragma GCC unroll 8
    for (size_t n = from; n < to; n += 8) {
        size_t at = n + 8 <= to ? n : to - 8;
        u64 p, q;
        memcpy(&p, x + at, 8);
        memcpy(&q, y + at, 8);
        differ |= p ^ q;
    }
    return !differ;
}

/* Is this the entry of an instruction? */
static inline bool cpu_trace_entry_is(const struct cpu_trace_entry *e,
                                      const struct cpu_instruction *i)
{
    const struct cpu_instruction *f = &e->fixed;
    if (UNLIKELY(e->is_vector != (i->vector != NULL)))
        return false;
    if (UNLIKELY(e->is_variable))
        return cpu_trace_same_work(f, i);
    return f->pc == i->pc && cpu_trace_same_bytes(f, i, CPU_TRACE_SHAPE_AT, CPU_TRACE_WORK_END) &&
           (!cpu_trace_is_direct(i) || f->target == i->target);
}

void cpu_trace_table_put(struct bytes *out, const struct cpu_trace_table *t);
/* Entries are in the arena. */
bool cpu_trace_table_take(struct cpu_trace_table *t, struct cursor *in, struct arena *arena,
                          struct src_pos at, struct err *err);
/* Of one that was made. */
void cpu_trace_table_fini(struct cpu_trace_table *t);

#endif
