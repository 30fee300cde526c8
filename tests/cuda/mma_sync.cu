/*
 * Tensor-core instructions as libraries write them: mma.sync and ldmatrix.
 *
 * Proves which lane holds which element: m16n8k8 on halves with float sums
 * (sm_75), m8n8k16 on bytes, ldmatrix of one, two and four tiles, plain and
 * transposed, and on sm_80 and later m16n8k16 on bfloat16 and m16n8k4 on tf32.
 */
#define TEST "mma_sync"
#include "check.h"

#include <cuda_fp16.h>

/* Row-major A (16 x 8) and B (8 x 8); D = A B + C. The fragments come through ldmatrix. */
__global__ void halves(const __half *a, const __half *b, const float *c, float *d)
{
    __shared__ __align__(16) __half sa[16 * 8], sb[8 * 8];
    int lane = threadIdx.x;
    for (int i = lane; i < 128; i += 32)
        sa[i] = a[i];
    for (int i = lane; i < 64; i += 32)
        sb[i] = b[i];
    __syncwarp();
    unsigned a0, a1, b0;
    unsigned a_row = (unsigned)__cvta_generic_to_shared(&sa[(lane & 15) * 8]);
    unsigned b_row = (unsigned)__cvta_generic_to_shared(&sb[(lane & 7) * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(a0), "=r"(a1)
                 : "r"(a_row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(b0)
                 : "r"(b_row));
    int at = lane / 4 * 8 + lane % 4 * 2;
    float s0 = c[at], s1 = c[at + 1], s2 = c[at + 64], s3 = c[at + 65];
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(s0), "+f"(s1), "+f"(s2), "+f"(s3)
                 : "r"(a0), "r"(a1), "r"(b0));
    d[at] = s0, d[at + 1] = s1, d[at + 64] = s2, d[at + 65] = s3;
}

/* A is 8 x 16 bytes by row, B is 16 x 8 bytes by column: four bytes of k per lane. */
__global__ void bytes(const int *a, const int *b, int *d)
{
    int lane = threadIdx.x, s0 = 0, s1 = 0;
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+r"(s0), "+r"(s1)
                 : "r"(a[lane]), "r"(b[lane]));
    d[lane * 2] = s0;
    d[lane * 2 + 1] = s1;
}

/* All 32 lanes name a row; lane l receives elements 2l, 2l+1 of each tile. */
__global__ void four_tiles(const unsigned *tiles, uint4 *plain, uint4 *transposed)
{
    __shared__ __align__(16) unsigned rows[32 * 4];
    int lane = threadIdx.x;
    for (int i = lane; i < 128; i += 32)
        rows[i] = tiles[i];
    __syncwarp();
    unsigned at = (unsigned)__cvta_generic_to_shared(&rows[lane * 4]);
    uint4 v;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(at));
    plain[lane] = v;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(at));
    transposed[lane] = v;
}

/* bfloat16 (k = 16) and tf32 (k = 4) from floats that both represent exactly. */
__global__ void newer(const float *a, const float *b, float *d)
{
    int lane = threadIdx.x, row = lane / 4, pair = lane % 4 * 2;
    float s[4] = {0, 0, 0, 0};
#if __CUDA_ARCH__ >= 800
    unsigned fa[4], fb[2];
    for (int i = 0; i < 4; i++) {
        const float *from = &a[(row + i % 2 * 8) * 16 + pair + i / 2 * 8];
        fa[i] = __float_as_uint(from[0]) >> 16 | (__float_as_uint(from[1]) & 0xffff0000u);
    }
    for (int i = 0; i < 2; i++) {
        const float *from = &b[(pair + i * 8) * 8 + row];
        fb[i] = __float_as_uint(from[0]) >> 16 | (__float_as_uint(from[8]) & 0xffff0000u);
    }
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    unsigned t0 = __float_as_uint(a[row * 16 + lane % 4]);
    unsigned t1 = __float_as_uint(a[(row + 8) * 16 + lane % 4]);
    unsigned u0 = __float_as_uint(b[lane % 4 * 8 + row]);
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
                 "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                 : "r"(t0), "r"(t1), "r"(u0));
#else
    for (int e = 0; e < 4; e++) {
        for (int k = 0; k < 20; k++) /* k = 16..19 repeat 0..3, as the tf32 product does */
            s[e] += a[(row + e / 2 * 8) * 16 + k % 16] * b[k % 16 * 8 + pair + e % 2];
    }
#endif
    for (int e = 0; e < 4; e++)
        d[(row + e / 2 * 8) * 8 + pair + e % 2] = s[e];
}

static int small(uint32_t i, int limit)
{
    return (int)(mix(i) % (2 * limit + 1)) - limit;
}

static void halves_compare(void)
{
    std::vector<__half> a(128), b(64);
    std::vector<float> c(128);
    for (int i = 0; i < 128; i++) {
        a[i] = __float2half(small(i, 30));
        b[i % 64] = __float2half(small(500 + i % 64, 30));
        c[i] = small(900 + i, 1000);
    }
    float *d = device_array<float>(128);
    halves<<<1, 32>>>(device_copy(a), device_copy(b), device_copy(c), d);
    wait_for_kernels();
    std::vector<float> got = host_copy(d, 128);
    for (int i = 0; i < 128; i++) {
        float want = c[i];
        for (int k = 0; k < 8; k++)
            want += small(i / 8 * 8 + k, 30) * small(500 + k * 8 + i % 8, 30);
        expect_equal("halves", i, got[i], want);
    }
}

static void bytes_compare(void)
{
    std::vector<int> a(32), b(32);
    for (int i = 0; i < 32; i++) {
        a[i] = (int)mix(i);
        b[i] = (int)mix(i + 99);
    }
    int *d = device_array<int>(64);
    bytes<<<1, 32>>>(device_copy(a), device_copy(b), d);
    wait_for_kernels();
    std::vector<int> got = host_copy(d, 64);
    const signed char *rows = (const signed char *)a.data();
    const signed char *columns = (const signed char *)b.data();
    for (int i = 0; i < 64; i++) {
        int want = 0;
        for (int k = 0; k < 16; k++)
            want += rows[i / 8 * 16 + k] * columns[i % 8 * 16 + k];
        expect_equal("bytes", i, got[i], want);
    }
}

static void tiles_compare(void)
{
    std::vector<unsigned> tiles(128);
    for (int i = 0; i < 128; i++)
        tiles[i] = mix(i);
    uint4 *plain = device_array<uint4>(32), *transposed = device_array<uint4>(32);
    four_tiles<<<1, 32>>>(device_copy(tiles), plain, transposed);
    wait_for_kernels();
    std::vector<uint4> got = host_copy(plain, 32), turned = host_copy(transposed, 32);
    const uint16_t *element = (const uint16_t *)tiles.data(); /* tile, row, column */
    for (int lane = 0; lane < 32; lane++) {
        const unsigned p[4] = {got[lane].x, got[lane].y, got[lane].z, got[lane].w};
        const unsigned t[4] = {turned[lane].x, turned[lane].y, turned[lane].z, turned[lane].w};
        int row = lane / 4, pair = lane % 4 * 2;
        for (int i = 0; i < 4; i++) {
            const uint16_t *tile = element + i * 64;
            expect_equal("plain", lane * 4 + i, p[i],
                         tile[row * 8 + pair] | (unsigned)tile[row * 8 + pair + 1] << 16);
            expect_equal("transposed", lane * 4 + i, t[i],
                         tile[pair * 8 + row] | (unsigned)tile[(pair + 1) * 8 + row] << 16);
        }
    }
}

static void newer_compare(void)
{
    std::vector<float> a(256), b(128);
    for (int i = 0; i < 256; i++) {
        a[i] = small(i, 100);
        b[i % 128] = small(300 + i % 128, 100);
    }
    float *d = device_array<float>(128);
    newer<<<1, 32>>>(device_copy(a), device_copy(b), d);
    wait_for_kernels();
    std::vector<float> got = host_copy(d, 128);
    for (int i = 0; i < 128; i++) {
        float want = 0;
        for (int k = 0; k < 20; k++)
            want += a[i / 8 * 16 + k % 16] * b[k % 16 * 8 + i % 8];
        expect_equal("newer", i, got[i], want);
    }
}

int main(void)
{
    halves_compare();
    bytes_compare();
    tiles_compare();
    newer_compare();
    return pass();
}
