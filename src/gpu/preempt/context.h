/*
 * Contexts of blocks: an SM stops a block, or continues one that was stopped here or elsewhere.
 *
 * A block that is to stop issues nothing more. When all it has under way has come back, its
 * registers and shared memory are saved, line after line, as requests to memory; when the last has
 * been acknowledged the dispatcher is told, and the block is no longer the SM's. Restoring is the
 * same the other way round. What executes a program keeps its values: requests carry none.
 *
 * Saves and restores of an SM follow each other and share its rate (context.bytes_per_cycle).
 */
#ifndef GPU_PREEMPT_CONTEXT_H
#define GPU_PREEMPT_CONTEXT_H

#include "base/ring.h"
#include "base/types.h"
#include "gpu/dispatch/block_message.h"
#include "stats/def.h"

struct arena;
struct grid_source;
struct sm;
struct sm_block;
struct sm_config;

/* Lines of contexts that an SM may have under way. */
#define CONTEXT_LINES 64u

enum context_state { CONTEXT_NONE, CONTEXT_SAVES, CONTEXT_RESTORES };

struct context_counts {
    u64 stops, resumes; /* blocks */
    u64 flushes, refused_flushes;
    u64 drain_cycles;                /* from the wish to stop until nothing is under way */
    u64 save_cycles, restore_cycles; /* from there until the last answer */
    u64 saved_bytes, restored_bytes; /* of contexts */
    u64 transfer_parts;              /* that lines took at the SM's rate, see CONTEXT_PARTS */
    u64 requests, answers;           /* lines */
    u64 whole_bytes;                 /* that contexts would have if nothing were left out */
    u64 register_words, live_words, cached_words, compressed_words, register_bytes;
    u64 shared_words, valid_words, copied_words, reloaded_lines;
    u64 shared_blocks, empty_cycles; /* blocks that stored to shared memory, and how late */
    u64 shuffled, shuffle_bytes, shuffle_cycles; /* to or from a buffer on the chip */
};
extern const struct stat_def context_stats[];

/* Parts of a cycle that lines are counted in. */
#define CONTEXT_PARTS 1024u

struct context_unit {
    struct ring jobs;    /* block slots with lines to send, in order */
    u64 line_parts;      /* from one line to the next; 0: no limit */
    u64 free_parts;      /* the next may go then */
    u32 under_way;       /* lines */
    u64 shuffling;       /* block slots whose context is on its way to or from a buffer */
    cycle_t fabric_free; /* the SM\'s way to the buffers */
    cycle_t next;        /* when there may be something to do; CYCLE_NEVER: not by itself */
    struct context_counts counts;
};

static inline bool context_is_busy(const struct context_unit *u)
{
    return !ring_is_empty(&u->jobs) || u->shuffling;
}

/* Bytes of the context of the largest block that an SM can hold. */
u64 context_most_bytes(const struct sm_config *c);

void context_init(struct sm *sm, struct arena *arena);
/* BLOCK_STOP and BLOCK_RESUME have come. */
void context_stop(struct sm *sm, struct block_message m, cycle_t now);
void context_resume(struct sm *sm, u32 slot, cycle_t now);
/* Nothing of a block that is to stop is under way. */
void context_drained(struct sm *sm, struct sm_block *b);
void context_cycle(struct sm *sm, cycle_t now);
/* A line of this block slot has been written or has come. */
void context_answered(struct sm *sm, u32 slot);

#endif
