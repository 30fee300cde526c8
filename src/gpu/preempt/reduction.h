/*
 * The parts of a block's context that need not be saved (context.reduced, context-management
 * spec 2.7): registers that no path of a warp needs any more, those whose lanes follow a pattern
 * (gpu/preempt/compress.h, held in gpu/preempt/register_cache.h), words of shared memory that hold
 * nothing, and words that are copies of global memory (gpu/preempt/array_table.h).
 *
 * Of blocks whose values are known: those of executed programs. An SM has one of these if blocks
 * may be stopped on it with reduced contexts; it watches their steps. What is left out is
 * overwritten when a block stops, and copies are made again from memory when it goes on: a wrong
 * answer of this unit is a wrong answer of the program.
 */
#ifndef GPU_PREEMPT_REDUCTION_H
#define GPU_PREEMPT_REDUCTION_H

#include "gpu/preempt/array_table.h"
#include "gpu/preempt/register_cache.h"
#include "source/step_watch.h"

struct sm;
struct sm_block;

/* Loads of a warp whose registers still hold what memory had: the last ones. */
#define SOURCE_NOTES 32u

struct source_note {
    u32 name;     /* register_word; NO_NAME: none */
    u32 mask;     /* lanes that have it */
    u8 shift;     /* lane i has it from base + (i << shift) */
    u64 base;     /* of lane 0 */
    u64 low, end; /* of what its lanes read */
};

struct warp_notes {
    struct source_note notes[SOURCE_NOTES];
    u32 next;
};

struct reduction {
    struct step_watch watch;
    struct sm *sm;
    bool has_table, has_cache;
    struct array_table table;
    struct register_cache cache;
    struct warp_notes *notes; /* by warp slot */
    struct array_list *lists; /* by place of a context: the dispatcher's */
    u64 has_stored;           /* block slots: to shared memory */
    u32 last_slot;
};

/* Lists for so many contexts. */
struct array_list *reduction_lists(struct arena *arena, u32 places, u32 entries);
void reduction_init(struct sm *sm, struct arena *arena, struct array_list *lists);
/* A block starts in its slot, or has left it. */
void reduction_forget(struct sm *sm, const struct sm_block *b);
/* A block has stopped: bytes of its context that leave the SM. */
u64 reduction_save(struct sm *sm, const struct sm_block *b);
/* Lines of memory with what it has copied, and the k-th of them. */
u32 reduction_lines(const struct sm *sm, const struct sm_block *b);
u64 reduction_line(const struct sm *sm, const struct sm_block *b, u32 k);
/* All is back: copies are made again. */
void reduction_restore(struct sm *sm, const struct sm_block *b);

#endif
