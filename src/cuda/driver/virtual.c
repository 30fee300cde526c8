/* Virtual memory management, and what CUDA 13 asks of memory pools by place. */
#include "cuda/core/virtual.h"
#include "cuda/driver/driver.h"
#include "cuda/core/memory.h"

#include <unistd.h>

#define HANDLE_TYPE_FILE 1

static struct cu_physical *physical_of(CUmemGenericAllocationHandle handle)
{
    return (struct cu_physical *)(uintptr_t)handle;
}

static CUmemGenericAllocationHandle handle_of(const struct cu_physical *p)
{
    return (CUmemGenericAllocationHandle)(uintptr_t)p;
}

#define NEED_PHYSICAL(handle) NEED(cu_object_is(physical_of(handle), CU_KIND_PHYSICAL))

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop, int option)
{
    CU_GUARD
    CU_TRY(cu_init_check());
    NEED(bytes && prop && prop->type == 1 && option >= 0 && option <= 1);
    *bytes = MEMORY_UNIT_BYTES;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment,
                             CUdeviceptr wanted, unsigned long long flags)
{
    CU_GUARD
    CU_TRY(cu_init_check());
    NEED(address && bytes && bytes % MEMORY_UNIT_BYTES == 0 && !flags);
    NEED((alignment & (alignment - 1)) == 0);
    *address = memory_reserve(core->memory, bytes, alignment, wanted);
    return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    CU_GUARD
    CU_TRY(cu_init_check());
    NEED(memory_is_reserved(core->memory, address, bytes));
    for (const struct cu_mapping *m = core->mappings; m; m = m->next)
        NEED(m->start + m->bytes <= address || m->start >= address + bytes);
    return memory_unreserve(core->memory, address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *prop, unsigned long long flags)
{
    CU_GUARD
    CU_TRY(cu_init_check());
    NEED(handle && prop && !flags);
    struct cu_physical *p = NULL;
    CU_TRY(cu_physical_create(bytes, prop, &p));
    *handle = handle_of(p);
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    CU_GUARD
    NEED_PHYSICAL(handle);
    NEED(physical_of(handle)->handles);
    cu_physical_release(physical_of(handle));
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    CU_GUARD
    NEED(!offset && !flags);
    NEED_PHYSICAL(handle);
    return cu_mapping_add(address, bytes, physical_of(handle));
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    CU_GUARD
    CU_TRY(cu_init_check());
    return cu_mapping_remove(address, bytes);
}

/* Read access alone is given as read and write: kernels that keep to it see no difference. */
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *accesses,
                        size_t count)
{
    CU_GUARD
    CU_TRY(cu_init_check());
    NEED(accesses && count);
    for (size_t i = 0; i < count; i++) {
        NEED(accesses[i].flags == 0 || accesses[i].flags == 1 || accesses[i].flags == 3);
        if (accesses[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE && accesses[i].location.id)
            return CUDA_ERROR_INVALID_DEVICE;
        CU_TRY(cu_mapping_allow(cu_context_get(), address, bytes, accesses[i].flags));
    }
    return CUDA_SUCCESS;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                        CUdeviceptr address)
{
    CU_GUARD
    NEED(flags && location && cu_mapping_find(address));
    *flags = (unsigned long long)cu_mapping_find(address)->access;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                CUmemGenericAllocationHandle handle)
{
    CU_GUARD
    NEED(prop);
    NEED_PHYSICAL(handle);
    *prop = physical_of(handle)->prop;
    return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
    CU_GUARD
    struct cu_mapping *m = cu_mapping_find((u64)(uintptr_t)address);
    NEED(handle && m);
    m->physical->handles++;
    *handle = handle_of(m->physical);
    return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void *shared, CUmemGenericAllocationHandle handle, int type,
                                      unsigned long long flags)
{
    CU_GUARD
    NEED(shared && !flags);
    NEED_PHYSICAL(handle);
    if (type != HANDLE_TYPE_FILE)
        return CUDA_ERROR_NOT_SUPPORTED;
    NEED(physical_of(handle)->prop.requestedHandleTypes & HANDLE_TYPE_FILE);
    int file = dup(physical_of(handle)->file);
    *(int *)shared = file;
    return file < 0 ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shared,
                                        int type)
{
    CU_GUARD
    CU_TRY(cu_init_check());
    NEED(handle);
    if (type != HANDLE_TYPE_FILE)
        return CUDA_ERROR_NOT_SUPPORTED;
    struct cu_physical *p = NULL;
    CU_TRY(cu_physical_import((int)(intptr_t)shared, &p));
    *handle = handle_of(p);
    return CUDA_SUCCESS;
}

/* ---- pools ---- */

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *accesses, size_t count)
{
    CU_GUARD
    NEED(cu_object_is(pool, CU_KIND_POOL) && (!count || accesses));
    for (size_t i = 0; i < count; i++) {
        if (accesses[i].location.id != 0)
            return CUDA_ERROR_INVALID_DEVICE;
        NEED(accesses[i].flags == 3); /* its own device cannot lose access */
    }
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(int *flags, CUmemoryPool pool, CUmemLocation *location)
{
    CU_GUARD
    NEED(flags && location && cu_object_is(pool, CU_KIND_POOL));
    *flags = location->type == CU_MEM_LOCATION_TYPE_DEVICE && location->id == 0 ? 3 : 0;
    return CUDA_SUCCESS;
}

static CUresult location_check(const CUmemLocation *location, int type)
{
    NEED(location && type == 1);
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE && location->id == 0)
        return CUDA_SUCCESS;
    return CUDA_ERROR_NOT_SUPPORTED; /* pools of the host */
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, int type)
{
    CU_GUARD
    CU_TRY(cu_init_check());
    NEED(pool);
    CU_TRY(location_check(location, type));
    *pool = cu_pool_default();
    return CUDA_SUCCESS;
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, int type)
{
    CU_GUARD
    CU_TRY(cu_init_check());
    NEED(pool);
    CU_TRY(location_check(location, type));
    *pool = core->pool ? core->pool : cu_pool_default();
    return CUDA_SUCCESS;
}

CUresult cuMemSetMemPool(CUmemLocation *location, int type, CUmemoryPool pool)
{
    CU_GUARD
    CU_TRY(cu_init_check());
    NEED(cu_object_is(pool, CU_KIND_POOL));
    CU_TRY(location_check(location, type));
    core->pool = pool;
    return CUDA_SUCCESS;
}
