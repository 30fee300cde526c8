#include "cuda/graph/graph_node.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/graph_work.h"
#include "cuda/core/event.h"
#include "cuda/core/launch.h"

#include <string.h>

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
    CU_GUARD
    NEED(graph && !flags);
    *graph = cu_graph_create();
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    CU_GUARD
    NEED(cu_object_is(graph, CU_KIND_GRAPH) && !graph->is_child);
    cu_graph_destroy(graph);
    return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *clone, CUgraph original)
{
    CU_GUARD
    NEED(clone && cu_object_is(original, CU_KIND_GRAPH));
    *clone = cu_graph_clone(original);
    return CUDA_SUCCESS;
}

static CUresult node_add(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                         size_t after_count, struct cu_work *take_work)
{
    if (!node || !cu_object_is(graph, CU_KIND_GRAPH)) {
        cu_work_fini(take_work);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return cu_graph_add(graph, after, after_count, take_work, node);
}

/* ---- what each kind of node does, from the API's description ---- */

CUresult driver_kernel_work(const CUDA_KERNEL_NODE_PARAMS *p, struct cu_work *work)
{
    NEED(p);
    struct cu_launch l = {.function = p->func ? p->func : (CUfunction)(void *)p->kern,
                          .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                          .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                          .shared_bytes = p->sharedMemBytes,
                          .params = p->kernelParams,
                          .extra = p->extra};
    return cu_launch_make(&l, work);
}

CUresult driver_copy_work(const CUDA_MEMCPY3D *copy, struct cu_work *work)
{
    NEED(copy);
    work->kind = CU_WORK_COPY;
    return cu_copy_make(&work->copy, copy);
}

static CUresult fill_work(const CUDA_MEMSET_NODE_PARAMS *f, struct cu_work *work)
{
    NEED(f && (f->elementSize == 1 || f->elementSize == 2 || f->elementSize == 4));
    work->kind = CU_WORK_FILL;
    return cu_fill_make(&work->fill, f->dst, f->pitch, f->value, f->elementSize, f->width,
                        f->height);
}

static CUresult host_work(const CUDA_HOST_NODE_PARAMS *call, struct cu_work *work)
{
    NEED(call && call->fn);
    *work = (struct cu_work){.kind = CU_WORK_HOST, .host = *call};
    return CUDA_SUCCESS;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                              size_t after_count, const CUDA_KERNEL_NODE_PARAMS *params)
{
    CU_CALL(context)
    struct cu_work work = {0};
    CU_TRY(driver_kernel_work(params, &work));
    return node_add(node, graph, after, after_count, &work);
}
PLAIN(cuGraphAddKernelNode_v2, "cuGraphAddKernelNode");

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                              size_t after_count, const CUDA_MEMCPY3D *copy, CUcontext context)
{
    CU_CALL(current)
    (void)context;
    struct cu_work work = {0};
    CU_TRY(driver_copy_work(copy, &work));
    return node_add(node, graph, after, after_count, &work);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                              size_t after_count, const CUDA_MEMSET_NODE_PARAMS *fill,
                              CUcontext context)
{
    CU_CALL(current)
    (void)context;
    struct cu_work work = {0};
    CU_TRY(fill_work(fill, &work));
    return node_add(node, graph, after, after_count, &work);
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                            size_t after_count, const CUDA_HOST_NODE_PARAMS *call)
{
    CU_CALL(context)
    struct cu_work work = {0};
    CU_TRY(host_work(call, &work));
    return node_add(node, graph, after, after_count, &work);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                  size_t after_count, CUgraph child)
{
    CU_CALL(context)
    NEED(cu_object_is(child, CU_KIND_GRAPH) && child != graph);
    struct cu_work work = {.kind = CU_WORK_GRAPH, .graph = cu_graph_clone(child)};
    work.graph->is_child = true;
    return node_add(node, graph, after, after_count, &work);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                             size_t after_count)
{
    CU_CALL(context)
    struct cu_work work = {.kind = CU_WORK_EMPTY};
    return node_add(node, graph, after, after_count, &work);
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                   size_t after_count, CUevent event)
{
    CU_CALL(context)
    NEED_HANDLE(event, CU_KIND_EVENT);
    struct cu_work work = {.kind = CU_WORK_RECORD, .event.event = event};
    return node_add(node, graph, after, after_count, &work);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                 size_t after_count, CUevent event)
{
    CU_CALL(context)
    NEED_HANDLE(event, CU_KIND_EVENT);
    struct cu_work work = {.kind = CU_WORK_WAIT, .event.event = event};
    return node_add(node, graph, after, after_count, &work);
}

/* ---- changing nodes ---- */

/* The node itself, or its part in an instantiated graph. */
#define NODE_SET(exec, in_exec, node, make)                                                        \
    CU_CALL(current)                                                                               \
    CUgraphNode target = NULL;                                                                     \
    struct cu_work work = {0};                                                                     \
    CU_TRY(cu_node_find(exec, in_exec, node, &target));                                            \
    CU_TRY(make);                                                                                  \
    return cu_graph_node_set(target, &work)

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    NODE_SET(NULL, false, node, driver_kernel_work(params, &work));
}
PLAIN(cuGraphKernelNodeSetParams_v2, "cuGraphKernelNodeSetParams");

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *params)
{
    NODE_SET(exec, true, node, driver_kernel_work(params, &work));
}
PLAIN(cuGraphExecKernelNodeSetParams_v2, "cuGraphExecKernelNodeSetParams");

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *call)
{
    NODE_SET(NULL, false, node, host_work(call, &work));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *call)
{
    NODE_SET(exec, true, node, host_work(call, &work));
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *fill)
{
    NODE_SET(NULL, false, node, fill_work(fill, &work));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext context)
{
    (void)context;
    NODE_SET(exec, true, node, fill_work(fill, &work));
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *copy)
{
    NODE_SET(NULL, false, node, driver_copy_work(copy, &work));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *copy, CUcontext context)
{
    (void)context;
    NODE_SET(exec, true, node, driver_copy_work(copy, &work));
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    CU_GUARD
    NEED(params && cu_object_is(node, CU_KIND_NODE) && node->work.kind == CU_WORK_KERNEL);
    cu_graph_kernel_params(node, params);
    return CUDA_SUCCESS;
}

/* Before CUDA 12 the structure ended before the last two fields. */
CUresult cuGraphKernelNodeGetParams_v1(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    CUDA_KERNEL_NODE_PARAMS all;
    NEED(params);
    CU_TRY(cuGraphKernelNodeGetParams(node, &all));
    memcpy(params, &all, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
    return CUDA_SUCCESS;
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *call)
{
    CU_GUARD
    NEED(call && cu_object_is(node, CU_KIND_NODE) && node->work.kind == CU_WORK_HOST);
    *call = node->work.host;
    return CUDA_SUCCESS;
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph)
{
    CU_GUARD
    NEED(graph && cu_object_is(node, CU_KIND_NODE) && node->work.kind == CU_WORK_GRAPH);
    *graph = node->work.graph;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled)
{
    CU_GUARD
    CUgraphNode target = NULL;
    CU_TRY(cu_node_find(exec, true, node, &target));
    target->is_disabled = !enabled;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *enabled)
{
    CU_GUARD
    CUgraphNode target = NULL;
    NEED(enabled);
    CU_TRY(cu_node_find(exec, true, node, &target));
    *enabled = !target->is_disabled;
    return CUDA_SUCCESS;
}

/* ---- structure ---- */

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                size_t count)
{
    CU_GUARD
    NEED(cu_object_is(graph, CU_KIND_GRAPH) && (!count || (from && to)));
    return cu_graph_connect(graph, from, to, count);
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const void *edge_data, size_t count)
{
    (void)edge_data; /* programmatic edges order more loosely: an ordinary one is enough */
    return cuGraphAddDependencies(graph, from, to, count);
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t count)
{
    CU_GUARD
    NEED(cu_object_is(graph, CU_KIND_GRAPH) && (!count || (from && to)));
    return cu_graph_disconnect(graph, from, to, count);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const void *edge_data, size_t count)
{
    (void)edge_data;
    return cuGraphRemoveDependencies(graph, from, to, count);
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    CU_GUARD
    NEED(count && cu_object_is(graph, CU_KIND_GRAPH));
    return cu_graph_list(graph, false, nodes, count);
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    CU_GUARD
    NEED(count && cu_object_is(graph, CU_KIND_GRAPH));
    return cu_graph_list(graph, true, nodes, count);
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    CU_GUARD
    NEED(count && cu_object_is(graph, CU_KIND_GRAPH));
    return cu_graph_edges(graph, from, to, count);
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, void *edge_data,
                            size_t *count)
{
    (void)edge_data;
    return cuGraphGetEdges(graph, from, to, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    CU_GUARD
    NEED(count && cu_object_is(node, CU_KIND_NODE));
    return cu_graph_neighbours(node, true, nodes, count);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, void *edge_data,
                                       size_t *count)
{
    (void)edge_data;
    return cuGraphNodeGetDependencies(node, nodes, count);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    CU_GUARD
    NEED(count && cu_object_is(node, CU_KIND_NODE));
    return cu_graph_neighbours(node, false, nodes, count);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, void *edge_data,
                                         size_t *count)
{
    (void)edge_data;
    return cuGraphNodeGetDependentNodes(node, nodes, count);
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    CU_GUARD
    NEED(type && cu_object_is(node, CU_KIND_NODE));
    *type = cu_graph_node_type(node);
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
    CU_GUARD
    NEED(node && cu_object_is(clone, CU_KIND_GRAPH));
    *node = cu_graph_find_clone(clone, original);
    return *node ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
    CU_GUARD
    NEED(cu_object_is(node, CU_KIND_NODE));
    cu_graph_remove(node);
    return CUDA_SUCCESS;
}

/* ---- instances ---- */

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    CU_CALL(context)
    NEED(exec && cu_object_is(graph, CU_KIND_GRAPH));
    return cu_graph_instantiate(graph, flags, exec);
}

/* Before CUDA 12: with a place for the reasons of a failure. */
CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log,
                               size_t log_bytes)
{
    if (error_node)
        *error_node = NULL;
    if (log && log_bytes)
        *log = 0;
    return cuGraphInstantiate(exec, graph, 0);
}
PLAIN(cuGraphInstantiate_v2, "cuGraphInstantiate");

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *result)
{
    CU_CALL(context)
    NEED(result && cu_object_is(graph, CU_KIND_GRAPH));
    NEED_HANDLE(exec, CU_KIND_EXEC);
    return cu_graph_exec_update(exec, graph, result);
}

/* Before CUDA 12 the answers came apart. */
CUresult cuGraphExecUpdate_v1(CUgraphExec exec, CUgraph graph, CUgraphNode *error_node,
                              CUgraphExecUpdateResult *result)
{
    CUgraphExecUpdateResultInfo info = {0};
    NEED(result);
    CUresult status = cuGraphExecUpdate(exec, graph, &info);
    *result = info.result;
    if (error_node)
        *error_node = info.errorNode;
    return status;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    CU_GUARD
    NEED_HANDLE(exec, CU_KIND_EXEC);
    cu_graph_exec_destroy(exec);
    return CUDA_SUCCESS;
}
