/* Filters of images: a bilateral-like range filter, a separable blur by shared rows, an integral
 * image, a Sobel edge with a histogram. */
#include "fresh.h"

__global__ void non_local(const float *in, float *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y + 3;
    float c = in[y * width + x], sum = 0, weight = 0;
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            float v = in[(y + dy) * width + min(max(x + dx, 0), width - 1)],
                  w = __expf(-(v - c) * (v - c) * 4 - 0.1f * (dx * dx + dy * dy));
            sum += w * v;
            weight += w;
        }
    out[y * width + x] = sum / weight;
}

__global__ void blur_rows(const float *in, float *out, int width)
{
    __shared__ float s[128 + 16];
    int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
    for (int i = threadIdx.x; i < 144; i += 128) {
        int at = blockIdx.x * 128 + i - 8;
        s[i] = at >= 0 && at < width ? in[y * width + at] : 0;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 16; k++)
        sum += s[threadIdx.x + k] * (1.0f / (17 + k));
    out[y * width + x] = sum;
}

__global__ void integral_rows(const float *in, float *out, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < width; i++) {
        sum += in[row * width + i];
        out[row * width + i] = sum;
    }
}

__global__ void edges(const float *in, unsigned *bins, unsigned char *out, int width)
{
    __shared__ unsigned s[32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y,
        t = threadIdx.y * 32 + threadIdx.x;
    if (t < 32)
        s[t] = 0;
    __syncthreads();
    if (x > 0 && y > 0 && x < width - 1 && y < width - 1) {
        const float *p = in + y * width + x;
        float gx =
            p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[width - 1];
        float gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] -
                   p[1 - width];
        unsigned m = min(31u, (unsigned)(4 * sqrtf(gx * gx + gy * gy)));
        atomicAdd(&s[m], 1);
        out[y * width + x] = m;
    }
    __syncthreads();
    if (t < 32)
        atomicAdd(&bins[t], s[t]);
}

int main()
{
    int w = 256;
    array<float> in(w * w), out(w * w);
    array<unsigned> bins(32);
    array<unsigned char> edge(w * w);
    in.randomize();
    non_local<<<dim3(2, 128), 128>>>(in.device, out.device, w);
    blur_rows<<<dim3(2, 256), 128>>>(in.device, out.device, w);
    integral_rows<<<4, 64>>>(in.device, out.device, w);
    edges<<<dim3(8, 32), dim3(32, 8)>>>(in.device, bins.device, edge.device, w);
    expect_finite(out, "out");
    return finish("filters");
}
