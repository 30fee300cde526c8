/*
 * A kernel recorded by Accel-Sim's tracer (.traceg, .tracez) as a source of warp
 * instructions.
 *
 * Opening reads the header and finds the blocks; a block's lines are decoded when
 * it begins and forgotten when it ends, so memory follows the blocks that run and
 * not the size of the trace. Blocks that have no instructions are not counted: the
 * grid's block n is the n-th in the file that has some. A damaged line in a block
 * is a fault of the block's first step.
 *
 * block_begin adds to the kernel's list of instructions, so blocks of one kernel
 * begin one at a time; stepping touches nothing but the block.
 */
#ifndef SOURCE_SASS_KERNEL_H
#define SOURCE_SASS_KERNEL_H

#include "base/log.h"
#include "source/sass/header.h"
#include "source/warp_instruction.h"

struct trace_kernel;

struct trace_counts {
    u64 warp_instructions; /* decoded so far */
    u32 instructions;      /* distinct ones */
    u32 unknown_opcodes;   /* of these, taken for simple integer instructions */
    u32 without_addresses; /* of these, loads and stores that the tracer recorded without */
};

/* log: gets a warning for each unknown mnemonic; NULL: silent. NULL returned: see err. */
struct trace_kernel *trace_kernel_open(const char *path, const struct log *log, struct err *err);
/* The text is borrowed and must live as long as the kernel. */
struct trace_kernel *trace_kernel_open_text(const char *name, const char *text, size_t length,
                                            const struct log *log, struct err *err);
void trace_kernel_close(struct trace_kernel *k);

struct grid_source trace_kernel_grid(struct trace_kernel *k);
const struct trace_header *trace_kernel_header(const struct trace_kernel *k);
struct trace_counts trace_kernel_counts(const struct trace_kernel *k);

#endif
