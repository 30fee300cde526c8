/*
 * A kernel written out instruction by instruction, for tests that work out
 * cycles by hand.
 *
 * Every warp of every block runs the list, `iterations` times; an instruction
 * can be kept to some warps. Zero is the ordinary case in every field, so a
 * script names only what matters:
 *
 *     static const struct scripted_instruction code[] = {
 *         {.kind = WINST_LOAD, .unit = UNIT_MEMORY, .dst = 1, .space = SPACE_GLOBAL,
 *          .bytes = 4, .base = 0x1000, .lane_stride = 4, .warp_stride = 128},
 *         {.unit = UNIT_INT, .dst = 2, .src0 = 1},
 *         {.kind = WINST_EXIT, .unit = UNIT_BRANCH},
 *     };
 *
 * A warp has ended when its list is done, with or without a WINST_EXIT.
 */
#ifndef SOURCE_SYNTHETIC_SCRIPTED_H
#define SOURCE_SYNTHETIC_SCRIPTED_H

#include "source/warp_instruction.h"

struct arena;

struct scripted_instruction {
    enum winst_kind kind;
    enum op_unit unit;
    enum op_cost cost;
    u16 dst, src0, src1; /* registers 1 to 65534; 0: none */

    enum space space;
    u8 bytes; /* of one lane; WINST_ASYNC_WAIT: groups */
    enum cache_operator cache_operator;
    /* Lane l of warp w of block b in iteration i accesses
     * base + b * block_stride + w * warp_stride + i * iteration_stride + l * lane_stride. */
    u64 base;
    i64 lane_stride, warp_stride, block_stride, iteration_stride;
    const u64 *addresses; /* one for each of 32 lanes, instead of the formula */

    u32 mask;          /* lanes that execute it; 0: all of the warp */
    u64 warps;         /* of the block, as bits, that have it in their list; 0: all */
    u32 barrier;       /* 0 to 15 */
    u32 barrier_warps; /* that open the barrier; 0: all that have not ended */
    bool arrives_only; /* at the barrier, without waiting there */
    u32 sleep_cycles;
};

struct scripted_kernel {
    const char *name; /* NULL: "script" */
    const struct scripted_instruction *code;
    u32 count;
    u32 iterations; /* 0: one */
    u64 blocks;     /* 0: one */
    u32 threads_per_block;
    u32 registers_per_thread, shared_bytes_per_block, local_bytes_per_thread;
    u64 code_base; /* pc of the first instruction */
    u64 stream;
};

/* All that the source needs is copied into the arena, and lives as long as it. */
struct grid_source scripted_source(const struct scripted_kernel *kernel, struct arena *arena);

#endif
