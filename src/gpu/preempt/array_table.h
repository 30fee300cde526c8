/*
 * The SM array table: which words of shared memory a block has written, and which of them are
 * copies of global memory (context-management spec 2.7).
 *
 * An entry is a run of words of one block. While all its words were stored as they had been loaded
 * from an array with a constant stride, and nothing has been done that could change the array, it
 * is a copy: a context has only the entry, and the words are loaded again. Other runs go with the
 * context. Words in no entry hold nothing.
 *
 * A word's place in the array is address + ((word - first) << shift). With it, the difference
 * address - (first << shift) is the same for all parts of a copy: that is how they are recognised.
 */
#ifndef GPU_PREEMPT_ARRAY_TABLE_H
#define GPU_PREEMPT_ARRAY_TABLE_H

#include "base/arena.h"
#include "base/types.h"

/* Words of shared memory, 4 bytes each. */
struct array_run {
    u32 first, words;
    bool is_copy;
    u8 shift;    /* of a copy: log2 of the bytes from one word's place to the next's */
    u64 address; /* of its first word */
};

/* Of an entry on its way: where it starts and ends, where the array is, stride and bits. */
#define ARRAY_ENTRY_BYTES 16u

struct array_entry {
    struct array_run run;
    u8 block; /* slot */
};

struct array_table {
    struct array_entry *entries;
    u32 room, count, most;
    u64 overflowed; /* block slots whose words are not all in the table: all of them are saved */
    u64 overflows;
};

/* The entries of a block that was stopped. */
struct array_list {
    struct array_run *runs;
    u32 count;
    bool overflowed;
};

void array_table_init(struct array_table *t, struct arena *arena, u32 entries);
/* The block has stored these words. */
void array_table_store(struct array_table *t, u32 block, struct array_run run);
/* Some of its words were written, nobody knows which. */
void array_table_lose(struct array_table *t, u32 block);
/* Somebody on the SM has stored to global memory: copies of it are none any more. */
void array_table_overwrite(struct array_table *t, u64 address, u32 bytes);
/* Others may write what blocks have copied: those of these slots. */
void array_table_doubt(struct array_table *t, u64 blocks);
/* A block has ended. */
void array_table_forget(struct array_table *t, u32 block);
/* One leaves the SM and comes to one. `list` has room for the whole table. */
void array_table_take(struct array_table *t, u32 block, struct array_list *list);
void array_table_put(struct array_table *t, u32 block, const struct array_list *list);

/* Bytes of memory from the first to the last word of a copy. */
static inline u64 array_span(const struct array_run *r)
{
    return ((u64)(r->words - 1) << r->shift) + 4;
}

#endif
