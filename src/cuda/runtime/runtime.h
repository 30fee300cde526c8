/*
 * What the files of the runtime interface share.
 *
 * RT(name, arguments) begins the definition of an exported function. Files of
 * calls with twins for per-thread default streams are compiled a second time
 * with CUDA_PER_THREAD, as in the driver interface.
 */
#ifndef CUDA_RUNTIME_RUNTIME_H
#define CUDA_RUNTIME_RUNTIME_H

#include "cuda/graph/graph_types.h"
#include "cuda/runtime/types.h"
#include "cuda/core/stream.h"

#define RT_TYPED(type, name, ...)                                                                  \
    CU_SHARED type name(__VA_ARGS__);                                                              \
    type name(__VA_ARGS__)
#define RT(name, ...) RT_TYPED(cudaError_t, name, __VA_ARGS__)

#define RT_PASTE(a, b) a##b
#ifdef CUDA_PER_THREAD
#define PER_THREAD true
#define ASYNC(name) RT_PASTE(name, _ptsz)
#define SYNC(name) RT_PASTE(name, _ptds)
#else
#define PER_THREAD false
#define ASYNC(name) name
#define SYNC(name) name
#endif

/* The library this is: 11, 12 or 13. */
extern const int rt_major;

/* Remembers an error for cudaGetLastError, and returns it. */
cudaError_t rt_result(int status);
/* The primary context, unless the driver interface made another one current. */
CUresult rt_context(CUcontext *out);

/* What happens first in most calls. */
#define RT_CALL(context)                                                                           \
    CU_GUARD                                                                                       \
    CUcontext context = NULL;                                                                      \
    CUresult context##_status = rt_context(&context);                                              \
    if (context##_status != CUDA_SUCCESS)                                                          \
        return rt_result((int)context##_status);

#define RT_TRY(call)                                                                               \
    do {                                                                                           \
        int rt_try_status = (int)(call);                                                           \
        if (rt_try_status != 0)                                                                    \
            return rt_result(rt_try_status);                                                       \
    } while (0)

#define RT_NEED(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return rt_result(cudaErrorInvalidValue);                                               \
    } while (0)
#define RT_NEED_HANDLE(object, kind)                                                               \
    do {                                                                                           \
        if (!cu_object_is(object, kind))                                                           \
            return rt_result(cudaErrorInvalidResourceHandle);                                      \
    } while (0)

#define RT_STREAM_CALL(context, handle, stream)                                                    \
    RT_CALL(context)                                                                               \
    CUstream stream = NULL;                                                                        \
    RT_TRY(cu_stream_get(context, handle, PER_THREAD, &stream))

/* Kernels and variables by the host's name for them (register.c). A kernel handle does as well. */
cudaError_t rt_function_find(CUcontext context, const void *host, CUfunction *out);
struct rt_symbol {
    u64 address, bytes;
};
cudaError_t rt_symbol_find(CUcontext context, const void *host, struct rt_symbol *out);

/* Copies, as the runtime describes them (memory.c). */
cudaError_t rt_copy_line(CUDA_MEMCPY3D *d, void *to, const void *from, size_t bytes, int kind);
cudaError_t rt_copy_box(CUDA_MEMCPY3D *d, const struct cudaMemcpy3DParms *p);
bool rt_format(const struct cudaChannelFormatDesc *desc, CUarray_format *format, u32 *channels);
u64 rt_array_element_bytes(cudaArray_t array);
cudaError_t rt_box_work(const struct cudaMemcpy3DParms *p, struct cu_work *work);
/* A node of any kind (graph_node.c). */
cudaError_t rt_node_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                        size_t after_count, CUgraphNodeParams *p);
cudaError_t rt_kernel_work(CUcontext context, const struct cudaKernelNodeParams *p,
                           struct cu_work *work);

#endif
