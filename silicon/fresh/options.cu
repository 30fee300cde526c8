/* Prices of options: the closed formula, a binomial tree per block, and paths by a generator of
 * random numbers. */
#include "fresh.h"

__global__ void closed_form(const float *s, const float *k, float *call, float *put, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float S = s[t], K = k[t], root = sqrtf(1.5f);
    float d1 = (logf(S / K) + (0.02f + 0.045f) * 1.5f) / (0.3f * root), d2 = d1 - 0.3f * root;
    float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f),
          e = expf(-0.03f);
    call[t] = S * n1 - K * e * n2;
    put[t] = K * e * (1 - n2) - S * (1 - n1);
}

__global__ void binomial(const float *s, float *out, int steps)
{
    __shared__ float v[256];
    int t = threadIdx.x;
    float S = s[blockIdx.x];
    v[t] = fmaxf(S * exp2f(0.1f * (2 * t - steps)) - 1.0f, 0.0f);
    __syncthreads();
    for (int i = steps; i > 0; i--) {
        float a = v[t], b = t < 255 ? v[t + 1] : 0;
        __syncthreads();
        if (t < i)
            v[t] = 0.49f * a + 0.5f * b;
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = v[0];
}

__global__ void paths(float *out, int steps, float drift)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, a = t * 2654435761u + 1, b = a ^ 0x5bd1e995;
    float x = 0;
    for (int i = 0; i < steps; i++) {
        a ^= a << 13;
        a ^= a >> 17;
        a ^= a << 5;
        b = b * 1664525u + 1013904223u;
        float u = (a >> 8) * 5.96e-8f + 1e-9f, w = (b >> 8) * 5.96e-8f;
        x += drift + 0.05f * sqrtf(-2 * logf(u)) * cosf(6.2831853f * w);
    }
    out[t] = expf(x);
}

int main()
{
    int n = 1 << 16;
    array<float> s(n), k(n), call(n), put(n);
    for (int i = 0; i < n; i++) {
        s.host[i] = 1.5f + next_float();
        k.host[i] = 1.5f + next_float();
    }
    s.upload();
    k.upload();
    closed_form<<<n / 256, 256>>>(s.device, k.device, call.device, put.device, n);
    binomial<<<132, 256>>>(s.device, call.device, 128);
    paths<<<128, 256>>>(put.device, 16, 0.01f);
    paths<<<n / 256, 256>>>(put.device, 8, 0.01f);
    expect_finite(put, "paths");
    return finish("options");
}
