/* Products by tiles in shared memory: of doubles, of 32 by 32 with registers of four by four, and a
 * triangular update. */
#include "fresh.h"

__global__ void double_tiles(const double *a, const double *b, double *c, int n)
{
    __shared__ double s[16][17], r[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    double sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        r[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += s[y][i] * r[i][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void four_by_four(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][68], r[16][64];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int e = threadIdx.x; e < 1024; e += 256) {
            s[e % 16][e / 16] = a[(blockIdx.y * 64 + e / 16) * n + k + e % 16];
            r[e / 64][e % 64] = b[(k + e / 64) * n + blockIdx.x * 64 + e % 64];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    sum[p][q] += s[i][4 * y + p] * r[i][4 * x + q];
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++)
            c[(blockIdx.y * 64 + 4 * y + p) * n + blockIdx.x * 64 + 4 * x + q] = sum[p][q];
}

__global__ void triangle(const float *a, float *c, int n)
{
    int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 32 + threadIdx.x;
    if (j > i)
        return;
    float sum = c[i * n + j];
    for (int k = 0; k < 64; k++)
        sum -= a[i * 64 + k] * a[j * 64 + k];
    c[i * n + j] = sum;
}

int main()
{
    int n = 256;
    array<double> a(n * n), b(n * n), c(n * n);
    array<float> x(n * n), y(n * n), z(n * n);
    for (double &v : a.host)
        v = next_float();
    a.upload();
    for (double &v : b.host)
        v = next_float();
    b.upload();
    x.randomize();
    y.randomize();
    double_tiles<<<dim3(8, 8), dim3(16, 16)>>>(a.device, b.device, c.device, 128);
    double_tiles<<<dim3(16, 16), dim3(16, 16)>>>(a.device, b.device, c.device, n);
    four_by_four<<<dim3(4, 4), 256>>>(x.device, y.device, z.device, n);
    triangle<<<dim3(8, 32), dim3(32, 8)>>>(x.device, z.device, n);
    expect_finite(z, "z");
    return finish("tiles");
}
