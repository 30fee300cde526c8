/*
 * Graphs: work with dependencies, launched many times.
 *
 * A launch puts the nodes into one stream in an order that respects the
 * dependencies, the node added first going first where there is a choice.
 */
#ifndef CUDA_GRAPH_GRAPH_H
#define CUDA_GRAPH_GRAPH_H

#include "cuda/core/attributes.h"
#include "cuda/core/core.h"
#include "cuda/graph/user_object.h"
#include "cuda/core/work.h"

struct CUgraphNode_st {
    struct cu_object object;
    CUgraph graph;
    CUgraphNode origin; /* in a clone: the node it was made from */
    struct cu_work work;
    bool is_disabled;
    CUgraphNode *after; /* what must be done first */
    u32 after_count;
    u32 mark;                        /* scratch of walks over the graph */
    void **param_slots;              /* what GetParams shows of a kernel's arguments */
    struct cu_attributes attributes; /* of a kernel */
};

struct CUgraph_st {
    struct cu_object object;
    CUgraphNode *nodes; /* as added */
    u32 count, capacity;
    bool is_child; /* owned by a node: not to be destroyed by the application */
    struct cu_user_hold *holds;
    u32 hold_count;
};

struct CUgraphExec_st {
    struct cu_object object;
    CUgraph graph; /* its own copy, ordered so that every node follows what it depends on */
    u64 flags;
};

CU_SHARED CUgraph cu_graph_create(void);
CU_SHARED void cu_graph_destroy(CUgraph graph);
CU_SHARED CUgraph cu_graph_clone(CUgraph graph);
void cu_graph_delete_all(void);
CU_SHARED CUresult cu_graph_add(CUgraph graph, const CUgraphNode *after, size_t after_count,
                                struct cu_work *take_work, CUgraphNode *out);
CU_SHARED CUresult cu_graph_connect(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                    size_t count);
CU_SHARED CUresult cu_graph_disconnect(CUgraph graph, const CUgraphNode *from,
                                       const CUgraphNode *to, size_t count);
CU_SHARED void cu_graph_remove(CUgraphNode node);
CU_SHARED CUgraphNodeType cu_graph_node_type(const struct CUgraphNode_st *node);
/* The node of a clone that was made from `original`; NULL: none. */
CU_SHARED CUgraphNode cu_graph_find_clone(CUgraph graph, CUgraphNode original);
/* Is the node one of `set` or something they depend on? */
bool cu_graph_comes_before(CUgraphNode node, const CUgraphNode *set, u32 count);
/* Replaces what a node does; the kind must stay. */
CU_SHARED CUresult cu_graph_node_set(CUgraphNode node, struct cu_work *take_work);
CU_SHARED void cu_graph_kernel_params(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params);
/* Fills up to *count nodes and sets it to how many there are, as the API's list calls do. */
CU_SHARED CUresult cu_graph_list(CUgraph graph, bool roots_only, CUgraphNode *nodes, size_t *count);
CU_SHARED CUresult cu_graph_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count);
CU_SHARED CUresult cu_graph_neighbours(CUgraphNode node, bool before, CUgraphNode *nodes,
                                       size_t *count);

/* An attribute of a kernel node; being cooperative changes the launch. */
CU_SHARED CUresult cu_graph_kernel_attribute(CUgraphNode node, u32 id,
                                             const CUlaunchAttributeValue *value);
/* Writes the graph in the language of Graphviz. */
CU_SHARED CUresult cu_graph_print(CUgraph graph, const char *path);

CU_SHARED CUresult cu_graph_instantiate(CUgraph graph, u64 flags, CUgraphExec *out);
CU_SHARED void cu_graph_exec_destroy(CUgraphExec exec);
CU_SHARED CUresult cu_graph_launch(CUgraphExec exec, CUstream stream);
/* Nodes in an order that respects their dependencies: those of an instance, or of a body. The
 * caller frees the list; NULL: there is a cycle. */
CUgraphNode *cu_graph_order(CUgraph graph);
CU_SHARED CUresult cu_graph_exec_update(CUgraphExec exec, CUgraph graph,
                                        CUgraphExecUpdateResultInfo *result);

#endif
