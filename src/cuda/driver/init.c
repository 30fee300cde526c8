#include "cuda/driver/driver.h"

#include "cuda/core/failures.h"
#include "cuda/core/error_names.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

/* Results have no other reader in the driver's API: a program that asks what one means has noticed.
 */
static void note_reading(CUresult error)
{
    if (error != CUDA_SUCCESS)
        cu_failures_noticed();
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    NEED(name);
    note_reading(error);
    *name = cu_error_driver_name((int)error);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    NEED(text);
    note_reading(error);
    *text = cu_error_driver_name((int)error) ? cu_error_text((int)error) : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuInit(unsigned int flags)
{
    CU_GUARD
    NEED(flags == 0);
    return cu_init();
}

CUresult cuDriverGetVersion(int *version)
{
    NEED(version);
    *version = CUDA_DRIVER_VERSION;
    return CUDA_SUCCESS;
}

/* Calls that changed: the newest symbol a program of that CUDA version expects. By name, newest
 * first. */
static const struct {
    const char *name, *symbol;
    int version;
} versions[] = {
    {"cuCtxCreate", "cuCtxCreate_v4", 13000},
    {"cuCtxCreate", "cuCtxCreate_v2", 3020},
    {"cuCtxGetDevice", "cuCtxGetDevice_v2", 13000},
    {"cuCtxSynchronize", "cuCtxSynchronize_v2", 13000},
    {"cuDeviceGetUuid", "cuDeviceGetUuid_v2", 11040},
    {"cuEventElapsedTime", "cuEventElapsedTime_v2", 12080},
    {"cuGetProcAddress", "cuGetProcAddress_v2", 12000},
    {"cuGraphAddDependencies", "cuGraphAddDependencies_v2", 13000},
    {"cuGraphAddNode", "cuGraphAddNode_v2", 12030},
    {"cuGraphAddKernelNode", "cuGraphAddKernelNode_v2", 12000},
    {"cuGraphExecKernelNodeSetParams", "cuGraphExecKernelNodeSetParams_v2", 12000},
    {"cuGraphExecUpdate", "cuGraphExecUpdate_v2", 12000},
    {"cuGraphGetEdges", "cuGraphGetEdges_v2", 13000},
    {"cuGraphInstantiate", "cuGraphInstantiateWithFlags", 12000},
    {"cuGraphKernelNodeGetParams", "cuGraphKernelNodeGetParams_v2", 12000},
    {"cuGraphKernelNodeSetParams", "cuGraphKernelNodeSetParams_v2", 12000},
    {"cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies_v2", 13000},
    {"cuGraphNodeGetDependentNodes", "cuGraphNodeGetDependentNodes_v2", 13000},
    {"cuGraphRemoveDependencies", "cuGraphRemoveDependencies_v2", 13000},
    {"cuMemAdvise", "cuMemAdvise_v2", 13000},
    {"cuMemcpyBatchAsync", "cuMemcpyBatchAsync_v2", 13000},
    {"cuMemPrefetchAsync", "cuMemPrefetchAsync_v2", 13000},
    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3", 13000},
    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", 11030},
    {"cuStreamGetCtx", "cuStreamGetCtx_v2", 12050},
    {"cuStreamUpdateCaptureDependencies", "cuStreamUpdateCaptureDependencies_v2", 12030},
};

static void *symbol_find(const char *name, const char *version, const char *suffix)
{
    static void *self;
    Dl_info where;
    if (!self && dladdr((void *)(uintptr_t)&versions, &where))
        self = dlopen(where.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    char symbol[256];
    snprintf(symbol, sizeof(symbol), "%s%s%s", name, version, suffix);
    return self ? dlsym(self, symbol) : NULL;
}

static void *symbol_best(const char *name, const char *suffix, int version)
{
    for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
        if (!strcmp(versions[i].name, name) && versions[i].version <= version)
            return symbol_find(versions[i].symbol, "", suffix);
    }
    for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
        if (!strcmp(versions[i].name, name))
            return symbol_find(name, "", suffix); /* older than all its successors */
    }
    void *found = symbol_find(name, "_v2", suffix);
    return found ? found : symbol_find(name, "", suffix);
}

CUresult cuGetProcAddress_v2(const char *symbol, void **fn, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *result)
{
    NEED(symbol && fn);
    *fn = NULL;
    if (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) {
        *fn = symbol_best(symbol, "_ptsz", version);
        if (!*fn)
            *fn = symbol_best(symbol, "_ptds", version);
    }
    if (!*fn)
        *fn = symbol_best(symbol, "", version);
    if (result)
        *result = *fn ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *fn || result ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **fn, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(symbol, fn, version, flags, NULL);
}

/* NVIDIA's libraries that come with a copy of the runtime inside; the last that fits counts. */
static const struct {
    const char *file, *name;
} carriers[] = {
    {"libcublas", "cuBLAS"},     {"libcublasLt", "cuBLASLt"},
    {"libcudnn", "cuDNN"},       {"libcufft", "cuFFT"},
    {"libcurand", "cuRAND"},     {"libcusolver", "cuSOLVER"},
    {"libcusparse", "cuSPARSE"}, {"libcutensor", "cuTENSOR"},
    {"libnccl", "NCCL"},         {"libnpp", "NPP"},
    {"libnvjpeg", "nvJPEG"},     {"libnvidia-ml", "NVML, as JAX does,"},
};

/* Compilers ask as well, and work without an answer. */
static const char *const compilers[] = {"libnvrtc", "libnvJitLink", "libnvptxcompiler"};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Modules of Python are built by others: what helps is to run the kernel without them. */
#define WITHOUT_IT                                                                                 \
    "give the kernels to heddle.Device or heddle.triton instead (docs/howto/python.md)"

static _Noreturn void refuse(const char *file, bool is_program)
{
    CU_GUARD
    const char *name = NULL;
    for (size_t i = 0; i < ARRAY_LEN(carriers); i++) {
        if (starts_with(file, carriers[i].file))
            name = carriers[i].name;
    }
    if (name && !is_program)
        cu_say("%s needs NVIDIA's driver: programs that use %s cannot run on heddle", file, name);
    else if (starts_with(file, "libcudart") && !is_program)
        cu_say("NVIDIA's %s was loaded in place of heddle's and needs NVIDIA's driver; PyTorch "
               "brings its own: " WITHOUT_IT,
               file);
    else if (strstr(file, ".cpython-") && !is_program)
        cu_say("%s, a module of Python, carries NVIDIA's CUDA runtime inside, which needs NVIDIA's "
               "driver: " WITHOUT_IT,
               file);
    else
        cu_say("%s carries NVIDIA's CUDA runtime inside, which needs NVIDIA's driver: build it "
               "with nvcc -cudart shared",
               file);
    cu_end_early(ERR_INPUT);
}

/* Private tables between NVIDIA's libraries. Whoever asks for them is one of them. */
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    (void)id;
    Dl_info caller, program;
    const void *headers = (const void *)(uintptr_t)getauxval(AT_PHDR);
    if (table)
        *table = NULL;
    if (!dladdr(__builtin_return_address(0), &caller) || !dladdr(headers, &program))
        return CUDA_ERROR_NOT_SUPPORTED;
    const char *slash = strrchr(caller.dli_fname, '/');
    const char *file = slash ? slash + 1 : caller.dli_fname;
    for (size_t i = 0; i < ARRAY_LEN(compilers); i++) {
        if (starts_with(file, compilers[i]))
            return CUDA_ERROR_NOT_SUPPORTED;
    }
    refuse(file, caller.dli_fbase == program.dli_fbase);
}

CUresult cuProfilerStart(void)
{
    return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void)
{
    return CUDA_SUCCESS;
}

CUresult cuProfilerInitialize(const char *config, const char *output, int mode)
{
    (void)config, (void)output, (void)mode;
    return CUDA_SUCCESS;
}
