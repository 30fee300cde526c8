/*
 * Bulk and tensor copies as the timing model sees them: which lines they move, and which barriers
 * are told when they have come.
 *
 * The bytes move when the instruction executes. With timing, barriers are told when the SM says
 * that the lines are there; without, at once.
 */
#ifndef PTX_EXEC_TRANSFER_H
#define PTX_EXEC_TRANSFER_H

#include "ptx/exec/warp.h"
#include "source/warp_instruction.h"

/* One barrier, or those at one place of several blocks, that a copy will tell. */
struct completion {
    const struct op *op;
    u64 barrier;      /* of shared memory */
    u32 bytes, ranks; /* ranks: bits; 0: the address says */
    u32 next;         /* another of the same instruction; NO_TOKEN: none */
    bool is_used;
};
#define BLOCK_COMPLETIONS 128u

/* What the last step of an executor moved. */
struct transfer_record {
    struct transfer_view view;
    u64 *lines;
    u32 room;
};

/* A step with copies begins, in executors that have a record. */
void transfer_begin(struct warp *w, bool is_store);
/* A copy, of so many bytes; lines of global memory that it touches. */
void transfer_box(struct warp *w, u32 bytes);
void transfer_lines(struct warp *w, u64 address, u32 bytes);
/* A copy is complete, or will be: barriers at the place of `ranks`, or 0: at the address. False: a
 * fault. */
bool transfer_complete(struct warp *w, const struct op *op, u32 lane, u64 barrier, u32 bytes,
                       u32 ranks);
/* source_ops.arrived */
u8 transfer_arrived(void *block, u32 token);

#endif
