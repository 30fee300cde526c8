/*
 * What the code that nvcc puts into an executable calls before main: it hands
 * over the fat binary, and the host's names for kernels and variables. Programs
 * are loaded when something of them is first needed.
 */
#include "base/arena.h"
#include "cuda/code/module.h"
#include "cuda/runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

struct rt_variable {
    struct rt_variable *next;
    struct rt_module *module;
    const char *name;
    size_t bytes;
    void **managed; /* where the host keeps the address of a managed variable */
};

struct rt_function {
    struct rt_module *module;
    const char *name;
};

struct rt_module {
    const void *wrapper;
    struct rt_variable *variables;
    CUmodule loaded;
    u64 context_id; /* of the context it was loaded into; 0: not loaded */
    CUresult failed;
};

/* One per process and library, as the constructors that fill it are. */
static struct {
    struct map functions; /* host address -> struct rt_function */
    struct map variables; /* host address -> struct rt_variable */
} known;

static void *allocate(size_t bytes)
{
    return memset(xrealloc(NULL, bytes), 0, bytes);
}

static CUresult module_load(CUcontext context, struct rt_module *m)
{
    if (m->failed)
        return m->failed;
    if (m->context_id == context->id)
        return CUDA_SUCCESS;
    struct err err = ERR_INIT;
    CUresult status = cu_module_load(context, m->wrapper, &m->loaded, &err);
    if (status != CUDA_SUCCESS) {
        cu_complain(&err);
        if (status == CUDA_ERROR_NO_BINARY_FOR_GPU)
            cu_end_early(ERR_INPUT); /* no kernel of it can run: as for a runtime linked in */
        m->failed = status;
        return status;
    }
    m->context_id = context->id;
    for (struct rt_variable *v = m->variables; v; v = v->next) {
        const struct program_variable *p =
            v->managed ? cu_module_variable(m->loaded, v->name) : NULL;
        if (p)
            *v->managed = (void *)(uintptr_t)p->address;
    }
    return CUDA_SUCCESS;
}

cudaError_t rt_function_find(CUcontext context, const void *host, CUfunction *out)
{
    u64 value;
    if (!map_get(&known.functions, (u64)(uintptr_t)host, &value)) {
        /* a cudaKernel_t or cudaFunction_t will do */
        *out = (CUfunction)(uintptr_t)host;
        if (cu_object_is(host, CU_KIND_FUNCTION))
            return cudaSuccess;
        return rt_major >= 13 ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    }
    struct rt_function *f = (struct rt_function *)(uintptr_t)value;
    CUresult status = module_load(context, f->module);
    if (status != CUDA_SUCCESS)
        return (cudaError_t)status;
    *out = cu_module_find(f->module->loaded, f->name);
    return *out ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t rt_symbol_find(CUcontext context, const void *host, struct rt_symbol *out)
{
    u64 value;
    if (!host || !map_get(&known.variables, (u64)(uintptr_t)host, &value))
        return cudaErrorInvalidSymbol;
    struct rt_variable *v = (struct rt_variable *)(uintptr_t)value;
    CUresult status = module_load(context, v->module);
    if (status != CUDA_SUCCESS)
        return (cudaError_t)status;
    const struct program_variable *p = cu_module_variable(v->module->loaded, v->name);
    if (!p)
        return cudaErrorInvalidSymbol;
    *out = (struct rt_symbol){.address = p->address, .bytes = v->bytes ? v->bytes : p->bytes};
    return cudaSuccess;
}

RT_TYPED(void **, __cudaRegisterFatBinary, void *wrapper)
{
    struct rt_module *m = allocate(sizeof(*m));
    m->wrapper = wrapper;
    return (void **)(void *)m;
}

RT_TYPED(void, __cudaRegisterFatBinaryEnd, void **handle)
{
    (void)handle;
}

/* At exit: the process is about to end, and what its kernels printed is shown by then. */
RT_TYPED(void, __cudaUnregisterFatBinary, void **handle)
{
    (void)handle;
    cu_core()->in_haste = true;
    CU_GUARD
    cu_run_rest();
    cu_print_flush();
}

RT_TYPED(void, __cudaRegisterFunction, void **handle, const char *host, char *device,
         const char *name, int thread_limit, void *tid, void *bid, void *block, void *grid,
         int *size)
{
    CU_GUARD(void)
    device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
    struct rt_function *f = allocate(sizeof(*f));
    f->module = (struct rt_module *)(void *)handle;
    f->name = name;
    map_put(&known.functions, (u64)(uintptr_t)host, (u64)(uintptr_t)f);
}

static struct rt_variable *variable_add(void **handle, const void *host, const char *name,
                                        size_t bytes)
{
    struct rt_module *m = (struct rt_module *)(void *)handle;
    struct rt_variable *v = allocate(sizeof(*v));
    *v = (struct rt_variable){.next = m->variables, .module = m, .name = name, .bytes = bytes};
    m->variables = v;
    map_put(&known.variables, (u64)(uintptr_t)host, (u64)(uintptr_t)v);
    return v;
}

RT_TYPED(void, __cudaRegisterVar, void **handle, char *host, char *device, const char *name,
         int external, size_t bytes, int constant, int global)
{
    CU_GUARD(void) device, (void)external, (void)constant, (void)global;
    variable_add(handle, host, name, bytes);
}

RT_TYPED(void, __cudaRegisterManagedVar, void **handle, void **slot, char *device, const char *name,
         int external, size_t bytes, int constant, int global)
{
    CU_GUARD(void) device, (void)external, (void)constant, (void)global;
    variable_add(handle, slot, name, bytes)->managed = slot;
}

RT_TYPED(void, __cudaRegisterHostVar, void **handle, const char *name, char *host, size_t bytes)
{
    (void)handle, (void)name, (void)host, (void)bytes;
}

/* Texture and surface references went away with CUDA 12; a program that uses them says so when it
 * binds one. */
RT_TYPED(void, __cudaRegisterTexture, void **handle, const void *host, const void **device,
         const char *name, int dimensions, int normalized, int external)
{
    (void)handle, (void)host, (void)device, (void)name, (void)dimensions, (void)normalized;
    (void)external;
}

RT_TYPED(void, __cudaRegisterSurface, void **handle, const void *host, const void **device,
         const char *name, int dimensions, int external)
{
    (void)handle, (void)host, (void)device, (void)name, (void)dimensions, (void)external;
}

RT_TYPED(char, __cudaInitModule, void **handle)
{
    CU_GUARD
    CUcontext context = NULL;
    return rt_context(&context) == CUDA_SUCCESS &&
           module_load(context, (struct rt_module *)(void *)handle) == CUDA_SUCCESS;
}

/* ---- between <<<...>>> and the launch ---- */

#define CONFIGURATIONS 16

struct configuration {
    dim3 grid, block;
    size_t shared_bytes;
    void *stream;
};

static _Thread_local struct configuration configurations[CONFIGURATIONS];
static _Thread_local u32 configuration_count;

RT_TYPED(unsigned, __cudaPushCallConfiguration, dim3 grid, dim3 block, size_t shared_bytes,
         void *stream)
{
    if (configuration_count == CONFIGURATIONS)
        return 1;
    configurations[configuration_count++] =
        (struct configuration){grid, block, shared_bytes, stream};
    return 0;
}

RT(__cudaPopCallConfiguration, dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
    if (!configuration_count)
        return rt_result(cudaErrorMissingConfiguration);
    const struct configuration *c = &configurations[--configuration_count];
    *grid = c->grid;
    *block = c->block;
    *shared_bytes = c->shared_bytes;
    memcpy(stream, &c->stream, sizeof(c->stream));
    return cudaSuccess;
}

/* The host's name is as good a handle as any, and is looked up at every launch: the program may
 * have been loaded anew meanwhile. */
RT(__cudaGetKernel, void **kernel, const void *host)
{
    CU_GUARD
    u64 value;
    if (!map_get(&known.functions, (u64)(uintptr_t)host, &value))
        return rt_result(cudaErrorInvalidDeviceFunction);
    *kernel = (void *)(uintptr_t)host;
    return cudaSuccess;
}

RT(cudaGetFuncBySymbol, CUfunction *function, const void *host)
{
    RT_CALL(context)
    RT_NEED(function);
    return rt_result(rt_function_find(context, host, function));
}

RT(cudaGetKernel, CUfunction *kernel, const void *host)
{
    RT_CALL(context)
    RT_NEED(kernel);
    return rt_result(rt_function_find(context, host, kernel));
}

RT(cudaGetSymbolAddress, void **address, const void *symbol)
{
    RT_CALL(context)
    RT_NEED(address);
    struct rt_symbol s;
    RT_TRY(rt_symbol_find(context, symbol, &s));
    *address = (void *)(uintptr_t)s.address;
    return cudaSuccess;
}

RT(cudaGetSymbolSize, size_t *bytes, const void *symbol)
{
    RT_CALL(context)
    RT_NEED(bytes);
    struct rt_symbol s;
    RT_TRY(rt_symbol_find(context, symbol, &s));
    *bytes = s.bytes;
    return cudaSuccess;
}
