/* Fluids: a step of shallow water, an advection that looks back, a pressure sweep of red and black
 * cells. */
#include "fresh.h"

__global__ void shallow(const float *h, const float *u, const float *v, float *h2, float *u2,
                        float *v2, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    int i = y * n + x;
    float hc = h[i] + 2, hx = h[i + 1] - h[i - 1], hy = h[i + n] - h[i - n];
    u2[i] = u[i] - 0.1f * (hx + u[i] * (u[i + 1] - u[i - 1]) + v[i] * (u[i + n] - u[i - n])) / hc;
    v2[i] = v[i] - 0.1f * (hy + u[i] * (v[i + 1] - v[i - 1]) + v[i] * (v[i + n] - v[i - n])) / hc;
    h2[i] = h[i] - 0.1f * hc * (u[i + 1] - u[i - 1] + v[i + n] - v[i - n]);
}

__global__ void advect(const float *q, const float *u, const float *v, float *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * n + x;
    float px = fminf(fmaxf(x - 2 * u[i], 0), n - 1.001f),
          py = fminf(fmaxf(y - 2 * v[i], 0), n - 1.001f);
    int ix = (int)px, iy = (int)py, at = iy * n + ix;
    float fx = px - ix, fy = py - iy;
    out[i] = (1 - fy) * ((1 - fx) * q[at] + fx * q[at + 1]) +
             fy * ((1 - fx) * q[at + n] + fx * q[at + n + 1]);
}

__global__ void red_black(float *p, const float *b, int n, int colour)
{
    int y = blockIdx.y * 8 + threadIdx.y + 1,
        x = 2 * (blockIdx.x * 32 + threadIdx.x) + 1 + ((y + colour) & 1);
    if (x < n - 1 && y < n - 1)
        p[y * n + x] = 0.25f * (p[y * n + x - 1] + p[y * n + x + 1] + p[(y - 1) * n + x] +
                                p[(y + 1) * n + x] - b[y * n + x]);
}

int main()
{
    int n = 512;
    array<float> a(n * n), b(n * n), c(n * n + n + 1), d(n * n), e(n * n), f(n * n);
    a.randomize();
    b.randomize();
    c.randomize();
    shallow<<<dim3(n / 32, n / 4), dim3(32, 4)>>>(a.device, b.device, c.device, d.device, e.device,
                                                  f.device, n);
    advect<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(c.device, a.device, b.device, d.device, n);
    for (int colour = 0; colour < 2; colour++)
        red_black<<<dim3(n / 64, n / 8), dim3(32, 8)>>>(d.device, b.device, n, colour);
    advect<<<dim3(8, 4), dim3(32, 8)>>>(c.device, a.device, b.device, d.device, 256);
    expect_finite(d, "d");
    return finish("fluids");
}
