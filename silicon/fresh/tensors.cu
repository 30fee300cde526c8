/* Products of half-precision matrices by wmma: fragments loaded from global and from shared memory,
 * with and without an epilogue. */
#include "fresh.h"
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void from_global(const half *a, const half *b, float *c, int n, int k)
{
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * 16, col = blockIdx.x * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int i = 0; i < k; i += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
        wmma::load_matrix_sync(x, a + row * k + i, k);
        wmma::load_matrix_sync(y, b + col * k + i, k);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}

__global__ void from_shared(const half *a, const half *b, half *c, int n, int k)
{
    __shared__ half sa[64 * 24], sb[64 * 24];
    int warp = threadIdx.x / 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum[4];
    for (int j = 0; j < 4; j++)
        wmma::fill_fragment(sum[j], __float2half(0.0f));
    for (int i = 0; i < k; i += 16) {
        for (int e = threadIdx.x; e < 64 * 16; e += 128) {
            sa[e / 16 * 24 + e % 16] = a[(blockIdx.y * 64 + e / 16) * k + i + e % 16];
            sb[e / 16 * 24 + e % 16] = b[(blockIdx.x * 64 + e / 16) * k + i + e % 16];
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
        wmma::load_matrix_sync(x, sa + warp * 16 * 24, 24);
        for (int j = 0; j < 4; j++) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
            wmma::load_matrix_sync(y, sb + j * 16 * 24, 24);
            wmma::mma_sync(sum[j], x, y, sum[j]);
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++)
        wmma::store_matrix_sync(c + (blockIdx.y * 64 + warp * 16) * n + blockIdx.x * 64 + j * 16,
                                sum[j], n, wmma::mem_row_major);
}

int main()
{
    int n = 512, k = 256;
    array<unsigned short> a(n * k), b(n * k), h(n * n);
    array<float> c(n * n);
    for (unsigned short &v : a.host)
        v = 0x2000 + next_random() % 0x1000;
    for (unsigned short &v : b.host)
        v = 0x2000 + next_random() % 0x1000;
    a.upload();
    b.upload();
    from_global<<<dim3(n / 16, n / 64), dim3(32, 4)>>>((half *)a.device, (half *)b.device, c.device,
                                                       n, k);
    from_global<<<dim3(8, 2), dim3(32, 4)>>>((half *)a.device, (half *)b.device, c.device, n, k);
    from_shared<<<dim3(n / 64, n / 64), 128>>>((half *)a.device, (half *)b.device, (half *)h.device,
                                               n, k);
    expect_finite(c, "c");
    return finish("tensors");
}
