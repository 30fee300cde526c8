/*
 * The head of an Accel-Sim kernel trace: lines `-key = value` in any order up to
 * the first line that starts with '#'. Unknown keys are no error: each version
 * of the tracer has added some.
 */
#ifndef SOURCE_SASS_HEADER_H
#define SOURCE_SASS_HEADER_H

#include "source/sass/scan.h"

struct arena;

struct trace_header {
    const char *kernel_name; /* the file's name when the trace has none */
    u64 kernel_id, stream;
    u32 grid[3], block[3];
    u64 blocks; /* of grid: as many as the file must hold */
    u32 shared_bytes, registers;
    u32 binary_version; /* 70 for Volta ...; 0: not said */
    u32 tracer_version; /* 1.2 reads as 1; 3 when it is not said */
    bool has_line_numbers;
    u64 shared_base, local_base; /* of the windows of generic addresses; 0: not said */
    u32 threads_per_block;       /* of block */
};

/* Leaves the cursor on the '#' line. */
bool trace_header_read(struct trace_header *h, struct scan *s, const char *text_end,
                       struct arena *arena, struct err *err);

#endif
