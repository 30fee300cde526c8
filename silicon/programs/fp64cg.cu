/* Conjugate gradients in doubles on a banded matrix of 8,192, three turns: product by rows of five diagonals, dot
 * products with atomics, updates; and a dense double product in tiles. */
#include "program.h"
#define N 8192
#define M 128

__global__ void banded(const double *diagonals, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    const int offset[5] = {-64, -1, 0, 1, 64};
#pragma unroll
    for (int d = 0; d < 5; d++) {
        int j = i + offset[d];
        if (j >= 0 && j < N)
            sum += diagonals[d * N + i] * x[j];
    }
    y[i] = sum;
}

__global__ void dot_atomic(const double *a, const double *b, double *out)
{
    __shared__ double s[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = a[i] * b[i];
    __syncthreads();
    for (int d = 64; d; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(out, s[0]);
}

__global__ void update(double *x, double *r, const double *p, const double *q, const double *rr, const double *pq)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double alpha = *rr / *pq;
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
}

__global__ void dgemm_tile(const double *a, const double *b, double *c)
{
    __shared__ double as[16][17], bs[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    double sum = 0;
    for (int k = 0; k < M; k += 16) {
        as[y][x] = a[row * M + k + x];
        bs[y][x] = b[(k + y) * M + col];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    c[row * M + col] = sum;
}

int main()
{
    array<double> d(5 * N), x(N), r(N), p(N), q(N), sums(8), a(M * M), b(M * M), c(M * M);
    d.randomize();
    for (int i = 0; i < N; i++)
        d.host[2 * N + i] = 6;
    d.upload();
    r.randomize();
    p.host = r.host;
    p.upload();
    a.randomize();
    b.randomize();
    for (int t = 0; t < 3; t++) {
        banded<<<N / 128, 128>>>(d.device, p.device, q.device);
        dot_atomic<<<N / 128, 128>>>(r.device, r.device, sums.device + 2 * t);
        dot_atomic<<<N / 128, 128>>>(p.device, q.device, sums.device + 2 * t + 1);
        update<<<N / 128, 128>>>(x.device, r.device, p.device, q.device, sums.device + 2 * t, sums.device + 2 * t + 1);
    }
    dgemm_tile<<<dim3(M / 16, M / 16), dim3(16, 16)>>>(a.device, b.device, c.device);
    sums.download();
    c.download();
    double rr = 0, sum = 0;
    for (double v : p.host)
        rr += v * v;
    for (int k = 0; k < M; k++)
        sum += a.host[5 * M + k] * b.host[k * M + 9];
    check("r r", sums.host[0], rr, 1e-9);
    check("dense", c.host[5 * M + 9], sum, 1e-9);
    return finish("fp64cg");
}
