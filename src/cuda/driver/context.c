#include "cuda/graph/capture.h"
#include "cuda/driver/driver.h"
#include "cuda/core/stream.h"

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    CU_GUARD
    NEED(context);
    NEED_DEVICE(device);
    return cu_context_retain_primary(context);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    CU_GUARD
    NEED_DEVICE(device);
    return cu_context_release_primary();
}
PLAIN(cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease");

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    CU_GUARD
    NEED_DEVICE(device);
    cu_context_reset_primary();
    return CUDA_SUCCESS;
}
PLAIN(cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset");

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
    CU_GUARD
    NEED_DEVICE(device);
    NEED(!(flags & ~(u32)CU_CTX_FLAGS_MASK));
    core->primary_flags = flags;
    if (core->primary)
        core->primary->flags = flags;
    return CUDA_SUCCESS;
}
PLAIN(cuDevicePrimaryCtxSetFlags_v2, "cuDevicePrimaryCtxSetFlags");

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    CU_GUARD
    NEED_DEVICE(device);
    if (flags)
        *flags = core->primary_flags;
    if (active)
        *active = core->primary && core->primary->references;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device)
{
    CU_GUARD
    NEED(context && !(flags & ~(u32)CU_CTX_FLAGS_MASK));
    NEED_DEVICE(device);
    CU_TRY(cu_context_create(context, flags));
    cu_context_push(*context);
    return CUDA_SUCCESS;
}
PLAIN(cuCtxCreate_v2, "cuCtxCreate");

CUresult cuCtxCreate_v3(CUcontext *context, void *affinity, int affinity_count, unsigned int flags,
                        CUdevice device)
{
    if (affinity && affinity_count)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return cuCtxCreate(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned int flags,
                        CUdevice device)
{
    if (params && params->cigParams)
        return CUDA_ERROR_NOT_SUPPORTED;
    return cuCtxCreate_v3(context, params ? params->execAffinityParams : NULL,
                          params ? params->numExecAffinityParams : 0, flags, device);
}

CUresult cuCtxDestroy(CUcontext context)
{
    CU_GUARD
    if (!cu_object_is(context, CU_KIND_CONTEXT) || context->is_primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->sticky)
        cu_wait_all(context);
    cu_context_destroy(context);
    return CUDA_SUCCESS;
}
PLAIN(cuCtxDestroy_v2, "cuCtxDestroy");

CUresult cuCtxPushCurrent(CUcontext context)
{
    CU_GUARD
    if (!cu_object_is(context, CU_KIND_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    cu_context_push(context);
    return CUDA_SUCCESS;
}
PLAIN(cuCtxPushCurrent_v2, "cuCtxPushCurrent");

CUresult cuCtxPopCurrent(CUcontext *context)
{
    CU_GUARD
    return cu_context_pop(context);
}
PLAIN(cuCtxPopCurrent_v2, "cuCtxPopCurrent");

CUresult cuCtxSetCurrent(CUcontext context)
{
    CU_GUARD
    CU_TRY(cu_init_check());
    if (context && !cu_object_is(context, CU_KIND_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    cu_context_set(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    CU_GUARD
    NEED(context);
    CU_TRY(cu_init_check());
    *context = cu_context_get();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    CU_GUARD
    NEED(device);
    if (!cu_context_get())
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = 0;
    return CUDA_SUCCESS;
}

/* The functions ending in _v2 have a context, which need not be current. Programs that take the
 * newest name of each function (Numba does) call them as the old ones, without it: what is no
 * context then stands for the current one. */
static bool is_context(CUcontext context)
{
    return context && cu_object_is(context, CU_KIND_CONTEXT);
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
    CU_GUARD
    NEED(device);
    if (!is_context(context))
        return cuCtxGetDevice(device);
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetExecAffinity(void *affinity, int type)
{
    CU_CALL(context)
    (void)type;
    NEED(affinity);
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    CU_CALL(context)
    NEED(flags);
    *flags = context->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
    CU_CALL(context)
    context->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    CU_CALL(current)
    if (context && !cu_object_is(context, CU_KIND_CONTEXT))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    *id = context ? context->id : current->id;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    CU_CALL(current)
    NEED(version);
    if (context && !cu_object_is(context, CU_KIND_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    *version = (context ? context : current)->api_version;
    return CUDA_SUCCESS;
}

CUresult cuCtxAttach(CUcontext *context, unsigned int flags)
{
    CU_CALL(current)
    NEED(context && !flags);
    *context = current;
    return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext context)
{
    return cuCtxDestroy(context);
}

static CUresult context_wait(CUcontext context)
{
    CU_TRY(cu_capture_forbid());
    CUresult status = cu_wait_all(context);
    cu_print_flush();
    return status;
}

CUresult cuCtxSynchronize(void)
{
    CU_CALL(context)
    return context_wait(context);
}

CUresult cuCtxSynchronize_v2(CUcontext context)
{
    CU_CALL(current)
    return context_wait(is_context(context) ? context : current);
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    CU_CALL(context)
    return cu_limit_set(context, limit, value);
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    CU_CALL(context)
    NEED(value);
    u64 number = 0;
    CU_TRY(cu_limit_get(context, limit, &number));
    *value = number;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    CU_CALL(context)
    NEED(config);
    *config = context->cache_config;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    CU_CALL(context)
    NEED(config <= CU_FUNC_CACHE_PREFER_EQUAL);
    context->cache_config = config;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    CU_CALL(context)
    NEED(config);
    *config =
        context->shared_config ? context->shared_config : CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    CU_CALL(context)
    NEED(config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
    context->shared_config = config;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    CU_CALL(context)
    if (least)
        *least = CU_PRIORITY_LEAST;
    if (greatest)
        *greatest = CU_PRIORITY_GREATEST;
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    CU_CALL(context)
    NEED(!flags);
    if (!cu_object_is(peer, CU_KIND_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    CU_CALL(context)
    if (!cu_object_is(peer, CU_KIND_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    CU_CALL(context)
    return CUDA_SUCCESS;
}
