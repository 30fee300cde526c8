#include "cuda/core/device_runtime.h"

#include "base/arena.h"
#include "cuda/graph/conditional.h"
#include "cuda/core/error_names.h"
#include "cuda/core/event.h"
#include "cuda/graph/graph.h"
#include "cuda/core/launch.h"
#include "cuda/core/memory.h"
#include "cuda/code/module.h"
#include "cuda/core/occupancy.h"
#include "cuda/core/op.h"
#include "cuda/runtime/types.h"
#include "ptx/device_call.h"

#include <stdlib.h>
#include <string.h>

/* Streams that every grid has. */
#define STREAM_TAIL 3u
#define STREAM_FIRE_AND_FORGET 4u
#define GRAPH_TAIL 0x0100000000000000ull
#define GRAPH_FIRE_AND_FORGET 0x0200000000000000ull
#define GRAPH_SIBLING 0x0300000000000000ull
#define ERROR_PENDING_COUNT 69 /* cudaErrorLaunchPendingCountExceeded */

/* What a parameter buffer is for; arguments lie behind it. */
struct device_launch {
    u64 function;
    u32 grid[3], block[3];
    u32 shared_bytes;
};

static u64 number(const struct device_call *call, u32 index, size_t bytes)
{
    u64 value = 0;
    memcpy(&value, call->argument[index], bytes);
    return value;
}

static CUresult put(const struct device_call *call, u32 index, const void *value, size_t bytes)
{
    void *at = call->at(call, number(call, index, 8), bytes);
    if (!at)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(at, value, bytes);
    return CUDA_SUCCESS;
}

/* The stream that a handle means to a thread; NULL: none. */
static CUstream stream_find(struct cu_op *op, const struct device_call *call, u64 handle)
{
    if (handle <= 2) /* the default stream, which the threads of a block share */
        return cu_stream_device(op, call->block);
    if (handle == STREAM_FIRE_AND_FORGET)
        return cu_stream_device(op, CU_DEVICE_STREAM_OWN);
    CUstream s = (CUstream)(uintptr_t)handle;
    return cu_object_is(s, CU_KIND_STREAM) && s->is_device ? s : NULL;
}

static CUresult submit(struct cu_op *op, const struct device_call *call, u64 handle,
                       struct cu_work *take_work)
{
    const struct cuda_backend *backend = cu_core()->backend;
    CUstream s = handle == STREAM_TAIL ? NULL : stream_find(op, call, handle);
    if (handle != STREAM_TAIL && !s) {
        cu_work_fini(take_work);
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (s)
        cu_op_push(s, take_work, op);
    else
        cu_op_push_tail(op, take_work);
    if (backend->device_work)
        backend->device_work(backend->self);
    return CUDA_SUCCESS;
}

/* ---- launches ---- */

static u64 buffer_make(struct cu_op *op, const struct device_launch *launch, u64 bytes)
{
    CUcontext context = op->stream->object.context;
    u64 address = 0;
    if (op->children >= context->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT]) {
        op->device_error = ERROR_PENDING_COUNT;
        return 0;
    }
    if (cu_memory_alloc(context, CU_MEMORY_LAUNCH, sizeof *launch + 8 + bytes, 0, &address) !=
        CUDA_SUCCESS) {
        op->device_error = CUDA_ERROR_OUT_OF_MEMORY;
        return 0;
    }
    memcpy((void *)(uintptr_t)address, launch, sizeof *launch);
    return address + sizeof *launch;
}

static u64 parameter_buffer(struct cu_op *op, const struct device_call *call)
{
    struct device_launch l = {.function = number(call, 0, 8),
                              .shared_bytes = (u32)number(call, 3, 4)};
    memcpy(l.grid, call->argument[1], sizeof l.grid);
    memcpy(l.block, call->argument[2], sizeof l.block);
    struct kernel *k = program_kernel_at(op->work.kernel.function->module->program, l.function);
    return k ? buffer_make(op, &l, kernel_info(k)->param_bytes) : 0;
}

static CUfunction function_at(const struct cu_op *op, u64 address)
{
    CUmodule m = op->work.kernel.function->module;
    struct kernel *k = program_kernel_at(m->program, address);
    for (u32 i = 0; k && i < m->function_count; i++) {
        if (m->functions[i]->kernel == k)
            return m->functions[i];
    }
    return NULL;
}

static CUresult launch(struct cu_op *op, const struct device_call *call,
                       const struct device_launch *l, u64 arguments, u64 stream)
{
    struct cu_work work = {0};
    size_t bytes = 0;
    CUfunction f = function_at(op, l->function);
    if (!f)
        return CUDA_ERROR_INVALID_HANDLE;
    bytes = cu_function_info(f)->param_bytes;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)(uintptr_t)arguments,
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    struct cu_launch made = {.function = f,
                             .grid = {l->grid[0], l->grid[1], l->grid[2]},
                             .block = {l->block[0], l->block[1], l->block[2]},
                             .shared_bytes = l->shared_bytes,
                             .extra = extra};
    CU_TRY(cu_launch_make(&made, &work));
    work.kernel.is_nested = true;
    return submit(op, call, stream, &work);
}

/* The buffer says what to launch; it is used once. */
static CUresult launch_buffer(struct cu_op *op, const struct device_call *call)
{
    u64 arguments = number(call, 0, 8), start = arguments - sizeof(struct device_launch);
    const struct cu_block *b = cu_memory_find(start);
    struct device_launch l;
    if (!b || b->start != start || b->kind != CU_MEMORY_LAUNCH)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&l, (const void *)(uintptr_t)start, sizeof l);
    CUresult status = launch(op, call, &l, arguments, number(call, 1, 8));
    cu_memory_release(start);
    return status;
}

/* The older form: a buffer without a purpose, and everything else with the launch. */
static CUresult launch_explicit(struct cu_op *op, const struct device_call *call)
{
    struct device_launch l = {.function = number(call, 0, 8),
                              .shared_bytes = (u32)number(call, 4, 4)};
    u64 arguments = number(call, 1, 8);
    memcpy(l.grid, call->argument[2], sizeof l.grid);
    memcpy(l.block, call->argument[3], sizeof l.block);
    CUresult status = launch(op, call, &l, arguments, number(call, 5, 8));
    cu_memory_release(arguments - sizeof l);
    return status;
}

/* The last entry of the launch of a graph that this one is of. */
static struct cu_op *graph_end(struct cu_op *op)
{
    struct cu_op *last = op;
    for (struct cu_op *o = op->next; o && op->graph_launch; o = o->next) {
        if (o->graph_launch == op->graph_launch)
            last = o;
    }
    return last;
}

static CUresult graph_launch(struct cu_op *op, const struct device_call *call)
{
    CUgraphExec exec = (CUgraphExec)(uintptr_t)number(call, 0, 8);
    u64 how = number(call, 1, 8);
    if (!cu_object_is(exec, CU_KIND_EXEC))
        return CUDA_ERROR_INVALID_VALUE;
    if (how != GRAPH_TAIL && how != GRAPH_FIRE_AND_FORGET && how != GRAPH_SIBLING)
        return CUDA_ERROR_INVALID_VALUE;
    CUstream s = how == GRAPH_TAIL ? NULL : cu_stream_device(op, CU_DEVICE_STREAM_OWN);
    struct cu_op *end = how == GRAPH_TAIL ? graph_end(op) : op;
    for (u32 i = 0; i < exec->graph->count; i++) {
        struct CUgraphNode_st *n = exec->graph->nodes[i];
        if (n->work.kind != CU_WORK_KERNEL && n->work.kind != CU_WORK_COPY &&
            n->work.kind != CU_WORK_FILL && n->work.kind != CU_WORK_EMPTY)
            return CUDA_ERROR_NOT_SUPPORTED; /* as for graphs instantiated for the device */
        struct cu_work work = cu_work_clone(&n->work);
        if (work.kind == CU_WORK_KERNEL)
            work.kernel.is_nested = true;
        if (s)
            cu_op_push(s, &work, op)->graph_exec = exec;
        else
            cu_op_push_tail(end, &work)->graph_exec = exec;
    }
    const struct cuda_backend *backend = cu_core()->backend;
    if (backend->device_work)
        backend->device_work(backend->self);
    return CUDA_SUCCESS;
}

/* ---- streams, events, memory ---- */

static CUresult stream_create(struct cu_op *op, const struct device_call *call)
{
    if (number(call, 1, 4) != CU_STREAM_NON_BLOCKING) /* which the device requires */
        return CUDA_ERROR_INVALID_VALUE;
    u64 s = (u64)(uintptr_t)cu_stream_device(op, CU_DEVICE_STREAM_OWN);
    return put(call, 0, &s, sizeof s);
}

static CUresult event_create(struct cu_op *op, const struct device_call *call)
{
    CUevent event = NULL;
    CU_TRY(cu_event_create(op->stream->object.context, (u32)number(call, 1, 4), &event));
    return put(call, 0, &event, sizeof event);
}

static CUresult event_record(struct cu_op *op, const struct device_call *call)
{
    CUevent event = (CUevent)(uintptr_t)number(call, 0, 8);
    if (!cu_object_is(event, CU_KIND_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    struct cu_record *r = xrealloc(NULL, sizeof *r);
    *r = (struct cu_record){.references = 2}; /* the event's and the queue's */
    cu_record_release(event->record);
    event->record = r;
    struct cu_work work = {.kind = CU_WORK_RECORD, .event = {.event = event, .record = r}};
    return submit(op, call, number(call, 1, 8), &work);
}

static CUresult event_wait(struct cu_op *op, const struct device_call *call)
{
    CUevent event = (CUevent)(uintptr_t)number(call, 1, 8);
    if (!cu_object_is(event, CU_KIND_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event->record || event->record->is_done)
        return CUDA_SUCCESS;
    event->record->references++;
    struct cu_work work = {.kind = CU_WORK_WAIT,
                           .event = {.event = event, .record = event->record}};
    return submit(op, call, number(call, 0, 8), &work);
}

static CUresult event_destroy(const struct device_call *call)
{
    CUevent event = (CUevent)(uintptr_t)number(call, 0, 8);
    if (!cu_object_is(event, CU_KIND_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    cu_event_destroy(event);
    return CUDA_SUCCESS;
}

static CUresult memory_allocate(struct cu_op *op, const struct device_call *call)
{
    u64 address = 0;
    CU_TRY(cu_memory_alloc(op->stream->object.context, CU_MEMORY_HEAP, number(call, 1, 8), 0,
                           &address));
    return put(call, 0, &address, sizeof address);
}

static CUresult copy(struct cu_op *op, const struct device_call *call, bool is_box)
{
    struct cu_work work = {.kind = CU_WORK_COPY};
    CUDA_MEMCPY3D d = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstDevice = number(call, 0, 8),
                       .Height = 1,
                       .Depth = 1};
    if (is_box) {
        d.dstPitch = number(call, 1, 8);
        d.srcDevice = number(call, 2, 8);
        d.srcPitch = number(call, 3, 8);
        d.WidthInBytes = number(call, 4, 8);
        d.Height = number(call, 5, 8);
    } else {
        d.srcDevice = number(call, 1, 8);
        d.WidthInBytes = number(call, 2, 8);
    }
    CU_TRY(cu_copy_make(&work.copy, &d));
    return submit(op, call, number(call, is_box ? 7 : 4, 8), &work);
}

static CUresult fill(struct cu_op *op, const struct device_call *call, bool is_box)
{
    struct cu_work work = {.kind = CU_WORK_FILL};
    u64 pitch = is_box ? number(call, 1, 8) : 0, height = is_box ? number(call, 4, 8) : 1;
    u32 value = (u32)number(call, is_box ? 2 : 1, 4);
    u64 width = number(call, is_box ? 3 : 2, 8);
    CU_TRY(cu_fill_make(&work.fill, number(call, 0, 8), pitch, value & 0xff, 1, width, height));
    return submit(op, call, number(call, is_box ? 5 : 3, 8), &work);
}

/* ---- questions ---- */

/* A text that kernels can read; one for each, kept as long as the device. */
static u64 text_place(const char *text)
{
    struct cu_core *core = cu_core();
    u64 key = (u64)(uintptr_t)text, address = 0;
    if (!text || map_get(&core->device_texts, key, &address))
        return address;
    address = memory_alloc(core->memory, strlen(text) + 1, 1, "a text of the device runtime", 0);
    if (address)
        memcpy((void *)(uintptr_t)address, text, strlen(text) + 1);
    map_put(&core->device_texts, key, address);
    return address;
}

static CUresult function_attributes(const struct cu_op *op, const struct device_call *call)
{
    CUfunction f = function_at(op, number(call, 1, 8));
    if (!f)
        return CUDA_ERROR_INVALID_HANDLE;
    const struct kernel_info *info = cu_function_info(f);
    struct cudaFuncAttributes a = {.sharedSizeBytes = info->shared_bytes,
                                   .localSizeBytes = info->local_bytes,
                                   .numRegs = (int)cu_function_registers(f),
                                   .maxThreadsPerBlock = (int)cu_occupancy_max_threads(f),
                                   .maxDynamicSharedSizeBytes = (int)f->max_dynamic_shared,
                                   .ptxVersion = (int)info->target,
                                   .binaryVersion = (int)cu_device_arch(&cu_core()->props)};
    return put(call, 0, &a, sizeof a);
}

static CUresult occupancy(const struct cu_op *op, const struct device_call *call)
{
    CUfunction f = function_at(op, number(call, 1, 8));
    if (!f)
        return CUDA_ERROR_INVALID_HANDLE;
    u32 blocks = cu_occupancy_blocks(f, (u32)number(call, 2, 4), number(call, 3, 8));
    return put(call, 0, &blocks, sizeof blocks);
}

static CUresult put_int(const struct device_call *call, u32 index, int value)
{
    return put(call, index, &value, sizeof value);
}

static CUresult device_attribute(const struct device_call *call)
{
    u32 key = (u32)number(call, 1, 4);
    if (key >= CUDA_ATTRIBUTES)
        return CUDA_ERROR_INVALID_VALUE;
    return put_int(call, 0, cu_core()->props.attribute[key]);
}

static CUresult device_limit(const struct cu_op *op, const struct device_call *call)
{
    u64 value = 0;
    CU_TRY(cu_limit_get(op->stream->object.context, (u32)number(call, 1, 4), &value));
    return put(call, 0, &value, sizeof value);
}

static CUresult answer(struct cu_op *op, struct device_call *call)
{
    switch (call->number) {
    case DEVICE_CALL_LAUNCH:
        return launch_explicit(op, call);
    case DEVICE_CALL_LAUNCH_V2:
        return launch_buffer(op, call);
    case DEVICE_CALL_STREAM_CREATE:
        return stream_create(op, call);
    case DEVICE_CALL_STREAM_DESTROY: /* it ends with its grid, and what is in it is done */
        return stream_find(op, call, number(call, 0, 8)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    case DEVICE_CALL_STREAM_WAIT_EVENT:
        return event_wait(op, call);
    case DEVICE_CALL_EVENT_CREATE:
        return event_create(op, call);
    case DEVICE_CALL_EVENT_RECORD:
    case DEVICE_CALL_EVENT_RECORD_FLAGS:
        return event_record(op, call);
    case DEVICE_CALL_EVENT_DESTROY:
        return event_destroy(call);
    case DEVICE_CALL_MALLOC:
        return memory_allocate(op, call);
    case DEVICE_CALL_FREE:
        return cu_memory_free(number(call, 0, 8), 1u << CU_MEMORY_HEAP);
    case DEVICE_CALL_MEMCPY:
        return copy(op, call, false);
    case DEVICE_CALL_MEMCPY_2D:
        return copy(op, call, true);
    case DEVICE_CALL_MEMSET:
        return fill(op, call, false);
    case DEVICE_CALL_MEMSET_2D:
        return fill(op, call, true);
    case DEVICE_CALL_DEVICE_COUNT:
        return put_int(call, 0, 1);
    case DEVICE_CALL_DEVICE:
        return put_int(call, 0, 0);
    case DEVICE_CALL_DEVICE_ATTRIBUTE:
        return device_attribute(call);
    case DEVICE_CALL_DEVICE_LIMIT:
        return device_limit(op, call);
    case DEVICE_CALL_RUNTIME_VERSION:
        return put_int(call, 0, CUDA_DRIVER_VERSION);
    case DEVICE_CALL_FUNCTION_ATTRIBUTES:
        return function_attributes(op, call);
    case DEVICE_CALL_OCCUPANCY:
    case DEVICE_CALL_OCCUPANCY_FLAGS:
        return occupancy(op, call);
    case DEVICE_CALL_GRAPH_LAUNCH:
        return graph_launch(op, call);
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

void cu_device_call(struct cu_op *op, struct device_call *call)
{
    struct device_launch plain = {0};
    switch (call->number) {
    case DEVICE_CALL_GRAPH_CONDITION:
        cu_condition_set(number(call, 0, 8), (u32)number(call, 1, 4));
        return;
    case DEVICE_CALL_PARAMETER_BUFFER:
        call->result = buffer_make(op, &plain, number(call, 1, 8));
        return;
    case DEVICE_CALL_PARAMETER_BUFFER_V2:
        call->result = parameter_buffer(op, call);
        return;
    case DEVICE_CALL_ERROR_NAME:
        call->result = text_place(cu_error_runtime_name((int)number(call, 0, 4)));
        return;
    case DEVICE_CALL_ERROR_STRING:
        call->result = text_place(cu_error_text((int)number(call, 0, 4)));
        return;
    case DEVICE_CALL_PEEK_ERROR:
    case DEVICE_CALL_LAST_ERROR:
        call->result = (u64)op->device_error;
        if (call->number == DEVICE_CALL_LAST_ERROR)
            op->device_error = 0;
        return;
    default:
        break;
    }
    CUresult status = answer(op, call);
    call->result = (u64)status;
    if (status != CUDA_SUCCESS)
        op->device_error = (int)status;
}
