/* Libraries loaded by the program itself, and small calls of other families. */
#include "base/arena.h"
#include "cuda/graph/capture.h"
#include "cuda/code/module.h"
#include "cuda/runtime/runtime.h"
#include "cuda/core/texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cudaError_t library_load(CUmodule *library, const void *code)
{
    RT_CALL(context)
    RT_NEED(library && code);
    struct err err = ERR_INIT;
    CUresult status = cu_module_load(context, code, library, &err);
    if (status != CUDA_SUCCESS)
        cu_complain(&err);
    return rt_result((int)status);
}

RT(cudaLibraryLoadData, CUmodule *library, const void *code, int *jit_options, void **jit_values,
   unsigned int jit_count, int *options, void **values, unsigned int count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return library_load(library, code);
}

RT(cudaLibraryLoadFromFile, CUmodule *library, const char *path, int *jit_options,
   void **jit_values, unsigned int jit_count, int *options, void **values, unsigned int count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    RT_NEED(path);
    FILE *f = fopen(path, "rbe");
    if (!f)
        return rt_result(CUDA_ERROR_FILE_NOT_FOUND);
    struct text code = {0};
    char part[65536];
    for (size_t got; (got = fread(part, 1, sizeof(part), f)) > 0;)
        text_append(&code, part, got);
    text_append(&code, "\0\0\0\0", 4);
    fclose(f);
    cudaError_t status = library_load(library, code.data);
    text_fini(&code);
    return status;
}

RT(cudaLibraryUnload, CUmodule library)
{
    RT_CALL(context)
    RT_NEED_HANDLE(library, CU_KIND_MODULE);
    cu_module_unload(library);
    return cudaSuccess;
}

RT(cudaLibraryGetKernel, CUfunction *kernel, CUmodule library, const char *name)
{
    RT_CALL(context)
    RT_NEED(kernel && name);
    RT_NEED_HANDLE(library, CU_KIND_MODULE);
    *kernel = cu_module_find(library, name);
    return rt_result(*kernel ? 0 : CUDA_ERROR_NOT_FOUND);
}

RT(cudaLibraryGetKernelCount, unsigned int *count, CUmodule library)
{
    RT_CALL(context)
    RT_NEED(count);
    RT_NEED_HANDLE(library, CU_KIND_MODULE);
    *count = library->function_count;
    return cudaSuccess;
}

RT(cudaLibraryEnumerateKernels, CUfunction *kernels, unsigned int count, CUmodule library)
{
    RT_CALL(context)
    RT_NEED(kernels);
    RT_NEED_HANDLE(library, CU_KIND_MODULE);
    for (u32 i = 0; i < count && i < library->function_count; i++)
        kernels[i] = library->functions[i];
    return cudaSuccess;
}

static cudaError_t library_variable(void **address, size_t *bytes, CUmodule library,
                                    const char *name, bool managed)
{
    RT_CALL(context)
    RT_NEED(name);
    RT_NEED_HANDLE(library, CU_KIND_MODULE);
    const struct program_variable *v = cu_module_variable(library, name);
    if (!v || (managed && !v->is_managed))
        return rt_result(CUDA_ERROR_NOT_FOUND);
    if (address)
        *address = (void *)(uintptr_t)v->address;
    if (bytes)
        *bytes = v->bytes;
    return cudaSuccess;
}

RT(cudaLibraryGetGlobal, void **address, size_t *bytes, CUmodule library, const char *name)
{
    return library_variable(address, bytes, library, name, false);
}

RT(cudaLibraryGetManaged, void **address, size_t *bytes, CUmodule library, const char *name)
{
    return library_variable(address, bytes, library, name, true);
}

/* ---- old names ---- */

RT(cudaThreadSetLimit, int limit, size_t value)
{
    RT_CALL(context)
    return rt_result((int)cu_limit_set(context, (u32)limit, value));
}

RT(cudaThreadGetLimit, size_t *value, int limit)
{
    RT_CALL(context)
    RT_NEED(value);
    u64 number = 0;
    RT_TRY(cu_limit_get(context, (u32)limit, &number));
    *value = number;
    return cudaSuccess;
}

RT(cudaThreadSetCacheConfig, int config)
{
    RT_CALL(context)
    context->cache_config = (CUfunc_cache)config;
    return cudaSuccess;
}

RT(cudaThreadGetCacheConfig, int *config)
{
    RT_CALL(context)
    RT_NEED(config);
    *config = (int)context->cache_config;
    return cudaSuccess;
}

RT(cudaProfilerInitialize, const char *config, const char *output, int mode)
{
    (void)config, (void)output, (void)mode;
    return cudaSuccess;
}

/* ---- what a texture object was made with ---- */

static cudaError_t sampler_get(struct cudaTextureDesc *out, u64 object)
{
    RT_CALL(context)
    const struct cu_texture *t = cu_texture_find(object);
    RT_NEED(out && t);
    const CUDA_TEXTURE_DESC *s = &t->sampler;
    struct cudaTextureDesc d = {
        .addressMode = {(int)s->addressMode[0], (int)s->addressMode[1], (int)s->addressMode[2]},
        .filterMode = (int)s->filterMode,
        .readMode = !(s->flags & CU_TRSF_READ_AS_INTEGER),
        .sRGB = (s->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (s->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = s->maxAnisotropy,
        .mipmapFilterMode = (int)s->mipmapFilterMode,
        .mipmapLevelBias = s->mipmapLevelBias,
        .minMipmapLevelClamp = s->minMipmapLevelClamp,
        .maxMipmapLevelClamp = s->maxMipmapLevelClamp,
    };
    memcpy(d.borderColor, s->borderColor, sizeof(d.borderColor));
    memcpy(out, &d, rt_major >= 12 ? sizeof(d) : offsetof(struct cudaTextureDesc, seamlessCubemap));
    return cudaSuccess;
}

RT(cudaGetTextureObjectTextureDesc, struct cudaTextureDesc *out, u64 object)
{
    return sampler_get(out, object);
}

RT(cudaDeviceGetTexture1DLinearMaxWidth, size_t *width, const void *format, int device)
{
    CU_GUARD
    RT_TRY(cu_init());
    (void)format;
    RT_NEED(width);
    if (device != 0)
        return rt_result(cudaErrorInvalidDevice);
    *width = (size_t)core->props.attribute[CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH];
    return cudaSuccess;
}
