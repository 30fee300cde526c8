#include "cuda/graph/capture.h"
#include "cuda/runtime/runtime.h"

#include <stdio.h>
#include <string.h>

#define PCI_BUS_ID "0000:01:00.0"
#define NEED_DEVICE(device)                                                                        \
    do {                                                                                           \
        if (!cu_device_exists(device))                                                             \
            return rt_result(cudaErrorInvalidDevice);                                              \
    } while (0)

/* Calls that ask about the device work before there is a context, and after a fault. */
#define RT_DEVICE_CALL                                                                             \
    CU_GUARD                                                                                       \
    RT_TRY(cu_init());

RT(cudaGetDeviceCount, int *count)
{
    RT_DEVICE_CALL
    RT_NEED(count);
    *count = 1;
    return cudaSuccess;
}

RT(cudaGetDevice, int *device)
{
    RT_NEED(device);
    *device = 0;
    return cudaSuccess;
}

RT(cudaSetDevice, int device)
{
    NEED_DEVICE(device);
    RT_CALL(context)
    return cudaSuccess;
}

RT(cudaInitDevice, int device, unsigned int device_flags, unsigned int flags)
{
    (void)device_flags, (void)flags;
    NEED_DEVICE(device);
    RT_CALL(context)
    return cudaSuccess;
}

RT(cudaSetValidDevices, int *devices, int count)
{
    for (int i = 0; i < count; i++)
        NEED_DEVICE(devices[i]);
    return cudaSuccess;
}

RT(cudaChooseDevice, int *device, const void *properties)
{
    RT_NEED(device && properties);
    *device = 0;
    return cudaSuccess;
}

RT(cudaDeviceGetAttribute, int *value, int key, int device)
{
    RT_DEVICE_CALL
    RT_NEED(value && key > 0 && key < CUDA_ATTRIBUTES);
    NEED_DEVICE(device);
    *value = core->props.attribute[key];
    return cudaSuccess;
}

RT(cudaSetDeviceFlags, unsigned int flags)
{
    RT_DEVICE_CALL
    RT_NEED(!(flags & ~(u32)CU_CTX_FLAGS_MASK));
    core->primary_flags = flags;
    if (core->primary)
        core->primary->flags = flags;
    return cudaSuccess;
}

RT(cudaGetDeviceFlags, unsigned int *flags)
{
    RT_CALL(context)
    RT_NEED(flags);
    *flags = context->flags | CU_CTX_MAP_HOST;
    return cudaSuccess;
}

static cudaError_t synchronize(void)
{
    RT_CALL(context)
    RT_TRY(cu_capture_forbid());
    CUresult status = cu_wait_all(context);
    cu_print_flush();
    return rt_result((int)status);
}

RT(cudaDeviceSynchronize, void)
{
    return synchronize();
}

RT(cudaThreadSynchronize, void)
{
    return synchronize();
}

static cudaError_t reset(void)
{
    CU_GUARD
    if (core->primary && !core->primary->sticky)
        cu_wait_all(core->primary);
    cu_context_reset_primary();
    return cudaSuccess;
}

RT(cudaDeviceReset, void)
{
    return reset();
}

RT(cudaThreadExit, void)
{
    return reset();
}

RT(cudaDeviceSetLimit, int limit, size_t value)
{
    RT_CALL(context)
    return rt_result((int)cu_limit_set(context, (u32)limit, value));
}

RT(cudaDeviceGetLimit, size_t *value, int limit)
{
    RT_CALL(context)
    RT_NEED(value);
    u64 number = 0;
    RT_TRY(cu_limit_get(context, (u32)limit, &number));
    *value = number;
    return cudaSuccess;
}

RT(cudaDeviceSetCacheConfig, int config)
{
    RT_CALL(context)
    context->cache_config = (CUfunc_cache)config;
    return cudaSuccess;
}

RT(cudaDeviceGetCacheConfig, int *config)
{
    RT_CALL(context)
    RT_NEED(config);
    *config = (int)context->cache_config;
    return cudaSuccess;
}

RT(cudaDeviceSetSharedMemConfig, int config)
{
    RT_CALL(context)
    context->shared_config = (CUsharedconfig)config;
    return cudaSuccess;
}

RT(cudaDeviceGetSharedMemConfig, int *config)
{
    RT_CALL(context)
    RT_NEED(config);
    *config = context->shared_config ? (int)context->shared_config
                                     : CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return cudaSuccess;
}

RT(cudaDeviceGetStreamPriorityRange, int *least, int *greatest)
{
    RT_CALL(context)
    if (least)
        *least = CU_PRIORITY_LEAST;
    if (greatest)
        *greatest = CU_PRIORITY_GREATEST;
    return cudaSuccess;
}

RT(cudaDeviceGetByPCIBusId, int *device, const char *bus_id)
{
    RT_NEED(device && bus_id);
    if (strcmp(bus_id, PCI_BUS_ID) != 0)
        return rt_result(cudaErrorInvalidDevice);
    *device = 0;
    return cudaSuccess;
}

RT(cudaDeviceGetPCIBusId, char *bus_id, int bytes, int device)
{
    RT_NEED(bus_id && bytes > (int)strlen(PCI_BUS_ID));
    NEED_DEVICE(device);
    snprintf(bus_id, (size_t)bytes, "%s", PCI_BUS_ID);
    return cudaSuccess;
}

/* One device, which is not its own peer. */
RT(cudaDeviceCanAccessPeer, int *can, int device, int peer)
{
    RT_NEED(can);
    NEED_DEVICE(device);
    NEED_DEVICE(peer);
    *can = 0;
    return cudaSuccess;
}

RT(cudaDeviceEnablePeerAccess, int peer, unsigned int flags)
{
    (void)flags;
    NEED_DEVICE(peer);
    return rt_result(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
}

RT(cudaDeviceDisablePeerAccess, int peer)
{
    NEED_DEVICE(peer);
    return rt_result(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

RT(cudaDeviceGetP2PAttribute, int *value, int key, int source, int target)
{
    (void)value, (void)key, (void)source, (void)target;
    return rt_result(cudaErrorInvalidDevice);
}

RT(cudaDriverGetVersion, int *version)
{
    RT_NEED(version);
    *version = CUDA_DRIVER_VERSION;
    return cudaSuccess;
}

RT(cudaCtxResetPersistingL2Cache, void)
{
    return cudaSuccess;
}

RT(cudaDeviceFlushGPUDirectRDMAWrites, int target, int scope)
{
    (void)target, (void)scope;
    return cudaSuccess;
}

RT(cudaProfilerStart, void)
{
    return cudaSuccess;
}

RT(cudaProfilerStop, void)
{
    return cudaSuccess;
}
