#include "cuda/libraries/library.h"

#include "base/console.h"

#include "cuda/core/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first library of the process that was used; a shared library has one of its own. */
static const struct library *used;

/* Beside what `heddle run` shows when the program has ended. */
__attribute__((destructor)) static void say_whose_kernels(void)
{
    const char *summary = getenv("HEDDLE_CUDA_SUMMARY"), *quiet = getenv("HEDDLE_QUIET");
    bool wanted = getenv("HEDDLE_CHIP") ? !(quiet && *quiet) : summary && strcmp(summary, "1") == 0;
    if (used && wanted)
        console_say("%s: heddle's own kernels; their timing differs from NVIDIA's", used->name);
}

bool library_enter(struct library *l)
{
    CUcontext current = NULL;
    if (cuInit(0) != CUDA_SUCCESS || cuCtxGetCurrent(&current) != CUDA_SUCCESS)
        return false;
    if (!current && (cuDevicePrimaryCtxRetain(&current, 0) != CUDA_SUCCESS ||
                     cuCtxSetCurrent(current) != CUDA_SUCCESS))
        return false;
    if (l->context == current && l->module)
        return true;
    used = l;
    l->context = current;
    return cuModuleLoadData(&l->module, l->ptx) == CUDA_SUCCESS;
}

CUfunction library_kernel(struct library *l, const char *name)
{
    CUfunction f = NULL;
    return library_enter(l) && cuModuleGetFunction(&f, l->module, name) == CUDA_SUCCESS ? f : NULL;
}

bool library_launch(struct library *l, const char *name, u32 blocks_x, u32 blocks_y, u32 blocks_z,
                    u32 threads, CUstream stream, void **params)
{
    CUfunction f = library_kernel(l, name);
    return f && cuLaunchKernel(f, blocks_x, blocks_y, blocks_z, threads, 1, 1, 0, stream, params,
                               NULL) == CUDA_SUCCESS;
}

void library_refuse(const char *call)
{
    CU_GUARD
    cu_say("%s is not supported", call);
}
