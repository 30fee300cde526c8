/*
 * What a texture gives between its texels and outside its edges.
 *
 * Proves point and linear filters with clamp, wrap, mirror and border
 * addressing, in texels and in normalised coordinates, in two and three
 * dimensions. All coordinates are odd eighths of a texel: the filter's 8-bit
 * weights represent them exactly in one and two dimensions, and no sample lies
 * between two texels.
 */
#define TEST "texture_filter"
#include "check.h"

static const int width = 16, height = 8, depth = 4;

__global__ void sample_2d(cudaTextureObject_t texture, float *out, float2 first, float2 step)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    out[y * gridDim.x * blockDim.x + x] =
        tex2D<float>(texture, first.x + step.x * x, first.y + step.y * y);
}

__global__ void sample_3d(cudaTextureObject_t texture, float *out, float first, float step)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    out[(z * gridDim.x + y) * blockDim.x + x] =
        tex3D<float>(texture, first + step * x, first + step * y, first + step * z);
}

static float texel(int x, int y, int z)
{
    return (float)(mix(x + 100 * y + 10000 * z) & 255);
}

/* The index an address mode turns i into; -1 is the border. */
static int addressed(int i, int size, enum cudaTextureAddressMode mode)
{
    if (i >= 0 && i < size)
        return i;
    switch (mode) {
    case cudaAddressModeClamp:
        return i < 0 ? 0 : size - 1;
    case cudaAddressModeWrap:
        return (i % size + size) % size;
    case cudaAddressModeMirror:
        i = (i % (2 * size) + 2 * size) % (2 * size);
        return i < size ? i : 2 * size - 1 - i;
    default:
        return -1;
    }
}

/* The programming guide's formula at `at`, in texels; `planes` is 1 for a 2D texture. */
static double filtered(const double at[3], int planes, bool linear,
                       enum cudaTextureAddressMode mode)
{
    const int size[3] = {width, height, planes};
    double sum = 0, fraction[3] = {0, 0, 0};
    int base[3] = {0, 0, 0};
    for (int d = 0; d < (planes > 1 ? 3 : 2); d++) {
        double shifted = linear ? at[d] - 0.5 : at[d];
        base[d] = (int)std::floor(shifted);
        fraction[d] = linear ? shifted - base[d] : 0;
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        int index[3];
        for (int d = 0; d < 3; d++) {
            int bit = corner >> d & 1;
            weight *= bit ? fraction[d] : 1 - fraction[d];
            index[d] = addressed(base[d] + bit, size[d], mode);
        }
        if (index[0] >= 0 && index[1] >= 0 && index[2] >= 0)
            sum += weight * texel(index[0], index[1], index[2]);
    }
    return sum;
}

static cudaArray_t array_make(int planes)
{
    std::vector<float> texels(width * height * planes);
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] = texel(i % width, i / width % height, i / (width * height));
    struct cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    struct cudaMemcpy3DParms copy = {};
    CHECK(cudaMalloc3DArray(&copy.dstArray, &format,
                            make_cudaExtent(width, height, planes > 1 ? planes : 0)));
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), width * sizeof(float), width, height);
    copy.extent = make_cudaExtent(width, height, planes);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return copy.dstArray;
}

static cudaTextureObject_t texture_make(cudaArray_t array, enum cudaTextureAddressMode mode,
                                        bool linear, bool normalised)
{
    struct cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    struct cudaTextureDesc desc = {};
    for (int d = 0; d < 3; d++)
        desc.addressMode[d] = mode;
    desc.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    desc.normalizedCoords = normalised;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}

/* Samples a quarter texel apart, from four texels before the texture to past its end. */
static void compare_2d(const char *what, cudaArray_t array, enum cudaTextureAddressMode mode,
                       bool linear, bool normalised)
{
    const int columns = 128, rows = 64;
    cudaTextureObject_t texture = texture_make(array, mode, linear, normalised);
    float *out = device_array<float>(columns * rows);
    float unit_x = normalised ? 1.0f / width : 1, unit_y = normalised ? 1.0f / height : 1;
    sample_2d<<<dim3(columns / 32, rows), 32>>>(texture, out,
                                                make_float2(-3.875f * unit_x, -3.875f * unit_y),
                                                make_float2(0.25f * unit_x, 0.25f * unit_y));
    wait_for_kernels();
    std::vector<float> got = host_copy(out, columns * rows);
    for (int i = 0; i < columns * rows; i++) {
        double at[3] = {-3.875 + 0.25 * (i % columns), -3.875 + 0.25 * (i / columns), 0};
        expect_near(what, i, got[i], filtered(at, 1, linear, mode), 1e-3);
    }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(out));
}

int main(void)
{
    cudaArray_t plane = array_make(1), volume = array_make(depth);
    compare_2d("point clamp", plane, cudaAddressModeClamp, false, false);
    compare_2d("point border", plane, cudaAddressModeBorder, false, false);
    compare_2d("linear clamp", plane, cudaAddressModeClamp, true, false);
    compare_2d("linear border", plane, cudaAddressModeBorder, true, false);
    compare_2d("point wrap", plane, cudaAddressModeWrap, false, true);
    compare_2d("linear wrap", plane, cudaAddressModeWrap, true, true);
    compare_2d("point mirror", plane, cudaAddressModeMirror, false, true);

    const int columns = 64, rows = 40, planes = 24;
    for (int linear = 0; linear < 2; linear++) {
        cudaTextureObject_t texture = texture_make(volume, cudaAddressModeClamp, linear, false);
        float *out = device_array<float>(columns * rows * planes);
        sample_3d<<<dim3(rows, planes), columns>>>(texture, out, -0.875f, 0.25f);
        wait_for_kernels();
        std::vector<float> got = host_copy(out, columns * rows * planes);
        /* In three dimensions the corner weights are themselves rounded to 256ths. */
        double within = linear ? 2 * 255.0 / 256 : 1e-3;
        for (int i = 0; i < columns * rows * planes; i++) {
            double at[3] = {-0.875 + 0.25 * (i % columns), -0.875 + 0.25 * (i / columns % rows),
                            -0.875 + 0.25 * (i / (columns * rows))};
            expect_near(linear ? "linear 3d" : "point 3d", i, got[i],
                        filtered(at, depth, linear, cudaAddressModeClamp), within);
        }
        CHECK(cudaDestroyTextureObject(texture));
        CHECK(cudaFree(out));
    }
    CHECK(cudaFreeArray(plane));
    CHECK(cudaFreeArray(volume));
    return pass();
}
