/*
 * Textures with structure: cube maps, layered cube maps, layered 1D and 2D, mipmaps by level, by
 * gradient and between levels, gather. Texels hold their own place, so a fetch says what it read.
 */
#define TEST "texture_shapes"
#include "check.h"

static const int N = 8;

static float texel(int layer, int y, int x)
{
    return (float)(layer * 100 + y * 10 + x);
}

static cudaArray_t array_make(int width, int height, int depth, unsigned flags)
{
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    CHECK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(width, height, depth), flags));
    int rows = height ? height : 1, layers = depth ? depth : 1;
    std::vector<float> data;
    for (int l = 0; l < layers; l++)
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < width; x++)
                data.push_back(texel(l, y, x));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(data.data(), width * sizeof(float), width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, rows, layers);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static cudaTextureObject_t texture_make(cudaArray_t array, bool normalized, bool linear = false)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc desc = {};
    for (int i = 0; i < 3; i++)
        desc.addressMode[i] = cudaAddressModeClamp;
    desc.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    desc.normalizedCoords = normalized;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}

struct direction {
    float x, y, z;
};

__global__ void cube(cudaTextureObject_t t, const direction *d, float *out)
{
    int i = threadIdx.x;
    out[i] = texCubemap<float>(t, d[i].x, d[i].y, d[i].z);
}

__global__ void cube_layered(cudaTextureObject_t t, const direction *d, int layer, float *out)
{
    int i = threadIdx.x;
    out[i] = texCubemapLayered<float>(t, d[i].x, d[i].y, d[i].z, layer);
}

/* A direction to the middle of each texel of each face, from the table of the programming guide. */
static std::vector<direction> directions(void)
{
    std::vector<direction> all;
    for (int face = 0; face < 6; face++) {
        for (int y = 0; y < N; y++) {
            for (int x = 0; x < N; x++) {
                float s = 2 * (x + 0.5f) / N - 1, t = 2 * (y + 0.5f) / N - 1;
                const direction d[6] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                                        {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
                all.push_back({d[face].x * 3, d[face].y * 3, d[face].z * 3});
            }
        }
    }
    return all;
}

static void cubes(void)
{
    std::vector<direction> d = directions();
    direction *on_device = device_copy(d);
    float *out = device_array<float>(d.size());
    cudaTextureObject_t t = texture_make(array_make(N, N, 6, cudaArrayCubemap), true);
    cube<<<1, (unsigned)d.size()>>>(t, on_device, out);
    wait_for_kernels();
    std::vector<float> got = host_copy(out, d.size());
    for (size_t i = 0; i < got.size(); i++)
        expect_equal("cube", i, got[i], texel((int)i / N / N, (int)i / N % N, (int)i % N));
    t = texture_make(array_make(N, N, 12, cudaArrayCubemap | cudaArrayLayered), true);
    for (int layer = 0; layer < 2; layer++) {
        cube_layered<<<1, (unsigned)d.size()>>>(t, on_device, layer, out);
        wait_for_kernels();
        got = host_copy(out, d.size());
        for (size_t i = 0; i < got.size(); i++)
            expect_equal("layered cube", i, got[i],
                         texel(layer * 6 + (int)i / N / N, (int)i / N % N, (int)i % N));
    }
}

__global__ void layers(cudaTextureObject_t one, cudaTextureObject_t two, float *out)
{
    int x = threadIdx.x, l = blockIdx.x;
    out[l * 2 * N + x] = tex1DLayered<float>(one, x + 0.5f, l);
    out[l * 2 * N + N + x] = tex2DLayered<float>(two, x + 0.5f, 3.5f, l);
}

static void layered(void)
{
    float *out = device_array<float>(4 * 2 * N);
    layers<<<4, N>>>(texture_make(array_make(N, 0, 4, cudaArrayLayered), false),
                     texture_make(array_make(N, N, 4, cudaArrayLayered), false), out);
    wait_for_kernels();
    std::vector<float> got = host_copy(out, 4 * 2 * N);
    for (int l = 0; l < 4; l++) {
        for (int x = 0; x < N; x++) {
            expect_equal("1D layers", l * N + x, got[l * 2 * N + x], texel(l, 0, x));
            expect_equal("2D layers", l * N + x, got[l * 2 * N + N + x], texel(l, 3, x));
        }
    }
}

__global__ void gather(cudaTextureObject_t t, float4 *out)
{
    out[threadIdx.x] = tex2Dgather<float4>(t, threadIdx.x + 1.0f, 2.0f, 0);
}

static void gathered(void)
{
    float4 *out = device_array<float4>(N - 1);
    gather<<<1, N - 1>>>(texture_make(array_make(N, N, 0, cudaArrayTextureGather), false), out);
    wait_for_kernels();
    std::vector<float4> got = host_copy(out, N - 1);
    for (int x = 0; x < N - 1; x++) {
        expect_equal("gather x", x, got[x].x, texel(0, 2, x));
        expect_equal("gather y", x, got[x].y, texel(0, 2, x + 1));
        expect_equal("gather z", x, got[x].z, texel(0, 1, x + 1));
        expect_equal("gather w", x, got[x].w, texel(0, 1, x));
    }
}

__global__ void levels(cudaTextureObject_t t, const float *lod, float *out)
{
    out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, lod[threadIdx.x]);
}

__global__ void gradients(cudaTextureObject_t t, const float *step, float *out)
{
    float s = step[threadIdx.x];
    out[threadIdx.x] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(s, 0), make_float2(0, s / 2));
}

/* Level k holds 10 * (k + 1) everywhere. */
static void mipmaps(void)
{
    cudaMipmappedArray_t mipmap;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(64, 64, 0), 7));
    for (unsigned k = 0; k < 7; k++) {
        cudaArray_t level;
        CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, k));
        cudaExtent size;
        CHECK(cudaArrayGetInfo(nullptr, &size, nullptr, level));
        EXPECT(size.width == 64u >> k && size.height == 64u >> k);
        std::vector<float> data(size.width * size.height, 10.0f * (k + 1));
        CHECK(cudaMemcpy2DToArray(level, 0, 0, data.data(), size.width * 4, size.width * 4,
                                  size.height, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    cudaTextureDesc sampler = {};
    sampler.normalizedCoords = 1;
    sampler.filterMode = cudaFilterModeLinear;
    sampler.maxMipmapLevelClamp = 6;
    for (int linear = 0; linear < 2; linear++) {
        sampler.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        cudaTextureObject_t t;
        CHECK(cudaCreateTextureObject(&t, &resource, &sampler, nullptr));
        std::vector<float> lods = {0, 1, 2, 3, 4, 5, 6, 7, -1, 0.25f, 1.25f, 2.75f, 4.5f};
        float *lod = device_copy(lods), *out = device_array<float>(lods.size());
        levels<<<1, (unsigned)lods.size()>>>(t, lod, out);
        wait_for_kernels();
        std::vector<float> got = host_copy(out, lods.size());
        for (size_t i = 0; i < lods.size(); i++) {
            float l = lods[i] < 0 ? 0 : lods[i] > 6 ? 6 : lods[i];
            if (!linear && l == 4.5f)
                continue; /* either */
            expect_equal(linear ? "between levels" : "level", i, got[i],
                         10 * (linear ? l + 1 : std::floor(l + 0.5f) + 1));
        }
        std::vector<float> steps = {1 / 64.0f, 2 / 64.0f, 4 / 64.0f, 16 / 64.0f, 1.0f};
        float *step = device_copy(steps);
        gradients<<<1, (unsigned)steps.size()>>>(t, step, out);
        wait_for_kernels();
        got = host_copy(out, steps.size());
        for (size_t i = 0; i < steps.size(); i++)
            expect_equal("gradient", i, got[i], 10 * (std::log2(steps[i] * 64) + 1));
        CHECK(cudaDestroyTextureObject(t));
    }
    /* a bias and a clamp */
    sampler.mipmapFilterMode = cudaFilterModePoint;
    sampler.mipmapLevelBias = 1;
    sampler.minMipmapLevelClamp = 2;
    sampler.maxMipmapLevelClamp = 4;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &resource, &sampler, nullptr));
    std::vector<float> lods = {0, 1, 2, 3, 4}, want = {30, 30, 40, 50, 50};
    float *lod = device_copy(lods), *out = device_array<float>(lods.size());
    levels<<<1, (unsigned)lods.size()>>>(t, lod, out);
    wait_for_kernels();
    std::vector<float> got = host_copy(out, lods.size());
    for (size_t i = 0; i < lods.size(); i++)
        expect_equal("bias and clamp", i, got[i], want[i]);
}

int main()
{
    cubes();
    layered();
    gathered();
    mipmaps();
    return pass();
}
