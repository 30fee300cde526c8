/* Copies and fills. Compiled twice: see driver.h. */
#include "cuda/driver/driver.h"
#include "cuda/driver/twins.h"
#include "cuda/core/memory.h"
#include "cuda/core/stream.h"
#include "cuda/core/texture.h"
#include "cuda/core/work.h"

#define DEFAULT_STREAM NULL

static CUresult copy_submit(const CUDA_MEMCPY3D *d, CUstream handle, bool wait)
{
    CU_STREAM_CALL(context, handle, stream);
    struct cu_work work = {.kind = CU_WORK_COPY};
    CU_TRY(cu_copy_make(&work.copy, d));
    wait |= cu_copy_is_pageable(&work.copy);
    CUresult status = wait ? cu_submit_and_wait(stream, &work) : cu_submit(stream, &work);
    if (wait)
        cu_print_flush();
    return status;
}

/* One row from one kind of place to another. */
static CUresult line(CUmemorytype to_type, u64 to, CUmemorytype from_type, u64 from, size_t bytes,
                     CUstream stream, bool wait)
{
    CUDA_MEMCPY3D d = {.srcMemoryType = from_type,
                       .srcHost = (const void *)(uintptr_t)from,
                       .srcDevice = from,
                       .dstMemoryType = to_type,
                       .dstHost = (void *)(uintptr_t)to,
                       .dstDevice = to,
                       .WidthInBytes = bytes,
                       .Height = 1,
                       .Depth = 1};
    return copy_submit(&d, stream, wait);
}

CUresult SYNC(cuMemcpy)(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return line(CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes, DEFAULT_STREAM,
                true);
}

CUresult ASYNC(cuMemcpyAsync)(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return line(CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes, stream, false);
}

/* Attributes say how a copy may read its source: hints. */
CUresult ASYNC(cuMemcpyBatchAsync)(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                                   void *attributes, size_t *indices, size_t attribute_count,
                                   size_t *failed, CUstream stream)
{
    (void)attributes, (void)indices, (void)attribute_count;
    NEED(to && from && bytes && count);
    for (size_t i = 0; i < count; i++) {
        CUresult status = ASYNC(cuMemcpyAsync)(to[i], from[i], bytes[i], stream);
        if (status != CUDA_SUCCESS && failed)
            *failed = i;
        CU_TRY(status);
    }
    return CUDA_SUCCESS;
}

CUresult ASYNC(cuMemcpyBatchAsync_v2)(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes,
                                      size_t count, void *attributes, size_t *indices,
                                      size_t attribute_count, CUstream stream)
{
    return ASYNC(cuMemcpyBatchAsync)(to, from, bytes, count, attributes, indices, attribute_count,
                                     NULL, stream);
}

CUresult SYNC(cuMemcpyPeer)(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                            CUcontext from_context, size_t bytes)
{
    (void)to_context, (void)from_context;
    return line(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes, DEFAULT_STREAM, true);
}

CUresult ASYNC(cuMemcpyPeerAsync)(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                  CUcontext from_context, size_t bytes, CUstream stream)
{
    (void)to_context, (void)from_context;
    return line(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes, stream, false);
}

CUresult SYNC(cuMemcpyHtoD)(CUdeviceptr to, const void *from, size_t bytes)
{
    return line(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, (u64)(uintptr_t)from, bytes,
                DEFAULT_STREAM, true);
}

CUresult ASYNC(cuMemcpyHtoDAsync)(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    return line(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, (u64)(uintptr_t)from, bytes, stream,
                false);
}

CUresult SYNC(cuMemcpyDtoH)(void *to, CUdeviceptr from, size_t bytes)
{
    return line(CU_MEMORYTYPE_HOST, (u64)(uintptr_t)to, CU_MEMORYTYPE_DEVICE, from, bytes,
                DEFAULT_STREAM, true);
}

CUresult ASYNC(cuMemcpyDtoHAsync)(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return line(CU_MEMORYTYPE_HOST, (u64)(uintptr_t)to, CU_MEMORYTYPE_DEVICE, from, bytes, stream,
                false);
}

CUresult SYNC(cuMemcpyDtoD)(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return line(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes, DEFAULT_STREAM, false);
}

CUresult ASYNC(cuMemcpyDtoDAsync)(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return line(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes, stream, false);
}

/* Bytes of one-dimensional arrays. */
static CUresult array_line(CUarray to_array, u64 to, CUarray from_array, u64 from, bool host,
                           size_t bytes, CUstream stream, bool wait)
{
    CUmemorytype other = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    CUDA_MEMCPY3D d = {.srcMemoryType = from_array ? CU_MEMORYTYPE_ARRAY : other,
                       .srcXInBytes = from_array ? from : 0,
                       .srcHost = (const void *)(uintptr_t)from,
                       .srcDevice = from,
                       .srcArray = from_array,
                       .dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : other,
                       .dstXInBytes = to_array ? to : 0,
                       .dstHost = (void *)(uintptr_t)to,
                       .dstDevice = to,
                       .dstArray = to_array,
                       .WidthInBytes = bytes,
                       .Height = 1,
                       .Depth = 1};
    return copy_submit(&d, stream, wait);
}

CUresult SYNC(cuMemcpyDtoA)(CUarray to, size_t to_offset, CUdeviceptr from, size_t bytes)
{
    return array_line(to, to_offset, NULL, from, false, bytes, DEFAULT_STREAM, true);
}

CUresult SYNC(cuMemcpyAtoD)(CUdeviceptr to, CUarray from, size_t from_offset, size_t bytes)
{
    return array_line(NULL, to, from, from_offset, false, bytes, DEFAULT_STREAM, true);
}

CUresult SYNC(cuMemcpyHtoA)(CUarray to, size_t to_offset, const void *from, size_t bytes)
{
    return array_line(to, to_offset, NULL, (u64)(uintptr_t)from, true, bytes, DEFAULT_STREAM, true);
}

CUresult SYNC(cuMemcpyAtoH)(void *to, CUarray from, size_t from_offset, size_t bytes)
{
    return array_line(NULL, (u64)(uintptr_t)to, from, from_offset, true, bytes, DEFAULT_STREAM,
                      true);
}

CUresult SYNC(cuMemcpyAtoA)(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                            size_t bytes)
{
    return array_line(to, to_offset, from, from_offset, false, bytes, DEFAULT_STREAM, true);
}

CUresult ASYNC(cuMemcpyHtoAAsync)(CUarray to, size_t to_offset, const void *from, size_t bytes,
                                  CUstream stream)
{
    return array_line(to, to_offset, NULL, (u64)(uintptr_t)from, true, bytes, stream, false);
}

CUresult ASYNC(cuMemcpyAtoHAsync)(void *to, CUarray from, size_t from_offset, size_t bytes,
                                  CUstream stream)
{
    return array_line(NULL, (u64)(uintptr_t)to, from, from_offset, true, bytes, stream, false);
}

static CUDA_MEMCPY3D from_2d(const CUDA_MEMCPY2D *c)
{
    return (CUDA_MEMCPY3D){.srcXInBytes = c->srcXInBytes,
                           .srcY = c->srcY,
                           .srcMemoryType = c->srcMemoryType,
                           .srcHost = c->srcHost,
                           .srcDevice = c->srcDevice,
                           .srcArray = c->srcArray,
                           .srcPitch = c->srcPitch,
                           .dstXInBytes = c->dstXInBytes,
                           .dstY = c->dstY,
                           .dstMemoryType = c->dstMemoryType,
                           .dstHost = c->dstHost,
                           .dstDevice = c->dstDevice,
                           .dstArray = c->dstArray,
                           .dstPitch = c->dstPitch,
                           .WidthInBytes = c->WidthInBytes,
                           .Height = c->Height,
                           .Depth = 1};
}

CUresult SYNC(cuMemcpy2D)(const CUDA_MEMCPY2D *copy)
{
    NEED(copy);
    CUDA_MEMCPY3D d = from_2d(copy);
    return copy_submit(&d, DEFAULT_STREAM, true);
}

CUresult SYNC(cuMemcpy2DUnaligned)(const CUDA_MEMCPY2D *copy)
{
    NEED(copy);
    CUDA_MEMCPY3D d = from_2d(copy);
    return copy_submit(&d, DEFAULT_STREAM, true);
}

CUresult ASYNC(cuMemcpy2DAsync)(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    NEED(copy);
    CUDA_MEMCPY3D d = from_2d(copy);
    return copy_submit(&d, stream, false);
}

CUresult SYNC(cuMemcpy3D)(const CUDA_MEMCPY3D *copy)
{
    NEED(copy);
    return copy_submit(copy, DEFAULT_STREAM, true);
}

CUresult ASYNC(cuMemcpy3DAsync)(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    NEED(copy);
    return copy_submit(copy, stream, false);
}

/* The peer form differs in the two contexts, which lie where the other has nothing. */
_Static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D), "same layout");

CUresult SYNC(cuMemcpy3DPeer)(const CUDA_MEMCPY3D_PEER *copy)
{
    NEED(copy);
    return copy_submit((const CUDA_MEMCPY3D *)(const void *)copy, DEFAULT_STREAM, true);
}

CUresult ASYNC(cuMemcpy3DPeerAsync)(const CUDA_MEMCPY3D_PEER *copy, CUstream stream)
{
    NEED(copy);
    return copy_submit((const CUDA_MEMCPY3D *)(const void *)copy, stream, false);
}

static CUresult fill_submit(CUdeviceptr to, size_t pitch, u32 value, u32 element_bytes,
                            size_t width, size_t height, CUstream handle)
{
    CU_STREAM_CALL(context, handle, stream);
    struct cu_work work = {.kind = CU_WORK_FILL};
    CU_TRY(cu_fill_make(&work.fill, to, pitch, value, element_bytes, width, height));
    return cu_submit(stream, &work);
}

/* Six widths and shapes, each with and without a stream. */
#define FILL(name, type, bytes)                                                                    \
    CUresult SYNC(cuMemset##name)(CUdeviceptr to, type value, size_t count)                        \
    {                                                                                              \
        return fill_submit(to, 0, value, bytes, count, 1, DEFAULT_STREAM);                         \
    }                                                                                              \
    CUresult ASYNC(cuMemset##name##Async)(CUdeviceptr to, type value, size_t count,                \
                                          CUstream stream)                                         \
    {                                                                                              \
        return fill_submit(to, 0, value, bytes, count, 1, stream);                                 \
    }
#define FILL_2D(name, type, bytes)                                                                 \
    CUresult SYNC(cuMemset##name)(CUdeviceptr to, size_t pitch, type value, size_t width,          \
                                  size_t height)                                                   \
    {                                                                                              \
        return fill_submit(to, pitch, value, bytes, width, height, DEFAULT_STREAM);                \
    }                                                                                              \
    CUresult ASYNC(cuMemset##name##Async)(CUdeviceptr to, size_t pitch, type value, size_t width,  \
                                          size_t height, CUstream stream)                          \
    {                                                                                              \
        return fill_submit(to, pitch, value, bytes, width, height, stream);                        \
    }

FILL(D8, unsigned char, 1)
FILL(D16, unsigned short, 2)
FILL(D32, unsigned int, 4)
FILL_2D(D2D8, unsigned char, 1)
FILL_2D(D2D16, unsigned short, 2)
FILL_2D(D2D32, unsigned int, 4)

#ifndef CUDA_PER_THREAD
PLAIN(cuMemcpyHtoD_v2, "cuMemcpyHtoD");
PLAIN(cuMemcpyDtoH_v2, "cuMemcpyDtoH");
PLAIN(cuMemcpyDtoD_v2, "cuMemcpyDtoD");
PLAIN(cuMemcpyDtoA_v2, "cuMemcpyDtoA");
PLAIN(cuMemcpyAtoD_v2, "cuMemcpyAtoD");
PLAIN(cuMemcpyHtoA_v2, "cuMemcpyHtoA");
PLAIN(cuMemcpyAtoH_v2, "cuMemcpyAtoH");
PLAIN(cuMemcpyAtoA_v2, "cuMemcpyAtoA");
PLAIN(cuMemcpyHtoAAsync_v2, "cuMemcpyHtoAAsync");
PLAIN(cuMemcpyAtoHAsync_v2, "cuMemcpyAtoHAsync");
PLAIN(cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync");
PLAIN(cuMemcpyDtoHAsync_v2, "cuMemcpyDtoHAsync");
PLAIN(cuMemcpyDtoDAsync_v2, "cuMemcpyDtoDAsync");
PLAIN(cuMemcpy2D_v2, "cuMemcpy2D");
PLAIN(cuMemcpy2DUnaligned_v2, "cuMemcpy2DUnaligned");
PLAIN(cuMemcpy2DAsync_v2, "cuMemcpy2DAsync");
PLAIN(cuMemcpy3D_v2, "cuMemcpy3D");
PLAIN(cuMemcpy3DAsync_v2, "cuMemcpy3DAsync");
PLAIN(cuMemsetD8_v2, "cuMemsetD8");
PLAIN(cuMemsetD16_v2, "cuMemsetD16");
PLAIN(cuMemsetD32_v2, "cuMemsetD32");
PLAIN(cuMemsetD2D8_v2, "cuMemsetD2D8");
PLAIN(cuMemsetD2D16_v2, "cuMemsetD2D16");
PLAIN(cuMemsetD2D32_v2, "cuMemsetD2D32");
#endif
