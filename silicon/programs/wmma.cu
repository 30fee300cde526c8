/* Tensor cores by nvcuda::wmma: half precision with float sums, a tile of 16 x 16 per warp from global memory, and
 * four tiles a warp from shared memory. */
#include "program.h"
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
#define N 256

__global__ void wmma_global(const half *a, const half *b, float *c)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, row = warp / (N / 16) * 16, col = warp % (N / 16) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < N; k += 16) {
        wmma::load_matrix_sync(fa, a + row * N + k, N);
        wmma::load_matrix_sync(fb, b + k * N + col, N);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(c + row * N + col, sum, N, wmma::mem_row_major);
}

/* a block of four warps makes 64 x 64 */
__global__ void __launch_bounds__(128) wmma_shared(const half *a, const half *b, float *c)
{
    __shared__ half as[64][32 + 8], bs[32][64 + 8];
    int t = threadIdx.x, warp = t / 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
    for (int j = 0; j < 4; j++)
        wmma::fill_fragment(sum[j], 0.0f);
    for (int k0 = 0; k0 < N; k0 += 32) {
        for (int i = t; i < 64 * 4; i += 128)
            *(uint4 *)&as[i / 4][i % 4 * 8] = *(const uint4 *)&a[(row0 + i / 4) * N + k0 + i % 4 * 8];
        for (int i = t; i < 32 * 8; i += 128)
            *(uint4 *)&bs[i / 8][i % 8 * 8] = *(const uint4 *)&b[(k0 + i / 8) * N + col0 + i % 8 * 8];
        __syncthreads();
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
            wmma::load_matrix_sync(fa, &as[warp * 16][k], 40);
            for (int j = 0; j < 4; j++) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
                wmma::load_matrix_sync(fb, &bs[k][j * 16], 72);
                wmma::mma_sync(sum[j], fa, fb, sum[j]);
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++)
        wmma::store_matrix_sync(c + (row0 + warp * 16) * N + col0 + j * 16, sum[j], N, wmma::mem_row_major);
}

static void verify(array<half> &a, array<half> &b, array<float> &c)
{
    c.download();
    for (int s = 0; s < 64; s++) {
        int row = (int)(next_random() % N), col = (int)(next_random() % N);
        double sum = 0;
        for (int k = 0; k < N; k++)
            sum += (double)__half2float(a.host[row * N + k]) * __half2float(b.host[k * N + col]);
        check("product", c.host[row * N + col], sum, 1e-2);
    }
}

int main()
{
    array<half> a(N * N), b(N * N);
    array<float> c(N * N);
    for (int i = 0; i < N * N; i++) {
        a.host[i] = __float2half(next_float());
        b.host[i] = __float2half(next_float());
    }
    a.upload();
    b.upload();
    wmma_global<<<N * N / 256 / 4, 128>>>(a.device, b.device, c.device);
    verify(a, b, c);
    wmma_shared<<<dim3(N / 64, N / 64), 128>>>(a.device, b.device, c.device);
    verify(a, b, c);
    return finish("wmma");
}
