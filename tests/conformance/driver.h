/*
 * The CUDA driver library, opened at run time, so that a program builds without a CUDA toolkit
 * and the same binary runs on NVIDIA's libcuda.so.1 and on heddle's.
 *
 * Calls read like the API: `d->cuMemAlloc(&p, n)`. The plain names are macros for the versioned
 * symbols (include/cuda/cuda.h), in the structure as well as at the call.
 */
#ifndef CONFORM_DRIVER_H
#define CONFORM_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "cuda.h"

#define DRIVER_CALLS(X)                                                                            \
    X(cuInit)                                                                                      \
    X(cuDriverGetVersion)                                                                          \
    X(cuGetErrorName)                                                                              \
    X(cuGetErrorString)                                                                            \
    X(cuDeviceGet)                                                                                 \
    X(cuDeviceGetName)                                                                             \
    X(cuDeviceGetAttribute)                                                                        \
    X(cuCtxCreate)                                                                                 \
    X(cuCtxDestroy)                                                                                \
    X(cuCtxSynchronize)                                                                            \
    X(cuModuleLoadDataEx)                                                                          \
    X(cuModuleUnload)                                                                              \
    X(cuModuleGetFunction)                                                                         \
    X(cuFuncSetAttribute)                                                                          \
    X(cuMemAlloc)                                                                                  \
    X(cuMemFree)                                                                                   \
    X(cuMemcpyHtoD)                                                                                \
    X(cuMemcpyDtoH)                                                                                \
    X(cuMemcpy3D)                                                                                  \
    X(cuMemsetD8)                                                                                  \
    X(cuArray3DCreate)                                                                             \
    X(cuArrayDestroy)                                                                              \
    X(cuTexObjectCreate)                                                                           \
    X(cuTexObjectDestroy)                                                                          \
    X(cuSurfObjectCreate)                                                                          \
    X(cuSurfObjectDestroy)                                                                         \
    X(cuLaunchKernel)                                                                              \
    X(cuLaunchCooperativeKernel)                                                                   \
    X(cuLaunchKernelEx)                                                                            \
    X(cuTensorMapEncodeTiled)                                                                      \
    X(cuTensorMapEncodeIm2col)

struct driver {
    void *library;
#define DRIVER_FIELD(call) __typeof__(call) *call;
    DRIVER_CALLS(DRIVER_FIELD)
#undef DRIVER_FIELD
};

/* On failure `why` says what was missing; nothing is left open. */
bool driver_open(struct driver *d, const char *path, char *why, size_t why_bytes);
void driver_close(struct driver *d);
const char *driver_error(const struct driver *d, CUresult result); /* CUDA_ERROR_... */

#endif
