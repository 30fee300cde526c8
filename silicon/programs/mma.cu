/* Tensor cores by mma.sync: tf32 with asynchronous copies into two buffers, int8 from global memory, and fp64. */
#include "program.h"
#include <cuda_pipeline.h>
#include <cstdint>
#define N 256

__device__ uint32_t as_tf32(float v)
{
    uint32_t r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
    return r;
}

/* 64 x 64 by four warps, each 32 x 32 */
__global__ void __launch_bounds__(128) mma_tf32(const float *a, const float *b, float *c)
{
    __shared__ __align__(16) float as[2][64][20], bs[2][16][72];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, g = lane / 4, q = lane % 4;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, wr = warp / 2 * 32, wc = warp % 2 * 32;
    float sum[2][4][4] = {};
    auto fetch = [&](int buffer, int k0) {
        for (int i = t; i < 64 * 4; i += 128)
            __pipeline_memcpy_async(&as[buffer][i / 4][i % 4 * 4], &a[(row0 + i / 4) * N + k0 + i % 4 * 4], 16);
        for (int i = t; i < 16 * 16; i += 128)
            __pipeline_memcpy_async(&bs[buffer][i / 16][i % 16 * 4], &b[(k0 + i / 16) * N + col0 + i % 16 * 4], 16);
        __pipeline_commit();
    };
    fetch(0, 0);
    for (int k0 = 0; k0 < N; k0 += 16) {
        int now = k0 / 16 % 2;
        if (k0 + 16 < N)
            fetch(!now, k0 + 16);
        else
            __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k += 8) {
            uint32_t fa[2][4], fb[4][2];
            for (int i = 0; i < 2; i++) {
                fa[i][0] = as_tf32(as[now][wr + i * 16 + g][k + q]);
                fa[i][1] = as_tf32(as[now][wr + i * 16 + g + 8][k + q]);
                fa[i][2] = as_tf32(as[now][wr + i * 16 + g][k + q + 4]);
                fa[i][3] = as_tf32(as[now][wr + i * 16 + g + 8][k + q + 4]);
            }
            for (int j = 0; j < 4; j++) {
                fb[j][0] = as_tf32(bs[now][k + q][wc + j * 8 + g]);
                fb[j][1] = as_tf32(bs[now][k + q + 4][wc + j * 8 + g]);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++)
                    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                        "{%0,%1,%2,%3};"
                        : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                        : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e++)
                c[(row0 + wr + i * 16 + g + e / 2 * 8) * N + col0 + wc + j * 8 + q * 2 + e % 2] = sum[i][j][e];
}

/* b by columns; a warp makes 16 x 32 */
__global__ void mma_int8(const int8_t *a, const int8_t *b, int *c)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
    int row0 = warp / (N / 32) * 16, col0 = warp % (N / 32) * 32;
    int sum[4][4] = {};
    for (int k = 0; k < N; k += 32) {
        const uint32_t *top = (const uint32_t *)(a + (row0 + g) * N + k), *low = (const uint32_t *)(a + (row0 + g + 8) * N + k);
        uint32_t fa[4] = {top[q], low[q], top[q + 4], low[q + 4]};
        for (int j = 0; j < 4; j++) {
            const uint32_t *col = (const uint32_t *)(b + (col0 + j * 8 + g) * N + k);
            asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                : "+r"(sum[j][0]), "+r"(sum[j][1]), "+r"(sum[j][2]), "+r"(sum[j][3])
                : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(col[q]), "r"(col[q + 4]));
        }
    }
    for (int j = 0; j < 4; j++)
        for (int e = 0; e < 4; e++)
            c[(row0 + g + e / 2 * 8) * N + col0 + j * 8 + q * 2 + e % 2] = sum[j][e];
}

int main()
{
    array<float> a(N * N), b(N * N), c(N * N);
    array<int8_t> p(N * N), q(N * N);
    array<int> r(N * N);
    a.randomize();
    b.randomize();
    for (int i = 0; i < N * N; i++) {
        p.host[i] = (int8_t)(next_random() % 200 - 100);
        q.host[i] = (int8_t)(next_random() % 200 - 100);
    }
    p.upload();
    q.upload();
    mma_tf32<<<dim3(N / 64, N / 64), 128>>>(a.device, b.device, c.device);
    mma_int8<<<N * N / 512 / 4, 128>>>(p.device, q.device, r.device);
    c.download();
    r.download();
    for (int s = 0; s < 64; s++) {
        int row = (int)(next_random() % N), col = (int)(next_random() % N);
        double sum = 0, whole = 0;
        for (int k = 0; k < N; k++) {
            sum += (double)a.host[row * N + k] * b.host[k * N + col];
            whole += p.host[row * N + k] * q.host[col * N + k];
        }
        check("tf32 product", c.host[row * N + col], sum, 1e-2);
        check("int8 product", r.host[row * N + col], whole);
    }
    return finish("mma");
}
