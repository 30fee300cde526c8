/* Half precision and vectors: a separable blur of 256 x 256 halves in pairs, a matrix and vector by rows and by columns,
 * a sum of outer products with floats of four. */
#include "program.h"
#include <cuda_fp16.h>
#define N 256

__global__ void blur_rows(const half2 *in, half2 *out)
{
    __shared__ half2 s[N / 2 + 4];
    int t = threadIdx.x;
    s[t + 2] = in[blockIdx.x * (N / 2) + t];
    if (t < 2) {
        s[t] = __float2half2_rn(0);
        s[N / 2 + 2 + t] = __float2half2_rn(0);
    }
    __syncthreads();
    half2 sum = __hmul2(s[t + 2], __float2half2_rn(0.4f));
    sum = __hfma2(__hadd2(s[t + 1], s[t + 3]), __float2half2_rn(0.2f), sum);
    sum = __hfma2(__hadd2(s[t], s[t + 4]), __float2half2_rn(0.1f), sum);
    out[blockIdx.x * (N / 2) + t] = sum;
}

__global__ void blur_columns(const half2 *in, half2 *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    half2 sum = __float2half2_rn(0);
    for (int d = -4; d <= 4; d++) {
        int v = min(max(y + d, 0), N - 1);
        sum = __hfma2(in[v * (N / 2) + x], __float2half2_rn(1.0f / 9), sum);
    }
    out[y * (N / 2) + x] = sum;
}

__global__ void gemv_warp(const float *a, const float *x, float *y, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = lane * 4; i < n; i += 128) {
        float4 u = *(const float4 *)(a + row * n + i), v = *(const float4 *)(x + i);
        sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

__global__ void gemv_lane(const float *a, const float *x, float *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[row * n + i] * x[i];
    y[row] = sum;
}

__global__ void outer_products(const float *u, const float *v, float *a, int n)
{
    int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < 8; k++) {
        float w = u[k * n + y];
        float4 p = *(const float4 *)(v + k * n + x);
        sum.x += w * p.x;
        sum.y += w * p.y;
        sum.z += w * p.z;
        sum.w += w * p.w;
    }
    *(float4 *)(a + y * n + x) = sum;
}

int main()
{
    const int n = 512;
    array<half2> in(N * N / 2), middle(N * N / 2), out(N * N / 2);
    array<float> a(n * n), x(n), y(n), z(n), u(8 * n), v(8 * n), c(n * n);
    for (auto &h : in.host)
        h = __floats2half2_rn(next_float(), next_float());
    in.upload();
    a.randomize();
    x.randomize();
    u.randomize();
    v.randomize();
    blur_rows<<<N, N / 2>>>(in.device, middle.device);
    blur_columns<<<dim3(N / 2 / 32, N / 8), dim3(32, 8)>>>(middle.device, out.device);
    gemv_warp<<<n / 4, 128>>>(a.device, x.device, y.device, n);
    gemv_lane<<<n / 32, 32>>>(a.device, x.device, z.device, n);
    outer_products<<<dim3(n / 512, n), 128>>>(u.device, v.device, c.device, n);
    y.download();
    z.download();
    for (int i = 0; i < n; i += 41) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += (double)a.host[i * n + j] * x.host[j];
        check("by warps", y.host[i], sum);
        check("by lanes", z.host[i], sum);
    }
    return finish("halfblur");
}
