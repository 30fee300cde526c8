/* Nodes of every kind by one description, and what can be asked of them; user objects. */
#include "cuda/graph/graph_node.h"
#include "cuda/graph/conditional.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/graph_work.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/core/stream.h"

static CUresult node_work(const CUgraphNodeParams *p, struct cu_work *work)
{
    NEED(p);
    *work = (struct cu_work){0};
    if (p->type == CU_GRAPH_NODE_TYPE_KERNEL)
        return driver_kernel_work(&p->kernel, work);
    if (p->type == CU_GRAPH_NODE_TYPE_MEMCPY)
        return driver_copy_work(&p->memcpy.copyParams, work);
    return cu_node_work(p, work);
}

/* An edge's data says how loosely it may order; every edge of ours orders fully. */
CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                           const void *edge_data, size_t after_count, CUgraphNodeParams *p)
{
    CU_CALL(context)
    (void)edge_data;
    struct cu_work work;
    NEED(node && cu_object_is(graph, CU_KIND_GRAPH));
    CU_TRY(node_work(p, &work));
    CU_TRY(cu_graph_add(graph, after, after_count, &work, node));
    cu_node_added(*node, p);
    return CUDA_SUCCESS;
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                        size_t after_count, CUgraphNodeParams *p)
{
    return cuGraphAddNode_v2(node, graph, after, NULL, after_count, p);
}

static CUresult node_set(CUgraphExec exec, bool in_exec, CUgraphNode node,
                         const CUgraphNodeParams *p)
{
    CU_CALL(context)
    CUgraphNode target = NULL;
    struct cu_work work;
    CU_TRY(cu_node_find(exec, in_exec, node, &target));
    CU_TRY(node_work(p, &work));
    return cu_graph_node_set(target, &work);
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p)
{
    return node_set(NULL, false, node, p);
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *p)
{
    return node_set(exec, true, node, p);
}

/* ---- kinds with calls of their own ---- */

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                size_t after_count, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    NEED(p);
    CUgraphNodeParams all = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC, .alloc = *p};
    CU_TRY(cuGraphAddNode(node, graph, after, after_count, &all));
    p->dptr = all.alloc.dptr;
    return CUDA_SUCCESS;
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                               size_t after_count, CUdeviceptr address)
{
    CUgraphNodeParams all = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free = address};
    return cuGraphAddNode(node, graph, after, after_count, &all);
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                  size_t after_count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    NEED(p);
    CUgraphNodeParams all = {.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, .memOp = *p};
    return cuGraphAddNode(node, graph, after, after_count, &all);
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    CU_GUARD
    return cu_node_alloc_params(node, p);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address)
{
    CU_GUARD
    NEED(address && cu_object_is(node, CU_KIND_NODE) && node->work.kind == CU_WORK_FREE);
    *address = node->work.address;
    return CUDA_SUCCESS;
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *d)
{
    CU_GUARD
    return cu_node_copy_params(node, d);
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *p)
{
    CU_GUARD
    NEED(p && cu_object_is(node, CU_KIND_NODE) && node->work.kind == CU_WORK_FILL);
    const struct cu_fill *f = &node->work.fill;
    *p = (CUDA_MEMSET_NODE_PARAMS){.dst = f->to,
                                   .pitch = f->pitch,
                                   .value = f->value,
                                   .elementSize = f->element_bytes,
                                   .width = f->width,
                                   .height = f->height};
    return CUDA_SUCCESS;
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = child}};
    return cuGraphExecNodeSetParams(exec, node, &p);
}

#define EVENT_CALLS(word, work_kind, node_type)                                                    \
    CUresult cuGraphEvent##word##NodeGetEvent(CUgraphNode node, CUevent *event)                    \
    {                                                                                              \
        CU_GUARD                                                                                   \
        return cu_node_event(node, work_kind, event);                                              \
    }                                                                                              \
    CUresult cuGraphEvent##word##NodeSetEvent(CUgraphNode node, CUevent event)                     \
    {                                                                                              \
        CUgraphNodeParams p = {.type = node_type, .event = event};                                 \
        return cuGraphNodeSetParams(node, &p);                                                     \
    }                                                                                              \
    CUresult cuGraphExecEvent##word##NodeSetEvent(CUgraphExec exec, CUgraphNode node,              \
                                                  CUevent event)                                   \
    {                                                                                              \
        CUgraphNodeParams p = {.type = node_type, .event = event};                                 \
        return cuGraphExecNodeSetParams(exec, node, &p);                                           \
    }
EVENT_CALLS(Record, CU_WORK_RECORD, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
EVENT_CALLS(Wait, CU_WORK_WAIT, CU_GRAPH_NODE_TYPE_WAIT_EVENT)

static bool is_kernel(CUgraphNode node)
{
    return cu_object_is(node, CU_KIND_NODE) && node->work.kind == CU_WORK_KERNEL;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID id,
                                       const CUlaunchAttributeValue *value)
{
    CU_GUARD
    NEED(is_kernel(node));
    return cu_graph_kernel_attribute(node, id, value);
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID id,
                                       CUlaunchAttributeValue *value)
{
    CU_GUARD
    NEED(is_kernel(node));
    return cu_attributes_get(&node->attributes, id, value);
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
    CU_GUARD
    NEED(is_kernel(to) && is_kernel(from));
    cu_attributes_copy(&to->attributes, &from->attributes);
    to->work.kernel.cooperative = from->work.kernel.cooperative;
    return CUDA_SUCCESS;
}

/* ---- conditions, memory of graphs ---- */

CUresult cuGraphConditionalHandleCreate(u64 *handle, CUgraph graph, CUcontext of,
                                        unsigned int default_value, unsigned int flags)
{
    CU_GUARD(void) of;
    NEED(handle && cu_object_is(graph, CU_KIND_GRAPH));
    return cu_condition_create(default_value, flags, handle);
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, int attribute, void *value)
{
    CU_GUARD
    NEED(value);
    NEED_DEVICE(device);
    return cu_graph_memory_get((u32)attribute, value);
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, int attribute, void *value)
{
    CU_GUARD
    NEED(value);
    NEED_DEVICE(device);
    return cu_graph_memory_set((u32)attribute, *(const u64 *)value);
}

CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    CU_GUARD
    NEED_DEVICE(device);
    cu_graph_memory_trim();
    return CUDA_SUCCESS;
}

/* ---- the whole graph ---- */

static CUresult instantiate(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
    CU_CALL(context)
    NEED(exec && p && cu_object_is(graph, CU_KIND_GRAPH));
    p->errNode_out = NULL;
    CUresult status = cu_graph_instantiate(graph, p->flags, exec);
    p->result_out = status != CUDA_SUCCESS; /* 1: invalid structure, a cycle */
    return status;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
    return instantiate(exec, graph, p);
}

CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec *exec, CUgraph graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
    return instantiate(exec, graph, p);
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags)
{
    CU_GUARD
    NEED(flags);
    NEED_HANDLE(exec, CU_KIND_EXEC);
    *flags = exec->flags;
    return CUDA_SUCCESS;
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned int flags)
{
    CU_GUARD(void) flags; /* how much to say of each node */
    NEED(path && cu_object_is(graph, CU_KIND_GRAPH));
    return cu_graph_print(graph, path);
}

CUresult cuUserObjectCreate(CUuserObject *object, void *data, CUhostFn destroy,
                            unsigned int references, unsigned int flags)
{
    CU_GUARD
    NEED(object && flags == 1); /* the destructor runs without synchronisation */
    return cu_user_object_new(data, destroy, references, object);
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count)
{
    CU_GUARD
    return cu_user_object_retain(object, count);
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count)
{
    CU_GUARD
    return cu_user_object_release(object, count);
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                 unsigned int flags)
{
    CU_GUARD
    NEED(cu_object_is(graph, CU_KIND_GRAPH) && flags <= 1);
    return cu_graph_hold(graph, object, count, flags == 1);
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
    CU_GUARD
    NEED(cu_object_is(graph, CU_KIND_GRAPH));
    return cu_graph_let_go(graph, object, count);
}
