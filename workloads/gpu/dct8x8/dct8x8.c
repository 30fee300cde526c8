/*
 * Host of dct8x8: cosine transform of an image (see dct8x8.cu for its memory behaviour and use).
 *
 * The cosines come from the host; the CPU adds in the same order with fused multiply-adds: every
 * coefficient and pixel is compared exactly.
 */
#include "host.h"

#include <math.h>

#define N 8

static const struct host_choice choices[] = {
    {"width", "of the image, a multiple of 32", .sizes = {64, 768, 8192}},
    {"height", "of the image, a multiple of 8", .sizes = {40, 512, 8192}},
    {0},
};

static void transform(const float *in, float *out, u32 width, u32 height, const float (*l)[N],
                      float step)
{
    for (u32 tile = 0; tile < width / N * (height / N); tile++) {
        u32 first = tile / (width / N) * N * width + tile % (width / N) * N;
        float half[N][N];
        for (u32 i = 0; i < N * N; i++) {
            float sum = 0;
            for (u32 k = 0; k < N; k++)
                sum = fmaf(l[i / N][k], in[first + k * width + i % N], sum);
            half[i / N][i % N] = sum;
        }
        for (u32 i = 0; i < N * N; i++) {
            float sum = 0;
            for (u32 k = 0; k < N; k++)
                sum = fmaf(half[i / N][k], l[i % N][k], sum);
            out[first + i / N * width + i % N] = step > 0 ? rintf(sum / step) * step : sum;
        }
    }
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "dct8x8", choices, argc, argv);
    u32 width = host_multiple(&h, "width", 32), height = host_multiple(&h, "height", N);
    float basis[N][N], transposed[N][N], step = 0.1f, none = 0;
    for (u32 i = 0; i < N * N; i++) {
        u32 u = i / N, x = i % N;
        double c = cos((2 * x + 1) * u * 3.14159265358979323846 / 16);
        basis[u][x] = transposed[x][u] = (float)((u == 0 ? sqrt(0.125) : 0.5) * c);
    }
    size_t count = (size_t)width * height, bytes = count * sizeof(float), constant_bytes;
    float *image = host_random_f32(&h, "image", count, 0, 1);
    float *coefficients = HOST_ARRAY(&h, float, count), *pixels = HOST_ARRAY(&h, float, count);
    CUdeviceptr constant, in = host_upload(&h, image, bytes), middle = host_device_alloc(&h, bytes);
    CUdeviceptr out = host_device_alloc(&h, bytes);
    CU(&h, cuModuleGetGlobal, (&constant, &constant_bytes, h.module, "basis"));
    CU(&h, cuMemcpyHtoD, (constant, basis, sizeof basis));
    struct dim grid = DIM2(width / 32, height / N), block = DIM3(N, N, 4);
    host_launch(&h, host_kernel(&h, "dct8x8"), grid, block, 0, ARGS(&in, &middle, &width, &step));
    host_launch(&h, host_kernel(&h, "dct8x8_back"), grid, block, 0,
                ARGS(&middle, &out, &width, &none));
    transform(image, coefficients, width, height, (const float(*)[N])basis, step);
    transform(coefficients, pixels, width, height, (const float(*)[N])transposed, 0);
    host_check_f32(&h, "coefficients", middle, coefficients, count);
    host_check_f32(&h, "pixels", out, pixels, count);
    return host_finish(&h);
}
