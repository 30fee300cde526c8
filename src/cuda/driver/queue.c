/* Everything that names a stream, but copies and fills. Compiled twice: see driver.h. */
#include "cuda/graph/capture.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/twins.h"
#include "cuda/core/event.h"
#include "cuda/core/failures.h"
#include "cuda/graph/graph_node.h"
#include "cuda/core/launch.h"
#include "cuda/core/memory.h"
#include "cuda/core/stream.h"

static CUresult submit(struct cu_launch *l, const CUlaunchAttribute *attributes, u32 count,
                       CUstream handle)
{
    CU_STREAM_CALL(context, handle, stream);
    CU_TRY(cu_launch_attributes(l, attributes, count));
    return cu_launch(l, stream);
}

static CUresult launch(struct cu_launch *l, const CUlaunchAttribute *attributes, u32 count,
                       CUstream handle)
{
    u64 said = cu_failures_said();
    return cu_failure_of_launch(submit(l, attributes, count, handle), said);
}

CUresult ASYNC(cuLaunchKernel)(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                               unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                               unsigned int block_z, unsigned int shared_bytes, CUstream handle,
                               void **params, void **extra)
{
    struct cu_launch l = {.function = function,
                          .grid = {grid_x, grid_y, grid_z},
                          .block = {block_x, block_y, block_z},
                          .shared_bytes = shared_bytes,
                          .params = params,
                          .extra = extra};
    return launch(&l, NULL, 0, handle);
}

CUresult ASYNC(cuLaunchKernelEx)(const CUlaunchConfig *config, CUfunction function, void **params,
                                 void **extra)
{
    NEED(config && (!config->numAttrs || config->attrs));
    struct cu_launch l = {.function = function,
                          .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                          .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                          .shared_bytes = config->sharedMemBytes,
                          .params = params,
                          .extra = extra};
    return launch(&l, config->attrs, config->numAttrs, config->hStream);
}

CUresult ASYNC(cuLaunchCooperativeKernel)(CUfunction function, unsigned int grid_x,
                                          unsigned int grid_y, unsigned int grid_z,
                                          unsigned int block_x, unsigned int block_y,
                                          unsigned int block_z, unsigned int shared_bytes,
                                          CUstream handle, void **params)
{
    struct cu_launch l = {.function = function,
                          .grid = {grid_x, grid_y, grid_z},
                          .block = {block_x, block_y, block_z},
                          .shared_bytes = shared_bytes,
                          .cooperative = true,
                          .params = params};
    return launch(&l, NULL, 0, handle);
}

CUresult ASYNC(cuLaunchHostFunc)(CUstream handle, CUhostFn function, void *user_data)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(function);
    struct cu_work work = {.kind = CU_WORK_HOST, .host = {.fn = function, .userData = user_data}};
    return cu_submit(stream, &work);
}

CUresult ASYNC(cuStreamAddCallback)(CUstream handle, CUstreamCallback callback, void *user_data,
                                    unsigned int flags)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(callback && !flags);
    if (stream->capture)
        return cu_capture_fail(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    struct cu_work work = {.kind = CU_WORK_CALLBACK,
                           .callback = {.call = callback, .data = user_data}};
    return cu_submit(stream, &work);
}

CUresult ASYNC(cuStreamAttachMemAsync)(CUstream handle, CUdeviceptr address, size_t bytes,
                                       unsigned int flags)
{
    CU_STREAM_CALL(context, handle, stream);
    (void)bytes;
    NEED(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
         flags == CU_MEM_ATTACH_SINGLE);
    NEED(cu_memory_describe(address).is_managed);
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuStreamGetPriority)(CUstream handle, int *priority)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(priority);
    *priority = stream->priority;
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuStreamGetFlags)(CUstream handle, unsigned int *flags)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(flags);
    *flags = stream->flags;
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuStreamGetCtx_v2)(CUstream handle, CUcontext *owner, void **green)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(owner);
    *owner = stream->object.context;
    if (green)
        *green = NULL;
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuStreamGetCtx)(CUstream handle, CUcontext *out)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(out);
    *out = stream->object.context;
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuStreamGetId)(CUstream handle, unsigned long long *id)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(id);
    *id = stream->id;
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuStreamGetDevice)(CUstream handle, CUdevice *device)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(device);
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuStreamWaitEvent)(CUstream handle, CUevent event, unsigned int flags)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED_HANDLE(event, CU_KIND_EVENT);
    return cu_event_make_wait(event, stream, flags);
}

CUresult ASYNC(cuStreamQuery)(CUstream handle)
{
    CU_STREAM_CALL(context, handle, stream);
    if (stream->capture)
        return cu_capture_fail(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CUresult status = cu_stream_query(stream);
    cu_print_flush();
    return status;
}

CUresult ASYNC(cuStreamSynchronize)(CUstream handle)
{
    CU_STREAM_CALL(context, handle, stream);
    if (stream->capture)
        return cu_capture_fail(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CUresult status = cu_stream_wait(stream);
    cu_print_flush();
    return status;
}

CUresult ASYNC(cuStreamBeginCapture)(CUstream handle, CUstreamCaptureMode mode)
{
    CU_STREAM_CALL(context, handle, stream);
    return cu_capture_begin(stream, NULL, NULL, 0, mode);
}

CUresult ASYNC(cuStreamBeginCaptureToGraph)(CUstream handle, CUgraph graph,
                                            const CUgraphNode *after, const void *edge_data,
                                            size_t after_count, CUstreamCaptureMode mode)
{
    CU_STREAM_CALL(context, handle, stream);
    (void)edge_data;
    NEED(cu_object_is(graph, CU_KIND_GRAPH));
    return cu_capture_begin(stream, graph, after, after_count, mode);
}

CUresult ASYNC(cuStreamUpdateCaptureDependencies)(CUstream handle, CUgraphNode *nodes, size_t count,
                                                  unsigned int flags)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(flags <= 1);
    return cu_capture_depend(stream, nodes, count, flags == 1);
}

CUresult ASYNC(cuStreamUpdateCaptureDependencies_v2)(CUstream handle, CUgraphNode *nodes,
                                                     const void *edge_data, size_t count,
                                                     unsigned int flags)
{
    (void)edge_data;
    return ASYNC(cuStreamUpdateCaptureDependencies)(handle, nodes, count, flags);
}

CUresult ASYNC(cuStreamSetAttribute)(CUstream handle, CUlaunchAttributeID id,
                                     const CUlaunchAttributeValue *value)
{
    CU_STREAM_CALL(context, handle, stream);
    return cu_attributes_set(&stream->attributes, id, value);
}

CUresult ASYNC(cuStreamGetAttribute)(CUstream handle, CUlaunchAttributeID id,
                                     CUlaunchAttributeValue *value)
{
    CU_STREAM_CALL(context, handle, stream);
    return cu_stream_attribute(stream, id, value);
}

CUresult ASYNC(cuStreamCopyAttributes)(CUstream to, CUstream from)
{
    CU_STREAM_CALL(context, to, stream);
    CUstream source = NULL;
    CU_TRY(cu_stream_get(context, from, PER_THREAD, &source));
    cu_attributes_copy(&stream->attributes, &source->attributes);
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuStreamBatchMemOp)(CUstream handle, unsigned int count,
                                   CUstreamBatchMemOpParams *operations, unsigned int flags)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(!flags && (!count || operations) && count <= 256);
    struct cu_work work[256];
    for (u32 i = 0; i < count; i++)
        CU_TRY(cu_value_work(&operations[i], &work[i]));
    for (u32 i = 0; i < count; i++)
        CU_TRY(cu_submit(stream, &work[i]));
    return CUDA_SUCCESS;
}

#define VALUE_CALL(name, type, which)                                                              \
    CUresult ASYNC(name)(CUstream stream, CUdeviceptr address, type value, unsigned int flags)     \
    {                                                                                              \
        CUstreamBatchMemOpParams p = {                                                             \
            .value = {.operation = which, .address = address, .value = value, .flags = flags}};    \
        return ASYNC(cuStreamBatchMemOp)(stream, 1, &p, 0);                                        \
    }
VALUE_CALL(cuStreamWaitValue32, cuuint32_t, CU_STREAM_MEM_OP_WAIT_VALUE_32)
VALUE_CALL(cuStreamWaitValue64, cuuint64_t, CU_STREAM_MEM_OP_WAIT_VALUE_64)
VALUE_CALL(cuStreamWriteValue32, cuuint32_t, CU_STREAM_MEM_OP_WRITE_VALUE_32)
VALUE_CALL(cuStreamWriteValue64, cuuint64_t, CU_STREAM_MEM_OP_WRITE_VALUE_64)

CUresult ASYNC(cuStreamEndCapture)(CUstream handle, CUgraph *graph)
{
    CU_STREAM_CALL(context, handle, stream);
    return cu_capture_end(stream, graph);
}

static CUstreamCaptureStatus capture_status(const struct CUstream_st *stream)
{
    if (!stream->capture)
        return CU_STREAM_CAPTURE_STATUS_NONE;
    return stream->capture->is_invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                       : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult ASYNC(cuStreamIsCapturing)(CUstream handle, CUstreamCaptureStatus *status)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(status);
    *status = capture_status(stream);
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuStreamGetCaptureInfo_v2)(CUstream handle, CUstreamCaptureStatus *status,
                                          cuuint64_t *id, CUgraph *graph,
                                          const CUgraphNode **dependencies, size_t *count)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(status);
    *status = capture_status(stream);
    if (!stream->capture)
        return CUDA_SUCCESS;
    if (id)
        *id = stream->capture->id;
    if (graph)
        *graph = stream->capture->graph;
    if (dependencies)
        *dependencies = stream->last;
    if (count)
        *count = stream->last_count;
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuStreamGetCaptureInfo_v3)(CUstream handle, CUstreamCaptureStatus *status,
                                          cuuint64_t *id, CUgraph *graph,
                                          const CUgraphNode **dependencies, const void **edge_data,
                                          size_t *count)
{
    if (edge_data)
        *edge_data = NULL;
    return ASYNC(cuStreamGetCaptureInfo_v2)(handle, status, id, graph, dependencies, count);
}

CUresult ASYNC(cuEventRecordWithFlags)(CUevent event, CUstream handle, unsigned int flags)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED_HANDLE(event, CU_KIND_EVENT);
    NEED(!(flags & ~(u32)CU_EVENT_RECORD_EXTERNAL));
    return cu_event_record(event, stream, flags);
}

CUresult ASYNC(cuEventRecord)(CUevent event, CUstream stream)
{
    return ASYNC(cuEventRecordWithFlags)(event, stream, 0);
}

CUresult ASYNC(cuGraphUpload)(CUgraphExec exec, CUstream handle)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED_HANDLE(exec, CU_KIND_EXEC);
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuGraphLaunch)(CUgraphExec exec, CUstream handle)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED_HANDLE(exec, CU_KIND_EXEC);
    return cu_graph_launch(exec, stream);
}

CUresult ASYNC(cuMemAllocFromPoolAsync)(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                        CUstream handle)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(address && cu_object_is(pool, CU_KIND_POOL));
    u64 start = 0;
    CU_TRY(cu_pool_alloc(pool, bytes, stream, &start));
    *address = start;
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuMemAllocAsync)(CUdeviceptr *address, size_t bytes, CUstream handle)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(address);
    u64 start = 0;
    CU_TRY(cu_pool_alloc(core->pool ? core->pool : cu_pool_default(), bytes, stream, &start));
    *address = start;
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuMemFreeAsync)(CUdeviceptr address, CUstream handle)
{
    CU_STREAM_CALL(context, handle, stream);
    return cu_pool_free(address, stream);
}

static CUresult prefetch(CUdeviceptr address, size_t bytes, int device, CUstream handle)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED(bytes && cu_memory_describe(address).is_managed);
    if (device != 0 && device != CU_DEVICE_CPU)
        return CUDA_ERROR_INVALID_DEVICE;
    struct cu_block *b = cu_memory_find(address);
    if (b)
        b->last_prefetch = (u64)(u32)device + 1;
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuMemPrefetchAsync)(CUdeviceptr address, size_t bytes, CUdevice device,
                                   CUstream stream)
{
    return prefetch(address, bytes, device, stream);
}

CUresult ASYNC(cuMemPrefetchAsync_v2)(CUdeviceptr address, size_t bytes, CUmemLocation location,
                                      unsigned int flags, CUstream stream)
{
    NEED(!flags);
    bool on_device = location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    return prefetch(address, bytes, on_device ? location.id : CU_DEVICE_CPU, stream);
}

#ifdef CUDA_PER_THREAD
#define NEWER(name)                                                                                \
    extern __typeof__(name##_ptsz) newer_##name __asm__(#name "_v2_ptsz")                          \
        __attribute__((alias(#name "_ptsz"), visibility("default")))
#else
PLAIN(cuStreamBeginCapture_v2, "cuStreamBeginCapture");
#define NEWER(name)                                                                                \
    extern __typeof__(name) newer_##name __asm__(#name "_v2")                                      \
        __attribute__((alias(#name), visibility("default")))
#endif
/* The second versions of these take the same arguments. */
NEWER(cuStreamBatchMemOp);
NEWER(cuStreamWaitValue32);
NEWER(cuStreamWaitValue64);
NEWER(cuStreamWriteValue32);
NEWER(cuStreamWriteValue64);
