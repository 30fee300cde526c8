/* Launches, and everything else that names a stream. Compiled twice: see runtime.h. */
#include "cuda/graph/capture.h"
#include "cuda/core/event.h"
#include "cuda/core/failures.h"
#include "cuda/graph/graph.h"
#include "cuda/core/launch.h"
#include "cuda/core/memory.h"
#include "cuda/runtime/runtime.h"

static cudaError_t submit(struct cu_launch *l, const void *host, CUlaunchAttribute *attributes,
                          u32 attribute_count, CUstream handle)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_TRY(rt_function_find(context, host, &l->function));
    if (!cu_launch_fits(l->grid, l->block))
        return rt_result(rt_major >= 13 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration);
    RT_TRY(cu_launch_attributes(l, attributes, attribute_count));
    return rt_result((int)cu_launch(l, stream));
}

static cudaError_t launch(struct cu_launch *l, const void *host, CUlaunchAttribute *attributes,
                          u32 attribute_count, CUstream handle)
{
    u64 said = cu_failures_said();
    cudaError_t status = submit(l, host, attributes, attribute_count, handle);
    return (cudaError_t)cu_failure_of_launch((CUresult)status, said);
}

static struct cu_launch shape(dim3 grid, dim3 block, size_t shared_bytes, void **params)
{
    return (struct cu_launch){.grid = {grid.x, grid.y, grid.z},
                              .block = {block.x, block.y, block.z},
                              .shared_bytes = shared_bytes,
                              .params = params};
}

RT(ASYNC(cudaLaunchKernel), const void *host, dim3 grid, dim3 block, void **params,
   size_t shared_bytes, cudaStream_t stream)
{
    struct cu_launch l = shape(grid, block, shared_bytes, params);
    return launch(&l, host, NULL, 0, stream);
}

RT(ASYNC(__cudaLaunchKernel), void *kernel, dim3 grid, dim3 block, void **params,
   size_t shared_bytes, cudaStream_t stream)
{
    struct cu_launch l = shape(grid, block, shared_bytes, params);
    return launch(&l, kernel, NULL, 0, stream);
}

RT(ASYNC(cudaLaunchCooperativeKernel), const void *host, dim3 grid, dim3 block, void **params,
   size_t shared_bytes, cudaStream_t stream)
{
    struct cu_launch l = shape(grid, block, shared_bytes, params);
    l.cooperative = true;
    return launch(&l, host, NULL, 0, stream);
}

RT(ASYNC(cudaLaunchKernelExC), const struct cudaLaunchConfig *config, const void *host,
   void **params)
{
    RT_NEED(config && (!config->numAttrs || config->attrs));
    struct cu_launch l = shape(config->gridDim, config->blockDim, config->dynamicSmemBytes, params);
    return launch(&l, host, config->attrs, config->numAttrs, config->stream);
}

RT(ASYNC(cudaLaunchHostFunc), cudaStream_t handle, cudaHostFn_t function, void *data)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED(function);
    struct cu_work work = {.kind = CU_WORK_HOST, .host = {.fn = function, .userData = data}};
    return rt_result((int)cu_submit(stream, &work));
}

RT(ASYNC(cudaStreamAddCallback), cudaStream_t handle, cudaStreamCallback_t callback, void *data,
   unsigned int flags)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED(callback && !flags);
    /* cudaError_t and CUresult are both an int to the callee */
    struct cu_work work = {
        .kind = CU_WORK_CALLBACK,
        .callback = {.call = (CUstreamCallback)(void (*)(void))callback, .data = data}};
    return rt_result((int)cu_submit(stream, &work));
}

RT(ASYNC(cudaStreamSynchronize), cudaStream_t handle)
{
    RT_STREAM_CALL(context, handle, stream);
    if (stream->capture)
        return rt_result((int)cu_capture_fail(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
    CUresult status = cu_stream_wait(stream);
    cu_print_flush();
    return rt_result((int)status);
}

RT(ASYNC(cudaStreamQuery), cudaStream_t handle)
{
    RT_STREAM_CALL(context, handle, stream);
    if (stream->capture)
        return rt_result((int)cu_capture_fail(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
    CUresult status = cu_stream_query(stream);
    cu_print_flush();
    return rt_result((int)status);
}

RT(ASYNC(cudaStreamWaitEvent), cudaStream_t handle, cudaEvent_t event, unsigned int flags)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED_HANDLE(event, CU_KIND_EVENT);
    return rt_result((int)cu_event_make_wait(event, stream, flags));
}

static cudaError_t record(cudaEvent_t event, cudaStream_t handle, u32 flags)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED_HANDLE(event, CU_KIND_EVENT);
    RT_NEED(flags <= CU_EVENT_RECORD_EXTERNAL);
    return rt_result((int)cu_event_record(event, stream, flags));
}

RT(ASYNC(cudaEventRecord), cudaEvent_t event, cudaStream_t stream)
{
    return record(event, stream, 0);
}

RT(ASYNC(cudaEventRecordWithFlags), cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    return record(event, stream, flags);
}

RT(ASYNC(cudaStreamAttachMemAsync), cudaStream_t handle, void *address, size_t bytes,
   unsigned int flags)
{
    RT_STREAM_CALL(context, handle, stream);
    (void)bytes;
    RT_NEED(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
            flags == CU_MEM_ATTACH_SINGLE);
    RT_NEED(cu_memory_describe((u64)(uintptr_t)address).is_managed);
    return cudaSuccess;
}

RT(ASYNC(cudaStreamGetPriority), cudaStream_t handle, int *priority)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED(priority);
    *priority = stream->priority;
    return cudaSuccess;
}

RT(ASYNC(cudaStreamGetFlags), cudaStream_t handle, unsigned int *flags)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED(flags);
    *flags = stream->flags;
    return cudaSuccess;
}

RT(ASYNC(cudaStreamGetId), cudaStream_t handle, unsigned long long *id)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED(id);
    *id = stream->id;
    return cudaSuccess;
}

RT(ASYNC(cudaStreamGetDevice), cudaStream_t handle, int *device)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED(device);
    *device = 0;
    return cudaSuccess;
}

/* Attributes are hints about caches and waiting. */
RT(ASYNC(cudaStreamSetAttribute), cudaStream_t handle, int key, const void *value)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_TRY(cu_attributes_set(&stream->attributes, (u32)key, value));
    return cudaSuccess;
}

RT(ASYNC(cudaStreamGetAttribute), cudaStream_t handle, int key, void *value)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_TRY(cu_stream_attribute(stream, (u32)key, value));
    return cudaSuccess;
}

RT(ASYNC(cudaStreamCopyAttributes), cudaStream_t to, cudaStream_t from)
{
    RT_STREAM_CALL(context, to, stream);
    CUstream source = NULL;
    RT_TRY(cu_stream_get(context, from, PER_THREAD, &source));
    cu_attributes_copy(&stream->attributes, &source->attributes);
    return cudaSuccess;
}

RT(ASYNC(cudaStreamBeginCapture), cudaStream_t handle, int mode)
{
    RT_STREAM_CALL(context, handle, stream);
    return rt_result((int)cu_capture_begin(stream, NULL, NULL, 0, (CUstreamCaptureMode)mode));
}

RT(ASYNC(cudaStreamBeginCaptureToGraph), cudaStream_t handle, cudaGraph_t graph,
   const cudaGraphNode_t *after, const void *edge_data, size_t after_count, int mode)
{
    RT_STREAM_CALL(context, handle, stream);
    (void)edge_data;
    RT_NEED(cu_object_is(graph, CU_KIND_GRAPH));
    return rt_result(
        (int)cu_capture_begin(stream, graph, after, after_count, (CUstreamCaptureMode)mode));
}

RT(ASYNC(cudaStreamEndCapture), cudaStream_t handle, cudaGraph_t *graph)
{
    RT_STREAM_CALL(context, handle, stream);
    return rt_result((int)cu_capture_end(stream, graph));
}

RT(ASYNC(cudaStreamIsCapturing), cudaStream_t handle, int *status)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED(status);
    *status = !stream->capture              ? CU_STREAM_CAPTURE_STATUS_NONE
              : stream->capture->is_invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                            : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return cudaSuccess;
}

RT(ASYNC(cudaGraphLaunch), cudaGraphExec_t exec, cudaStream_t handle)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED_HANDLE(exec, CU_KIND_EXEC);
    return rt_result((int)cu_graph_launch(exec, stream));
}

RT(ASYNC(cudaGraphUpload), cudaGraphExec_t exec, cudaStream_t handle)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED_HANDLE(exec, CU_KIND_EXEC);
    return cudaSuccess;
}

static cudaError_t pool_alloc(void **address, size_t bytes, cudaMemPool_t pool, cudaStream_t handle)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED(address);
    if (!pool)
        pool = core->pool ? core->pool : cu_pool_default();
    RT_NEED(cu_object_is(pool, CU_KIND_POOL));
    u64 start = 0;
    if (bytes)
        RT_TRY(cu_pool_alloc(pool, bytes, stream, &start));
    *address = (void *)(uintptr_t)start;
    return cudaSuccess;
}

RT(ASYNC(cudaMallocAsync), void **address, size_t bytes, cudaStream_t stream)
{
    return pool_alloc(address, bytes, NULL, stream);
}

RT(ASYNC(cudaMallocFromPoolAsync), void **address, size_t bytes, cudaMemPool_t pool,
   cudaStream_t stream)
{
    RT_NEED(pool);
    return pool_alloc(address, bytes, pool, stream);
}

RT(ASYNC(cudaFreeAsync), void *address, cudaStream_t handle)
{
    RT_STREAM_CALL(context, handle, stream);
    if (!address)
        return cudaSuccess;
    return rt_result((int)cu_pool_free((u64)(uintptr_t)address, stream));
}
