#include "device.h"

#include <stdio.h>
#include <string.h>

/* Records the failure of a call in words and yields false. */
static bool succeeded(struct device *d, CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS)
        return true;
    snprintf(d->why, sizeof d->why, "%s: %s", call, driver_error(&d->driver, result));
    return false;
}

#define CALL(d, function, ...) succeeded(d, (d)->driver.function(__VA_ARGS__), #function)

bool device_open(struct device *d, const char *library)
{
    memset(d, 0, sizeof *d);
    if (!driver_open(&d->driver, library, d->why, sizeof d->why))
        return false;
    int major = 0, minor = 0;
    bool ok = CALL(d, cuInit, 0) && CALL(d, cuDeviceGet, &d->id, 0) &&
              CALL(d, cuDriverGetVersion, &d->version) &&
              CALL(d, cuDeviceGetName, d->name, (int)sizeof d->name, d->id) &&
              CALL(d, cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                   d->id) &&
              CALL(d, cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                   d->id) &&
              CALL(d, cuCtxCreate, &d->context, 0, d->id);
    d->sm = major * 10 + minor;
    if (!ok)
        driver_close(&d->driver);
    return ok;
}

void device_close(struct device *d)
{
    if (d->context)
        d->driver.cuCtxDestroy(d->context);
    driver_close(&d->driver);
}

/* After a fault every call in the old context fails. */
static void context_renew(struct device *d)
{
    char why[sizeof d->why];
    memcpy(why, d->why, sizeof why);
    d->driver.cuCtxDestroy(d->context);
    d->context = NULL;
    d->faults++;
    CALL(d, cuCtxCreate, &d->context, 0, d->id);
    memcpy(d->why, why, sizeof why);
}

bool device_load(struct device *d, struct test_case *const *cases, u32 count, CUmodule *module)
{
    struct text t = {0};
    module_write(&t, cases, count);
    char log[3000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    bool ok = CALL(d, cuModuleLoadDataEx, module, t.data, 2, options, values);
    if (!ok && log[0]) {
        size_t at = strlen(d->why);
        snprintf(d->why + at, sizeof d->why - at, ": %s", log);
    }
    for (char *c = d->why; !ok && *c; c++)
        *c = *c == '\n' ? ' ' : *c; /* the reason becomes one line of a report */
    text_fini(&t);
    return ok;
}

void device_unload(struct device *d, CUmodule module)
{
    d->driver.cuModuleUnload(module);
}

static CUarray_format image_format(const struct value_type *t)
{
    switch (t->kind) {
    case KIND_FLOAT:
        return t->bytes == 2 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    case KIND_SIGNED:
        return t->bytes == 1   ? CU_AD_FORMAT_SIGNED_INT8
               : t->bytes == 2 ? CU_AD_FORMAT_SIGNED_INT16
                               : CU_AD_FORMAT_SIGNED_INT32;
    default:
        return t->bytes == 1   ? CU_AD_FORMAT_UNSIGNED_INT8
               : t->bytes == 2 ? CU_AD_FORMAT_UNSIGNED_INT16
                               : CU_AD_FORMAT_UNSIGNED_INT32;
    }
}

static CUaddress_mode image_address(const char *word)
{
    static const char *const names[] = {"wrap", "clamp", "mirror", "border"};
    for (u32 i = 0; i < 4; i++) {
        if (!strcmp(word, names[i]))
            return (CUaddress_mode)i;
    }
    return CU_TR_ADDRESS_MODE_CLAMP;
}

/* The array, filled, and the texture or surface object over it. */
static bool image_create(struct device *d, const struct test_case *c, const u8 *texels,
                         CUarray *array, u64 *handle)
{
    const struct image *m = &c->image;
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = m->extent[0],
                                     .Height = m->dimensions > 1 ? m->extent[1] : 0,
                                     .Depth = m->dimensions > 2 ? m->extent[2] : 0,
                                     .Format = image_format(m->element),
                                     .NumChannels = m->channels,
                                     .Flags = m->surface           ? CUDA_ARRAY3D_SURFACE_LDST
                                              : m->dimensions == 2 ? CUDA_ARRAY3D_TEXTURE_GATHER
                                                                   : 0};
    if (!CALL(d, cuArray3DCreate, array, &shape))
        return false;
    size_t pitch = (size_t)m->extent[0] * m->channels * m->element->bytes;
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = texels,
                          .srcPitch = pitch,
                          .srcHeight = m->extent[1],
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = *array,
                          .WidthInBytes = pitch,
                          .Height = m->extent[1],
                          .Depth = m->extent[2]};
    if (!CALL(d, cuMemcpy3D, &copy))
        return false;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = *array};
    CUaddress_mode mode = image_address(m->address);
    CUDA_TEXTURE_DESC sampler = {.addressMode = {mode, mode, mode},
                                 .filterMode = strcmp(m->filter, "linear")
                                                   ? CU_TR_FILTER_MODE_POINT
                                                   : CU_TR_FILTER_MODE_LINEAR,
                                 .flags = (m->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                                          (m->as_integer ? CU_TRSF_READ_AS_INTEGER : 0u),
                                 .borderColor = {0.25f, 0.5f, 0.75f, 1.0f}};
    CUtexObject object = 0;
    bool ok = m->surface ? CALL(d, cuSurfObjectCreate, &object, &resource)
                         : CALL(d, cuTexObjectCreate, &object, &resource, &sampler, NULL);
    *handle = object;
    return ok;
}

static void image_destroy(struct device *d, const struct test_case *c, CUarray array, u64 handle)
{
    if (handle && c->image.surface)
        d->driver.cuSurfObjectDestroy(handle);
    else if (handle)
        d->driver.cuTexObjectDestroy(handle);
    if (array)
        d->driver.cuArrayDestroy(array);
}

static bool launch(struct device *d, CUfunction f, const struct test_case *c, void **params)
{
    if (c->shared_bytes > 48 * 1024 &&
        !CALL(d, cuFuncSetAttribute, f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
              (int)c->shared_bytes))
        return false;
    const u32 *g = c->grid, *b = c->block;
    if (c->cooperative)
        return CALL(d, cuLaunchCooperativeKernel, f, g[0], g[1], g[2], b[0], b[1], b[2],
                    c->shared_bytes, NULL, params);
    return CALL(d, cuLaunchKernel, f, g[0], g[1], g[2], b[0], b[1], b[2], c->shared_bytes, NULL,
                params, NULL);
}

bool device_run(struct device *d, CUmodule module, const struct test_case *c, const u8 *inputs,
                u8 *outputs)
{
    CUfunction f;
    CUdeviceptr in = 0, out = 0;
    CUarray array = NULL;
    u64 image = 0;
    void *params[] = {&in, &out, &image};
    bool ok =
        CALL(d, cuModuleGetFunction, &f, module, c->entry) &&
        CALL(d, cuMemAlloc, &in, c->in_bytes + 16) && CALL(d, cuMemAlloc, &out, c->out_bytes) &&
        (!c->in_bytes || CALL(d, cuMemcpyHtoD, in, inputs, c->in_bytes)) &&
        CALL(d, cuMemsetD8, out, 0, c->out_bytes) &&
        (!c->image.dimensions || image_create(d, c, inputs + c->in_bytes, &array, &image)) &&
        launch(d, f, c, params) && succeeded(d, d->driver.cuCtxSynchronize(), "cuCtxSynchronize") &&
        CALL(d, cuMemcpyDtoH, outputs, out, c->out_bytes);
    if (!ok) {
        context_renew(d); /* frees what the old one held */
        return false;
    }
    image_destroy(d, c, array, image);
    d->driver.cuMemFree(in);
    d->driver.cuMemFree(out);
    return true;
}
