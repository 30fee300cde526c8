/* Convolutions as a tensor library has them: implicit products on tensor cores (tf32, wmma) by few blocks of much code, Winograd's transforms of 4 x 4 tiles, average pooling, and the gradient of the weights. */
#include "../programs/program.h"
#include <mma.h>
using namespace nvcuda;
#define C 32
#define K 64
#define S 18 /* side with its border */
#define O 16

/* 64 filters by 64 places of one image: 8 warps, each 32 x 16; the depth is C * 9, gathered 32 at a time */
__global__ void __launch_bounds__(256) implicit_conv(const float *image, const float *weights, float *out)
{
    __shared__ __align__(16) float ws[64][36], xs[32][72];
    int t = threadIdx.x, warp = t / 32, wr = warp / 4 * 32, wc = warp % 4 * 16, place0 = blockIdx.x * 64;
    image += blockIdx.y * C * S * S;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum[2];
    wmma::fill_fragment(sum[0], 0.0f);
    wmma::fill_fragment(sum[1], 0.0f);
#pragma unroll 1
    for (int k0 = 0; k0 < C * 9; k0 += 32) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            int e = t + i * 256;
            ws[e / 32][e % 32] = weights[e / 32 * (C * 9) + k0 + e % 32];
            int k = k0 + e / 64, place = place0 + e % 64, c = k / 9, r = k % 9;
            xs[e / 64][e % 64] = image[(c * S + place / O + r / 3) * S + place % O + r % 3];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 8) {
            wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
            wmma::load_matrix_sync(b, &xs[k][wc], 72);
            for (int i = 0; i < b.num_elements; i++)
                b.x[i] = wmma::__float_to_tf32(b.x[i]);
            for (int h = 0; h < 2; h++) {
                wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
                wmma::load_matrix_sync(a, &ws[wr + h * 16][k], 36);
                for (int i = 0; i < a.num_elements; i++)
                    a.x[i] = wmma::__float_to_tf32(a.x[i]);
                wmma::mma_sync(sum[h], a, b, sum[h]);
            }
        }
        __syncthreads();
    }
    for (int h = 0; h < 2; h++)
        wmma::store_matrix_sync(out + ((size_t)blockIdx.y * K + wr + h * 16) * O * O + place0 + wc, sum[h], O * O, wmma::mem_row_major);
}

__global__ void winograd_input(const float *image, float *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, tile = i % 64, c = i / 64;
    const float *p = image + (c * S + tile / 8 * 2) * S + tile % 8 * 2;
    float d[4][4], r[4][4];
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            d[y][x] = p[y * S + x];
    for (int x = 0; x < 4; x++) {
        r[0][x] = d[0][x] - d[2][x];
        r[1][x] = d[1][x] + d[2][x];
        r[2][x] = d[2][x] - d[1][x];
        r[3][x] = d[1][x] - d[3][x];
    }
    int stride = gridDim.x * blockDim.x;
    for (int y = 0; y < 4; y++) {
        v[(y * 4 + 0) * stride + i] = r[y][0] - r[y][2];
        v[(y * 4 + 1) * stride + i] = r[y][1] + r[y][2];
        v[(y * 4 + 2) * stride + i] = r[y][2] - r[y][1];
        v[(y * 4 + 3) * stride + i] = r[y][1] - r[y][3];
    }
}

__global__ void average_pool(const float *in, float *out, int side, int window, int to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, plane = blockIdx.y;
    if (i >= to * to)
        return;
    int y = i / to * 2, x = i % to * 2, n = 0;
    float s = 0;
    for (int dy = 0; dy < window; dy++)
        for (int dx = 0; dx < window; dx++)
            if (y + dy < side && x + dx < side) {
                s += in[(plane * side + y + dy) * side + x + dx];
                n++;
            }
    out[(plane * to * to) + i] = s / n;
}

/* a block a filter and channel: nine sums over all places of all images */
__global__ void weight_gradient(const float *image, const float *gradient, float *out, int images)
{
    __shared__ float part[8][9];
    int c = blockIdx.x, k = blockIdx.y, t = threadIdx.x;
    float s[9] = {};
    for (int n = 0; n < images; n++) {
        float g = gradient[(n * K + k) * O * O + t];
        const float *p = image + ((n * C + c) * S + t / O) * S + t % O;
#pragma unroll
        for (int r = 0; r < 9; r++)
            s[r] += g * p[r / 3 * S + r % 3];
    }
#pragma unroll
    for (int r = 0; r < 9; r++) {
        for (int d = 16; d; d /= 2)
            s[r] += __shfl_down_sync(~0u, s[r], d);
        if (t % 32 == 0)
            part[t / 32][r] = s[r];
    }
    __syncthreads();
    if (t < 9) {
        float v = 0;
        for (int w = 0; w < 8; w++)
            v += part[w][t];
        out[(k * C + c) * 9 + t] = v;
    }
}

int main()
{
    array<float> image(8 * C * S * S), weights(K * C * 9), out(8 * K * O * O), v(16 * 8 * C * 64), pooled(8 * C * 9 * 9), gradient(8 * K * O * O), dw(K * C * 9);
    image.randomize();
    weights.randomize();
    gradient.randomize();
    implicit_conv<<<dim3(4, 1), 256>>>(image.device, weights.device, out.device);
    implicit_conv<<<dim3(4, 8), 256>>>(image.device, weights.device, out.device);
    winograd_input<<<8 * C * 64 / 128, 128>>>(image.device, v.device);
    average_pool<<<dim3(1, 8 * C), 96>>>(image.device, pooled.device, S, 3, 9);
    weight_gradient<<<dim3(C, 8), 256>>>(image.device, gradient.device, dw.device, 8);
    out.download();
    dw.download();
    double s = 0, g = 0;
    for (int c = 0; c < C; c++)
        for (int r = 0; r < 9; r++)
            s += (double)image.host[((3 * C + c) * S + 5 + r / 3) * S + 7 + r % 3] * weights.host[20 * C * 9 + c * 9 + r];
    for (int n = 0; n < 8; n++)
        for (int p = 0; p < O * O; p++)
            g += (double)gradient.host[(n * K + 5) * O * O + p] * image.host[((n * C + 9) * S + p / O + 1) * S + p % O + 2];
    check("convolution", out.host[(3 * K + 20) * O * O + 5 * O + 7], s, 2e-2);
    check("gradient", dw.host[(5 * C + 9) * 9 + 5], g, 1e-2);
    return finish("tensorconv");
}
