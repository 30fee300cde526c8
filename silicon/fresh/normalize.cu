/* Rows of a network: layer norm with a warp or a block a row, a softmax with a mask, an activation
 * with its gradient. */
#include "fresh.h"

__global__ void layer_norm(const float *x, const float *g, float *y, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float s = 0, q = 0;
    for (int i = lane; i < columns; i += 32) {
        float v = x[row * columns + i];
        s += v;
        q += v * v;
    }
    for (int d = 16; d; d /= 2) {
        s += __shfl_xor_sync(~0u, s, d);
        q += __shfl_xor_sync(~0u, q, d);
    }
    float mean = s / columns, scale = rsqrtf(q / columns - mean * mean + 1e-5f);
    for (int i = lane; i < columns; i += 32)
        y[row * columns + i] = (x[row * columns + i] - mean) * scale * g[i];
}

__global__ void masked_softmax(const float *x, const unsigned char *mask, float *y, int columns)
{
    __shared__ float part[32];
    int t = threadIdx.x, row = blockIdx.x;
    float v = mask[row * columns + t] ? x[row * columns + t] : -1e9f, most = v;
    for (int d = 16; d; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (t % 32 == 0)
        part[t / 32] = most;
    __syncthreads();
    for (int i = 0; i < blockDim.x / 32; i++)
        most = fmaxf(most, part[i]);
    __syncthreads();
    float e = __expf(v - most), sum = e;
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < blockDim.x / 32; i++)
        sum += part[i];
    y[row * columns + t] = e / sum;
}

__global__ void gelu_gradient(const float *x, const float *dy, float *dx, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = x[i], u = 0.7978846f * (v + 0.044715f * v * v * v), th = tanhf(u);
        dx[i] = dy[i] *
                (0.5f * (1 + th) + 0.5f * v * (1 - th * th) * 0.7978846f * (1 + 0.134145f * v * v));
    }
}

int main()
{
    int rows = 1024, columns = 256, n = rows * columns;
    array<float> x(n), y(n), g(columns);
    array<unsigned char> mask(n);
    x.randomize();
    g.randomize();
    fill_below(mask, 3);
    layer_norm<<<rows / 4, 128>>>(x.device, g.device, y.device, columns);
    layer_norm<<<16, 64>>>(x.device, g.device, y.device, 1024);
    masked_softmax<<<rows, 256>>>(x.device, mask.device, y.device, columns);
    gelu_gradient<<<264, 256>>>(x.device, y.device, x.device, n);
    expect_finite(y, "y");
    return finish("normalize");
}
