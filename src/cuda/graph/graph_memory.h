/*
 * Memory that nodes of graphs allocate.
 *
 * Its address is fixed when the node is made, and known to the nodes that use it; memory is there
 * from the allocation to the free, which may be outside of the graph.
 */
#ifndef CUDA_GRAPH_GRAPH_MEMORY_H
#define CUDA_GRAPH_GRAPH_MEMORY_H

#include "cuda/core/core.h"

struct cu_graph_memory {
    struct cu_graph_memory *next;
    u64 address, bytes;
    u32 references; /* works that allocate it */
    bool is_taken;  /* allocated by what was submitted last, and not freed */
};

CU_SHARED CUresult cu_graph_memory_new(u64 bytes, struct cu_graph_memory **out);
/* NULL: no graph's. */
CU_SHARED struct cu_graph_memory *cu_graph_memory_find(u64 address);
/* Will it be a graph's when its nodes run? */
bool cu_graph_memory_holds(u64 address, u64 bytes);
/* It is a graph's, and not allocated now. */
bool cu_graph_memory_is_missing(u64 address);
void cu_graph_memory_release(struct cu_graph_memory *memory);
/* The allocation itself, in the order of its stream. */
void cu_graph_memory_take(CUcontext context, const struct cu_graph_memory *memory);
CU_SHARED CUresult cu_graph_memory_get(u32 attribute, u64 *value);
CU_SHARED CUresult cu_graph_memory_set(u32 attribute, u64 value);
/* What is kept beyond what is in use goes back. */
CU_SHARED void cu_graph_memory_trim(void);
/* For memory.c: so much came or went. */
void cu_graph_memory_count(u64 bytes, bool came);

#endif
