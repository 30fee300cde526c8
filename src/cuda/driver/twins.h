/* Prototypes of the calls for per-thread default streams: those of their twins. */
#ifndef CUDA_DRIVER_TWINS_H
#define CUDA_DRIVER_TWINS_H

#include "cuda/driver/driver.h"

/* clang-format off */
#define DRIVER_SYNC_CALLS(X)                                                                       \
    X(cuMemcpy) X(cuMemcpyPeer) X(cuMemcpyHtoD) X(cuMemcpyDtoH) X(cuMemcpyDtoD) X(cuMemcpyDtoA)    \
    X(cuMemcpyAtoD) X(cuMemcpyHtoA) X(cuMemcpyAtoH) X(cuMemcpyAtoA) X(cuMemcpy2D)                  \
    X(cuMemcpy2DUnaligned) X(cuMemcpy3D) X(cuMemcpy3DPeer) X(cuMemsetD8) X(cuMemsetD16)            \
    X(cuMemsetD32) X(cuMemsetD2D8) X(cuMemsetD2D16) X(cuMemsetD2D32)

#define DRIVER_ASYNC_CALLS(X)                                                                      \
    X(cuMemcpyAsync) X(cuMemcpyPeerAsync) X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync)                \
    X(cuMemcpyDtoDAsync) X(cuMemcpyHtoAAsync) X(cuMemcpyAtoHAsync) X(cuMemcpy2DAsync)              \
    X(cuMemcpy3DAsync) X(cuMemcpy3DPeerAsync) X(cuMemsetD8Async) X(cuMemsetD16Async)               \
    X(cuMemsetD32Async) X(cuMemsetD2D8Async) X(cuMemsetD2D16Async) X(cuMemsetD2D32Async)           \
    X(cuMemAllocAsync) X(cuMemAllocFromPoolAsync) X(cuMemFreeAsync) X(cuMemPrefetchAsync)          \
    X(cuMemPrefetchAsync_v2) X(cuLaunchKernel) X(cuLaunchKernelEx) X(cuLaunchCooperativeKernel)    \
    X(cuLaunchHostFunc) X(cuStreamGetPriority) X(cuStreamGetFlags) X(cuStreamGetCtx)               \
    X(cuStreamGetId) X(cuStreamGetDevice) X(cuStreamWaitEvent) X(cuStreamAddCallback)              \
    X(cuStreamAttachMemAsync) X(cuStreamQuery) X(cuStreamSynchronize) X(cuStreamBeginCapture)      \
    X(cuStreamEndCapture) X(cuStreamIsCapturing) X(cuStreamGetCaptureInfo_v2)                      \
    X(cuStreamGetCaptureInfo_v3) X(cuEventRecord) X(cuEventRecordWithFlags) X(cuGraphUpload)       \
    X(cuGraphLaunch) X(cuStreamBeginCaptureToGraph) X(cuStreamUpdateCaptureDependencies)           \
    X(cuStreamUpdateCaptureDependencies_v2) X(cuStreamSetAttribute) X(cuStreamGetAttribute)        \
    X(cuStreamCopyAttributes) X(cuStreamBatchMemOp) X(cuStreamWaitValue32) X(cuStreamWaitValue64)  \
    X(cuStreamWriteValue32) X(cuStreamWriteValue64) X(cuStreamGetCtx_v2)         \
    X(cuMemcpyBatchAsync) X(cuMemcpyBatchAsync_v2)
/* clang-format on */

#ifdef CUDA_PER_THREAD
#pragma GCC visibility push(default)
#define DECLARE_SYNC(name) __typeof__(name) SYNC(name);
#define DECLARE_ASYNC(name) __typeof__(name) ASYNC(name);
DRIVER_SYNC_CALLS(DECLARE_SYNC)
DRIVER_ASYNC_CALLS(DECLARE_ASYNC)
#undef DECLARE_SYNC
#undef DECLARE_ASYNC
#pragma GCC visibility pop
#endif

#endif
