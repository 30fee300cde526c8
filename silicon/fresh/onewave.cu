/* Short kernels of one wave or less, each a different step of a solver, called in turn. */
#include "fresh.h"

__global__ void axpy(float a, const float *x, float *y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n)
        y[t] += a * x[t];
}

__global__ void stencil_step(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        const float *p = in + y * width + x;
        out[y * width + x] = 0.2f * (p[0] + p[1] + p[-1] + p[width] + p[-width]);
    }
}

__global__ void row_norm(const float *in, float *out, int columns)
{
    __shared__ float part[8];
    const float *row = in + blockIdx.x * columns;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += 256)
        sum += row[i] * row[i];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; i++)
            sum += part[i];
        out[blockIdx.x] = sqrtf(sum);
    }
}

__global__ void scatter_add(const int *at, const float *x, float *y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n)
        atomicAdd(&y[at[t]], x[t]);
}

int main()
{
    int n = 1 << 18;
    array<float> x(n), y(n), r(1024);
    array<int> at(n);
    x.randomize();
    fill_below(at, n);
    for (int turn = 0; turn < 2; turn++) {
        axpy<<<n / 256, 256>>>(0.5f, x.device, y.device, n);
        axpy<<<132, 512>>>(0.5f, x.device, y.device, 132 * 512);
        stencil_step<<<dim3(8, 32), dim3(32, 8)>>>(x.device, y.device, 256, 256);
        row_norm<<<256, 256>>>(x.device, r.device, 1024);
        scatter_add<<<128, 256>>>(at.device, x.device, y.device, 1 << 15);
    }
    expect_finite(y, "y");
    return finish("onewave");
}
