/* The linker of the driver interface. */
#include "cuda/code/link.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/file.h"

#include <stdlib.h>

CUresult cuLinkCreate(unsigned int count, CUjit_option *options, void **values, CUlinkState *state)
{
    CU_CALL(context)
    NEED(state && (!count || (options && values)));
    struct cu_jit jit = {.options = options, .values = values, .count = count};
    cu_jit_begin(&jit);
    *state = cu_link_new(context, &jit);
    return CUDA_SUCCESS;
}
PLAIN(cuLinkCreate_v2, "cuLinkCreate");

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                       const char *name, unsigned int count, CUjit_option *options, void **values)
{
    CU_CALL(context)
    (void)count, (void)options, (void)values; /* how to compile this input: nothing is compiled */
    NEED_HANDLE(state, CU_KIND_LINK);
    NEED(data && type < CU_JIT_NUM_INPUT_TYPES);
    struct err err = ERR_INIT;
    CUresult status = cu_link_add(state, type, data, bytes, name, &err);
    if (status != CUDA_SUCCESS)
        cu_jit_failed(&state->jit, &err);
    return status;
}
PLAIN(cuLinkAddData_v2, "cuLinkAddData");

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int count,
                       CUjit_option *options, void **values)
{
    size_t bytes;
    NEED(path);
    char *data = driver_file_read(path, &bytes);
    if (!data)
        return CUDA_ERROR_FILE_NOT_FOUND;
    CUresult status = cuLinkAddData(state, type, data, bytes, path, count, options, values);
    free(data);
    return status;
}
PLAIN(cuLinkAddFile_v2, "cuLinkAddFile");

/* Loaded once to see whether it holds together: errors belong here, not to the load that follows.
 */
CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *bytes)
{
    CU_CALL(context)
    NEED_HANDLE(state, CU_KIND_LINK);
    NEED(cubin);
    struct err err = ERR_INIT;
    CUmodule module = NULL;
    size_t length;
    const void *image = cu_link_image(state, &length);
    CUresult status = cu_module_load(context, image, &module, &err);
    if (status != CUDA_SUCCESS) {
        cu_jit_failed(&state->jit, &err);
        return status;
    }
    cu_jit_done(&state->jit, module);
    cu_module_unload(module);
    *cubin = (void *)(uintptr_t)image;
    if (bytes)
        *bytes = length;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    CU_CALL(context)
    NEED_HANDLE(state, CU_KIND_LINK);
    cu_link_delete(state);
    return CUDA_SUCCESS;
}
