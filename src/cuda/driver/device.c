#include "cuda/driver/driver.h"
#include "cuda/core/memory.h"

#include <stdio.h>
#include <string.h>

#define PCI_BUS_ID "0000:01:00.0"

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    CU_GUARD
    NEED(device);
    NEED_DEVICE(ordinal);
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    CU_GUARD
    NEED(count);
    CU_TRY(cu_init_check());
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice device)
{
    CU_GUARD
    NEED(name && bytes > 0);
    NEED_DEVICE(device);
    snprintf(name, (size_t)bytes, "%s", core->props.name);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    CU_GUARD
    NEED(uuid);
    NEED_DEVICE(device);
    memcpy(uuid->bytes, core->props.uuid, sizeof(uuid->bytes));
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    return cuDeviceGetUuid(uuid, device);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    CU_GUARD
    NEED(bytes);
    NEED_DEVICE(device);
    *bytes = core->props.memory_bytes;
    return CUDA_SUCCESS;
}
PLAIN(cuDeviceTotalMem_v2, "cuDeviceTotalMem");

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute key, CUdevice device)
{
    CU_GUARD
    NEED(value && key > 0 && (u32)key < CUDA_ATTRIBUTES);
    NEED_DEVICE(device);
    *value = core->props.attribute[key];
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device)
{
    CU_GUARD
    NEED(properties);
    NEED_DEVICE(device);
    const int *a = core->props.attribute;
    *properties = (CUdevprop){
        .maxThreadsPerBlock = a[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK],
        .maxThreadsDim = {a[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X],
                          a[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y],
                          a[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z]},
        .maxGridSize = {a[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X],
                        a[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y],
                        a[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z]},
        .sharedMemPerBlock = a[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK],
        .totalConstantMemory = a[CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY],
        .SIMDWidth = a[CU_DEVICE_ATTRIBUTE_WARP_SIZE],
        .memPitch = a[CU_DEVICE_ATTRIBUTE_MAX_PITCH],
        .regsPerBlock = a[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK],
        .clockRate = a[CU_DEVICE_ATTRIBUTE_CLOCK_RATE],
        .textureAlign = a[CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT],
    };
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    CU_GUARD
    NEED(major && minor);
    NEED_DEVICE(device);
    *major = core->props.attribute[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR];
    *minor = core->props.attribute[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR];
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *bus_id)
{
    CU_GUARD
    NEED(device && bus_id);
    CU_TRY(cu_init_check());
    if (strcmp(bus_id, PCI_BUS_ID) != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *bus_id, int bytes, CUdevice device)
{
    CU_GUARD
    NEED(bus_id && bytes > (int)strlen(PCI_BUS_ID));
    NEED_DEVICE(device);
    snprintf(bus_id, (size_t)bytes, "%s", PCI_BUS_ID);
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    CU_GUARD
    NEED(can);
    NEED_DEVICE(device);
    NEED_DEVICE(peer);
    *can = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute key, CUdevice source,
                                 CUdevice target)
{
    CU_GUARD(void) key;
    NEED(value);
    NEED_DEVICE(source);
    NEED_DEVICE(target);
    return CUDA_ERROR_INVALID_DEVICE; /* a device is not its own peer */
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    CU_GUARD
    NEED(pool);
    NEED_DEVICE(device);
    *pool = cu_pool_default();
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    CU_GUARD
    NEED(pool);
    NEED_DEVICE(device);
    *pool = core->pool ? core->pool : cu_pool_default();
    return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    CU_GUARD
    NEED_DEVICE(device);
    NEED(cu_object_is(pool, CU_KIND_POOL));
    core->pool = pool;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format,
                                            unsigned int channels, CUdevice device)
{
    CU_GUARD(void) format, (void)channels;
    NEED(width);
    NEED_DEVICE(device);
    *width = (size_t)core->props.attribute[CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH];
    return CUDA_SUCCESS;
}
