/* Streams and events, functions and occupancy. */
#include "cuda/graph/capture.h"
#include "cuda/core/event.h"
#include "cuda/core/launch.h"
#include "cuda/code/module.h"
#include "cuda/core/occupancy.h"
#include "cuda/runtime/runtime.h"

#include <string.h>

static cudaError_t stream_create(cudaStream_t *stream, u32 flags, int priority)
{
    RT_CALL(context)
    RT_NEED(stream);
    return rt_result((int)cu_stream_create(context, flags, priority, stream));
}

RT(cudaStreamCreate, cudaStream_t *stream)
{
    return stream_create(stream, 0, 0);
}

RT(cudaStreamCreateWithFlags, cudaStream_t *stream, unsigned int flags)
{
    return stream_create(stream, flags, 0);
}

RT(cudaStreamCreateWithPriority, cudaStream_t *stream, unsigned int flags, int priority)
{
    return stream_create(stream, flags, priority);
}

RT(cudaStreamDestroy, cudaStream_t stream)
{
    RT_CALL(context)
    RT_NEED_HANDLE(stream, CU_KIND_STREAM);
    return rt_result((int)cu_stream_destroy(stream));
}

RT(cudaThreadExchangeStreamCaptureMode, int *mode)
{
    CU_GUARD
    RT_NEED(mode && *mode >= 0 && *mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
    *mode = (int)cu_capture_exchange_mode((CUstreamCaptureMode)*mode);
    return cudaSuccess;
}

static cudaError_t event_create(cudaEvent_t *event, u32 flags)
{
    RT_CALL(context)
    RT_NEED(event);
    return rt_result((int)cu_event_create(context, flags, event));
}

RT(cudaEventCreate, cudaEvent_t *event)
{
    return event_create(event, 0);
}

RT(cudaEventCreateWithFlags, cudaEvent_t *event, unsigned int flags)
{
    return event_create(event, flags);
}

RT(cudaEventDestroy, cudaEvent_t event)
{
    RT_CALL(context)
    RT_NEED_HANDLE(event, CU_KIND_EVENT);
    cu_event_destroy(event);
    return cudaSuccess;
}

RT(cudaEventQuery, cudaEvent_t event)
{
    RT_CALL(context)
    RT_NEED_HANDLE(event, CU_KIND_EVENT);
    RT_TRY(cu_capture_forbid());
    CUresult status = cu_event_query(event);
    cu_print_flush();
    return rt_result((int)status);
}

RT(cudaEventSynchronize, cudaEvent_t event)
{
    RT_CALL(context)
    RT_NEED_HANDLE(event, CU_KIND_EVENT);
    RT_TRY(cu_capture_forbid());
    CUresult status = cu_event_wait(event);
    cu_print_flush();
    return rt_result((int)status);
}

static cudaError_t elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    RT_CALL(context)
    RT_NEED(milliseconds);
    RT_NEED_HANDLE(start, CU_KIND_EVENT);
    RT_NEED_HANDLE(end, CU_KIND_EVENT);
    return rt_result((int)cu_event_elapsed(start, end, milliseconds));
}

RT(cudaEventElapsedTime, float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return elapsed(milliseconds, start, end);
}

RT(cudaEventElapsedTime_v2, float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return elapsed(milliseconds, start, end);
}

/* ---- functions ---- */

#define RT_FUNCTION_CALL(host, function)                                                           \
    RT_CALL(context)                                                                               \
    CUfunction function = NULL;                                                                    \
    RT_TRY(rt_function_find(context, host, &function))

RT(cudaFuncGetAttributes, struct cudaFuncAttributes *out, const void *host)
{
    RT_FUNCTION_CALL(host, function);
    RT_NEED(out);
    const struct kernel_info *info = cu_function_info(function);
    struct cudaFuncAttributes a = {
        .sharedSizeBytes = info->shared_bytes,
        .localSizeBytes = info->local_bytes,
        .maxThreadsPerBlock = (int)cu_occupancy_max_threads(function),
        .numRegs = (int)cu_function_registers(function),
        .ptxVersion = (int)info->target,
        .binaryVersion = (int)cu_device_arch(&core->props),
        .maxDynamicSharedSizeBytes = (int)function->max_dynamic_shared,
        .preferredShmemCarveout = function->carveout,
        .clusterSchedulingPolicyPreference = function->cluster_policy,
        .nonPortableClusterSizeAllowed = function->non_portable_cluster,
    };
    memcpy(out, &a,
           rt_major >= 12 ? sizeof(a) : offsetof(struct cudaFuncAttributes, clusterDimMustBeSet));
    return cudaSuccess;
}

RT(cudaFuncSetAttribute, const void *host, int key, int value)
{
    RT_FUNCTION_CALL(host, function);
    return rt_result((int)cu_function_set(function, (u32)key, value));
}

RT(cudaKernelSetAttributeForDevice, const void *kernel, int key, int value, int device)
{
    RT_FUNCTION_CALL(kernel, function);
    if (device != 0)
        return rt_result(cudaErrorInvalidDevice);
    return rt_result((int)cu_function_set(function, (u32)key, value));
}

RT(cudaFuncSetCacheConfig, const void *host, int config)
{
    RT_FUNCTION_CALL(host, function);
    function->cache_config = (CUfunc_cache)config;
    return cudaSuccess;
}

RT(cudaFuncSetSharedMemConfig, const void *host, int config)
{
    RT_FUNCTION_CALL(host, function);
    function->shared_config = (CUsharedconfig)config;
    return cudaSuccess;
}

RT(cudaFuncGetName, const char **name, const void *host)
{
    RT_FUNCTION_CALL(host, function);
    RT_NEED(name);
    *name = cu_function_info(function)->name;
    return cudaSuccess;
}

RT(cudaFuncGetParamInfo, const void *host, size_t index, size_t *offset, size_t *bytes)
{
    RT_FUNCTION_CALL(host, function);
    const struct kernel_info *info = cu_function_info(function);
    RT_NEED(offset && index < info->param_count);
    *offset = info->params[index].offset;
    if (bytes)
        *bytes = info->params[index].bytes;
    return cudaSuccess;
}

/* ---- occupancy ---- */

static cudaError_t active_blocks(int *blocks, const void *host, int block_size, size_t shared_bytes)
{
    RT_FUNCTION_CALL(host, function);
    RT_NEED(blocks && block_size > 0);
    *blocks = (int)cu_occupancy_blocks(function, (u32)block_size, shared_bytes);
    return cudaSuccess;
}

RT(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const void *host, int block_size,
   size_t shared_bytes)
{
    return active_blocks(blocks, host, block_size, shared_bytes);
}

RT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const void *host,
   int block_size, size_t shared_bytes, unsigned int flags)
{
    RT_NEED(flags <= CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE);
    return active_blocks(blocks, host, block_size, shared_bytes);
}

RT(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const void *host, int blocks,
   int block_size)
{
    RT_FUNCTION_CALL(host, function);
    RT_NEED(bytes && blocks > 0 && block_size > 0);
    *bytes = cu_occupancy_shared(function, (u32)blocks);
    return cudaSuccess;
}

RT(cudaOccupancyMaxPotentialClusterSize, int *size, const void *host,
   const struct cudaLaunchConfig *config)
{
    RT_FUNCTION_CALL(host, function);
    RT_NEED(size && config);
    u32 threads = config->blockDim.x * config->blockDim.y * config->blockDim.z;
    *size = (int)cu_occupancy_cluster_size(function, threads, config->dynamicSmemBytes);
    return cudaSuccess;
}

RT(cudaOccupancyMaxActiveClusters, int *clusters, const void *host,
   const struct cudaLaunchConfig *config)
{
    RT_FUNCTION_CALL(host, function);
    RT_NEED(clusters && config);
    u32 threads = config->blockDim.x * config->blockDim.y * config->blockDim.z;
    struct cu_launch l = {.function = function};
    u32 blocks = 1;
    CUresult status = cu_launch_attributes(&l, config->attrs, config->numAttrs);
    if (status == CUDA_SUCCESS)
        status = cu_launch_cluster_blocks(&l, &blocks);
    if (status != CUDA_SUCCESS)
        return (cudaError_t)status;
    *clusters = (int)cu_occupancy_clusters(function, threads, config->dynamicSmemBytes, blocks);
    return cudaSuccess;
}
