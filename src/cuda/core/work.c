#include "cuda/core/work.h"

#include "base/arena.h"
#include "cuda/graph/conditional.h"
#include "cuda/core/event.h"
#include "cuda/graph/graph.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/graph/graph_types.h"
#include "cuda/core/memory.h"
#include "cuda/code/module.h"
#include "cuda/core/texture.h"

#include <stdlib.h>
#include <string.h>

struct cu_work cu_work_clone(const struct cu_work *w)
{
    struct cu_work copy = *w;
    if (w->kind == CU_WORK_KERNEL) {
        u32 bytes = cu_function_info(w->kernel.function)->param_bytes;
        copy.kernel.params = xrealloc(NULL, bytes ? bytes : 1);
        memcpy(copy.kernel.params, w->kernel.params, bytes);
    } else if ((w->kind == CU_WORK_RECORD || w->kind == CU_WORK_WAIT) && w->event.record) {
        w->event.record->references++;
    } else if (w->kind == CU_WORK_GRAPH) {
        copy.graph = cu_graph_clone(w->graph);
    } else if (w->kind == CU_WORK_ALLOC) {
        w->memory->references++;
    } else if (w->kind == CU_WORK_CONDITIONAL) {
        copy.conditional = cu_conditional_clone(w->conditional);
    }
    return copy;
}

void cu_work_fini(struct cu_work *w)
{
    if (w->kind == CU_WORK_KERNEL)
        free(w->kernel.params);
    else if ((w->kind == CU_WORK_RECORD || w->kind == CU_WORK_WAIT) && w->event.record)
        cu_record_release(w->event.record);
    else if (w->kind == CU_WORK_GRAPH)
        cu_graph_destroy(w->graph);
    else if (w->kind == CU_WORK_ALLOC)
        cu_graph_memory_release(w->memory);
    else if (w->kind == CU_WORK_CONDITIONAL)
        cu_conditional_delete(w->conditional);
    w->kind = CU_WORK_EMPTY;
}

/* One end of a copy. */
struct place {
    CUmemorytype type;
    u64 address, pitch, rows;
    CUarray array;
    u64 x, y, z;
};

/* How far a place is from the corner of its box; false: further than 64 bits can say. */
static bool box_offset(u64 x, u64 y, u64 z, u64 pitch, u64 slice, u64 *offset)
{
    u64 row, to_slice;
    return !__builtin_mul_overflow(y, pitch, &row) &&
           !__builtin_mul_overflow(z, slice, &to_slice) &&
           !__builtin_add_overflow(row, to_slice, offset) &&
           !__builtin_add_overflow(*offset, x, offset);
}

/* From which address to which a box reaches. */
static bool box_range(u64 corner, u64 width, u64 height, u64 depth, u64 pitch, u64 slice,
                      u64 *bytes)
{
    u64 end;
    return box_offset(width, height - 1, depth - 1, pitch, slice, bytes) &&
           !__builtin_add_overflow(corner, *bytes, &end);
}

static bool fits(u64 first, u64 count, u64 room)
{
    return count <= room && first <= room - count;
}

/* The corner's address, and how far rows and slices are apart. */
static CUresult place_resolve(const struct place *p, const CUDA_MEMCPY3D *d, u64 *corner,
                              u64 *pitch, u64 *slice)
{
    u64 base = p->address;
    if (p->type == CU_MEMORYTYPE_ARRAY) {
        if (!cu_object_is(p->array, CU_KIND_ARRAY))
            return CUDA_ERROR_INVALID_HANDLE;
        const struct CUarray_st *a = p->array;
        u64 rows = max_u64(a->shape.Height, 1), slices = cu_array_slices(a);
        if (!fits(p->x, d->WidthInBytes, a->row_bytes) || !fits(p->y, d->Height, rows) ||
            !fits(p->z, d->Depth, slices))
            return CUDA_ERROR_INVALID_VALUE;
        base = a->address;
        *pitch = a->pitch_bytes;
        *slice = a->pitch_bytes * rows;
    } else {
        *pitch = p->pitch ? p->pitch : d->WidthInBytes;
        u64 rows = p->rows ? p->rows : d->Height;
        bool is_slice_used = d->Depth > 1 || p->z;
        if (__builtin_mul_overflow(*pitch, rows, slice) && is_slice_used)
            return CUDA_ERROR_INVALID_VALUE;
        if ((d->Height > 1 || d->Depth > 1) && !fits(p->x, d->WidthInBytes, *pitch))
            return CUDA_ERROR_INVALID_VALUE;
        if (p->pitch && p->pitch < d->WidthInBytes)
            return CUDA_ERROR_INVALID_VALUE;
    }
    u64 offset, bytes;
    if (!base || !box_offset(p->x, p->y, p->z, *pitch, *slice, &offset) ||
        __builtin_add_overflow(base, offset, corner) ||
        !box_range(*corner, d->WidthInBytes, d->Height, d->Depth, *pitch, *slice, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (p->type == CU_MEMORYTYPE_HOST)
        return CUDA_SUCCESS;
    bool known = cu_memory_holds(*corner, bytes);
    if (p->type == CU_MEMORYTYPE_UNIFIED && !known)
        known = !memory_find(cu_core()->memory, *corner); /* plain host memory */
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cu_copy_make(struct cu_copy *c, const CUDA_MEMCPY3D *d)
{
    memset(c, 0, sizeof(*c));
    if (!d->WidthInBytes || !d->Height || !d->Depth)
        return CUDA_SUCCESS;
    struct place to = {.type = d->dstMemoryType,
                       .address = d->dstMemoryType == CU_MEMORYTYPE_HOST
                                      ? (u64)(uintptr_t)d->dstHost
                                      : d->dstDevice,
                       .pitch = d->dstPitch,
                       .rows = d->dstHeight,
                       .array = d->dstArray,
                       .x = d->dstXInBytes,
                       .y = d->dstY,
                       .z = d->dstZ};
    struct place from = {.type = d->srcMemoryType,
                         .address = d->srcMemoryType == CU_MEMORYTYPE_HOST
                                        ? (u64)(uintptr_t)d->srcHost
                                        : d->srcDevice,
                         .pitch = d->srcPitch,
                         .rows = d->srcHeight,
                         .array = d->srcArray,
                         .x = d->srcXInBytes,
                         .y = d->srcY,
                         .z = d->srcZ};
    if (to.type < CU_MEMORYTYPE_HOST || to.type > CU_MEMORYTYPE_UNIFIED ||
        from.type < CU_MEMORYTYPE_HOST || from.type > CU_MEMORYTYPE_UNIFIED)
        return CUDA_ERROR_INVALID_VALUE;
    CU_TRY(place_resolve(&to, d, &c->to, &c->to_pitch, &c->to_slice));
    CU_TRY(place_resolve(&from, d, &c->from, &c->from_pitch, &c->from_slice));
    c->width = d->WidthInBytes;
    c->height = d->Height;
    c->depth = d->Depth;
    return CUDA_SUCCESS;
}

CUresult cu_copy_line(struct cu_copy *c, u64 to, u64 from, u64 bytes)
{
    CUDA_MEMCPY3D d = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .srcDevice = from,
                       .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .dstDevice = to,
                       .WidthInBytes = bytes,
                       .Height = 1,
                       .Depth = 1};
    return cu_copy_make(c, &d);
}

bool cu_copy_is_pageable(const struct cu_copy *c)
{
    const struct device_memory *m = cu_core()->memory;
    return c->width && (!memory_find(m, c->to) || !memory_find(m, c->from));
}

bool cu_value_is_there(const struct cu_work *w)
{
    u64 now = 0, mask = w->value.bytes == 4 ? UINT32_MAX : UINT64_MAX,
        value = w->value.value & mask;
    memcpy(&now, (const void *)(uintptr_t)w->value.address, w->value.bytes);
    switch (w->value.compare) {
    case CU_STREAM_WAIT_VALUE_GEQ: /* counters may wrap around */
        return w->value.bytes == 4 ? (i32)((u32)now - (u32)value) >= 0 : (i64)(now - value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return now == value;
    case CU_STREAM_WAIT_VALUE_AND:
        return (now & value) != 0;
    default:
        return (~(now | value) & mask) != 0;
    }
}

void cu_value_write(const struct cu_work *w)
{
    memcpy((void *)(uintptr_t)w->value.address, &w->value.value, w->value.bytes);
}

void cu_copy_run(const struct cu_copy *c)
{
    for (u64 z = 0; z < c->depth; z++) {
        for (u64 y = 0; y < c->height; y++) {
            u64 to = c->to + z * c->to_slice + y * c->to_pitch;
            u64 from = c->from + z * c->from_slice + y * c->from_pitch;
            memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, c->width);
        }
    }
}

CUresult cu_fill_check(struct cu_fill *f)
{
    u64 row, bytes;
    if (!f->width || !f->height || !f->depth) {
        f->width = f->height = f->depth = 0;
        return CUDA_SUCCESS;
    }
    bool has_rows = f->height > 1 || f->depth > 1;
    if (__builtin_mul_overflow(f->width, f->element_bytes, &row) || !f->to ||
        f->to % f->element_bytes || (has_rows && (f->pitch < row || f->pitch % f->element_bytes)) ||
        !box_range(f->to, row, f->height, f->depth, f->pitch, f->slice, &bytes) ||
        !cu_memory_holds(f->to, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cu_fill_make(struct cu_fill *f, u64 to, u64 pitch, u32 value, u32 element_bytes, u64 width,
                      u64 height)
{
    *f = (struct cu_fill){.to = to,
                          .pitch = pitch,
                          .value = value,
                          .element_bytes = element_bytes,
                          .width = width,
                          .height = height,
                          .depth = 1};
    return cu_fill_check(f);
}

void cu_fill_run(const struct cu_fill *f)
{
    for (u64 z = 0; z < f->depth; z++) {
        for (u64 y = 0; y < f->height; y++) {
            u8 *row = (u8 *)(uintptr_t)(f->to + z * f->slice + y * f->pitch);
            if (f->element_bytes == 1) {
                memset(row, (int)(f->value & 0xff), f->width);
                continue;
            }
            for (u64 x = 0; x < f->width; x++)
                memcpy(row + x * f->element_bytes, &f->value, f->element_bytes);
        }
    }
}
