/* Dense products: untiled, with little and with more parallelism; tiled in shared memory with 4 x 4 results a thread. */
#include "program.h"

__global__ void gemm_untiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}

/* a is stored by column: lanes walk columns of both. */
__global__ void gemm_transposed(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[i * m + row] * b[col * k + i];
    c[row * n + col] = sum;
}

#define TILE 64
#define DEEP 16
__global__ void __launch_bounds__(256) gemm_blocked(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float as[DEEP][TILE + 4], bs[DEEP][TILE];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += DEEP) {
        for (int i = t; i < TILE * DEEP; i += 256) {
            as[i % DEEP][i / DEEP] = a[(row0 + i / DEEP) * k + k0 + i % DEEP];
            bs[i / TILE][i % TILE] = b[(k0 + i / TILE) * n + col0 + i % TILE];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEEP; i++) {
            float x[4], y[4];
            for (int j = 0; j < 4; j++) {
                x[j] = as[i][ty * 4 + j];
                y[j] = bs[i][tx * 4 + j];
            }
            for (int p = 0; p < 4; p++)
                for (int q = 0; q < 4; q++)
                    sum[p][q] += x[p] * y[q];
        }
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++)
            c[(row0 + ty * 4 + p) * n + col0 + tx * 4 + q] = sum[p][q];
}

static void verify(array<float> &a, array<float> &b, array<float> &c, int m, int n, int k)
{
    c.download();
    for (int s = 0; s < 64; s++) {
        int row = (int)(next_random() % m), col = (int)(next_random() % n);
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += (double)a.host[row * k + i] * b.host[i * n + col];
        check("product", c.host[row * n + col], sum);
    }
}

int main()
{
    const int m = 256, n = 256, k = 256;
    array<float> a(m * k), b(k * n), c(m * n);
    a.randomize();
    b.randomize();
    gemm_untiled<<<dim3(2, 4), dim3(32, 8)>>>(a.device, b.device, c.device, 32, 64, k);
    gemm_untiled<<<dim3(n / 16, m / 16), dim3(16, 16)>>>(a.device, b.device, c.device, m, n, k);
    verify(a, b, c, m, n, k);
    gemm_transposed<<<dim3(n / 32, m / 8), dim3(32, 8)>>>(a.device, b.device, c.device, m, n, k);
    gemm_blocked<<<dim3(n / TILE, m / TILE), 256>>>(a.device, b.device, c.device, m, n, k);
    verify(a, b, c, m, n, k);
    return finish("gemm");
}
