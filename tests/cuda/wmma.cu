/*
 * Tensor-core matrix products through nvcuda::wmma.
 *
 * Proves half inputs with float and with half accumulators, signed and
 * unsigned bytes with int accumulators, the three shapes of sm_75, row and
 * column layouts of A, B and C, strides larger than the matrix, and
 * arithmetic on fragment elements. All values are small integers, so every
 * sum is exact in any order.
 */
#define TEST "wmma"
#include "check.h"

#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

static const int tiles = 2; /* every matrix is tiles x tiles fragments */

/* D = 3 A B + C, one warp per tile of D; pad is added to every leading dimension. */
template <typename In, typename Acc, int M, int N, int K, typename LayoutA, typename LayoutB>
__global__ void multiply(const In *a, const In *b, const Acc *c, Acc *d, int pad, bool c_by_row)
{
    constexpr bool a_by_row = std::is_same<LayoutA, wmma::row_major>::value;
    constexpr bool b_by_row = std::is_same<LayoutB, wmma::row_major>::value;
    const int rows = M * tiles, columns = N * tiles, inner = K * tiles;
    const int lda = (a_by_row ? inner : rows) + pad, ldb = (b_by_row ? columns : inner) + pad;
    const int ldc = (c_by_row ? columns : rows) + pad;
    const int row = blockIdx.y * M, column = blockIdx.x * N;

    wmma::fragment<wmma::matrix_a, M, N, K, In, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, In, LayoutB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Acc> sum, fc;
    wmma::fill_fragment(sum, Acc(0));
    for (int k = 0; k < inner; k += K) {
        wmma::load_matrix_sync(fa, a + (a_by_row ? row * lda + k : k * lda + row), lda);
        wmma::load_matrix_sync(fb, b + (b_by_row ? k * ldb + column : column * ldb + k), ldb);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    int at = c_by_row ? row * ldc + column : column * ldc + row;
    wmma::layout_t layout = c_by_row ? wmma::mem_row_major : wmma::mem_col_major;
    wmma::load_matrix_sync(fc, c + at, ldc, layout);
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] = Acc(float(sum.x[i]) * 3.0f + float(fc.x[i]));
    wmma::store_matrix_sync(d + at, fc, ldc, layout);
}

template <typename T> static double number(T v)
{
    return (double)v;
}

static double number(__half v)
{
    return (double)__half2float(v);
}

template <typename In, typename Acc, int M, int N, int K, typename LayoutA, typename LayoutB>
static void product_compare(const char *what, int lowest, int highest, bool c_by_row)
{
    const bool a_by_row = std::is_same<LayoutA, wmma::row_major>::value;
    const bool b_by_row = std::is_same<LayoutB, wmma::row_major>::value;
    const int rows = M * tiles, columns = N * tiles, inner = K * tiles, pad = 16;
    const int lda = (a_by_row ? inner : rows) + pad, ldb = (b_by_row ? columns : inner) + pad;
    const int ldc = (c_by_row ? columns : rows) + pad;
    std::vector<In> a((rows + inner) * lda), b((columns + inner) * ldb);
    std::vector<Acc> c((rows + columns) * ldc);
    uint32_t seed = 1;
    for (In &v : a)
        v = In(float(lowest + int(mix(seed++) % (highest - lowest + 1))));
    for (In &v : b)
        v = In(float(lowest + int(mix(seed++) % (highest - lowest + 1))));
    for (Acc &v : c)
        v = Acc(float(int(mix(seed++) % 100) - 50));
    In *device_a = device_copy(a), *device_b = device_copy(b);
    Acc *device_c = device_copy(c), *device_d = device_array<Acc>(c.size());
    multiply<In, Acc, M, N, K, LayoutA, LayoutB>
        <<<dim3(tiles, tiles), 32>>>(device_a, device_b, device_c, device_d, pad, c_by_row);
    wait_for_kernels();
    std::vector<Acc> d = host_copy(device_d, c.size());
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            double sum = 0;
            for (int k = 0; k < inner; k++)
                sum += number(a[a_by_row ? i * lda + k : k * lda + i]) *
                       number(b[b_by_row ? k * ldb + j : j * ldb + k]);
            int at = c_by_row ? i * ldc + j : j * ldc + i;
            expect_equal(what, i * columns + j, number(d[at]), sum * 3 + number(c[at]));
        }
    }
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    CHECK(cudaFree(device_d));
}

int main(void)
{
    using row = wmma::row_major;
    using col = wmma::col_major;
    product_compare<__half, float, 16, 16, 16, row, col>("half to float", -9, 9, true);
    product_compare<__half, float, 16, 16, 16, col, row>("half to float, A'B'", -9, 9, false);
    product_compare<__half, float, 32, 8, 16, row, col>("half 32x8", -9, 9, true);
    product_compare<__half, float, 8, 32, 16, row, row>("half 8x32", -9, 9, false);
    /* |3 AB + C| stays under 2048, where halves are exact. */
    product_compare<__half, __half, 16, 16, 16, row, col>("half to half", -4, 4, true);
    product_compare<__half, __half, 32, 8, 16, col, col>("half to half 32x8", -4, 4, false);
    product_compare<signed char, int, 16, 16, 16, row, col>("signed bytes", -128, 127, true);
    product_compare<signed char, int, 32, 8, 16, col, row>("signed bytes 32x8", -128, 127, false);
    product_compare<unsigned char, int, 8, 32, 16, row, row>("bytes 8x32", 0, 255, true);
    product_compare<unsigned char, int, 16, 16, 16, col, col>("bytes", 0, 255, false);
    return pass();
}
