#include "cuda/graph/graph_node.h"
#include "cuda/core/event.h"
#include "cuda/core/launch.h"
#include "cuda/runtime/runtime.h"

RT(cudaGraphCreate, cudaGraph_t *graph, unsigned int flags)
{
    RT_CALL(context)
    RT_NEED(graph && !flags);
    *graph = cu_graph_create();
    return cudaSuccess;
}

RT(cudaGraphDestroy, cudaGraph_t graph)
{
    RT_CALL(context)
    RT_NEED(cu_object_is(graph, CU_KIND_GRAPH) && !graph->is_child);
    cu_graph_destroy(graph);
    return cudaSuccess;
}

RT(cudaGraphClone, cudaGraph_t *clone, cudaGraph_t original)
{
    RT_CALL(context)
    RT_NEED(clone && cu_object_is(original, CU_KIND_GRAPH));
    *clone = cu_graph_clone(original);
    return cudaSuccess;
}

static cudaError_t node_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                            size_t after_count, struct cu_work *take_work)
{
    if (!node || !cu_object_is(graph, CU_KIND_GRAPH)) {
        cu_work_fini(take_work);
        return rt_result(cudaErrorInvalidValue);
    }
    return rt_result((int)cu_graph_add(graph, after, after_count, take_work, node));
}

/* ---- what each kind of node does ---- */

cudaError_t rt_kernel_work(CUcontext context, const struct cudaKernelNodeParams *p,
                           struct cu_work *work)
{
    if (!p)
        return cudaErrorInvalidValue;
    struct cu_launch l = {.grid = {p->gridDim.x, p->gridDim.y, p->gridDim.z},
                          .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                          .shared_bytes = p->sharedMemBytes,
                          .params = p->kernelParams,
                          .extra = p->extra};
    cudaError_t status = rt_function_find(context, p->func, &l.function);
    if (status)
        return status;
    if (!cu_launch_fits(l.grid, l.block))
        return rt_major >= 13 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
    return (cudaError_t)cu_launch_make(&l, work);
}

cudaError_t rt_box_work(const struct cudaMemcpy3DParms *p, struct cu_work *work)
{
    CUDA_MEMCPY3D d;
    cudaError_t status = p ? rt_copy_box(&d, p) : cudaErrorInvalidValue;
    if (status)
        return status;
    work->kind = CU_WORK_COPY;
    return (cudaError_t)cu_copy_make(&work->copy, &d);
}

static cudaError_t line_work(void *to, const void *from, size_t bytes, int kind,
                             struct cu_work *work)
{
    CUDA_MEMCPY3D d;
    cudaError_t status = rt_copy_line(&d, to, from, bytes, kind);
    if (status)
        return status;
    work->kind = CU_WORK_COPY;
    return (cudaError_t)cu_copy_make(&work->copy, &d);
}

static cudaError_t symbol_work(CUcontext context, const void *host, size_t offset, void *address,
                               size_t bytes, bool to_symbol, int kind, struct cu_work *work)
{
    struct rt_symbol s;
    cudaError_t status = rt_symbol_find(context, host, &s);
    if (status)
        return status;
    if (offset > s.bytes || bytes > s.bytes - offset)
        return cudaErrorInvalidValue;
    void *at = (void *)(uintptr_t)(s.address + offset);
    return line_work(to_symbol ? at : address, to_symbol ? address : at, bytes, kind, work);
}

static cudaError_t fill_work(const struct cudaMemsetParams *p, struct cu_work *work)
{
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return cudaErrorInvalidValue;
    work->kind = CU_WORK_FILL;
    return (cudaError_t)cu_fill_make(&work->fill, (u64)(uintptr_t)p->dst, p->pitch, p->value,
                                     p->elementSize, p->width, p->height);
}

static cudaError_t host_work(const CUDA_HOST_NODE_PARAMS *p, struct cu_work *work)
{
    if (!p || !p->fn)
        return cudaErrorInvalidValue;
    *work = (struct cu_work){.kind = CU_WORK_HOST, .host = *p};
    return cudaSuccess;
}

/* ---- adding nodes ---- */

#define NODE_ARGUMENTS                                                                             \
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t after_count
#define NODE_ADD(make)                                                                             \
    RT_CALL(context)                                                                               \
    struct cu_work work = {0};                                                                     \
    RT_TRY(make);                                                                                  \
    return node_add(node, graph, after, after_count, &work)

RT(cudaGraphAddKernelNode, NODE_ARGUMENTS, const struct cudaKernelNodeParams *p)
{
    NODE_ADD(rt_kernel_work(context, p, &work));
}

RT(cudaGraphAddMemcpyNode, NODE_ARGUMENTS, const struct cudaMemcpy3DParms *p)
{
    NODE_ADD(rt_box_work(p, &work));
}

RT(cudaGraphAddMemcpyNode1D, NODE_ARGUMENTS, void *to, const void *from, size_t bytes, int kind)
{
    NODE_ADD(line_work(to, from, bytes, kind, &work));
}

RT(cudaGraphAddMemcpyNodeToSymbol, NODE_ARGUMENTS, const void *symbol, const void *from,
   size_t bytes, size_t offset, int kind)
{
    NODE_ADD(
        symbol_work(context, symbol, offset, (void *)(uintptr_t)from, bytes, true, kind, &work));
}

RT(cudaGraphAddMemcpyNodeFromSymbol, NODE_ARGUMENTS, void *to, const void *symbol, size_t bytes,
   size_t offset, int kind)
{
    NODE_ADD(symbol_work(context, symbol, offset, to, bytes, false, kind, &work));
}

RT(cudaGraphAddMemsetNode, NODE_ARGUMENTS, const struct cudaMemsetParams *p)
{
    NODE_ADD(fill_work(p, &work));
}

RT(cudaGraphAddHostNode, NODE_ARGUMENTS, const CUDA_HOST_NODE_PARAMS *p)
{
    NODE_ADD(host_work(p, &work));
}

RT(cudaGraphAddEmptyNode, NODE_ARGUMENTS)
{
    NODE_ADD(cudaSuccess);
}

RT(cudaGraphAddChildGraphNode, NODE_ARGUMENTS, cudaGraph_t child)
{
    RT_CALL(context)
    RT_NEED(cu_object_is(child, CU_KIND_GRAPH) && child != graph);
    struct cu_work work = {.kind = CU_WORK_GRAPH, .graph = cu_graph_clone(child)};
    work.graph->is_child = true;
    return node_add(node, graph, after, after_count, &work);
}

RT(cudaGraphAddEventRecordNode, NODE_ARGUMENTS, cudaEvent_t event)
{
    RT_CALL(context)
    RT_NEED_HANDLE(event, CU_KIND_EVENT);
    struct cu_work work = {.kind = CU_WORK_RECORD, .event.event = event};
    return node_add(node, graph, after, after_count, &work);
}

RT(cudaGraphAddEventWaitNode, NODE_ARGUMENTS, cudaEvent_t event)
{
    RT_CALL(context)
    RT_NEED_HANDLE(event, CU_KIND_EVENT);
    struct cu_work work = {.kind = CU_WORK_WAIT, .event.event = event};
    return node_add(node, graph, after, after_count, &work);
}

/* ---- changing nodes: in a graph, or in an instance of it ---- */

#define NODE_SET(exec, in_exec, make)                                                              \
    RT_CALL(context)                                                                               \
    cudaGraphNode_t target = NULL;                                                                 \
    struct cu_work work = {0};                                                                     \
    RT_TRY(cu_node_find(exec, in_exec, node, &target));                                            \
    RT_TRY(make);                                                                                  \
    return rt_result((int)cu_graph_node_set(target, &work))

/* Each kind has two calls: for the node, and for its part in an instance. */
#define NODE_SETTERS(name, exec_name, make, ...)                                                   \
    RT(name, cudaGraphNode_t node, __VA_ARGS__)                                                    \
    {                                                                                              \
        NODE_SET(NULL, false, make);                                                               \
    }                                                                                              \
    RT(exec_name, cudaGraphExec_t exec, cudaGraphNode_t node, __VA_ARGS__)                         \
    {                                                                                              \
        NODE_SET(exec, true, make);                                                                \
    }

NODE_SETTERS(cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
             rt_kernel_work(context, p, &work), const struct cudaKernelNodeParams *p)
NODE_SETTERS(cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams, rt_box_work(p, &work),
             const struct cudaMemcpy3DParms *p)
NODE_SETTERS(cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
             line_work(to, from, bytes, kind, &work), void *to, const void *from, size_t bytes,
             int kind)
NODE_SETTERS(cudaGraphMemcpyNodeSetParamsToSymbol, cudaGraphExecMemcpyNodeSetParamsToSymbol,
             symbol_work(context, symbol, offset, (void *)(uintptr_t)from, bytes, true, kind,
                         &work),
             const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
NODE_SETTERS(cudaGraphMemcpyNodeSetParamsFromSymbol, cudaGraphExecMemcpyNodeSetParamsFromSymbol,
             symbol_work(context, symbol, offset, to, bytes, false, kind, &work), void *to,
             const void *symbol, size_t bytes, size_t offset, int kind)
NODE_SETTERS(cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, fill_work(p, &work),
             const struct cudaMemsetParams *p)
NODE_SETTERS(cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, host_work(p, &work),
             const CUDA_HOST_NODE_PARAMS *p)

RT(cudaGraphKernelNodeGetParams, cudaGraphNode_t node, struct cudaKernelNodeParams *p)
{
    RT_CALL(context)
    RT_NEED(p && cu_object_is(node, CU_KIND_NODE) && node->work.kind == CU_WORK_KERNEL);
    CUDA_KERNEL_NODE_PARAMS d;
    cu_graph_kernel_params(node, &d);
    *p = (struct cudaKernelNodeParams){.func = d.func,
                                       .gridDim = {d.gridDimX, d.gridDimY, d.gridDimZ},
                                       .blockDim = {d.blockDimX, d.blockDimY, d.blockDimZ},
                                       .sharedMemBytes = d.sharedMemBytes,
                                       .kernelParams = d.kernelParams};
    return cudaSuccess;
}

RT(cudaGraphMemsetNodeGetParams, cudaGraphNode_t node, struct cudaMemsetParams *p)
{
    RT_CALL(context)
    RT_NEED(p && cu_object_is(node, CU_KIND_NODE) && node->work.kind == CU_WORK_FILL);
    const struct cu_fill *f = &node->work.fill;
    *p = (struct cudaMemsetParams){.dst = (void *)(uintptr_t)f->to,
                                   .pitch = f->pitch,
                                   .value = f->value,
                                   .elementSize = f->element_bytes,
                                   .width = f->width,
                                   .height = f->height};
    return cudaSuccess;
}

RT(cudaGraphHostNodeGetParams, cudaGraphNode_t node, CUDA_HOST_NODE_PARAMS *p)
{
    RT_CALL(context)
    RT_NEED(p && cu_object_is(node, CU_KIND_NODE) && node->work.kind == CU_WORK_HOST);
    *p = node->work.host;
    return cudaSuccess;
}

RT(cudaGraphChildGraphNodeGetGraph, cudaGraphNode_t node, cudaGraph_t *graph)
{
    RT_CALL(context)
    RT_NEED(graph && cu_object_is(node, CU_KIND_NODE) && node->work.kind == CU_WORK_GRAPH);
    *graph = node->work.graph;
    return cudaSuccess;
}

RT(cudaGraphNodeSetEnabled, cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    RT_CALL(context)
    cudaGraphNode_t target = NULL;
    RT_TRY(cu_node_find(exec, true, node, &target));
    target->is_disabled = !enabled;
    return cudaSuccess;
}

RT(cudaGraphNodeGetEnabled, cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
    RT_CALL(context)
    cudaGraphNode_t target = NULL;
    RT_NEED(enabled);
    RT_TRY(cu_node_find(exec, true, node, &target));
    *enabled = !target->is_disabled;
    return cudaSuccess;
}

/* ---- structure ---- */

RT(cudaGraphGetNodes, cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    RT_CALL(context)
    RT_NEED(count && cu_object_is(graph, CU_KIND_GRAPH));
    return rt_result((int)cu_graph_list(graph, false, nodes, count));
}

RT(cudaGraphGetRootNodes, cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    RT_CALL(context)
    RT_NEED(count && cu_object_is(graph, CU_KIND_GRAPH));
    return rt_result((int)cu_graph_list(graph, true, nodes, count));
}

RT(cudaGraphNodeGetType, cudaGraphNode_t node, int *type)
{
    RT_CALL(context)
    RT_NEED(type && cu_object_is(node, CU_KIND_NODE));
    *type = (int)cu_graph_node_type(node);
    return cudaSuccess;
}

RT(cudaGraphNodeFindInClone, cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone)
{
    RT_CALL(context)
    RT_NEED(node && cu_object_is(clone, CU_KIND_GRAPH));
    *node = cu_graph_find_clone(clone, original);
    RT_NEED(*node);
    return cudaSuccess;
}

RT(cudaGraphDestroyNode, cudaGraphNode_t node)
{
    RT_CALL(context)
    RT_NEED(cu_object_is(node, CU_KIND_NODE));
    cu_graph_remove(node);
    return cudaSuccess;
}

RT(cudaGraphInstantiateWithFlags, cudaGraphExec_t *exec, cudaGraph_t graph,
   unsigned long long flags)
{
    RT_CALL(context)
    RT_NEED(exec && cu_object_is(graph, CU_KIND_GRAPH));
    return rt_result((int)cu_graph_instantiate(graph, flags, exec));
}

RT(cudaGraphExecGetFlags, cudaGraphExec_t exec, unsigned long long *flags)
{
    RT_CALL(context)
    RT_NEED(flags);
    RT_NEED_HANDLE(exec, CU_KIND_EXEC);
    *flags = exec->flags;
    return cudaSuccess;
}

RT(cudaGraphExecDestroy, cudaGraphExec_t exec)
{
    RT_CALL(context)
    RT_NEED_HANDLE(exec, CU_KIND_EXEC);
    cu_graph_exec_destroy(exec);
    return cudaSuccess;
}
