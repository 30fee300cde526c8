#include "cuda/core/memory.h"
#include "cuda/graph/capture.h"
#include "cuda/driver/extra.h"
#include "cuda/runtime/runtime.h"

#include <string.h>

static cudaError_t alloc(enum cu_memory_kind kind, void **address, size_t bytes, u32 flags)
{
    RT_CALL(context)
    RT_NEED(address);
    RT_TRY(cu_capture_forbid());
    u64 start = 0;
    *address = NULL;
    if (bytes)
        RT_TRY(cu_memory_alloc(context, kind, bytes, flags, &start));
    *address = (void *)(uintptr_t)start;
    return cudaSuccess;
}

RT(cudaMalloc, void **address, size_t bytes)
{
    return alloc(CU_MEMORY_DEVICE, address, bytes, 0);
}

RT(cudaMallocManaged, void **address, size_t bytes, unsigned int flags)
{
    RT_NEED(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST);
    return alloc(CU_MEMORY_MANAGED, address, bytes, flags);
}

RT(cudaMallocHost, void **address, size_t bytes)
{
    return alloc(CU_MEMORY_HOST, address, bytes, CU_MEMHOSTALLOC_DEVICEMAP);
}

RT(cudaHostAlloc, void **address, size_t bytes, unsigned int flags)
{
    RT_NEED(flags <= 7);
    return alloc(CU_MEMORY_HOST, address, bytes, flags | CU_MEMHOSTALLOC_DEVICEMAP);
}

static cudaError_t give_back(void *address, u32 kinds)
{
    RT_CALL(context)
    if (!address)
        return cudaSuccess;
    RT_TRY(cu_capture_forbid());
    return rt_result((int)cu_memory_free((u64)(uintptr_t)address, kinds));
}

RT(cudaFree, void *address)
{
    return give_back(address, CU_FREE_DEVICE);
}

RT(cudaFreeHost, void *address)
{
    return give_back(address, CU_FREE_HOST);
}

RT(cudaMallocPitch, void **address, size_t *pitch, size_t width, size_t height)
{
    RT_CALL(context)
    RT_NEED(address && pitch);
    RT_TRY(cu_capture_forbid());
    u64 start = 0, row = 0;
    if (width && height)
        RT_TRY(cu_memory_alloc_pitched(context, width, height, &row, &start));
    *address = (void *)(uintptr_t)start;
    *pitch = row;
    return cudaSuccess;
}

RT(cudaMalloc3D, struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    RT_CALL(context)
    RT_NEED(out);
    RT_TRY(cu_capture_forbid());
    u64 start = 0, row = 0, rows;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return rt_result(cudaErrorMemoryAllocation);
    if (extent.width && rows)
        RT_TRY(cu_memory_alloc_pitched(context, extent.width, rows, &row, &start));
    *out = (struct cudaPitchedPtr){.ptr = (void *)(uintptr_t)start,
                                   .pitch = row,
                                   .xsize = extent.width,
                                   .ysize = extent.height};
    return cudaSuccess;
}

RT(cudaMemGetInfo, size_t *free_bytes, size_t *total_bytes)
{
    RT_CALL(context)
    RT_NEED(free_bytes && total_bytes);
    u64 unused, total;
    cu_memory_info(&unused, &total);
    *free_bytes = unused;
    *total_bytes = total;
    return cudaSuccess;
}

RT(cudaHostRegister, void *host, size_t bytes, unsigned int flags)
{
    RT_CALL(context)
    RT_NEED(flags <= 15);
    return rt_result((int)cu_memory_register(context, host, bytes, flags));
}

RT(cudaHostUnregister, void *host)
{
    RT_CALL(context)
    return rt_result((int)cu_memory_unregister(host));
}

RT(cudaHostGetDevicePointer, void **device, void *host, unsigned int flags)
{
    RT_CALL(context)
    RT_NEED(device && !flags);
    struct cu_pointer p = cu_memory_describe((u64)(uintptr_t)host);
    RT_NEED(p.type == CU_MEMORYTYPE_HOST || p.is_managed);
    *device = host;
    return cudaSuccess;
}

RT(cudaHostGetFlags, unsigned int *flags, void *host)
{
    RT_CALL(context)
    RT_NEED(flags);
    struct cu_pointer p = cu_memory_describe((u64)(uintptr_t)host);
    RT_NEED(p.type == CU_MEMORYTYPE_HOST);
    *flags = p.flags;
    return cudaSuccess;
}

RT(cudaPointerGetAttributes, struct cudaPointerAttributes *out, const void *address)
{
    RT_CALL(context)
    RT_NEED(out);
    struct cu_pointer p = cu_memory_describe((u64)(uintptr_t)address);
    struct cudaPointerAttributes a = {.device = p.type ? 0 : CU_DEVICE_INVALID};
    a.type = p.is_managed ? 3 : (int)p.type;
    if (p.type)
        a.devicePointer = (void *)(uintptr_t)address;
    if (p.type != CU_MEMORYTYPE_DEVICE || p.is_managed)
        a.hostPointer = (void *)(uintptr_t)address;
    memcpy(out, &a, rt_major >= 13 ? sizeof(a) : offsetof(struct cudaPointerAttributes, reserved));
    return cudaSuccess;
}

RT(cudaMemRangeGetAttribute, void *data, size_t data_bytes, int key, const void *address,
   size_t bytes)
{
    RT_CALL(context)
    RT_NEED(data && data_bytes >= sizeof(int) && bytes);
    const struct cu_block *b = cu_memory_find((u64)(uintptr_t)address);
    RT_NEED(b && b->kind == CU_MEMORY_MANAGED);
    int value = CU_DEVICE_INVALID;
    if (key == CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)
        value = b->read_mostly;
    else if (key == CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION && b->preferred)
        value = (int)(b->preferred - 1);
    else if (key == CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION && b->last_prefetch)
        value = (int)(b->last_prefetch - 1);
    memcpy(data, &value, sizeof(value));
    return cudaSuccess;
}

/* ---- pools ---- */

RT(cudaDeviceGetDefaultMemPool, cudaMemPool_t *pool, int device)
{
    RT_CALL(context)
    RT_NEED(pool);
    if (device != 0)
        return rt_result(cudaErrorInvalidDevice);
    *pool = cu_pool_default();
    return cudaSuccess;
}

RT(cudaDeviceGetMemPool, cudaMemPool_t *pool, int device)
{
    RT_CALL(context)
    RT_NEED(pool);
    if (device != 0)
        return rt_result(cudaErrorInvalidDevice);
    *pool = core->pool ? core->pool : cu_pool_default();
    return cudaSuccess;
}

RT(cudaDeviceSetMemPool, int device, cudaMemPool_t pool)
{
    RT_CALL(context)
    if (device != 0)
        return rt_result(cudaErrorInvalidDevice);
    RT_NEED(cu_object_is(pool, CU_KIND_POOL));
    core->pool = pool;
    return cudaSuccess;
}

RT(cudaMemPoolCreate, cudaMemPool_t *pool, const void *properties)
{
    RT_CALL(context)
    RT_NEED(pool && properties);
    return rt_result((int)cu_pool_create(pool));
}

RT(cudaMemPoolDestroy, cudaMemPool_t pool)
{
    RT_CALL(context)
    RT_NEED(cu_object_is(pool, CU_KIND_POOL));
    return rt_result((int)cu_pool_destroy(pool));
}

RT(cudaMemPoolTrimTo, cudaMemPool_t pool, size_t keep_bytes)
{
    RT_CALL(context)
    RT_NEED(cu_object_is(pool, CU_KIND_POOL));
    cu_pool_trim(pool, keep_bytes);
    return cudaSuccess;
}

RT(cudaMemPoolGetAttribute, cudaMemPool_t pool, int key, void *value)
{
    RT_CALL(context)
    RT_NEED(cu_object_is(pool, CU_KIND_POOL) && value);
    return rt_result((int)cu_pool_attribute_get(pool, (u32)key, value));
}

RT(cudaMemPoolSetAttribute, cudaMemPool_t pool, int key, void *value)
{
    RT_CALL(context)
    RT_NEED(cu_object_is(pool, CU_KIND_POOL) && value);
    return rt_result((int)cu_pool_attribute_set(pool, (u32)key, value));
}

RT(cudaMemPoolSetAccess, cudaMemPool_t pool, const CUmemAccessDesc *accesses, size_t count)
{
    RT_CALL(context)
    return rt_result((int)cuMemPoolSetAccess(pool, accesses, count));
}

RT(cudaMemPoolGetAccess, int *flags, cudaMemPool_t pool, cudaMemLocation *location)
{
    RT_CALL(context)
    return rt_result((int)cuMemPoolGetAccess(flags, pool, location));
}

RT(cudaMemGetDefaultMemPool, cudaMemPool_t *pool, cudaMemLocation *location, int type)
{
    RT_CALL(context)
    return rt_result((int)cuMemGetDefaultMemPool(pool, location, type));
}

RT(cudaMemGetMemPool, cudaMemPool_t *pool, cudaMemLocation *location, int type)
{
    RT_CALL(context)
    return rt_result((int)cuMemGetMemPool(pool, location, type));
}

RT(cudaMemSetMemPool, cudaMemLocation *location, int type, cudaMemPool_t pool)
{
    RT_CALL(context)
    return rt_result((int)cuMemSetMemPool(location, type, pool));
}

/* ---- descriptions of copies ---- */

/* Which kind of address each end is; false: no such direction. */
static bool kind_types(int kind, CUmemorytype *to, CUmemorytype *from)
{
    switch (kind) {
    case cudaMemcpyHostToHost:
        *to = *from = CU_MEMORYTYPE_HOST;
        return true;
    case cudaMemcpyHostToDevice:
        *to = CU_MEMORYTYPE_DEVICE;
        *from = CU_MEMORYTYPE_HOST;
        return true;
    case cudaMemcpyDeviceToHost:
        *to = CU_MEMORYTYPE_HOST;
        *from = CU_MEMORYTYPE_DEVICE;
        return true;
    case cudaMemcpyDeviceToDevice:
        *to = *from = CU_MEMORYTYPE_DEVICE;
        return true;
    case cudaMemcpyDefault:
        *to = *from = CU_MEMORYTYPE_UNIFIED;
        return true;
    default:
        return false;
    }
}

static void address_set(CUDA_MEMCPY3D *d, void *to, const void *from)
{
    d->dstHost = to;
    d->dstDevice = (u64)(uintptr_t)to;
    d->srcHost = from;
    d->srcDevice = (u64)(uintptr_t)from;
}

cudaError_t rt_copy_line(CUDA_MEMCPY3D *d, void *to, const void *from, size_t bytes, int kind)
{
    *d = (CUDA_MEMCPY3D){.WidthInBytes = bytes, .Height = 1, .Depth = 1};
    address_set(d, to, from);
    return kind_types(kind, &d->dstMemoryType, &d->srcMemoryType) ? cudaSuccess
                                                                  : cudaErrorInvalidMemcpyDirection;
}

cudaError_t rt_copy_box(CUDA_MEMCPY3D *d, const struct cudaMemcpy3DParms *p)
{
    bool to_is_array = p->dstArray != NULL, from_is_array = p->srcArray != NULL;
    if (to_is_array == (p->dstPtr.ptr != NULL) || from_is_array == (p->srcPtr.ptr != NULL))
        return cudaErrorInvalidValue;
    if ((to_is_array && !cu_object_is(p->dstArray, CU_KIND_ARRAY)) ||
        (from_is_array && !cu_object_is(p->srcArray, CU_KIND_ARRAY)))
        return cudaErrorInvalidResourceHandle;
    /* Where an array takes part, widths and its own positions count elements. */
    u64 to_unit = to_is_array ? rt_array_element_bytes(p->dstArray) : 1;
    u64 from_unit = from_is_array ? rt_array_element_bytes(p->srcArray) : 1;
    u64 unit = to_is_array ? to_unit : from_unit, width, to_x, from_x;
    if (__builtin_mul_overflow(p->extent.width, unit, &width) ||
        __builtin_mul_overflow(p->dstPos.x, to_unit, &to_x) ||
        __builtin_mul_overflow(p->srcPos.x, from_unit, &from_x))
        return cudaErrorInvalidValue;
    *d = (CUDA_MEMCPY3D){.srcXInBytes = from_x,
                         .srcY = p->srcPos.y,
                         .srcZ = p->srcPos.z,
                         .srcArray = p->srcArray,
                         .srcPitch = p->srcPtr.pitch,
                         .srcHeight = p->srcPtr.ysize,
                         .dstXInBytes = to_x,
                         .dstY = p->dstPos.y,
                         .dstZ = p->dstPos.z,
                         .dstArray = p->dstArray,
                         .dstPitch = p->dstPtr.pitch,
                         .dstHeight = p->dstPtr.ysize,
                         .WidthInBytes = width,
                         .Height = p->extent.height,
                         .Depth = p->extent.depth};
    address_set(d, p->dstPtr.ptr, p->srcPtr.ptr);
    if (!kind_types(p->kind, &d->dstMemoryType, &d->srcMemoryType))
        return cudaErrorInvalidMemcpyDirection;
    if (to_is_array)
        d->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    if (from_is_array)
        d->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    return cudaSuccess;
}
