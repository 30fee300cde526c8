#include "cuda/graph/graph_node.h"

#include "cuda/graph/conditional.h"
#include "cuda/core/event.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/core/memory.h"

CUresult cu_value_work(const CUstreamBatchMemOpParams *p, struct cu_work *work)
{
    static const struct {
        u32 bytes;
        enum cu_work_kind kind;
    } operations[] = {
        [CU_STREAM_MEM_OP_WAIT_VALUE_32] = {4, CU_WORK_WAIT_VALUE},
        [CU_STREAM_MEM_OP_WRITE_VALUE_32] = {4, CU_WORK_WRITE},
        [CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES] = {0, CU_WORK_EMPTY},
        [CU_STREAM_MEM_OP_WAIT_VALUE_64] = {8, CU_WORK_WAIT_VALUE},
        [CU_STREAM_MEM_OP_WRITE_VALUE_64] = {8, CU_WORK_WRITE},
        [CU_STREAM_MEM_OP_BARRIER] = {0, CU_WORK_EMPTY},
    };
    if (p->operation <= 0 || p->operation >= (int)ARRAY_LEN(operations))
        return CUDA_ERROR_INVALID_VALUE;
    u32 bytes = operations[p->operation].bytes;
    *work = (struct cu_work){.kind = operations[p->operation].kind};
    if (!bytes) /* memory is in order already */
        return CUDA_SUCCESS;
    work->value.address = p->value.address;
    work->value.value = bytes == 4 ? (u32)p->value.value : p->value.value;
    work->value.bytes = bytes;
    work->value.compare = p->value.flags & 3;
    return p->value.address % bytes == 0 && cu_memory_holds(p->value.address, bytes)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

static CUresult child_work(const CUDA_CHILD_GRAPH_NODE_PARAMS *p, struct cu_work *work)
{
    if (!cu_object_is(p->graph, CU_KIND_GRAPH) ||
        p->ownership > CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE)
        return CUDA_ERROR_INVALID_VALUE;
    bool moves = p->ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    work->kind = CU_WORK_GRAPH;
    work->graph = moves ? p->graph : cu_graph_clone(p->graph);
    work->graph->is_child = true;
    return CUDA_SUCCESS;
}

static CUresult event_work(CUevent event, enum cu_work_kind kind, struct cu_work *work)
{
    if (!cu_object_is(event, CU_KIND_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    *work = (struct cu_work){.kind = kind, .event.event = event};
    return CUDA_SUCCESS;
}

CUresult cu_node_work(const CUgraphNodeParams *p, struct cu_work *work)
{
    *work = (struct cu_work){0};
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_MEMSET:
        if (p->memset.elementSize != 1 && p->memset.elementSize != 2 && p->memset.elementSize != 4)
            return CUDA_ERROR_INVALID_VALUE;
        work->kind = CU_WORK_FILL;
        return cu_fill_make(&work->fill, p->memset.dst, p->memset.pitch, p->memset.value,
                            p->memset.elementSize, p->memset.width, p->memset.height);
    case CU_GRAPH_NODE_TYPE_HOST:
        *work = (struct cu_work){.kind = CU_WORK_HOST, .host = p->host};
        return p->host.fn ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return child_work(&p->graph, work);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return event_work(p->event, CU_WORK_WAIT, work);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return event_work(p->event, CU_WORK_RECORD, work);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        CU_TRY(cu_graph_memory_new(p->alloc.bytesize, &work->memory));
        work->kind = CU_WORK_ALLOC;
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        if (!cu_graph_memory_find(p->free))
            return CUDA_ERROR_INVALID_VALUE;
        *work = (struct cu_work){.kind = CU_WORK_FREE, .address = p->free};
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        if (p->memOp.count > 1) {
            cu_say("a node with %u memory operations, expected one a node", p->memOp.count);
            return CUDA_ERROR_NOT_SUPPORTED;
        }
        return p->memOp.count && p->memOp.paramArray ? cu_value_work(p->memOp.paramArray, work)
                                                     : CUDA_ERROR_INVALID_VALUE;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        CU_TRY(cu_conditional_new(p->conditional.handle, p->conditional.type, p->conditional.size,
                                  &work->conditional));
        work->kind = CU_WORK_CONDITIONAL;
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        cu_say("nodes of external semaphores are not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

void cu_node_added(CUgraphNode node, CUgraphNodeParams *p)
{
    if (node->work.kind == CU_WORK_ALLOC)
        p->alloc.dptr = node->work.memory->address;
    if (node->work.kind == CU_WORK_CONDITIONAL)
        p->conditional.phGraph_out = node->work.conditional->bodies;
}

CUresult cu_node_find(CUgraphExec exec, bool in_exec, CUgraphNode node, CUgraphNode *out)
{
    if (!cu_object_is(node, CU_KIND_NODE))
        return CUDA_ERROR_INVALID_VALUE;
    *out = node;
    if (!in_exec)
        return CUDA_SUCCESS;
    if (!cu_object_is(exec, CU_KIND_EXEC))
        return CUDA_ERROR_INVALID_HANDLE;
    *out = cu_graph_find_clone(exec->graph, node);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cu_node_alloc_params(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    if (!p || !cu_object_is(node, CU_KIND_NODE) || node->work.kind != CU_WORK_ALLOC)
        return CUDA_ERROR_INVALID_VALUE;
    *p = (CUDA_MEM_ALLOC_NODE_PARAMS){
        .poolProps = {.allocType = 1, .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}},
        .bytesize = node->work.memory->bytes,
        .dptr = node->work.memory->address};
    return CUDA_SUCCESS;
}

static bool is_array(u64 address)
{
    const struct cu_block *b = cu_memory_find(address);
    return b && b->kind == CU_MEMORY_ARRAY;
}

CUresult cu_node_copy_params(CUgraphNode node, CUDA_MEMCPY3D *d)
{
    if (!d || !cu_object_is(node, CU_KIND_NODE) || node->work.kind != CU_WORK_COPY)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cu_copy *c = &node->work.copy;
    if (is_array(c->to) || is_array(c->from)) {
        cu_say("the description of a copy node is not kept where one end is an array");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    *d = (CUDA_MEMCPY3D){
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = c->from,
        .srcPitch = c->from_pitch,
        .srcHeight = c->from_pitch ? c->from_slice / c->from_pitch : 0,
        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
        .dstDevice = c->to,
        .dstPitch = c->to_pitch,
        .dstHeight = c->to_pitch ? c->to_slice / c->to_pitch : 0,
        .WidthInBytes = c->width,
        .Height = c->height,
        .Depth = c->depth,
    };
    return CUDA_SUCCESS;
}

CUresult cu_node_event(CUgraphNode node, enum cu_work_kind kind, CUevent *out)
{
    if (!out || !cu_object_is(node, CU_KIND_NODE) || node->work.kind != kind)
        return CUDA_ERROR_INVALID_VALUE;
    *out = node->work.event.event;
    return CUDA_SUCCESS;
}
