/* Arrays, and the texture and surface objects over them or over plain memory. */
#ifndef CUDA_CORE_TEXTURE_H
#define CUDA_CORE_TEXTURE_H

#include "cuda/core/core.h"
#include "device/texture.h"

struct CUarray_st {
    struct cu_object object;
    CUDA_ARRAY3D_DESCRIPTOR shape;
    u64 address;
    u64 row_bytes, pitch_bytes;
};

#define CU_MIPMAP_LEVELS 16

struct CUmipmappedArray_st {
    struct cu_object object;
    CUarray levels[CU_MIPMAP_LEVELS];
    u32 count;
};

struct cu_texture {
    struct cu_object object;
    u64 handle;
    struct texture texture;
    struct texture levels[CU_MIPMAP_LEVELS]; /* of a mipmap */
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampler;
};

/* 1, 2 or 4; 0: not a format we know */
CU_SHARED u32 cu_format_bytes(CUarray_format format);

CU_SHARED CUresult cu_array_create(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                                   CUarray *out);
CU_SHARED void cu_array_destroy(CUarray array);
/* Depth, or the layers, at least 1. */
CU_SHARED u64 cu_array_slices(const struct CUarray_st *array);
CU_SHARED CUresult cu_mipmap_create(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                                    u32 levels, CUmipmappedArray *out);
CU_SHARED void cu_mipmap_destroy(CUmipmappedArray array);

/* sampler NULL: a surface. */
CU_SHARED CUresult cu_texture_create(CUcontext context, const CUDA_RESOURCE_DESC *resource,
                                     const CUDA_TEXTURE_DESC *sampler, u64 *handle);
CU_SHARED struct cu_texture *cu_texture_find(u64 handle);
CU_SHARED void cu_texture_destroy(struct cu_texture *texture);
const struct texture *cu_texture_lookup(u64 handle);

#endif
