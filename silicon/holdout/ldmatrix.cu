/* Tensor cores fed by ldmatrix: a 128 x 64 tile of fp16 with two buffers of asynchronous copies, a bf16 product with its bias and gelu, and scores of one attention head kept in registers. */
#include "../programs/program.h"
#include <algorithm>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define N 512
#define K 256

__device__ inline uint32_t shared_of(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ inline void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_of(to)), "l"(from));
}

__device__ inline void load4(uint32_t *r, const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_of(p)));
}

__device__ inline void load4_across(uint32_t *r, const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_of(p)));
}

__device__ inline void product(float *c, const uint32_t *a, const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ inline void product_bf16(float *c, const uint32_t *a, const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* 128 x 64 by eight warps of 32 x 32, steps of 32 */
__global__ void __launch_bounds__(256) hgemm_ldmatrix(const half *a, const half *b, half *c)
{
    __shared__ __align__(16) half as[2][128][40], bs[2][32][72];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, wr = warp / 2 * 32, wc = warp % 2 * 32;
    int row0 = blockIdx.y * 128, col0 = blockIdx.x * 64;
    float sum[2][4][4] = {};
    auto fetch = [&](int buffer, int k0) {
        for (int i = t; i < 512; i += 256)
            copy16(&as[buffer][i / 4][i % 4 * 8], &a[(row0 + i / 4) * K + k0 + i % 4 * 8]);
        copy16(&bs[buffer][t / 8][t % 8 * 8], &b[(k0 + t / 8) * N + col0 + t % 8 * 8]);
        asm volatile("cp.async.commit_group;");
    };
    fetch(0, 0);
    for (int k0 = 0; k0 < K; k0 += 32) {
        int now = k0 / 32 & 1;
        if (k0 + 32 < K) {
            fetch(!now, k0 + 32);
            asm volatile("cp.async.wait_group 1;");
        } else {
            asm volatile("cp.async.wait_group 0;");
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            uint32_t fa[2][4], fb[2][4];
            for (int i = 0; i < 2; i++)
                load4(fa[i], &as[now][wr + i * 16 + lane % 16][k + lane / 16 * 8]);
            for (int j = 0; j < 2; j++)
                load4_across(fb[j], &bs[now][k + lane % 16][wc + j * 16 + lane / 16 * 8]);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++)
                    product(sum[i][j], fa[i], &fb[j / 2][j % 2 * 2]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) {
            half *to = &c[(row0 + wr + i * 16 + lane / 4) * N + col0 + wc + j * 8 + lane % 4 * 2];
            *(half2 *)to = __floats2half2_rn(sum[i][j][0], sum[i][j][1]);
            *(half2 *)(to + 8 * N) = __floats2half2_rn(sum[i][j][2], sum[i][j][3]);
        }
}

/* a warp: 16 rows of x (K wide) by 32 columns of w (stored by columns), all from global memory */
__global__ void dense_gelu(const __nv_bfloat16 *x, const __nv_bfloat16 *w, const float *bias, float *y)
{
    int lane = threadIdx.x % 32, g = lane / 4, q = lane % 4, col0 = (blockIdx.x * 4 + threadIdx.x / 32) * 32, row0 = blockIdx.y * 16;
    float sum[4][4] = {};
    for (int k = 0; k < K; k += 16) {
        uint32_t fa[4], fb[2];
        fa[0] = *(const uint32_t *)&x[(row0 + g) * K + k + q * 2];
        fa[1] = *(const uint32_t *)&x[(row0 + g + 8) * K + k + q * 2];
        fa[2] = *(const uint32_t *)&x[(row0 + g) * K + k + 8 + q * 2];
        fa[3] = *(const uint32_t *)&x[(row0 + g + 8) * K + k + 8 + q * 2];
        for (int j = 0; j < 4; j++) {
            fb[0] = *(const uint32_t *)&w[(col0 + j * 8 + g) * K + k + q * 2];
            fb[1] = *(const uint32_t *)&w[(col0 + j * 8 + g) * K + k + 8 + q * 2];
            product_bf16(sum[j], fa, fb);
        }
    }
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            int col = col0 + j * 8 + q * 2 + i % 2, row = row0 + g + i / 2 * 8;
            float v = sum[j][i] + bias[col];
            y[row * N + col] = 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
        }
}

/* 64 queries by four warps over 256 keys of 64: largest score and sum of exponentials */
__global__ void __launch_bounds__(128) score_sums(const half *query, const half *key, float *sums)
{
    __shared__ __align__(16) half qs[64][72], ks[64][72];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    query += blockIdx.y * 256 * 64 + blockIdx.x * 64 * 64;
    key += blockIdx.y * 256 * 64;
    for (int i = t; i < 512; i += 128)
        copy16(&qs[i / 8][i % 8 * 8], query + i * 8);
    asm volatile("cp.async.commit_group;");
    float most[2] = {-1e30f, -1e30f}, total[2] = {};
    for (int k0 = 0; k0 < 256; k0 += 64) {
        for (int i = t; i < 512; i += 128)
            copy16(&ks[i / 8][i % 8 * 8], key + k0 * 64 + i * 8);
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 0;");
        __syncthreads();
        float s[8][4] = {};
#pragma unroll
        for (int d = 0; d < 64; d += 16) {
            uint32_t fa[4], fb[4];
            load4(fa, &qs[warp * 16 + lane % 16][d + lane / 16 * 8]);
            for (int j = 0; j < 4; j++) {
                load4(fb, &ks[j * 16 + lane % 8 + lane / 16 * 8][d + lane / 8 % 2 * 8]);
                product(s[j * 2], fa, fb);
                product(s[j * 2 + 1], fa, fb + 2);
            }
        }
        for (int h = 0; h < 2; h++) {
            float m = most[h];
            for (int j = 0; j < 8; j++)
                m = fmaxf(m, fmaxf(s[j][h * 2], s[j][h * 2 + 1]));
            m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
            m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
            float sum = 0;
            for (int j = 0; j < 8; j++)
                sum += exp2f((s[j][h * 2] - m) * 0.18f) + exp2f((s[j][h * 2 + 1] - m) * 0.18f);
            sum += __shfl_xor_sync(~0u, sum, 1);
            sum += __shfl_xor_sync(~0u, sum, 2);
            total[h] = total[h] * exp2f((most[h] - m) * 0.18f) + sum;
            most[h] = m;
        }
        __syncthreads();
    }
    if (lane % 4 == 0)
        for (int h = 0; h < 2; h++)
            sums[blockIdx.y * 256 + blockIdx.x * 64 + warp * 16 + h * 8 + lane / 4] = total[h];
}

int main()
{
    array<half> a(N * K), b(K * N), c(N * N), query(16 * 256 * 64), key(16 * 256 * 64);
    array<__nv_bfloat16> x(N * K), w(N * K);
    array<float> bias(N), y(N * N), sums(16 * 256);
    a.randomize();
    b.randomize();
    x.randomize();
    w.randomize();
    bias.randomize();
    query.randomize();
    key.randomize();
    hgemm_ldmatrix<<<dim3(N / 64, N / 128), 256>>>(a.device, b.device, c.device);
    dense_gelu<<<dim3(N / 128, N / 16), 128>>>(x.device, w.device, bias.device, y.device);
    score_sums<<<dim3(4, 16), 128>>>(query.device, key.device, sums.device);
    c.download();
    y.download();
    sums.download();
    double s = 0, v = 0, most = -1e30, total = 0;
    for (int k = 0; k < K; k++) {
        s += (double)__half2float(a.host[130 * K + k]) * __half2float(b.host[k * N + 75]);
        v += (double)__bfloat162float(x.host[130 * K + k]) * __bfloat162float(w.host[75 * K + k]);
    }
    v += bias.host[75];
    check("hgemm", __half2float(c.host[130 * N + 75]), s, 2e-2);
    check("gelu", y.host[130 * N + 75], 0.5 * v * (1 + tanh(0.79788456 * (v + 0.044715 * v * v * v))), 1e-2);
    std::vector<double> scores;
    for (int k = 0; k < 256; k++) {
        double d = 0;
        for (int i = 0; i < 64; i++)
            d += (double)__half2float(query.host[(3 * 256 + 70) * 64 + i]) * __half2float(key.host[(3 * 256 + k) * 64 + i]);
        scores.push_back(d);
        most = std::max(most, d);
    }
    for (double d : scores)
        total += exp2((d - most) * 0.18);
    check("scores", sums.host[3 * 256 + 70], total, 2e-2);
    return finish("ldmatrix");
}
