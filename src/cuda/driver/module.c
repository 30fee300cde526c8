#include "cuda/code/module.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/file.h"
#include "cuda/code/jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUresult image_load(CUmodule *module, const void *image, unsigned int count,
                           const CUjit_option *options, void **values)
{
    CU_CALL(context)
    NEED(module && image);
    struct err err = ERR_INIT;
    struct cu_jit jit = {.options = options, .values = values, .count = count};
    cu_jit_begin(&jit);
    CUresult status = cu_module_load(context, image, module, &err);
    if (status != CUDA_SUCCESS)
        cu_jit_failed(&jit, &err);
    else
        cu_jit_done(&jit, *module);
    return status;
}

char *driver_file_read(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rbe");
    if (!f)
        return NULL;
    char *data = NULL;
    *bytes = 0;
    for (;;) {
        data = xrealloc(data, *bytes + 65536 + 1);
        size_t got = fread(data + *bytes, 1, 65536, f);
        *bytes += got;
        if (!got)
            break;
    }
    memset(data + *bytes, 0, *bytes ? 1 : 8); /* an empty file is an empty text */
    fclose(f);
    return data;
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    size_t bytes;
    NEED(module && path);
    char *image = driver_file_read(path, &bytes);
    if (!image)
        return CUDA_ERROR_FILE_NOT_FOUND;
    CUresult status = image_load(module, image, 0, NULL, NULL);
    free(image);
    return status;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return image_load(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count,
                            CUjit_option *options, void **values)
{
    NEED(!count || (options && values));
    return image_load(module, image, count, options, values);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fat_binary)
{
    return image_load(module, fat_binary, 0, NULL, NULL);
}

CUresult cuModuleUnload(CUmodule module)
{
    CU_CALL(context)
    NEED_HANDLE(module, CU_KIND_MODULE);
    cu_module_unload(module);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    NEED(mode);
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    CU_CALL(context)
    NEED(function && name);
    NEED_HANDLE(module, CU_KIND_MODULE);
    *function = cu_module_find(module, name);
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
    CU_CALL(context)
    NEED(count);
    NEED_HANDLE(module, CU_KIND_MODULE);
    *count = module->function_count;
    return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule module)
{
    CU_CALL(context)
    NEED(functions);
    NEED_HANDLE(module, CU_KIND_MODULE);
    for (u32 i = 0; i < count && i < module->function_count; i++)
        functions[i] = module->functions[i];
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    CU_CALL(context)
    NEED(name);
    NEED_HANDLE(module, CU_KIND_MODULE);
    const struct program_variable *v = cu_module_variable(module, name);
    if (!v)
        return CUDA_ERROR_NOT_FOUND;
    if (address)
        *address = v->address;
    if (bytes)
        *bytes = v->bytes;
    return CUDA_SUCCESS;
}
PLAIN(cuModuleGetGlobal_v2, "cuModuleGetGlobal");

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute key, CUfunction function)
{
    CU_CALL(context)
    NEED(value);
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    return cu_function_get(function, key, value);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute key, int value)
{
    CU_CALL(context)
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    return cu_function_set(function, key, value);
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    CU_CALL(context)
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    function->cache_config = config;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
    CU_CALL(context)
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    function->shared_config = config;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    CU_CALL(context)
    NEED(module);
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    *module = function->module;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    CU_CALL(context)
    NEED(name);
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    *name = cu_function_info(function)->name;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
    CU_CALL(context)
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    const struct kernel_info *info = cu_function_info(function);
    NEED(offset && index < info->param_count);
    *offset = info->params[index].offset;
    if (bytes)
        *bytes = info->params[index].bytes;
    return CUDA_SUCCESS;
}

CUresult cuFuncIsLoaded(int *state, CUfunction function)
{
    CU_CALL(context)
    NEED(state);
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    *state = 1;
    return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function)
{
    CU_CALL(context)
    NEED_HANDLE(function, CU_KIND_FUNCTION);
    return CUDA_SUCCESS;
}
