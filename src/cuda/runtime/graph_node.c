/* Nodes of every kind by one description, and what can be asked of them; user objects. */
#include "cuda/graph/graph_node.h"
#include "cuda/graph/conditional.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/runtime/runtime.h"

/* The runtime describes kernels and copies its own way. */
static cudaError_t node_work(CUcontext context, const CUgraphNodeParams *p, struct cu_work *work)
{
    if (!p)
        return cudaErrorInvalidValue;
    const void *own = &p->kernel;
    *work = (struct cu_work){0};
    if (p->type == CU_GRAPH_NODE_TYPE_KERNEL)
        return rt_kernel_work(context, own, work);
    if (p->type == CU_GRAPH_NODE_TYPE_MEMCPY)
        return rt_box_work((const void *)((const char *)own + 16), work); /* behind flags */
    return (cudaError_t)cu_node_work(p, work);
}

cudaError_t rt_node_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                        size_t after_count, CUgraphNodeParams *p)
{
    RT_CALL(context)
    struct cu_work work;
    RT_NEED(node && cu_object_is(graph, CU_KIND_GRAPH));
    RT_TRY(node_work(context, p, &work));
    RT_TRY(cu_graph_add(graph, after, after_count, &work, node));
    cu_node_added(*node, p);
    return cudaSuccess;
}

static cudaError_t node_set(cudaGraphExec_t exec, bool in_exec, cudaGraphNode_t node,
                            const CUgraphNodeParams *p)
{
    RT_CALL(context)
    cudaGraphNode_t target = NULL;
    struct cu_work work;
    RT_TRY(cu_node_find(exec, in_exec, node, &target));
    RT_TRY(node_work(context, p, &work));
    return rt_result((int)cu_graph_node_set(target, &work));
}

RT(cudaGraphNodeSetParams, cudaGraphNode_t node, CUgraphNodeParams *p)
{
    return node_set(NULL, false, node, p);
}

RT(cudaGraphExecNodeSetParams, cudaGraphExec_t exec, cudaGraphNode_t node, CUgraphNodeParams *p)
{
    return node_set(exec, true, node, p);
}

/* ---- kinds with calls of their own ---- */

RT(cudaGraphAddMemAllocNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
   size_t after_count, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    RT_NEED(p);
    CUgraphNodeParams all = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC, .alloc = *p};
    cudaError_t status = rt_node_add(node, graph, after, after_count, &all);
    p->dptr = all.alloc.dptr;
    return status;
}

RT(cudaGraphAddMemFreeNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
   size_t after_count, void *address)
{
    CUgraphNodeParams all = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free = (u64)(uintptr_t)address};
    return rt_node_add(node, graph, after, after_count, &all);
}

RT(cudaGraphMemAllocNodeGetParams, cudaGraphNode_t node, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    RT_CALL(context)
    return rt_result((int)cu_node_alloc_params(node, p));
}

RT(cudaGraphMemFreeNodeGetParams, cudaGraphNode_t node, void *address)
{
    RT_CALL(context)
    RT_NEED(address && cu_object_is(node, CU_KIND_NODE) && node->work.kind == CU_WORK_FREE);
    *(u64 *)address = node->work.address;
    return cudaSuccess;
}

RT(cudaGraphMemcpyNodeGetParams, cudaGraphNode_t node, struct cudaMemcpy3DParms *p)
{
    RT_CALL(context)
    CUDA_MEMCPY3D d;
    RT_NEED(p);
    RT_TRY(cu_node_copy_params(node, &d));
    *p = (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)(uintptr_t)d.srcDevice, d.srcPitch, d.WidthInBytes, d.srcHeight},
        .dstPtr = {(void *)(uintptr_t)d.dstDevice, d.dstPitch, d.WidthInBytes, d.dstHeight},
        .extent = {d.WidthInBytes, d.Height, d.Depth},
        .kind = cudaMemcpyDefault};
    return cudaSuccess;
}

RT(cudaGraphExecChildGraphNodeSetParams, cudaGraphExec_t exec, cudaGraphNode_t node,
   cudaGraph_t child)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = child}};
    return node_set(exec, true, node, &p);
}

#define EVENT_CALLS(word, work_kind, node_type)                                                    \
    RT(cudaGraphEvent##word##NodeGetEvent, cudaGraphNode_t node, cudaEvent_t *event)               \
    {                                                                                              \
        RT_CALL(context)                                                                           \
        return rt_result((int)cu_node_event(node, work_kind, event));                              \
    }                                                                                              \
    RT(cudaGraphEvent##word##NodeSetEvent, cudaGraphNode_t node, cudaEvent_t event)                \
    {                                                                                              \
        CUgraphNodeParams p = {.type = node_type, .event = event};                                 \
        return node_set(NULL, false, node, &p);                                                    \
    }                                                                                              \
    RT(cudaGraphExecEvent##word##NodeSetEvent, cudaGraphExec_t exec, cudaGraphNode_t node,         \
       cudaEvent_t event)                                                                          \
    {                                                                                              \
        CUgraphNodeParams p = {.type = node_type, .event = event};                                 \
        return node_set(exec, true, node, &p);                                                     \
    }
EVENT_CALLS(Record, CU_WORK_RECORD, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
EVENT_CALLS(Wait, CU_WORK_WAIT, CU_GRAPH_NODE_TYPE_WAIT_EVENT)

static bool is_kernel(cudaGraphNode_t node)
{
    return cu_object_is(node, CU_KIND_NODE) && node->work.kind == CU_WORK_KERNEL;
}

RT(cudaGraphKernelNodeSetAttribute, cudaGraphNode_t node, int id,
   const CUlaunchAttributeValue *value)
{
    RT_CALL(context)
    RT_NEED(is_kernel(node));
    return rt_result((int)cu_graph_kernel_attribute(node, (u32)id, value));
}

RT(cudaGraphKernelNodeGetAttribute, cudaGraphNode_t node, int id, CUlaunchAttributeValue *value)
{
    RT_CALL(context)
    RT_NEED(is_kernel(node));
    return rt_result((int)cu_attributes_get(&node->attributes, (u32)id, value));
}

RT(cudaGraphKernelNodeCopyAttributes, cudaGraphNode_t to, cudaGraphNode_t from)
{
    RT_CALL(context)
    RT_NEED(is_kernel(to) && is_kernel(from));
    cu_attributes_copy(&to->attributes, &from->attributes);
    to->work.kernel.cooperative = from->work.kernel.cooperative;
    return cudaSuccess;
}

/* ---- conditions, memory of graphs ---- */

RT(cudaGraphConditionalHandleCreate, unsigned long long *handle, cudaGraph_t graph,
   unsigned int default_value, unsigned int flags)
{
    RT_CALL(context)
    u64 number = 0;
    RT_NEED(handle && cu_object_is(graph, CU_KIND_GRAPH));
    RT_TRY(cu_condition_create(default_value, flags, &number));
    *handle = number;
    return cudaSuccess;
}

static cudaError_t device_check(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

RT(cudaDeviceGetGraphMemAttribute, int device, int attribute, void *value)
{
    RT_CALL(context)
    RT_NEED(value);
    RT_TRY(device_check(device));
    return rt_result((int)cu_graph_memory_get((u32)attribute, value));
}

RT(cudaDeviceSetGraphMemAttribute, int device, int attribute, void *value)
{
    RT_CALL(context)
    RT_NEED(value);
    RT_TRY(device_check(device));
    return rt_result((int)cu_graph_memory_set((u32)attribute, *(const u64 *)value));
}

RT(cudaDeviceGraphMemTrim, int device)
{
    RT_CALL(context)
    RT_TRY(device_check(device));
    cu_graph_memory_trim();
    return cudaSuccess;
}

/* ---- the whole graph ---- */

static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                               CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
    RT_CALL(context)
    RT_NEED(exec && p && cu_object_is(graph, CU_KIND_GRAPH));
    p->errNode_out = NULL;
    CUresult status = cu_graph_instantiate(graph, p->flags, exec);
    p->result_out = status != CUDA_SUCCESS; /* 1: invalid structure, a cycle */
    return rt_result((int)status);
}

RT(cudaGraphInstantiateWithParams, cudaGraphExec_t *exec, cudaGraph_t graph,
   CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
    return instantiate(exec, graph, p);
}

RT(cudaGraphInstantiateWithParams_ptsz, cudaGraphExec_t *exec, cudaGraph_t graph,
   CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
    return instantiate(exec, graph, p);
}

RT(cudaGraphDebugDotPrint, cudaGraph_t graph, const char *path, unsigned int flags)
{
    RT_CALL(context)
    (void)flags; /* how much to say of each node */
    RT_NEED(path && cu_object_is(graph, CU_KIND_GRAPH));
    return rt_result((int)cu_graph_print(graph, path));
}

RT(cudaUserObjectCreate, struct cu_user_object **object, void *data, cudaHostFn_t destroy,
   unsigned int references, unsigned int flags)
{
    RT_CALL(context)
    RT_NEED(object && flags == 1); /* the destructor runs without synchronisation */
    return rt_result((int)cu_user_object_new(data, destroy, references, object));
}

RT(cudaUserObjectRetain, struct cu_user_object *object, unsigned int count)
{
    RT_CALL(context)
    return rt_result((int)cu_user_object_retain(object, count));
}

RT(cudaUserObjectRelease, struct cu_user_object *object, unsigned int count)
{
    RT_CALL(context)
    return rt_result((int)cu_user_object_release(object, count));
}

RT(cudaGraphRetainUserObject, cudaGraph_t graph, struct cu_user_object *object, unsigned int count,
   unsigned int flags)
{
    RT_CALL(context)
    RT_NEED(cu_object_is(graph, CU_KIND_GRAPH) && flags <= 1);
    return rt_result((int)cu_graph_hold(graph, object, count, flags == 1));
}

RT(cudaGraphReleaseUserObject, cudaGraph_t graph, struct cu_user_object *object, unsigned int count)
{
    RT_CALL(context)
    RT_NEED(cu_object_is(graph, CU_KIND_GRAPH));
    return rt_result((int)cu_graph_let_go(graph, object, count));
}
