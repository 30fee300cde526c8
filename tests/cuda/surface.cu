/*
 * Surface objects: arrays that kernels write.
 *
 * Proves 2D stores and loads of 4-byte and 16-byte elements addressed in
 * bytes, loads outside under the zero and clamp boundary modes, a 3D surface,
 * and that a texture sees what a surface stored in an earlier kernel.
 */
#define TEST "surface"
#include "check.h"

static const int width = 20, height = 12, depth = 3;

__global__ void store(cudaSurfaceObject_t surface)
{
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite(mix(x + y * 1000), surface, x * (int)sizeof(unsigned), y);
}

/* Each element and its right and lower neighbours, with zero or the edge outside. */
__global__ void load(cudaSurfaceObject_t surface, cudaSurfaceObject_t packed, int edge)
{
    int x = threadIdx.x, y = blockIdx.x;
    unsigned here, right, below;
    surf2Dread(&here, surface, x * 4, y);
    if (edge) {
        surf2Dread(&right, surface, (x + 1) * 4, y, cudaBoundaryModeClamp);
        surf2Dread(&below, surface, x * 4, y + 1, cudaBoundaryModeClamp);
    } else {
        surf2Dread(&right, surface, (x + 1) * 4, y, cudaBoundaryModeZero);
        surf2Dread(&below, surface, x * 4, y + 1, cudaBoundaryModeZero);
    }
    surf2Dwrite(make_uint4(here, right, below, x), packed, x * (int)sizeof(uint4), y);
}

__global__ void store_3d(cudaSurfaceObject_t surface)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    surf3Dwrite((short)(x + 100 * y - 1000 * z), surface, x * (int)sizeof(short), y, z);
}

__global__ void read_texture(cudaTextureObject_t texture, unsigned *out)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[y * width + x] = tex2D<unsigned>(texture, x + 0.5f, y + 0.5f);
}

template <typename T> static cudaArray_t array_make(int planes)
{
    cudaArray_t array;
    struct cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    if (planes)
        CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, planes),
                                cudaArraySurfaceLoadStore));
    else
        CHECK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    return array;
}

static struct cudaResourceDesc resource_of(cudaArray_t array)
{
    struct cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static cudaSurfaceObject_t surface_make(cudaArray_t array)
{
    struct cudaResourceDesc resource = resource_of(array);
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

static unsigned element(int x, int y, bool edge)
{
    if (x >= width || y >= height) {
        if (!edge)
            return 0;
        x = x < width ? x : width - 1;
        y = y < height ? y : height - 1;
    }
    return mix(x + y * 1000);
}

int main(void)
{
    cudaArray_t words = array_make<unsigned>(0), quads = array_make<uint4>(0);
    cudaSurfaceObject_t surface = surface_make(words), packed = surface_make(quads);
    store<<<height, width>>>(surface);
    wait_for_kernels();

    std::vector<unsigned> stored(width * height);
    CHECK(cudaMemcpy2DFromArray(stored.data(), width * 4, words, 0, 0, width * 4, height,
                                cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++)
        expect_equal("stored", i, stored[i], element(i % width, i / width, false));

    for (int edge = 0; edge < 2; edge++) {
        load<<<height, width>>>(surface, packed, edge);
        wait_for_kernels();
        std::vector<uint4> loaded(width * height);
        CHECK(cudaMemcpy2DFromArray(loaded.data(), width * 16, quads, 0, 0, width * 16, height,
                                    cudaMemcpyDeviceToHost));
        for (int i = 0; i < width * height; i++) {
            int x = i % width, y = i / width;
            expect_equal("here", i, loaded[i].x, element(x, y, edge));
            expect_equal("right", i, loaded[i].y, element(x + 1, y, edge));
            expect_equal("below", i, loaded[i].z, element(x, y + 1, edge));
            expect_equal("column", i, loaded[i].w, x);
        }
    }

    struct cudaResourceDesc resource = resource_of(words);
    struct cudaTextureDesc desc = {};
    desc.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    unsigned *out = device_array<unsigned>(width * height);
    read_texture<<<height, width>>>(texture, out);
    wait_for_kernels();
    std::vector<unsigned> read = host_copy(out, width * height);
    for (int i = 0; i < width * height; i++)
        expect_equal("texture", i, read[i], stored[i]);

    cudaArray_t volume = array_make<short>(depth);
    cudaSurfaceObject_t volume_surface = surface_make(volume);
    store_3d<<<depth, dim3(width, height)>>>(volume_surface);
    wait_for_kernels();
    std::vector<short> shorts(width * height * depth);
    struct cudaMemcpy3DParms copy = {};
    copy.srcArray = volume;
    copy.dstPtr = make_cudaPitchedPtr(shorts.data(), width * sizeof(short), width, height);
    copy.extent = make_cudaExtent(width, height, depth);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    for (int i = 0; i < width * height * depth; i++)
        expect_equal("volume", i, shorts[i],
                     i % width + 100 * (i / width % height) - 1000 * (i / (width * height)));

    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaDestroySurfaceObject(packed));
    CHECK(cudaDestroySurfaceObject(volume_surface));
    CHECK(cudaFreeArray(words));
    CHECK(cudaFreeArray(quads));
    CHECK(cudaFreeArray(volume));
    return pass();
}
