#include "cuda/core/texture.h"

#include "cuda/core/memory.h"
#include "cuda/core/stream.h"

#include <string.h>

static const struct {
    CUarray_format format;
    u8 bits;
    enum texel_kind kind;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, TEXEL_UNSIGNED},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, TEXEL_UNSIGNED},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, TEXEL_UNSIGNED},
    {CU_AD_FORMAT_SIGNED_INT8, 8, TEXEL_SIGNED},
    {CU_AD_FORMAT_SIGNED_INT16, 16, TEXEL_SIGNED},
    {CU_AD_FORMAT_SIGNED_INT32, 32, TEXEL_SIGNED},
    {CU_AD_FORMAT_HALF, 16, TEXEL_FLOAT},
    {CU_AD_FORMAT_FLOAT, 32, TEXEL_FLOAT},
};

static bool format_set(struct texture *t, CUarray_format format, u32 channels)
{
    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        if (formats[i].format == format && (channels == 1 || channels == 2 || channels == 4)) {
            t->channel_bits = formats[i].bits;
            t->kind = formats[i].kind;
            t->channels = (u8)channels;
            return true;
        }
    }
    return false;
}

u32 cu_format_bytes(CUarray_format format)
{
    struct texture t;
    return format_set(&t, format, 1) ? t.channel_bits / 8u : 0;
}

u64 cu_array_slices(const struct CUarray_st *array)
{
    return max_u64(array->shape.Depth, 1);
}

/* Largest extents by kind of array, as rows of three attributes. */
static bool shape_fits(const CUDA_ARRAY3D_DESCRIPTOR *s)
{
    const int *a = cu_core()->props.attribute;
    bool layered = s->Flags & CUDA_ARRAY3D_LAYERED;
    u64 limit[3];
    if (!s->Height) {
        limit[0] = (u64)a[layered ? CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH
                                  : CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH];
        limit[1] = 0;
        limit[2] = layered ? (u64)a[CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS] : 0;
    } else if (layered || !s->Depth) {
        limit[0] = (u64)a[layered ? CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH
                                  : CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH];
        limit[1] = (u64)a[layered ? CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT
                                  : CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT];
        limit[2] = layered ? (u64)a[CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS] : 0;
    } else {
        for (u32 i = 0; i < 3; i++)
            limit[i] = (u64)a[CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH + i];
    }
    return s->Width && s->Width <= limit[0] && s->Height <= limit[1] && s->Depth <= limit[2];
}

static CUarray array_new(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    CUarray a = cu_object_new(sizeof(*a), CU_KIND_ARRAY, context);
    a->shape = *shape;
    a->row_bytes = shape->Width * shape->NumChannels * cu_format_bytes(shape->Format);
    a->pitch_bytes = (a->row_bytes + 31) & ~(u64)31;
    return a;
}

CUresult cu_array_create(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR *shape, CUarray *out)
{
    struct texture checked;
    if (!format_set(&checked, shape->Format, shape->NumChannels) || !shape_fits(shape))
        return CUDA_ERROR_INVALID_VALUE;
    CUarray a = array_new(context, shape);
    u64 bytes = a->pitch_bytes * max_u64(shape->Height, 1) * cu_array_slices(a);
    CUresult status = cu_memory_alloc(context, CU_MEMORY_ARRAY, bytes, 0, &a->address);
    if (status != CUDA_SUCCESS) {
        cu_object_delete(a);
        return status;
    }
    *out = a;
    return CUDA_SUCCESS;
}

void cu_array_destroy(CUarray array)
{
    cu_memory_free(array->address, 1u << CU_MEMORY_ARRAY);
    cu_object_delete(array);
}

CUresult cu_mipmap_create(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR *shape, u32 levels,
                          CUmipmappedArray *out)
{
    u64 largest = max_u64(shape->Width, max_u64(shape->Height, shape->Depth));
    u32 possible = largest ? 64 - (u32)__builtin_clzll(largest) : 0;
    if (!levels || !possible)
        return CUDA_ERROR_INVALID_VALUE;
    CUmipmappedArray m = cu_object_new(sizeof(*m), CU_KIND_MIPMAP, context);
    CUDA_ARRAY3D_DESCRIPTOR level = *shape;
    bool layered = shape->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    while (m->count < levels && m->count < possible && m->count < CU_MIPMAP_LEVELS) {
        CUresult status = cu_array_create(context, &level, &m->levels[m->count]);
        if (status != CUDA_SUCCESS) {
            cu_mipmap_destroy(m);
            return status;
        }
        m->count++;
        level.Width = max_u64(level.Width / 2, 1);
        level.Height = level.Height ? max_u64(level.Height / 2, 1) : 0;
        if (!layered)
            level.Depth = level.Depth ? max_u64(level.Depth / 2, 1) : 0;
    }
    *out = m;
    return CUDA_SUCCESS;
}

void cu_mipmap_destroy(CUmipmappedArray array)
{
    for (u32 i = 0; i < array->count; i++) {
        if (cu_object_is(array->levels[i], CU_KIND_ARRAY))
            cu_array_destroy(array->levels[i]);
    }
    cu_object_delete(array);
}

/* The faces of a cube are layers. */
static bool has_layers(const CUDA_ARRAY3D_DESCRIPTOR *s)
{
    return s->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
}

static CUresult set_array(struct texture *t, CUarray a)
{
    if (!cu_object_is(a, CU_KIND_ARRAY))
        return CUDA_ERROR_INVALID_HANDLE;
    bool layered = has_layers(&a->shape);
    t->data = (u8 *)(uintptr_t)a->address;
    t->width = (u32)a->shape.Width;
    t->height = (u32)a->shape.Height;
    t->depth = layered ? 0 : (u32)a->shape.Depth;
    t->layers = layered ? (u32)a->shape.Depth : 0;
    t->pitch_bytes = a->pitch_bytes;
    t->is_array = true;
    format_set(t, a->shape.Format, a->shape.NumChannels);
    return CUDA_SUCCESS;
}

static CUresult set_resource(struct texture *t, const CUDA_RESOURCE_DESC *r)
{
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return set_array(t, r->res.array.hArray);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: /* the finest level; set_levels has the others */
        if (!cu_object_is(r->res.mipmap.hMipmappedArray, CU_KIND_MIPMAP))
            return CUDA_ERROR_INVALID_HANDLE;
        return set_array(t, r->res.mipmap.hMipmappedArray->levels[0]);
    case CU_RESOURCE_TYPE_LINEAR:
        if (!format_set(t, r->res.linear.format, r->res.linear.numChannels) ||
            !cu_memory_holds(r->res.linear.devPtr, r->res.linear.sizeInBytes))
            return CUDA_ERROR_INVALID_VALUE;
        t->data = (u8 *)(uintptr_t)r->res.linear.devPtr;
        t->width = (u32)(r->res.linear.sizeInBytes / (t->channels * (t->channel_bits / 8u)));
        t->pitch_bytes = r->res.linear.sizeInBytes;
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_PITCH2D: {
        u64 pitch = r->res.pitch2D.pitchInBytes, height = r->res.pitch2D.height;
        u64 unit = (u64)cu_core()->props.attribute[CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT];
        if (!format_set(t, r->res.pitch2D.format, r->res.pitch2D.numChannels) || !height ||
            pitch % unit)
            return CUDA_ERROR_INVALID_VALUE;
        u64 row = r->res.pitch2D.width * t->channels * (t->channel_bits / 8u);
        if (row > pitch || !cu_memory_holds(r->res.pitch2D.devPtr, (height - 1) * pitch + row))
            return CUDA_ERROR_INVALID_VALUE;
        t->data = (u8 *)(uintptr_t)r->res.pitch2D.devPtr;
        t->width = (u32)r->res.pitch2D.width;
        t->height = (u32)height;
        t->pitch_bytes = pitch;
        return CUDA_SUCCESS;
    }
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult set_sampler(struct texture *t, const CUDA_TEXTURE_DESC *s,
                            const CUDA_RESOURCE_DESC *r)
{
    static const enum address_mode modes[] = {
        [CU_TR_ADDRESS_MODE_WRAP] = ADDRESS_WRAP,
        [CU_TR_ADDRESS_MODE_CLAMP] = ADDRESS_CLAMP,
        [CU_TR_ADDRESS_MODE_MIRROR] = ADDRESS_MIRROR,
        [CU_TR_ADDRESS_MODE_BORDER] = ADDRESS_BORDER,
    };
    t->normalized_coords = s->flags & CU_TRSF_NORMALIZED_COORDINATES;
    t->linear = s->filterMode == CU_TR_FILTER_MODE_LINEAR;
    t->read_normalized =
        !(s->flags & CU_TRSF_READ_AS_INTEGER) && t->kind != TEXEL_FLOAT && t->channel_bits < 32;
    if (s->flags & CU_TRSF_SRGB)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (t->linear && !t->read_normalized && t->kind != TEXEL_FLOAT)
        return CUDA_ERROR_INVALID_VALUE;
    for (u32 i = 0; i < 3; i++) {
        if (s->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            return CUDA_ERROR_INVALID_VALUE;
        t->address[i] = modes[s->addressMode[i]];
        /* Wrap and mirror need coordinates from 0 to 1; otherwise they clamp. */
        if (!t->normalized_coords &&
            (t->address[i] == ADDRESS_WRAP || t->address[i] == ADDRESS_MIRROR))
            t->address[i] = ADDRESS_CLAMP;
    }
    memcpy(t->border, s->borderColor, sizeof(t->border));
    if (r->resType == CU_RESOURCE_TYPE_LINEAR) {
        t->linear = false; /* and outside reads as zero */
        t->normalized_coords = false;
        t->address[0] = ADDRESS_BORDER;
        memset(t->border, 0, sizeof(t->border));
    }
    return CUDA_SUCCESS;
}

/* Each level as the finest, but for where and how large it is. */
static CUresult set_levels(struct cu_texture *o, const CUDA_TEXTURE_DESC *s)
{
    CUmipmappedArray m = o->resource.res.mipmap.hMipmappedArray;
    for (u32 i = 0; i < m->count; i++) {
        o->levels[i] = o->texture;
        CU_TRY(set_array(&o->levels[i], m->levels[i]));
    }
    o->texture.levels = o->levels;
    o->texture.level_count = m->count;
    o->texture.level_linear = s->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
    o->texture.level_bias = s->mipmapLevelBias;
    o->texture.level_clamp[0] = s->minMipmapLevelClamp;
    o->texture.level_clamp[1] = s->maxMipmapLevelClamp;
    return CUDA_SUCCESS;
}

CUresult cu_texture_create(CUcontext context, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *sampler, u64 *handle)
{
    struct texture t = {.is_surface = !sampler};
    if (!sampler && resource->resType != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    CU_TRY(set_resource(&t, resource));
    if (!sampler && !(resource->res.array.hArray->shape.Flags & CUDA_ARRAY3D_SURFACE_LDST))
        return CUDA_ERROR_INVALID_VALUE;
    if (sampler)
        CU_TRY(set_sampler(&t, sampler, resource));
    struct cu_core *core = cu_core();
    struct cu_texture *o = cu_object_new(sizeof(*o), CU_KIND_TEXTURE, context);
    o->handle = core->next_texture++;
    o->texture = t;
    o->resource = *resource;
    if (sampler)
        o->sampler = *sampler;
    if (resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
        CUresult status = set_levels(o, sampler);
        if (status != CUDA_SUCCESS) {
            cu_object_delete(o);
            return status;
        }
    }
    map_put(&core->textures, o->handle, (u64)(uintptr_t)o);
    *handle = o->handle;
    return CUDA_SUCCESS;
}

struct cu_texture *cu_texture_find(u64 handle)
{
    u64 value;
    return map_get(&cu_core()->textures, handle, &value) ? (struct cu_texture *)(uintptr_t)value
                                                         : NULL;
}

const struct texture *cu_texture_lookup(u64 handle)
{
    struct cu_texture *t = cu_texture_find(handle);
    return t ? &t->texture : NULL;
}

void cu_texture_destroy(struct cu_texture *texture)
{
    cu_wait_all(texture->object.context);
    map_remove(&cu_core()->textures, texture->handle);
    cu_object_delete(texture);
}
