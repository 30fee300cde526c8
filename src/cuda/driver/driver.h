/*
 * What the files of the driver interface share.
 *
 * Files of calls that take a stream, or that use the default one, are compiled
 * twice: the second time with CUDA_PER_THREAD, which gives each call the suffix
 * of its twin for programs built with per-thread default streams.
 */
#ifndef CUDA_DRIVER_DRIVER_H
#define CUDA_DRIVER_DRIVER_H

#include "cuda/core/core.h"
#include "cuda/driver/extra.h"

#define DRIVER_PASTE(a, b) a##b
#ifdef CUDA_PER_THREAD
#define PER_THREAD true
#define ASYNC(name) DRIVER_SUFFIX(name, _ptsz)
#define SYNC(name) DRIVER_SUFFIX(name, _ptds)
#define DRIVER_SUFFIX(name, suffix) DRIVER_PASTE(name, suffix)
#else
#define PER_THREAD false
#define ASYNC(name) name
#define SYNC(name) name
#endif

/* The name without a version is the same function. (It once took 32-bit sizes; no program that
 * runs today means that one.) */
#define PLAIN(versioned, plain)                                                                    \
    extern __typeof__(versioned) plain_##versioned __asm__(plain)                                  \
        __attribute__((alias(#versioned), visibility("default")))

/* A call that also needs its stream. */
#define CU_STREAM_CALL(context, handle, stream)                                                    \
    CU_CALL(context)                                                                               \
    CUstream stream = NULL;                                                                        \
    CU_TRY(cu_stream_get(context, handle, PER_THREAD, &stream))

/* Arguments that must be there, handles that must be alive. */
#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return CUDA_ERROR_INVALID_VALUE;                                                       \
    } while (0)
#define NEED_HANDLE(object, kind)                                                                  \
    do {                                                                                           \
        if (!cu_object_is(object, kind))                                                           \
            return CUDA_ERROR_INVALID_HANDLE;                                                      \
    } while (0)

/* There is one device, number 0. */
#define NEED_DEVICE(device)                                                                        \
    do {                                                                                           \
        CU_TRY(cu_init_check());                                                                   \
        if (!cu_device_exists(device))                                                             \
            return CUDA_ERROR_INVALID_DEVICE;                                                      \
    } while (0)

static inline CUresult cu_init_check(void)
{
    return cu_core()->is_initialised ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

#endif
