/* Image filters of 192 x 192: bilateral with radius 3 (exponentials), a median of nine by exchanges, and dilation in
 * shared memory. */
#include "program.h"
#define W 192
#define H 192

__device__ int clamp_to(int v, int most)
{
    return v < 0 ? 0 : v > most ? most : v;
}

__global__ void bilateral_filter(const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float centre = in[y * W + x], sum = 0, weights = 0;
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            float v = in[clamp_to(y + dy, H - 1) * W + clamp_to(x + dx, W - 1)];
            float w = __expf(-(dx * dx + dy * dy) * 0.08f - (v - centre) * (v - centre) * 2.0f);
            sum += w * v;
            weights += w;
        }
    out[y * W + x] = sum / weights;
}

__device__ void order(float &a, float &b)
{
    float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

__global__ void median_filter(const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float v[9];
#pragma unroll
    for (int i = 0; i < 9; i++)
        v[i] = in[clamp_to(y + i / 3 - 1, H - 1) * W + clamp_to(x + i % 3 - 1, W - 1)];
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
        for (int j = 8; j > i; j--)
            order(v[j - 1], v[j]);
    out[y * W + x] = v[4];
}

__global__ void dilate_tile(const float *in, float *out)
{
    __shared__ float s[20][36];
    int x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 16 - 2;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 20 * 36; i += 512)
        s[i / 36][i % 36] = in[clamp_to(y0 + i / 36, H - 1) * W + clamp_to(x0 + i % 36, W - 1)];
    __syncthreads();
    float most = -1e30f;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++)
            most = fmaxf(most, s[threadIdx.y + dy][threadIdx.x + dx]);
    out[(y0 + 2 + threadIdx.y) * W + x0 + 2 + threadIdx.x] = most;
}

int main()
{
    array<float> in(W * H), smooth(W * H), median(W * H), wide(W * H);
    in.randomize();
    dim3 grid(W / 32, H / 8), block(32, 8);
    bilateral_filter<<<grid, block>>>(in.device, smooth.device);
    median_filter<<<grid, block>>>(in.device, median.device);
    dilate_tile<<<dim3(W / 32, H / 16), dim3(32, 16)>>>(in.device, wide.device);
    median.download();
    wide.download();
    smooth.download();
    for (int s = 0; s < 64; s++) {
        int x = 4 + (int)(next_random() % (W - 8)), y = 4 + (int)(next_random() % (H - 8)), below = 0;
        float most = -2;
        for (int i = 0; i < 25; i++)
            most = fmaxf(most, in.host[(y + i / 5 - 2) * W + x + i % 5 - 2]);
        for (int i = 0; i < 9; i++)
            below += in.host[(y + i / 3 - 1) * W + x + i % 3 - 1] < median.host[y * W + x];
        check("dilated", wide.host[y * W + x], most);
        check("median", below <= 4, 1);
        check("smooth", fabsf(smooth.host[y * W + x]) <= 1, 1);
    }
    return finish("bilateral");
}
