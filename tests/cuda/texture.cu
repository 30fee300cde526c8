/*
 * Texture objects read texel by texel: linear memory, pitched memory, arrays.
 *
 * Proves fetches by index of one and four components from linear memory, 2D
 * reads from an array and from pitched memory, integers read as they are and
 * bytes and signed shorts read as normalised floats. Filters and addressing
 * outside the texture are in texture_filter.
 */
#define TEST "texture"
#include "check.h"

static const int width = 24, height = 10;
static const int count = width * height;

__global__ void fetch(cudaTextureObject_t floats, cudaTextureObject_t quads, float *out, int4 *out4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex1Dfetch<float>(floats, count - 1 - i);
    out4[i] = tex1Dfetch<int4>(quads, (i * 7) % count);
}

template <typename T> __global__ void read_2d(cudaTextureObject_t texture, T *out)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[y * width + x] = tex2D<T>(texture, x + 0.5f, y + 0.5f);
}

static cudaTextureObject_t texture_make(const struct cudaResourceDesc *resource,
                                        enum cudaTextureReadMode read)
{
    struct cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    desc.filterMode = cudaFilterModePoint;
    desc.readMode = read;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, resource, &desc, nullptr));
    return texture;
}

template <typename T> static cudaTextureObject_t linear_make(const std::vector<T> &data)
{
    struct cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device_copy(data);
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = data.size() * sizeof(T);
    return texture_make(&resource, cudaReadModeElementType);
}

/* A 2D texture over the data in an array, or in pitched memory. */
template <typename T>
static cudaTextureObject_t plane_make(const std::vector<T> &data, bool pitched,
                                      enum cudaTextureReadMode read)
{
    struct cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    struct cudaResourceDesc resource = {};
    const size_t row = width * sizeof(T);
    if (pitched) {
        size_t pitch = 0;
        resource.resType = cudaResourceTypePitch2D;
        CHECK(cudaMallocPitch(&resource.res.pitch2D.devPtr, &pitch, row, height));
        CHECK(cudaMemcpy2D(resource.res.pitch2D.devPtr, pitch, data.data(), row, row, height,
                           cudaMemcpyHostToDevice));
        resource.res.pitch2D.desc = format;
        resource.res.pitch2D.width = width;
        resource.res.pitch2D.height = height;
        resource.res.pitch2D.pitchInBytes = pitch;
    } else {
        resource.resType = cudaResourceTypeArray;
        CHECK(cudaMallocArray(&resource.res.array.array, &format, width, height));
        CHECK(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, data.data(), row, row, height,
                                  cudaMemcpyHostToDevice));
    }
    return texture_make(&resource, read);
}

template <typename T> static std::vector<T> plane_read(cudaTextureObject_t texture)
{
    T *out = device_array<T>(count);
    read_2d<<<height, width>>>(texture, out);
    wait_for_kernels();
    std::vector<T> got = host_copy(out, count);
    CHECK(cudaFree(out));
    CHECK(cudaDestroyTextureObject(texture));
    return got;
}

int main(void)
{
    std::vector<float> floats(count);
    std::vector<int4> quads(count);
    std::vector<uchar4> bytes(count);
    std::vector<short> shorts(count);
    for (int i = 0; i < count; i++) {
        floats[i] = (float)(int)mix(i);
        quads[i] = make_int4(i, -i, (int)mix(i), 7);
        bytes[i] = make_uchar4((unsigned char)i, (unsigned char)(255 - i), 0, 255);
        shorts[i] = (short)mix(i);
    }
    cudaTextureObject_t one = linear_make(floats), four = linear_make(quads);
    float *out = device_array<float>(count);
    int4 *out4 = device_array<int4>(count);
    fetch<<<height, width>>>(one, four, out, out4);
    wait_for_kernels();
    std::vector<float> got = host_copy(out, count);
    std::vector<int4> got4 = host_copy(out4, count);
    for (int i = 0; i < count; i++) {
        const int4 want = quads[i * 7 % count];
        expect_equal("fetch", i, got[i], floats[count - 1 - i]);
        expect_equal("fetch.x", i, got4[i].x, want.x);
        expect_equal("fetch.y", i, got4[i].y, want.y);
        expect_equal("fetch.z", i, got4[i].z, want.z);
        expect_equal("fetch.w", i, got4[i].w, want.w);
    }
    CHECK(cudaDestroyTextureObject(one));
    CHECK(cudaDestroyTextureObject(four));

    for (int pitched = 0; pitched < 2; pitched++) {
        std::vector<float> f =
            plane_read<float>(plane_make(floats, pitched, cudaReadModeElementType));
        std::vector<short> s =
            plane_read<short>(plane_make(shorts, pitched, cudaReadModeElementType));
        std::vector<float> unit =
            plane_read<float>(plane_make(shorts, pitched, cudaReadModeNormalizedFloat));
        std::vector<float4> colour =
            plane_read<float4>(plane_make(bytes, pitched, cudaReadModeNormalizedFloat));
        for (int i = 0; i < count; i++) {
            expect_equal("float", i, f[i], floats[i]);
            expect_equal("short", i, s[i], shorts[i]);
            expect_near("unit", i, unit[i], std::fmax(shorts[i] / 32767.0, -1.0), 1e-6);
            expect_near("colour.x", i, colour[i].x, (i & 255) / 255.0, 1e-6);
            expect_near("colour.y", i, colour[i].y, ((255 - i) & 255) / 255.0, 1e-6);
            expect_near("colour.z", i, colour[i].z, 0, 0);
            expect_near("colour.w", i, colour[i].w, 1, 0);
        }
    }
    return pass();
}
