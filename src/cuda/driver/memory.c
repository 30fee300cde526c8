#include "cuda/core/memory.h"
#include "cuda/graph/capture.h"
#include "cuda/driver/driver.h"

#include <string.h>

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    CU_CALL(context)
    NEED(free_bytes && total_bytes);
    u64 unused, total;
    cu_memory_info(&unused, &total);
    *free_bytes = unused;
    *total_bytes = total;
    return CUDA_SUCCESS;
}
PLAIN(cuMemGetInfo_v2, "cuMemGetInfo");

static CUresult alloc(enum cu_memory_kind kind, size_t bytes, u32 flags, CUdeviceptr *address)
{
    CU_CALL(context)
    NEED(address);
    CU_TRY(cu_capture_forbid());
    u64 start = 0;
    CU_TRY(cu_memory_alloc(context, kind, bytes, flags, &start));
    *address = start;
    return CUDA_SUCCESS;
}

static CUresult alloc_host(void **address, size_t bytes, u32 flags)
{
    CUdeviceptr start;
    NEED(address);
    CU_TRY(alloc(CU_MEMORY_HOST, bytes, flags, &start));
    *address = (void *)(uintptr_t)start;
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    return alloc(CU_MEMORY_DEVICE, bytes, 0, address);
}
PLAIN(cuMemAlloc_v2, "cuMemAlloc");

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width_bytes, size_t height,
                         unsigned int element_bytes)
{
    CU_CALL(context)
    NEED(address && pitch && (element_bytes == 4 || element_bytes == 8 || element_bytes == 16));
    CU_TRY(cu_capture_forbid());
    u64 start = 0, row = 0;
    CU_TRY(cu_memory_alloc_pitched(context, width_bytes, height, &row, &start));
    *address = start;
    *pitch = row;
    return CUDA_SUCCESS;
}
PLAIN(cuMemAllocPitch_v2, "cuMemAllocPitch");

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags)
{
    NEED(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST);
    return alloc(CU_MEMORY_MANAGED, bytes, flags, address);
}

CUresult cuMemAllocHost(void **address, size_t bytes)
{
    return alloc_host(address, bytes, CU_MEMHOSTALLOC_DEVICEMAP);
}
PLAIN(cuMemAllocHost_v2, "cuMemAllocHost");

CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned int flags)
{
    NEED(flags <= 7);
    return alloc_host(address, bytes, flags | CU_MEMHOSTALLOC_DEVICEMAP);
}

CUresult cuMemFree(CUdeviceptr address)
{
    CU_CALL(context)
    CU_TRY(cu_capture_forbid());
    return cu_memory_free(address, CU_FREE_DEVICE);
}
PLAIN(cuMemFree_v2, "cuMemFree");

CUresult cuMemFreeHost(void *address)
{
    CU_CALL(context)
    CU_TRY(cu_capture_forbid());
    return cu_memory_free((u64)(uintptr_t)address, CU_FREE_HOST);
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    CU_CALL(context)
    struct cu_pointer p = cu_memory_describe(address);
    if (!p.type)
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = p.start;
    if (bytes)
        *bytes = p.bytes;
    return CUDA_SUCCESS;
}
PLAIN(cuMemGetAddressRange_v2, "cuMemGetAddressRange");

CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned int flags)
{
    CU_CALL(context)
    NEED(device && !flags);
    struct cu_pointer p = cu_memory_describe((u64)(uintptr_t)host);
    NEED(p.type == CU_MEMORYTYPE_HOST || p.is_managed);
    *device = (u64)(uintptr_t)host;
    return CUDA_SUCCESS;
}
PLAIN(cuMemHostGetDevicePointer_v2, "cuMemHostGetDevicePointer");

CUresult cuMemHostGetFlags(unsigned int *flags, void *host)
{
    CU_CALL(context)
    NEED(flags);
    struct cu_pointer p = cu_memory_describe((u64)(uintptr_t)host);
    NEED(p.type == CU_MEMORYTYPE_HOST);
    *flags = p.flags;
    return CUDA_SUCCESS;
}

CUresult cuMemHostRegister(void *host, size_t bytes, unsigned int flags)
{
    CU_CALL(context)
    NEED(flags <= 15);
    return cu_memory_register(context, host, bytes, flags);
}
PLAIN(cuMemHostRegister_v2, "cuMemHostRegister");

CUresult cuMemHostUnregister(void *host)
{
    CU_CALL(context)
    return cu_memory_unregister(host);
}

static CUresult advise(CUdeviceptr address, size_t bytes, CUmem_advise advice, u64 location)
{
    CU_CALL(context)
    NEED(bytes && cu_memory_describe(address).is_managed);
    struct cu_block *b = cu_memory_find(address);
    if (!b)
        return CUDA_SUCCESS; /* a __managed__ variable: a hint without effect */
    if (advice == CU_MEM_ADVISE_SET_READ_MOSTLY || advice == CU_MEM_ADVISE_UNSET_READ_MOSTLY)
        b->read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
    else if (advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION)
        b->preferred = location + 1;
    else if (advice == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION)
        b->preferred = 0;
    else
        NEED(advice == CU_MEM_ADVISE_SET_ACCESSED_BY || advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY);
    return CUDA_SUCCESS;
}

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device)
{
    if (device != 0 && device != CU_DEVICE_CPU)
        return CUDA_ERROR_INVALID_DEVICE;
    return advise(address, bytes, advice, (u32)device);
}

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                        CUmemLocation location)
{
    bool on_device = location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    if (on_device && location.id != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    return advise(address, bytes, advice, on_device ? 0 : (u32)CU_DEVICE_CPU);
}

CUresult cuMemRangeGetAttribute(void *data, size_t data_bytes, CUmem_range_attribute key,
                                CUdeviceptr address, size_t bytes)
{
    CU_CALL(context)
    NEED(data && data_bytes >= sizeof(int) && bytes && cu_memory_describe(address).is_managed);
    const struct cu_block *b = cu_memory_find(address);
    int value = CU_DEVICE_INVALID;
    switch (key) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        value = b && b->read_mostly;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        if (b && b->preferred)
            value = (int)(b->preferred - 1);
        break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        if (b && b->last_prefetch)
            value = (int)(b->last_prefetch - 1);
        break;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        break;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    memcpy(data, &value, sizeof(value));
    return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const void *properties)
{
    CU_GUARD
    CU_TRY(cu_init_check());
    NEED(pool && properties);
    return cu_pool_create(pool);
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    CU_GUARD
    NEED(cu_object_is(pool, CU_KIND_POOL));
    return cu_pool_destroy(pool);
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep_bytes)
{
    CU_GUARD
    NEED(cu_object_is(pool, CU_KIND_POOL));
    cu_pool_trim(pool, keep_bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute key, void *value)
{
    CU_GUARD
    NEED(cu_object_is(pool, CU_KIND_POOL) && value);
    return cu_pool_attribute_get(pool, key, value);
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute key, void *value)
{
    CU_GUARD
    NEED(cu_object_is(pool, CU_KIND_POOL) && value);
    return cu_pool_attribute_set(pool, key, value);
}

/* Every attribute has its own type: value points at one of it. */
static CUresult pointer_attribute(void *value, CUpointer_attribute key, u64 address)
{
    struct cu_pointer p = cu_memory_describe(address);
    u64 wide = 0;
    u32 word = 0;
    size_t bytes = sizeof(wide);
    if (!p.type)
        return CUDA_ERROR_INVALID_VALUE;
    switch (key) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        wide = (u64)(uintptr_t)p.context;
        break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        word = p.type;
        bytes = sizeof(word);
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        wide = address;
        break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (p.type != CU_MEMORYTYPE_HOST && !p.is_managed)
            return CUDA_ERROR_INVALID_VALUE;
        wide = address;
        break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        wide = p.id;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        wide = p.start;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        wide = p.bytes;
        break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        wide = (u64)(uintptr_t)p.pool;
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED: {
        bool flag = key == CU_POINTER_ATTRIBUTE_MAPPED || p.is_managed;
        memcpy(value, &flag, sizeof(flag));
        return CUDA_SUCCESS;
    }
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        bytes = sizeof(word);
        break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: {
        bool no = false;
        memcpy(value, &no, sizeof(no));
        return CUDA_SUCCESS;
    }
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    memcpy(value, bytes == sizeof(wide) ? (const void *)&wide : &word, bytes);
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute key, CUdeviceptr address)
{
    CU_CALL(context)
    NEED(value);
    return pointer_attribute(value, key, address);
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *keys, void **values,
                                CUdeviceptr address)
{
    CU_CALL(context)
    NEED(count && keys && values);
    for (u32 i = 0; i < count; i++) {
        CUresult status = pointer_attribute(values[i], keys[i], address);
        /* An unknown pointer is no error here: its attributes are zero. */
        if (status == CUDA_ERROR_INVALID_VALUE)
            memset(values[i], 0,
                   keys[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED ||
                           keys[i] == CU_POINTER_ATTRIBUTE_MAPPED
                       ? sizeof(bool)
                       : sizeof(u32));
        else
            CU_TRY(status);
    }
    return CUDA_SUCCESS;
}

/* Copies wait anyway where this asks them to. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute key, CUdeviceptr address)
{
    CU_CALL(context)
    NEED(value && cu_memory_describe(address).type);
    return key == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
