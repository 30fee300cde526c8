/* Passes over data that has just been copied, of three sizes, and over data that a kernel has
 * written. */
#include "fresh.h"

__global__ void sum_blocks(const float4 *x, float *out, int per)
{
    float s = 0;
    for (int i = 0; i < per; i++) {
        float4 v = x[(blockIdx.x * per + i) * blockDim.x + threadIdx.x];
        s += v.x + v.y + v.z + v.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void scale_all(float *x, float f, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = x[i] * f + 1;
}

__global__ void fill_ramp(float *x)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    x[t] = t * 0.001f;
}

int main()
{
    int n = 4 << 20;
    array<float> x(n), y(n), out(1 << 16);
    x.randomize();
    sum_blocks<<<256, 256>>>((float4 *)x.device, out.device, 16);
    scale_all<<<264, 512>>>(x.device, 0.5f, n / 2);
    y.randomize();
    sum_blocks<<<128, 256>>>((float4 *)y.device, out.device, 8);
    fill_ramp<<<n / 512, 512>>>(y.device);
    sum_blocks<<<128, 256>>>((float4 *)y.device, out.device, 8);
    scale_all<<<528, 256>>>(y.device, 0.5f, n);
    expect_finite(out, "sum");
    return finish("coldstart");
}
