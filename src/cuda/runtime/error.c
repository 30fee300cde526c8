#include "cuda/core/error_names.h"
#include "cuda/core/failures.h"
#include "cuda/runtime/runtime.h"

static _Thread_local cudaError_t last_error;

cudaError_t rt_result(int status)
{
    if (status)
        last_error = status;
    return status;
}

CUresult rt_context(CUcontext *out)
{
    CUresult status = cu_init();
    if (status != CUDA_SUCCESS)
        return status;
    if (!cu_context_get()) {
        status = cu_context_retain_primary(out);
        if (status != CUDA_SUCCESS)
            return status;
        cu_context_push(*out);
    }
    return cu_context_current(out);
}

RT(cudaPeekAtLastError, void)
{
    if (last_error)
        cu_failures_noticed();
    return last_error;
}

RT(cudaGetLastError, void)
{
    cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

RT_TYPED(const char *, cudaGetErrorName, cudaError_t error)
{
    const char *name = cu_error_runtime_name(error);
    return name ? name : "unrecognized error code";
}

RT_TYPED(const char *, cudaGetErrorString, cudaError_t error)
{
    return cu_error_runtime_name(error) ? cu_error_text(error) : "unrecognized error code";
}
