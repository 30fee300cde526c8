/* Bodies that attract each other: all pairs through shared memory, and neighbours in cells. */
#include "fresh.h"

__global__ void all_pairs(const float4 *p, float4 *out, int n)
{
    __shared__ float4 tile[128];
    int t = blockIdx.x * 128 + threadIdx.x;
    float4 me = p[t];
    float ax = 0, ay = 0, az = 0;
    for (int base = 0; base < n; base += 128) {
        tile[threadIdx.x] = p[base + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < 128; i++) {
            float4 o = tile[i];
            float x = o.x - me.x, y = o.y - me.y, z = o.z - me.z;
            float r = rsqrtf(x * x + y * y + z * z + 0.01f), f = o.w * r * r * r;
            ax += x * f;
            ay += y * f;
            az += z * f;
        }
        __syncthreads();
    }
    out[t] = make_float4(ax, ay, az, 0);
}

__global__ void in_cells(const float *x, const float *y, const int *start, float *out, int cells)
{
    int c = blockIdx.x, from = start[c], to = start[c + 1];
    for (int i = from + threadIdx.x; i < to; i += blockDim.x) {
        float px = x[i], py = y[i], f = 0;
        for (int d = -1; d <= 1; d++) {
            int o = c + d;
            if (o < 0 || o >= cells)
                continue;
            for (int j = start[o]; j < start[o + 1]; j++) {
                float dx = x[j] - px, dy = y[j] - py, r2 = dx * dx + dy * dy;
                if (r2 < 0.5f && j != i)
                    f += 1.0f / (r2 + 0.1f) - 0.3f * r2;
            }
        }
        out[i] = f;
    }
}

__global__ void drift(float *x, const float *v, float dt, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) {
        float p = x[t] + dt * v[t];
        x[t] = p > 1 ? 2 - p : p < -1 ? -2 - p : p;
    }
}

int main()
{
    int n = 4096, cells = 512;
    array<float> p(4 * n), a(4 * n), x(cells * 40), y(cells * 40), f(cells * 40);
    array<int> start(cells + 1);
    p.randomize();
    x.randomize();
    y.randomize();
    for (int i = 0; i < cells; i++)
        start.host[i + 1] = start.host[i] + 16 + next_random() % 24;
    start.upload();
    all_pairs<<<n / 128, 128>>>((float4 *)p.device, (float4 *)a.device, n);
    all_pairs<<<8, 128>>>((float4 *)p.device, (float4 *)a.device, 1024);
    in_cells<<<cells, 64>>>(x.device, y.device, start.device, f.device, cells);
    drift<<<80, 256>>>(x.device, y.device, 0.1f, cells * 40);
    expect_finite(a, "bodies");
    return finish("bodies");
}
