/* Stencils: nine points of 256 x 256 with all loads ahead, 7 points in 3D, game of life on bytes, red and black
 * Gauss-Seidel. */
#include "program.h"
#define N 256
#define D 48

__global__ void nine_points(const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= N - 1 || y >= N - 1)
        return;
    const float *p = in + y * N + x;
    float a = p[-N - 1], b = p[-N], c = p[-N + 1], d = p[-1], e = p[0], f = p[1], g = p[N - 1], h = p[N], i = p[N + 1];
    out[y * N + x] = 0.05f * (a + c + g + i) + 0.15f * (b + d + f + h) + 0.2f * e;
}

__global__ void seven_points(const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= D - 1 || y >= D - 1)
        return;
    float low = in[y * D + x], here = in[(D + y) * D + x];
    for (int z = 1; z < D - 1; z++) {
        float high = in[((z + 1) * D + y) * D + x];
        const float *p = in + (z * D + y) * D + x;
        out[(z * D + y) * D + x] = 0.4f * here + 0.1f * (p[-1] + p[1] + p[-D] + p[D] + low + high);
        low = here;
        here = high;
    }
}

__global__ void life(const unsigned char *in, unsigned char *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            n += dx || dy ? in[((y + dy) & (N - 1)) * N + ((x + dx) & (N - 1))] : 0;
    out[y * N + x] = n == 3 || (n == 2 && in[y * N + x]);
}

__global__ void red_black(double *u, const double *f, int colour)
{
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
    x += (y + colour) & 1;
    if (x < 1 || y < 1 || x >= N - 1 || y >= N - 1)
        return;
    u[y * N + x] = 0.25 * (u[y * N + x - 1] + u[y * N + x + 1] + u[(y - 1) * N + x] + u[(y + 1) * N + x] - f[y * N + x]);
}

int main()
{
    array<float> a(N * N), b(N * N), c(D * D * D), d(D * D * D);
    array<unsigned char> cells(N * N), next(N * N);
    array<double> u(N * N), f(N * N);
    a.randomize();
    c.randomize();
    u.randomize();
    f.randomize();
    for (auto &v : cells.host)
        v = next_random() % 3 == 0;
    cells.upload();
    nine_points<<<dim3(N / 32, N / 4), dim3(32, 4)>>>(a.device, b.device);
    nine_points<<<dim3(N / 64, N / 8), dim3(64, 8)>>>(b.device, a.device);
    seven_points<<<dim3(D / 16, D / 8), dim3(16, 8)>>>(c.device, d.device);
    life<<<dim3(N / 128, N), 128>>>(cells.device, next.device);
    red_black<<<dim3(N / 64, N / 8), dim3(32, 8)>>>(u.device, f.device, 0);
    red_black<<<dim3(N / 64, N / 8), dim3(32, 8)>>>(u.device, f.device, 1);
    b.download();
    next.download();
    const float *p = &a.host[100 * N + 100];
    check("nine points", b.host[100 * N + 100],
          0.05 * (p[-N - 1] + p[-N + 1] + p[N - 1] + p[N + 1]) + 0.15 * (p[-N] + p[-1] + p[1] + p[N]) + 0.2 * p[0]);
    int n = 0;
    for (int i = 0; i < 9; i++)
        n += i == 4 ? 0 : cells.host[(9 + i / 3) * N + 9 + i % 3];
    check("life", next.host[10 * N + 10], n == 3 || (n == 2 && cells.host[10 * N + 10]));
    return finish("jacobi2d");
}
