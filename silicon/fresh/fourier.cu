/* Fourier transforms: radix 4 in shared memory, of 256 points a block, and a radix-8 pass in
 * registers. */
#include "fresh.h"

__device__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__global__ void fft256(const float2 *in, float2 *out)
{
    __shared__ float2 s[256];
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++)
        s[t + 64 * i] = in[blockIdx.x * 256 + t + 64 * i];
    for (int n = 1; n < 256; n *= 4) {
        __syncthreads();
        float2 v[4];
        float angle = -6.2831853f * (t % n) / (4 * n);
        for (int i = 0; i < 4; i++) {
            float2 w;
            __sincosf(angle * i, &w.y, &w.x);
            v[i] = times(s[t + 64 * i], w);
        }
        float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y),
               b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
        float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y),
               d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
        int at = t / n * 4 * n + t % n;
        __syncthreads();
        s[at] = make_float2(a.x + c.x, a.y + c.y);
        s[at + n] = make_float2(b.x + d.x, b.y + d.y);
        s[at + 2 * n] = make_float2(a.x - c.x, a.y - c.y);
        s[at + 3 * n] = make_float2(b.x - d.x, b.y - d.y);
    }
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[blockIdx.x * 256 + t + 64 * i] = s[t + 64 * i];
}

__global__ void radix8(const float2 *in, float2 *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v[8];
#pragma unroll
    for (int i = 0; i < 8; i++)
        v[i] = in[i * n + t];
#pragma unroll
    for (int half = 4; half; half /= 2)
#pragma unroll
        for (int i = 0; i < 8; i++)
            if (!(i & half)) {
                float2 a = v[i], b = v[i + half];
                float angle = -3.14159265f * (i % half) / half;
                v[i] = make_float2(a.x + b.x, a.y + b.y);
                v[i + half] =
                    times(make_float2(a.x - b.x, a.y - b.y), make_float2(cosf(angle), sinf(angle)));
            }
#pragma unroll
    for (int i = 0; i < 8; i++)
        out[i * n + t] = v[i];
}

int main()
{
    int n = 1 << 18;
    array<float> in(2 * n), out(2 * n);
    in.randomize();
    fft256<<<n / 256, 64>>>((float2 *)in.device, (float2 *)out.device);
    fft256<<<64, 64>>>((float2 *)in.device, (float2 *)out.device);
    radix8<<<n / 8 / 128, 128>>>((float2 *)in.device, (float2 *)out.device, n / 8);
    expect_finite(out, "fft");
    return finish("fourier");
}
