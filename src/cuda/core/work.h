/*
 * A piece of work for the device: an entry of a stream, or a node of a
 * graph. Addresses are resolved and checked when the work is made.
 */
#ifndef CUDA_CORE_WORK_H
#define CUDA_CORE_WORK_H

#include "cuda/core/core.h"

/* A box of bytes: rows of `width` bytes, a pitch apart, in slices. */
struct cu_copy {
    u64 to, to_pitch, to_slice;
    u64 from, from_pitch, from_slice;
    u64 width, height, depth;
};

struct cu_fill {
    u64 to, pitch, slice;
    u32 value, element_bytes;
    u64 width, height, depth; /* width in elements */
};

struct cu_kernel_work {
    CUfunction function;
    u32 grid[3], block[3];
    u32 cluster[3]; /* blocks of one; 0: none */
    u32 shared_bytes;
    bool cooperative;
    bool is_nested; /* launched by a kernel */
    void *params;   /* owned by the work */
};

enum cu_work_kind {
    CU_WORK_EMPTY,
    CU_WORK_KERNEL,
    CU_WORK_COPY,
    CU_WORK_FILL,
    CU_WORK_HOST,
    CU_WORK_CALLBACK,
    CU_WORK_RECORD,
    CU_WORK_WAIT,
    CU_WORK_FREE,
    CU_WORK_ALLOC,      /* memory of a graph */
    CU_WORK_WRITE,      /* a value in memory */
    CU_WORK_WAIT_VALUE, /* until memory has it */
    CU_WORK_CONDITIONAL,
    CU_WORK_GRAPH, /* a child graph: in graphs only */
};

struct cu_work {
    enum cu_work_kind kind;
    union {
        struct cu_kernel_work kernel;
        struct cu_copy copy;
        struct cu_fill fill;
        CUDA_HOST_NODE_PARAMS host;
        struct {
            CUstreamCallback call;
            void *data;
        } callback;
        struct {
            CUevent event;            /* NULL once in a queue */
            struct cu_record *record; /* counted reference; NULL in a graph */
        } event;
        u64 address;
        struct cu_graph_memory *memory; /* counted reference */
        struct {
            u64 address, value;
            u32 bytes, compare; /* CU_STREAM_WAIT_VALUE_* */
        } value;
        struct cu_conditional *conditional; /* owned by the work */
        CUgraph graph;                      /* owned by the work */
    };
};

/* Takes references and copies of what the work owns. */
struct cu_work cu_work_clone(const struct cu_work *w);
CU_SHARED void cu_work_fini(struct cu_work *w);

/* From the driver's description of a copy. Host addresses cannot be checked. */
CU_SHARED CUresult cu_copy_make(struct cu_copy *c, const CUDA_MEMCPY3D *d);
/* Plain bytes between any two addresses we know or trust. */
CU_SHARED CUresult cu_copy_line(struct cu_copy *c, u64 to, u64 from, u64 bytes);
/* Are all rows inside one allocation? An empty box becomes nothing to do. */
CU_SHARED CUresult cu_fill_check(struct cu_fill *f);
/* One slice. */
CU_SHARED CUresult cu_fill_make(struct cu_fill *f, u64 to, u64 pitch, u32 value, u32 element_bytes,
                                u64 width, u64 height);
/* Does it touch host memory that the device cannot reach by itself? */
CU_SHARED bool cu_copy_is_pageable(const struct cu_copy *c);

/* Is the value there that the work waits for? */
bool cu_value_is_there(const struct cu_work *w);
void cu_value_write(const struct cu_work *w);

void cu_copy_run(const struct cu_copy *c);
void cu_fill_run(const struct cu_fill *f);

#endif
