/* Arithmetic: forces between 1,024 bodies in shared tiles, a Mandelbrot set (divergence), integration by Monte Carlo with
 * a counter-based generator, polynomials and transcendental functions in doubles. */
#include "program.h"
#define BODIES 1024

__global__ void forces(const float4 *p, float3 *f)
{
    __shared__ float4 s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 me = p[i];
    float3 sum = make_float3(0, 0, 0);
    for (int j0 = 0; j0 < BODIES; j0 += 128) {
        s[threadIdx.x] = p[j0 + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; j++) {
            float4 q = s[j];
            float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), w = q.w * r * r * r;
            sum.x += dx * w;
            sum.y += dy * w;
            sum.z += dz * w;
        }
        __syncthreads();
    }
    f[i] = sum;
}

__global__ void mandelbrot(int *out, int wide)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = 0;
    float cx = -2.0f + 2.6f * x / wide, cy = -1.3f + 2.6f * y / wide, a = 0, b = 0;
    while (n < 128 && a * a + b * b < 4) {
        float t = a * a - b * b + cx;
        b = 2 * a * b + cy;
        a = t;
        n++;
    }
    out[y * wide + x] = n;
}

__device__ unsigned mix(unsigned v)
{
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    return v ^ v >> 16;
}

__global__ void quarter_circle(unsigned *inside, int each)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned n = 0;
    for (int i = 0; i < each; i++) {
        float x = mix(2 * (t * each + i)) * 2.3283064e-10f, y = mix(2 * (t * each + i) + 1) * 2.3283064e-10f;
        n += x * x + y * y < 1;
    }
    n = __reduce_add_sync(~0u, n);
    if (threadIdx.x % 32 == 0)
        atomicAdd(inside, n);
}

__global__ void functions(const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
    y[i] = exp(-v * v) * sin(3 * v) + log(2 + v) + sqrt(4 + v);
}

int main()
{
    array<float4> p(BODIES);
    array<float3> f(BODIES);
    array<int> set(128 * 128);
    array<unsigned> inside(1);
    array<double> x(4096), y(4096);
    for (auto &v : p.host)
        v = make_float4(next_float(), next_float(), next_float(), 1);
    p.upload();
    x.randomize();
    forces<<<BODIES / 128, 128>>>(p.device, f.device);
    mandelbrot<<<dim3(128 / 16, 128 / 16), dim3(16, 16)>>>(set.device, 128);
    quarter_circle<<<132, 128>>>(inside.device, 64);
    functions<<<32, 128>>>(x.device, y.device);
    f.download();
    inside.download();
    y.download();
    double sum = 0;
    for (int j = 0; j < BODIES; j++) {
        double dx = p.host[j].x - p.host[7].x, dy = p.host[j].y - p.host[7].y, dz = p.host[j].z - p.host[7].z;
        sum += dx / pow(dx * dx + dy * dy + dz * dz + 0.01, 1.5);
    }
    check("force", f.host[7].x, sum, 1e-2);
    check("pi", 4.0 * inside.host[0] / (132 * 128 * 64), 3.1416, 5e-3);
    double v = x.host[9];
    check("functions", y.host[9], exp(-v * v) * sin(3 * v) + log(2 + v) + sqrt(4 + v), 1e-9);
    return finish("particles");
}
