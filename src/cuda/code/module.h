/*
 * Modules: programs loaded from PTX, bare or inside a fat binary, and the
 * kernels in them.
 */
#ifndef CUDA_CODE_MODULE_H
#define CUDA_CODE_MODULE_H

#include "base/arena.h"
#include "cuda/core/core.h"
#include "ptx/program.h"

struct CUmod_st {
    struct cu_object object;
    struct arena arena;
    struct program *program;
    CUfunction *functions; /* one per kernel, in the order of the program */
    u32 function_count;
};

/* CUfunction and CUkernel are the same thing, as are CUmodule and CUlibrary. */
struct CUfunc_st {
    struct cu_object object;
    CUmodule module;
    struct kernel *kernel;
    u32 max_dynamic_shared;
    int carveout;
    CUfunc_cache cache_config;
    CUsharedconfig shared_config;
    int non_portable_cluster, cluster_policy;
    struct legacy_launch *legacy; /* driver/legacy_launch.c; NULL until it is used */
};

/* PTX text, a fat binary or its wrapper, or a cubin (which is refused). On failure err is the
 * sentence. */
CU_SHARED CUresult cu_module_load(CUcontext context, const void *image, CUmodule *out,
                                  struct err *err);
/* Several PTX texts, linked. */
CU_SHARED CUresult cu_module_load_texts(CUcontext context, const struct program_text *texts,
                                        u32 count, CUmodule *out, struct err *err);
CU_SHARED void cu_module_unload(CUmodule module);
CU_SHARED CUfunction cu_module_find(CUmodule module, const char *name); /* NULL: none */
CU_SHARED const struct program_variable *cu_module_variable(CUmodule module, const char *name);
/* Is this the address of a managed variable of any module? */
bool cu_module_is_managed(u64 start);

CU_SHARED const struct kernel_info *cu_function_info(CUfunction function);
CU_SHARED u32 cu_function_registers(CUfunction function); /* per thread, on this device */
CU_SHARED CUresult cu_function_get(CUfunction function, u32 attribute, int *value);
CU_SHARED CUresult cu_function_set(CUfunction function, u32 attribute, int value);

#endif
