/* Nodes by the description that serves for every kind. */
#ifndef CUDA_GRAPH_GRAPH_NODE_H
#define CUDA_GRAPH_GRAPH_NODE_H

#include "cuda/graph/graph.h"
#include "cuda/graph/graph_types.h"

/* What such a node does. Not for kernels and copies, which each interface describes its own way:
 * CUDA_ERROR_INVALID_VALUE. */
CU_SHARED CUresult cu_node_work(const CUgraphNodeParams *p, struct cu_work *work);
/* What the description of a node that was added tells in return. */
CU_SHARED void cu_node_added(CUgraphNode node, CUgraphNodeParams *p);
/* The node itself or, with an instance, its part of that. */
CU_SHARED CUresult cu_node_find(CUgraphExec exec, bool in_exec, CUgraphNode node, CUgraphNode *out);
CU_SHARED CUresult cu_node_alloc_params(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *p);
/* NOT_SUPPORTED where an array is one end: only addresses are kept. */
CU_SHARED CUresult cu_node_copy_params(CUgraphNode node, CUDA_MEMCPY3D *d);
CU_SHARED CUresult cu_node_event(CUgraphNode node, enum cu_work_kind kind, CUevent *out);
/* One operation of a stream on a value in memory. */
CU_SHARED CUresult cu_value_work(const CUstreamBatchMemOpParams *p, struct cu_work *work);

#endif
