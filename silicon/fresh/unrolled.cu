/* Loops over memory with everything unrolled: a dot product of many loads ahead, a gather by index
 * lists, a strided sum. */
#include "fresh.h"

__global__ void long_dot(const float *a, const float *b, float *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 8
    for (int i = t; i < n; i += all)
        sum += a[i] * b[i];
    out[t] = sum;
}

__global__ void gather_lists(const int *list, const float *x, float *out, int rows)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < 32; k++)
        sum += x[list[k * rows + t]];
    out[t] = sum;
}

__global__ void column_sums(const float *a, float *out, int columns, int rows)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float s0 = 0, s1 = 0;
#pragma unroll
    for (int r = 0; r < 64; r++) {
        float v = a[(blockIdx.y * 64 + r) * columns + c];
        s0 += v;
        s1 += v * v;
    }
    out[(blockIdx.y * 2) * columns + c] = s0;
    out[(blockIdx.y * 2 + 1) * columns + c] = s1;
}

__global__ void wide_copy(const float4 *a, float4 *b, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
    for (int i = 0; i < 8; i++)
        b[t + i * n] = a[t + i * n];
}

int main()
{
    int n = 1 << 20;
    array<float> a(n), b(n), out(1 << 16);
    array<int> list(32 << 14);
    a.randomize();
    b.randomize();
    fill_below(list, n);
    long_dot<<<132, 256>>>(a.device, b.device, out.device, n);
    long_dot<<<32, 128>>>(a.device, b.device, out.device, n / 4);
    gather_lists<<<(1 << 14) / 128, 128>>>(list.device, a.device, out.device, 1 << 14);
    column_sums<<<dim3(8, 8), 128>>>(a.device, out.device, 1024, 512);
    wide_copy<<<128, 256>>>((float4 *)a.device, (float4 *)b.device, 1 << 15);
    expect_finite(out, "sums");
    return finish("unrolled");
}
