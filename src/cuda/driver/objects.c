/* Making and unmaking streams, events, arrays, textures; occupancy. */
#include "cuda/graph/capture.h"
#include "cuda/driver/driver.h"
#include "cuda/core/event.h"
#include "cuda/core/launch.h"
#include "cuda/code/module.h"
#include "cuda/core/occupancy.h"
#include "cuda/core/stream.h"
#include "cuda/core/texture.h"

#include <string.h>

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    CU_CALL(context)
    NEED(stream);
    return cu_stream_create(context, flags, 0, stream);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    CU_CALL(context)
    NEED(stream);
    return cu_stream_create(context, flags, priority, stream);
}

CUresult cuStreamDestroy(CUstream stream)
{
    CU_CALL(context)
    NEED_HANDLE(stream, CU_KIND_STREAM);
    return cu_stream_destroy(stream);
}
PLAIN(cuStreamDestroy_v2, "cuStreamDestroy");

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    CU_GUARD
    NEED(mode && *mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
    *mode = cu_capture_exchange_mode(*mode);
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    CU_CALL(context)
    NEED(event);
    return cu_event_create(context, flags, event);
}

CUresult cuEventDestroy(CUevent event)
{
    CU_CALL(context)
    NEED_HANDLE(event, CU_KIND_EVENT);
    cu_event_destroy(event);
    return CUDA_SUCCESS;
}
PLAIN(cuEventDestroy_v2, "cuEventDestroy");

CUresult cuEventQuery(CUevent event)
{
    CU_CALL(context)
    NEED_HANDLE(event, CU_KIND_EVENT);
    CU_TRY(cu_capture_forbid());
    CUresult status = cu_event_query(event);
    cu_print_flush();
    return status;
}

CUresult cuEventSynchronize(CUevent event)
{
    CU_CALL(context)
    NEED_HANDLE(event, CU_KIND_EVENT);
    CU_TRY(cu_capture_forbid());
    CUresult status = cu_event_wait(event);
    cu_print_flush();
    return status;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    CU_CALL(context)
    NEED(milliseconds);
    NEED_HANDLE(start, CU_KIND_EVENT);
    NEED_HANDLE(end, CU_KIND_EVENT);
    return cu_event_elapsed(start, end, milliseconds);
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
    return cuEventElapsedTime(milliseconds, start, end);
}

/* ---- arrays ---- */

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    CU_CALL(context)
    NEED(array && shape);
    return cu_array_create(context, shape, array);
}
PLAIN(cuArray3DCreate_v2, "cuArray3DCreate");

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *shape)
{
    NEED(shape);
    CUDA_ARRAY3D_DESCRIPTOR full = {.Width = shape->Width,
                                    .Height = shape->Height,
                                    .Format = shape->Format,
                                    .NumChannels = shape->NumChannels};
    return cuArray3DCreate(array, &full);
}
PLAIN(cuArrayCreate_v2, "cuArrayCreate");

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *shape, CUarray array)
{
    CU_CALL(context)
    NEED(shape);
    NEED_HANDLE(array, CU_KIND_ARRAY);
    *shape = array->shape;
    return CUDA_SUCCESS;
}
PLAIN(cuArray3DGetDescriptor_v2, "cuArray3DGetDescriptor");

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *shape, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR full;
    NEED(shape);
    CU_TRY(cuArray3DGetDescriptor(&full, array));
    *shape = (CUDA_ARRAY_DESCRIPTOR){.Width = full.Width,
                                     .Height = full.Height,
                                     .Format = full.Format,
                                     .NumChannels = full.NumChannels};
    return CUDA_SUCCESS;
}
PLAIN(cuArrayGetDescriptor_v2, "cuArrayGetDescriptor");

CUresult cuArrayDestroy(CUarray array)
{
    CU_CALL(context)
    NEED_HANDLE(array, CU_KIND_ARRAY);
    cu_array_destroy(array);
    return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                                unsigned int levels)
{
    CU_CALL(context)
    NEED(array && shape);
    return cu_mipmap_create(context, shape, levels, array);
}

CUresult cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray array, unsigned int index)
{
    CU_CALL(context)
    NEED_HANDLE(array, CU_KIND_MIPMAP);
    NEED(level && index < array->count);
    *level = array->levels[index];
    return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
    CU_CALL(context)
    NEED_HANDLE(array, CU_KIND_MIPMAP);
    cu_mipmap_destroy(array);
    return CUDA_SUCCESS;
}

/* ---- textures and surfaces ---- */

static CUresult texture_get(u64 handle, bool is_surface, struct cu_texture **out)
{
    *out = cu_texture_find(handle);
    if (!*out || (*out)->texture.is_surface != is_surface)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *sampler, const CUDA_RESOURCE_VIEW_DESC *view)
{
    CU_CALL(context)
    NEED(object && resource && sampler);
    if (view && view->format) {
        cu_say("a texture object requests a view in another format, which is not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    u64 handle = 0;
    CU_TRY(cu_texture_create(context, resource, sampler, &handle));
    *object = handle;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
    CU_CALL(context)
    struct cu_texture *t;
    CU_TRY(texture_get(object, false, &t));
    cu_texture_destroy(t);
    return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object)
{
    CU_CALL(context)
    struct cu_texture *t;
    NEED(resource);
    CU_TRY(texture_get(object, false, &t));
    *resource = t->resource;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *sampler, CUtexObject object)
{
    CU_CALL(context)
    struct cu_texture *t;
    NEED(sampler);
    CU_TRY(texture_get(object, false, &t));
    *sampler = t->sampler;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object)
{
    CU_CALL(context)
    struct cu_texture *t;
    NEED(view);
    CU_TRY(texture_get(object, false, &t));
    return CUDA_ERROR_INVALID_VALUE; /* none was given */
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    CU_CALL(context)
    NEED(object && resource);
    u64 handle = 0;
    CU_TRY(cu_texture_create(context, resource, NULL, &handle));
    *object = handle;
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
    CU_CALL(context)
    struct cu_texture *t;
    CU_TRY(texture_get(object, true, &t));
    cu_texture_destroy(t);
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
    CU_CALL(context)
    struct cu_texture *t;
    NEED(resource);
    CU_TRY(texture_get(object, true, &t));
    *resource = t->resource;
    return CUDA_SUCCESS;
}

/* ---- occupancy ---- */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int block_size, size_t shared_bytes,
                                                              unsigned int flags)
{
    CU_CALL(context)
    NEED(blocks && block_size > 0 && flags <= CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE);
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    *blocks = (int)cu_occupancy_blocks(function, (u32)block_size, shared_bytes);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int block_size, size_t shared_bytes)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
                                                                shared_bytes, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size,
                                                   CUfunction function,
                                                   CUoccupancyB2DSize shared_of_block,
                                                   size_t shared_bytes, int block_limit,
                                                   unsigned int flags)
{
    CU_CALL(context)
    NEED(min_grid && block_size && block_limit >= 0 &&
         flags <= CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE);
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    u32 block, grid;
    cu_occupancy_best(function, shared_of_block, shared_bytes, (u32)block_limit, &block, &grid);
    *min_grid = (int)grid;
    *block_size = (int)block;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, CUfunction function,
                                          CUoccupancyB2DSize shared_of_block, size_t shared_bytes,
                                          int block_limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block_size, function,
                                                     shared_of_block, shared_bytes, block_limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks,
                                                 int block_size)
{
    CU_CALL(context)
    NEED(bytes && blocks > 0 && block_size > 0);
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    *bytes = cu_occupancy_shared(function, (u32)blocks);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialClusterSize(int *clusters, CUfunction function,
                                            const CUlaunchConfig *config)
{
    CU_CALL(context)
    NEED(clusters && config);
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    u32 threads = config->blockDimX * config->blockDimY * config->blockDimZ;
    *clusters = (int)cu_occupancy_cluster_size(function, threads, config->sharedMemBytes);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                      const CUlaunchConfig *config)
{
    CU_CALL(context)
    NEED(clusters && config);
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    u32 threads = config->blockDimX * config->blockDimY * config->blockDimZ;
    struct cu_launch l = {.function = function};
    CU_TRY(cu_launch_attributes(&l, config->attrs, config->numAttrs));
    u32 blocks;
    CU_TRY(cu_launch_cluster_blocks(&l, &blocks));
    *clusters = (int)cu_occupancy_clusters(function, threads, config->sharedMemBytes, blocks);
    return CUDA_SUCCESS;
}
