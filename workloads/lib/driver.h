/*
 * The CUDA driver library, opened when a program starts: heddle's where `heddle run` has put it in
 * front, NVIDIA's otherwise. The programs are therefore built without either.
 *
 * A call that a workload needs and that is not listed is added here.
 */
#ifndef WORKLOADS_DRIVER_H
#define WORKLOADS_DRIVER_H

#include "cuda.h"

#include <stdbool.h>
#include <stddef.h>

#define DRIVER_CALLS(X)                                                                            \
    X(cuInit)                                                                                      \
    X(cuGetErrorName)                                                                              \
    X(cuGetErrorString)                                                                            \
    X(cuDeviceGet)                                                                                 \
    X(cuDeviceGetName)                                                                             \
    X(cuDeviceGetAttribute)                                                                        \
    X(cuDevicePrimaryCtxRetain)                                                                    \
    X(cuDevicePrimaryCtxRelease)                                                                   \
    X(cuCtxSetCurrent)                                                                             \
    X(cuCtxSynchronize)                                                                            \
    X(cuModuleLoadDataEx)                                                                          \
    X(cuModuleUnload)                                                                              \
    X(cuModuleGetFunction)                                                                         \
    X(cuModuleGetGlobal)                                                                           \
    X(cuFuncSetAttribute)                                                                          \
    X(cuMemAlloc)                                                                                  \
    X(cuMemFree)                                                                                   \
    X(cuMemcpyHtoD)                                                                                \
    X(cuMemcpyDtoH)                                                                                \
    X(cuMemcpyDtoD)                                                                                \
    X(cuMemsetD8)                                                                                  \
    X(cuMemsetD32)                                                                                 \
    X(cuLaunchKernel)                                                                              \
    X(cuTexObjectCreate)                                                                           \
    X(cuTexObjectDestroy)                                                                          \
    X(cuStreamCreate)                                                                              \
    X(cuStreamDestroy)                                                                             \
    X(cuStreamSynchronize)                                                                         \
    X(cuEventCreate)                                                                               \
    X(cuEventDestroy)                                                                              \
    X(cuEventRecord)                                                                               \
    X(cuEventSynchronize)                                                                          \
    X(cuEventElapsedTime)

/* Calls read like the API, `d->cuMemAlloc(&p, n)`: the plain names are macros for the versioned
 * symbols, in the structure as well as at the call. */
struct driver {
    void *library;
#define DRIVER_FIELD(call) __typeof__(call) *call;
    DRIVER_CALLS(DRIVER_FIELD)
#undef DRIVER_FIELD
};

/* On failure `why` says what was missing; nothing is left open. */
bool driver_open(struct driver *d, char *why, size_t why_bytes);
void driver_close(struct driver *d);

#endif
