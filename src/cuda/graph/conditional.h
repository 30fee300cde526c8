/*
 * Conditional nodes of graphs: bodies that run, or run again, depending on a number that kernels
 * set.
 */
#ifndef CUDA_GRAPH_CONDITIONAL_H
#define CUDA_GRAPH_CONDITIONAL_H

#include "cuda/core/core.h"
#include "cuda/graph/graph_types.h"

struct cu_conditional {
    u64 handle;
    int type; /* CU_GRAPH_COND_TYPE_* */
    u32 count;
    CUgraph *bodies; /* owned */
};

CU_SHARED CUresult cu_condition_create(u32 default_value, u32 flags, u64 *handle);
/* What a kernel or the start of a launch makes of it; an unknown handle is nothing. */
void cu_condition_set(u64 handle, u32 value);
void cu_condition_begin(u64 handle);
CU_SHARED CUresult cu_conditional_new(u64 handle, int type, u32 count, struct cu_conditional **out);
struct cu_conditional *cu_conditional_clone(const struct cu_conditional *c);
void cu_conditional_delete(struct cu_conditional *c);
/* The body to run now; NULL: none. */
CUgraph cu_conditional_body(const struct cu_conditional *c);

#endif
