/*
 * Launches as they were before CUDA 4: a function keeps its block shape, dynamic shared memory and
 * arguments, and cuLaunchGrid starts it with them. CUDA still exports these calls, and PyCUDA uses
 * them.
 */
#include "cuda/code/module.h"
#include "cuda/core/failures.h"
#include "cuda/core/launch.h"
#include "cuda/core/stream.h"
#include "cuda/driver/driver.h"

#include <string.h>

#define MOST_PARAM_BYTES 4096u /* what kernels could take then */

struct legacy_launch {
    u32 block[3], shared_bytes, param_bytes;
    u8 params[MOST_PARAM_BYTES];
};

static struct legacy_launch *state_of(CUfunction function)
{
    if (!function->legacy) {
        function->legacy = ARENA_NEW(&function->module->arena, struct legacy_launch);
        for (u32 i = 0; i < 3; i++)
            function->legacy->block[i] = 1;
    }
    return function->legacy;
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    CU_CALL(context)
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    NEED(x > 0 && y > 0 && z > 0);
    u32 block[3] = {(u32)x, (u32)y, (u32)z};
    memcpy(state_of(function)->block, block, sizeof block);
    return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned int bytes)
{
    CU_CALL(context)
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    state_of(function)->shared_bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult cuParamSetSize(CUfunction function, unsigned int bytes)
{
    CU_CALL(context)
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    NEED(bytes <= MOST_PARAM_BYTES);
    state_of(function)->param_bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned int bytes)
{
    CU_CALL(context)
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    NEED(offset >= 0 && (value || !bytes) && bytes <= MOST_PARAM_BYTES &&
         (u32)offset <= MOST_PARAM_BYTES - bytes);
    if (bytes)
        memcpy(state_of(function)->params + offset, value, bytes);
    return CUDA_SUCCESS;
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned int value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction function, int offset, float value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

static CUresult submit(CUfunction function, int width, int height, CUstream handle)
{
    CU_STREAM_CALL(context, handle, stream);
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    NEED(width > 0 && height > 0);
    struct legacy_launch *s = state_of(function);
    size_t bytes = s->param_bytes;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, s->params, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    struct cu_launch l = {.function = function,
                          .grid = {(u32)width, (u32)height, 1},
                          .block = {s->block[0], s->block[1], s->block[2]},
                          .shared_bytes = s->shared_bytes,
                          .extra = extra};
    return cu_launch(&l, stream);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
    u64 said = cu_failures_said();
    return cu_failure_of_launch(submit(function, width, height, stream), said);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
    return cuLaunchGridAsync(function, width, height, NULL);
}

CUresult cuLaunch(CUfunction function)
{
    return cuLaunchGrid(function, 1, 1);
}
