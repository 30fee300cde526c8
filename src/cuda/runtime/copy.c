/* Copies and fills. Compiled twice: see runtime.h. */
#include "cuda/core/memory.h"
#include "cuda/runtime/runtime.h"
#include "cuda/core/texture.h"
#include "cuda/core/work.h"

#define DEFAULT_STREAM NULL

static cudaError_t submit(CUstream stream, const CUDA_MEMCPY3D *d, bool wait)
{
    struct cu_work work = {.kind = CU_WORK_COPY};
    RT_TRY(cu_copy_make(&work.copy, d));
    wait |= cu_copy_is_pageable(&work.copy);
    CUresult status = wait ? cu_submit_and_wait(stream, &work) : cu_submit(stream, &work);
    if (wait)
        cu_print_flush();
    return rt_result((int)status);
}

static cudaError_t line(void *to, const void *from, size_t bytes, int kind, CUstream handle,
                        bool wait)
{
    RT_STREAM_CALL(context, handle, stream);
    CUDA_MEMCPY3D d;
    RT_TRY(rt_copy_line(&d, to, from, bytes, kind));
    return submit(stream, &d, wait);
}

RT(SYNC(cudaMemcpy), void *to, const void *from, size_t bytes, int kind)
{
    return line(to, from, bytes, kind, DEFAULT_STREAM, true);
}

RT(ASYNC(cudaMemcpyAsync), void *to, const void *from, size_t bytes, int kind, cudaStream_t stream)
{
    return line(to, from, bytes, kind, stream, false);
}

#ifndef CUDA_PER_THREAD
static cudaError_t peers(int to, int from)
{
    return cu_device_exists(to) && cu_device_exists(from) ? cudaSuccess : cudaErrorInvalidDevice;
}

RT(cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    RT_TRY(peers(to_device, from_device));
    return line(to, from, bytes, cudaMemcpyDeviceToDevice, DEFAULT_STREAM, true);
}

RT(cudaMemcpyPeerAsync, void *to, int to_device, const void *from, int from_device, size_t bytes,
   cudaStream_t stream)
{
    RT_TRY(peers(to_device, from_device));
    return line(to, from, bytes, cudaMemcpyDeviceToDevice, stream, false);
}
#endif

static cudaError_t rectangle(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, int kind, CUstream handle, bool wait)
{
    RT_STREAM_CALL(context, handle, stream);
    CUDA_MEMCPY3D d;
    RT_TRY(rt_copy_line(&d, to, from, width, kind));
    if (!width || !height)
        return cudaSuccess;
    RT_NEED(to_pitch >= width && from_pitch >= width);
    d.dstPitch = to_pitch;
    d.srcPitch = from_pitch;
    d.Height = height;
    return submit(stream, &d, wait);
}

RT(SYNC(cudaMemcpy2D), void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
   size_t height, int kind)
{
    return rectangle(to, to_pitch, from, from_pitch, width, height, kind, DEFAULT_STREAM, true);
}

RT(ASYNC(cudaMemcpy2DAsync), void *to, size_t to_pitch, const void *from, size_t from_pitch,
   size_t width, size_t height, int kind, cudaStream_t stream)
{
    return rectangle(to, to_pitch, from, from_pitch, width, height, kind, stream, false);
}

static cudaError_t box(const struct cudaMemcpy3DParms *p, CUstream handle, bool wait)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED(p);
    CUDA_MEMCPY3D d;
    RT_TRY(rt_copy_box(&d, p));
    return submit(stream, &d, wait);
}

RT(SYNC(cudaMemcpy3D), const struct cudaMemcpy3DParms *p)
{
    return box(p, DEFAULT_STREAM, true);
}

RT(ASYNC(cudaMemcpy3DAsync), const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return box(p, stream, false);
}

static struct cudaMemcpy3DParms from_peer(const struct cudaMemcpy3DPeerParms *p)
{
    return (struct cudaMemcpy3DParms){.srcArray = p->srcArray,
                                      .srcPos = p->srcPos,
                                      .srcPtr = p->srcPtr,
                                      .dstArray = p->dstArray,
                                      .dstPos = p->dstPos,
                                      .dstPtr = p->dstPtr,
                                      .extent = p->extent,
                                      .kind = cudaMemcpyDeviceToDevice};
}

RT(SYNC(cudaMemcpy3DPeer), const struct cudaMemcpy3DPeerParms *p)
{
    RT_NEED(p);
    struct cudaMemcpy3DParms same = from_peer(p);
    return box(&same, DEFAULT_STREAM, true);
}

RT(ASYNC(cudaMemcpy3DPeerAsync), const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    RT_NEED(p);
    struct cudaMemcpy3DParms same = from_peer(p);
    return box(&same, stream, false);
}

/* ---- arrays: x in bytes, y in rows ---- */

struct array_side {
    cudaArray_t array; /* or */
    void *address;
    size_t pitch;
    size_t x, y;
};

static cudaError_t array_rectangle(const struct array_side *to, const struct array_side *from,
                                   size_t width, size_t height, int kind, CUstream handle,
                                   bool wait)
{
    RT_STREAM_CALL(context, handle, stream);
    CUDA_MEMCPY3D d;
    RT_TRY(rt_copy_line(&d, to->address, from->address, width, kind));
    d.Height = height;
    if (to->array) {
        RT_NEED_HANDLE(to->array, CU_KIND_ARRAY);
        d.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        d.dstArray = to->array;
    }
    if (from->array) {
        RT_NEED_HANDLE(from->array, CU_KIND_ARRAY);
        d.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        d.srcArray = from->array;
    }
    RT_NEED((to->array || to->pitch >= width) && (from->array || from->pitch >= width));
    d.dstPitch = to->pitch;
    d.dstXInBytes = to->x;
    d.dstY = to->y;
    d.srcPitch = from->pitch;
    d.srcXInBytes = from->x;
    d.srcY = from->y;
    return submit(stream, &d, wait);
}

RT(SYNC(cudaMemcpy2DToArray), cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
   size_t width, size_t height, int kind)
{
    return array_rectangle(&(struct array_side){.array = to, .x = x, .y = y},
                           &(struct array_side){.address = (void *)(uintptr_t)from, .pitch = pitch},
                           width, height, kind, DEFAULT_STREAM, true);
}

RT(ASYNC(cudaMemcpy2DToArrayAsync), cudaArray_t to, size_t x, size_t y, const void *from,
   size_t pitch, size_t width, size_t height, int kind, cudaStream_t stream)
{
    return array_rectangle(&(struct array_side){.array = to, .x = x, .y = y},
                           &(struct array_side){.address = (void *)(uintptr_t)from, .pitch = pitch},
                           width, height, kind, stream, false);
}

RT(SYNC(cudaMemcpy2DFromArray), void *to, size_t pitch, cudaArray_t from, size_t x, size_t y,
   size_t width, size_t height, int kind)
{
    return array_rectangle(&(struct array_side){.address = to, .pitch = pitch},
                           &(struct array_side){.array = from, .x = x, .y = y}, width, height, kind,
                           DEFAULT_STREAM, true);
}

RT(ASYNC(cudaMemcpy2DFromArrayAsync), void *to, size_t pitch, cudaArray_t from, size_t x, size_t y,
   size_t width, size_t height, int kind, cudaStream_t stream)
{
    return array_rectangle(&(struct array_side){.address = to, .pitch = pitch},
                           &(struct array_side){.array = from, .x = x, .y = y}, width, height, kind,
                           stream, false);
}

RT(SYNC(cudaMemcpy2DArrayToArray), cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from,
   size_t from_x, size_t from_y, size_t width, size_t height, int kind)
{
    return array_rectangle(&(struct array_side){.array = to, .x = to_x, .y = to_y},
                           &(struct array_side){.array = from, .x = from_x, .y = from_y}, width,
                           height, kind, DEFAULT_STREAM, true);
}

/* The oldest array copies: bytes that run on from row to row. */
static cudaError_t array_bytes(cudaArray_t array, size_t x, size_t y, void *address, size_t bytes,
                               bool to_array, int kind, CUstream handle, bool wait)
{
    RT_STREAM_CALL(context, handle, stream);
    RT_NEED_HANDLE(array, CU_KIND_ARRAY);
    u8 *at = address;
    while (bytes) {
        RT_NEED(x < array->row_bytes);
        size_t part = min_u64(bytes, array->row_bytes - x);
        CUDA_MEMCPY3D d;
        RT_TRY(rt_copy_line(&d, at, at, part, kind));
        if (to_array) {
            d.dstMemoryType = CU_MEMORYTYPE_ARRAY;
            d.dstArray = array;
            d.dstXInBytes = x;
            d.dstY = y;
        } else {
            d.srcMemoryType = CU_MEMORYTYPE_ARRAY;
            d.srcArray = array;
            d.srcXInBytes = x;
            d.srcY = y;
        }
        cudaError_t status = submit(stream, &d, wait);
        if (status)
            return status;
        at += part;
        bytes -= part;
        x = 0;
        y++;
    }
    return cudaSuccess;
}

RT(SYNC(cudaMemcpyToArray), cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
   int kind)
{
    return array_bytes(to, x, y, (void *)(uintptr_t)from, bytes, true, kind, DEFAULT_STREAM, true);
}

RT(ASYNC(cudaMemcpyToArrayAsync), cudaArray_t to, size_t x, size_t y, const void *from,
   size_t bytes, int kind, cudaStream_t stream)
{
    return array_bytes(to, x, y, (void *)(uintptr_t)from, bytes, true, kind, stream, false);
}

RT(SYNC(cudaMemcpyFromArray), void *to, cudaArray_t from, size_t x, size_t y, size_t bytes,
   int kind)
{
    return array_bytes(from, x, y, to, bytes, false, kind, DEFAULT_STREAM, true);
}

RT(ASYNC(cudaMemcpyFromArrayAsync), void *to, cudaArray_t from, size_t x, size_t y, size_t bytes,
   int kind, cudaStream_t stream)
{
    return array_bytes(from, x, y, to, bytes, false, kind, stream, false);
}

/* ---- symbols ---- */

static cudaError_t symbol(const void *host, size_t offset, void *address, size_t bytes,
                          bool to_symbol, int kind, CUstream handle, bool wait)
{
    RT_STREAM_CALL(context, handle, stream);
    struct rt_symbol s;
    RT_TRY(rt_symbol_find(context, host, &s));
    RT_NEED(offset <= s.bytes && bytes <= s.bytes - offset);
    void *at = (void *)(uintptr_t)(s.address + offset);
    CUDA_MEMCPY3D d;
    if (to_symbol && (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost))
        return rt_result(cudaErrorInvalidMemcpyDirection);
    if (!to_symbol && (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost))
        return rt_result(cudaErrorInvalidMemcpyDirection);
    RT_TRY(rt_copy_line(&d, to_symbol ? at : address, to_symbol ? address : at, bytes, kind));
    return submit(stream, &d, wait);
}

RT(SYNC(cudaMemcpyToSymbol), const void *to, const void *from, size_t bytes, size_t offset,
   int kind)
{
    return symbol(to, offset, (void *)(uintptr_t)from, bytes, true, kind, DEFAULT_STREAM, true);
}

RT(ASYNC(cudaMemcpyToSymbolAsync), const void *to, const void *from, size_t bytes, size_t offset,
   int kind, cudaStream_t stream)
{
    return symbol(to, offset, (void *)(uintptr_t)from, bytes, true, kind, stream, false);
}

RT(SYNC(cudaMemcpyFromSymbol), void *to, const void *from, size_t bytes, size_t offset, int kind)
{
    return symbol(from, offset, to, bytes, false, kind, DEFAULT_STREAM, true);
}

RT(ASYNC(cudaMemcpyFromSymbolAsync), void *to, const void *from, size_t bytes, size_t offset,
   int kind, cudaStream_t stream)
{
    return symbol(from, offset, to, bytes, false, kind, stream, false);
}

/* ---- fills ---- */

static cudaError_t fill(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                        CUstream handle)
{
    RT_STREAM_CALL(context, handle, stream);
    u64 slice;
    if (__builtin_mul_overflow(to.pitch, to.ysize, &slice))
        RT_NEED(extent.depth <= 1);
    struct cu_work work = {.kind = CU_WORK_FILL,
                           .fill = {.to = (u64)(uintptr_t)to.ptr,
                                    .pitch = to.pitch,
                                    .slice = slice,
                                    .value = (u32)value & 0xff,
                                    .element_bytes = 1,
                                    .width = extent.width,
                                    .height = extent.height,
                                    .depth = extent.depth}};
    RT_TRY(cu_fill_check(&work.fill));
    if (!work.fill.width)
        return cudaSuccess;
    return rt_result((int)cu_submit(stream, &work));
}

static struct cudaPitchedPtr flat(void *to, size_t pitch, size_t height)
{
    return (struct cudaPitchedPtr){.ptr = to, .pitch = pitch, .ysize = height};
}

RT(SYNC(cudaMemset), void *to, int value, size_t bytes)
{
    return fill(flat(to, bytes, 1), value, (struct cudaExtent){bytes, 1, 1}, DEFAULT_STREAM);
}

RT(ASYNC(cudaMemsetAsync), void *to, int value, size_t bytes, cudaStream_t stream)
{
    return fill(flat(to, bytes, 1), value, (struct cudaExtent){bytes, 1, 1}, stream);
}

RT(SYNC(cudaMemset2D), void *to, size_t pitch, int value, size_t width, size_t height)
{
    return fill(flat(to, pitch, height), value, (struct cudaExtent){width, height, 1},
                DEFAULT_STREAM);
}

RT(ASYNC(cudaMemset2DAsync), void *to, size_t pitch, int value, size_t width, size_t height,
   cudaStream_t stream)
{
    return fill(flat(to, pitch, height), value, (struct cudaExtent){width, height, 1}, stream);
}

RT(SYNC(cudaMemset3D), struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return fill(to, value, extent, DEFAULT_STREAM);
}

RT(ASYNC(cudaMemset3DAsync), struct cudaPitchedPtr to, int value, struct cudaExtent extent,
   cudaStream_t stream)
{
    return fill(to, value, extent, stream);
}
