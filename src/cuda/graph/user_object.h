/* Objects of the application that graphs keep alive: counted, and destroyed with the last
 * reference. */
#ifndef CUDA_GRAPH_USER_OBJECT_H
#define CUDA_GRAPH_USER_OBJECT_H

#include "cuda/core/core.h"

struct cu_user_object {
    struct cu_object object;
    void *data;
    CUhostFn destroy;
    u32 references;
};

/* What a graph holds of one. */
struct cu_user_hold {
    struct cu_user_object *object;
    u32 count;
};

CU_SHARED CUresult cu_user_object_new(void *data, CUhostFn destroy, u32 references,
                                      struct cu_user_object **out);
CU_SHARED CUresult cu_user_object_retain(struct cu_user_object *o, u32 count);
CU_SHARED CUresult cu_user_object_release(struct cu_user_object *o, u32 count);
/* `move`: one reference of the caller's becomes the graph's. */
CU_SHARED CUresult cu_graph_hold(CUgraph graph, struct cu_user_object *o, u32 count, bool move);
CU_SHARED CUresult cu_graph_let_go(CUgraph graph, struct cu_user_object *o, u32 count);
void cu_graph_hold_all(CUgraph graph, CUgraph of);
void cu_graph_let_go_all(CUgraph graph);

#endif
