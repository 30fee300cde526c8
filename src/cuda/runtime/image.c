/* Arrays, textures and surfaces. */
#include "cuda/runtime/runtime.h"
#include "cuda/core/texture.h"

#include <string.h>

/* Kind and bits of a channel to the driver's format. */
static const struct {
    int f, bits;
    CUarray_format format;
} formats[] = {
    {0, 8, CU_AD_FORMAT_SIGNED_INT8},     {0, 16, CU_AD_FORMAT_SIGNED_INT16},
    {0, 32, CU_AD_FORMAT_SIGNED_INT32},   {1, 8, CU_AD_FORMAT_UNSIGNED_INT8},
    {1, 16, CU_AD_FORMAT_UNSIGNED_INT16}, {1, 32, CU_AD_FORMAT_UNSIGNED_INT32},
    {2, 16, CU_AD_FORMAT_HALF},           {2, 32, CU_AD_FORMAT_FLOAT},
};

bool rt_format(const struct cudaChannelFormatDesc *desc, CUarray_format *format, u32 *channels)
{
    const int bits[4] = {desc->x, desc->y, desc->z, desc->w};
    u32 count = 0;
    while (count < 4 && bits[count])
        count++;
    for (u32 i = 0; i < 4; i++) {
        if (bits[i] != (i < count ? bits[0] : 0))
            return false;
    }
    *channels = count;
    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        if (formats[i].f == desc->f && formats[i].bits == bits[0]) {
            *format = formats[i].format;
            return count == 1 || count == 2 || count == 4;
        }
    }
    return false;
}

static struct cudaChannelFormatDesc format_desc(CUarray_format format, u32 channels)
{
    struct cudaChannelFormatDesc d = {0};
    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        if (formats[i].format == format) {
            d.f = formats[i].f;
            d.x = formats[i].bits;
            d.y = channels > 1 ? d.x : 0;
            d.z = d.w = channels > 2 ? d.x : 0;
        }
    }
    return d;
}

u64 rt_array_element_bytes(cudaArray_t array)
{
    return (u64)cu_format_bytes(array->shape.Format) * array->shape.NumChannels;
}

RT_TYPED(struct cudaChannelFormatDesc, cudaCreateChannelDesc, int x, int y, int z, int w, int f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

static cudaError_t shape_make(CUDA_ARRAY3D_DESCRIPTOR *shape,
                              const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned int flags)
{
    *shape = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    return rt_format(desc, &shape->Format, &shape->NumChannels) ? cudaSuccess
                                                                : cudaErrorInvalidChannelDescriptor;
}

static cudaError_t array_create(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                struct cudaExtent extent, unsigned int flags)
{
    RT_CALL(context)
    RT_NEED(array && desc);
    CUDA_ARRAY3D_DESCRIPTOR shape;
    RT_TRY(shape_make(&shape, desc, extent, flags));
    return rt_result((int)cu_array_create(context, &shape, array));
}

RT(cudaMallocArray, cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
   size_t height, unsigned int flags)
{
    return array_create(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

RT(cudaMalloc3DArray, cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
   struct cudaExtent extent, unsigned int flags)
{
    return array_create(array, desc, extent, flags);
}

RT(cudaFreeArray, cudaArray_t array)
{
    RT_CALL(context)
    if (!array)
        return cudaSuccess;
    RT_NEED_HANDLE(array, CU_KIND_ARRAY);
    cu_array_destroy(array);
    return cudaSuccess;
}

RT(cudaArrayGetInfo, struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
   unsigned int *flags, cudaArray_t array)
{
    RT_CALL(context)
    RT_NEED_HANDLE(array, CU_KIND_ARRAY);
    if (desc)
        *desc = format_desc(array->shape.Format, array->shape.NumChannels);
    if (extent)
        *extent = (struct cudaExtent){array->shape.Width, array->shape.Height, array->shape.Depth};
    if (flags)
        *flags = array->shape.Flags;
    return cudaSuccess;
}

RT(cudaGetChannelDesc, struct cudaChannelFormatDesc *desc, cudaArray_t array)
{
    RT_CALL(context)
    RT_NEED(desc);
    RT_NEED_HANDLE(array, CU_KIND_ARRAY);
    *desc = format_desc(array->shape.Format, array->shape.NumChannels);
    return cudaSuccess;
}

RT(cudaMallocMipmappedArray, cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *desc,
   struct cudaExtent extent, unsigned int levels, unsigned int flags)
{
    RT_CALL(context)
    RT_NEED(array && desc);
    CUDA_ARRAY3D_DESCRIPTOR shape;
    RT_TRY(shape_make(&shape, desc, extent, flags));
    return rt_result((int)cu_mipmap_create(context, &shape, levels, array));
}

RT(cudaGetMipmappedArrayLevel, cudaArray_t *level, cudaMipmappedArray_t array, unsigned int index)
{
    RT_CALL(context)
    RT_NEED_HANDLE(array, CU_KIND_MIPMAP);
    RT_NEED(level && index < array->count);
    *level = array->levels[index];
    return cudaSuccess;
}

RT(cudaFreeMipmappedArray, cudaMipmappedArray_t array)
{
    RT_CALL(context)
    RT_NEED_HANDLE(array, CU_KIND_MIPMAP);
    cu_mipmap_destroy(array);
    return cudaSuccess;
}

/* ---- textures and surfaces ---- */

static cudaError_t resource_make(CUDA_RESOURCE_DESC *out, const struct cudaResourceDesc *r)
{
    *out = (CUDA_RESOURCE_DESC){.resType = (CUresourcetype)r->resType, .flags = r->flags};
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        out->res.array.hArray = r->res.array.array;
        return cudaSuccess;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        out->res.mipmap.hMipmappedArray = r->res.mipmap.mipmap;
        return cudaSuccess;
    case CU_RESOURCE_TYPE_LINEAR:
        out->res.linear.devPtr = (u64)(uintptr_t)r->res.linear.devPtr;
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        return rt_format(&r->res.linear.desc, &out->res.linear.format, &out->res.linear.numChannels)
                   ? cudaSuccess
                   : cudaErrorInvalidChannelDescriptor;
    case CU_RESOURCE_TYPE_PITCH2D:
        out->res.pitch2D.devPtr = (u64)(uintptr_t)r->res.pitch2D.devPtr;
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        return rt_format(&r->res.pitch2D.desc, &out->res.pitch2D.format,
                         &out->res.pitch2D.numChannels)
                   ? cudaSuccess
                   : cudaErrorInvalidChannelDescriptor;
    default:
        return cudaErrorInvalidValue;
    }
}

static void resource_show(struct cudaResourceDesc *out, const CUDA_RESOURCE_DESC *r)
{
    memset(out, 0, sizeof(*out));
    out->resType = (int)r->resType;
    out->flags = r->flags;
    if (r->resType == CU_RESOURCE_TYPE_ARRAY) {
        out->res.array.array = r->res.array.hArray;
    } else if (r->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
        out->res.mipmap.mipmap = r->res.mipmap.hMipmappedArray;
    } else if (r->resType == CU_RESOURCE_TYPE_LINEAR) {
        out->res.linear.devPtr = (void *)(uintptr_t)r->res.linear.devPtr;
        out->res.linear.desc = format_desc(r->res.linear.format, r->res.linear.numChannels);
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
    } else {
        out->res.pitch2D.devPtr = (void *)(uintptr_t)r->res.pitch2D.devPtr;
        out->res.pitch2D.desc = format_desc(r->res.pitch2D.format, r->res.pitch2D.numChannels);
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
    }
}

static CUDA_TEXTURE_DESC sampler_make(const struct cudaTextureDesc *t)
{
    CUDA_TEXTURE_DESC s = {.filterMode = (CUfilter_mode)t->filterMode,
                           .maxAnisotropy = t->maxAnisotropy,
                           .mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode,
                           .mipmapLevelBias = t->mipmapLevelBias,
                           .minMipmapLevelClamp = t->minMipmapLevelClamp,
                           .maxMipmapLevelClamp = t->maxMipmapLevelClamp};
    for (u32 i = 0; i < 3; i++)
        s.addressMode[i] = (CUaddress_mode)t->addressMode[i];
    memcpy(s.borderColor, t->borderColor, sizeof(s.borderColor));
    s.flags = (t->readMode == 0 ? CU_TRSF_READ_AS_INTEGER : 0u) |
              (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
              (t->sRGB ? CU_TRSF_SRGB : 0u);
    return s;
}

/* view: begins with its format; 0 means the resource's own. */
RT(cudaCreateTextureObject, u64 *object, const struct cudaResourceDesc *resource,
   const struct cudaTextureDesc *sampler, const int *view)
{
    RT_CALL(context)
    RT_NEED(object && resource && sampler);
    if (view && *view) {
        cu_say("a texture object requests a view in another format, which is not supported");
        return rt_result(cudaErrorNotSupported);
    }
    CUDA_RESOURCE_DESC r;
    RT_TRY(resource_make(&r, resource));
    CUDA_TEXTURE_DESC s = sampler_make(sampler);
    return rt_result((int)cu_texture_create(context, &r, &s, object));
}

RT(cudaCreateSurfaceObject, u64 *object, const struct cudaResourceDesc *resource)
{
    RT_CALL(context)
    RT_NEED(object && resource);
    CUDA_RESOURCE_DESC r;
    RT_TRY(resource_make(&r, resource));
    return rt_result((int)cu_texture_create(context, &r, NULL, object));
}

static cudaError_t object_destroy(u64 object)
{
    RT_CALL(context)
    struct cu_texture *t = cu_texture_find(object);
    RT_NEED(t);
    cu_texture_destroy(t);
    return cudaSuccess;
}

RT(cudaDestroyTextureObject, u64 object)
{
    return object_destroy(object);
}

RT(cudaDestroySurfaceObject, u64 object)
{
    return object_destroy(object);
}

static cudaError_t object_resource(struct cudaResourceDesc *resource, u64 object)
{
    RT_CALL(context)
    struct cu_texture *t = cu_texture_find(object);
    RT_NEED(resource && t);
    resource_show(resource, &t->resource);
    return cudaSuccess;
}

RT(cudaGetTextureObjectResourceDesc, struct cudaResourceDesc *resource, u64 object)
{
    return object_resource(resource, object);
}

RT(cudaGetSurfaceObjectResourceDesc, struct cudaResourceDesc *resource, u64 object)
{
    return object_resource(resource, object);
}
