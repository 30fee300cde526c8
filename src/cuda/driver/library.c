/* Libraries and kernels: modules and functions under their newer names. */
#include "cuda/driver/driver.h"
#include "cuda/code/module.h"

static CUmodule module_of(CUlibrary library)
{
    return (CUmodule)(void *)library;
}

static CUfunction function_of(CUkernel kernel)
{
    return (CUfunction)(void *)kernel;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit_options,
                           void **jit_values, unsigned int jit_count, void *options, void **values,
                           unsigned int count)
{
    (void)options, (void)values, (void)count;
    CUmodule module;
    NEED(library);
    CU_TRY(cuModuleLoadDataEx(&module, code, jit_count, jit_options, jit_values));
    *library = (CUlibrary)(void *)module;
    return CUDA_SUCCESS;
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options,
                               void **jit_values, unsigned int jit_count, void *options,
                               void **values, unsigned int count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    CUmodule module;
    NEED(library);
    CU_TRY(cuModuleLoad(&module, path));
    *library = (CUlibrary)(void *)module;
    return CUDA_SUCCESS;
}

CUresult cuLibraryUnload(CUlibrary library)
{
    return cuModuleUnload(module_of(library));
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    CUfunction function;
    NEED(kernel);
    CU_TRY(cuModuleGetFunction(&function, module_of(library), name));
    *kernel = (CUkernel)(void *)function;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library)
{
    return cuModuleGetFunctionCount(count, module_of(library));
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int count, CUlibrary library)
{
    return cuModuleEnumerateFunctions((CUfunction *)(void *)kernels, count, module_of(library));
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    CU_CALL(context)
    NEED(module);
    NEED_HANDLE((void *)library, CU_KIND_MODULE);
    *module = module_of(library);
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                            const char *name)
{
    return cuModuleGetGlobal(address, bytes, module_of(library), name);
}

CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                             const char *name)
{
    return cuModuleGetGlobal(address, bytes, module_of(library), name);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    CU_CALL(context)
    NEED(function);
    NEED_HANDLE((void *)kernel, CU_KIND_FUNCTION);
    *function = function_of(kernel);
    return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    CUmodule module;
    NEED(library);
    CU_TRY(cuFuncGetModule(&module, function_of(kernel)));
    *library = (CUlibrary)(void *)module;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
    return cuFuncGetName(name, function_of(kernel));
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes)
{
    return cuFuncGetParamInfo(function_of(kernel), index, offset, bytes);
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute key, CUkernel kernel, CUdevice d)
{
    (void)d;
    return cuFuncGetAttribute(value, key, function_of(kernel));
}

CUresult cuKernelSetAttribute(CUfunction_attribute key, int value, CUkernel kernel, CUdevice d)
{
    (void)d;
    return cuFuncSetAttribute(function_of(kernel), key, value);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
    (void)device;
    return cuFuncSetCacheConfig(function_of(kernel), config);
}
