/*
 * A product of f16 matrices in Hopper's way: C = A x B', f32 sums.
 *
 * One warp group loads tiles by tensor copies, two multiply them with wgmma. Two blocks of a
 * cluster have the same columns of C: each loads half of the tile of B for both. Mbarriers say
 * which of four stages are full and, from all consumers of the cluster, which are empty. Numbers
 * are small integers, so that every sum is exact.
 */
#define TEST "warpgroup_gemm"
#include "check.h"

#include <cuda.h>
#include <cuda_fp16.h>

enum { M = 256, N = 256, K = 512, TILE_M = 128, TILE_N = 128, TILE_K = 64, STAGES = 4 };
enum { A_BYTES = TILE_M * TILE_K * 2, B_BYTES = TILE_N * TILE_K * 2, CLUSTER = 2, GROUP = 128 };

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
struct stages {
    __half a[STAGES][TILE_M * TILE_K], b[STAGES][TILE_N * TILE_K];
    unsigned long long full[STAGES], empty[STAGES];
};

static __device__ unsigned at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ void wait(unsigned barrier, unsigned parity)
{
    asm volatile("{\n.reg .pred p;\nAGAIN: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                 "@!p bra AGAIN;\n}" ::"r"(barrier), "r"(parity) : "memory");
}

static __device__ void load(unsigned to, const CUtensorMap *map, int x, int y, unsigned barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

static __device__ void load_for_all(unsigned to, const CUtensorMap *map, int x, int y,
                                    unsigned barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to), "l"(map), "r"(x),
                 "r"(y), "r"(barrier), "h"((short)((1 << CLUSTER) - 1)) : "memory");
}

/* Rows of 128 bytes, swizzled over them all; eight rows every 1,024 bytes. */
static __device__ unsigned long long descriptor(unsigned address)
{
    return (unsigned long long)(address >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

#define E8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), \
                 "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])

static __device__ void multiply(float *d, unsigned long long a, unsigned long long b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,"
        "%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,"
        "%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, "
        "%64, %65, 1, 1, 1, 0, 0;"
        : E8(d, 0), E8(d, 8), E8(d, 16), E8(d, 24), E8(d, 32), E8(d, 40), E8(d, 48), E8(d, 56)
        : "l"(a), "l"(b));
}

static __device__ void produce(stages *s, const CUtensorMap *a, const CUtensorMap *b, int row,
                               int column, unsigned rank)
{
    for (int k = 0; k < K / TILE_K; k++) {
        int i = k % STAGES, turn = k / STAGES;
        wait(at(&s->empty[i]), (turn & 1) ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at(&s->full[i])),
                     "r"(A_BYTES + B_BYTES) : "memory");
        load(at(s->a[i]), a, k * TILE_K, row, at(&s->full[i]));
        int half = rank * TILE_N / CLUSTER;
        load_for_all(at(s->b[i] + half * TILE_K), b, k * TILE_K, column + half, at(&s->full[i]));
    }
}

/* All blocks of the cluster hear that a warp group has read a stage. */
static __device__ void release(unsigned barrier)
{
    for (unsigned rank = 0; rank < CLUSTER; rank++)
        asm volatile("{\n.reg .b32 r;\nmapa.shared::cluster.u32 r, %0, %1;\n"
                     "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r];\n}" ::"r"(barrier),
                     "r"(rank) : "memory");
}

static __device__ void consume(stages *s, float *c, int row, int column, int group)
{
    float d[64];
    for (int i = 0; i < 64; i++)
        d[i] = 0;
    for (int k = 0; k < K / TILE_K; k++) {
        int i = k % STAGES;
        wait(at(&s->full[i]), k / STAGES & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int step = 0; step < TILE_K / 16; step++)
            multiply(d, descriptor(at(s->a[i] + group * 64 * TILE_K) + 32 * step),
                     descriptor(at(s->b[i]) + 32 * step));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" :::
                     "memory");
        if (threadIdx.x % GROUP == 0)
            release(at(&s->empty[i]));
    }
    int lane = threadIdx.x % 32, warp = threadIdx.x % GROUP / 32;
    for (int i = 0; i < 64; i++) {
        int r = row + 64 * group + 16 * warp + lane / 4 + i / 2 % 2 * 8;
        c[r * N + column + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
    }
}
#endif

__global__ __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(3 * GROUP) void gemm(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) char memory[];
    stages *s = (stages *)memory;
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    int row = blockIdx.x * TILE_M, column = blockIdx.y * TILE_N, group = threadIdx.x / GROUP;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&s->full[i])));
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(&s->empty[i])),
                         "r"(2 * CLUSTER));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 2 * GROUP)
            produce(s, &a, &b, row, column, rank);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        consume(s, c, row, column, group);
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

static CUtensorMap map_of(__half *address, int rows, int box)
{
    CUtensorMap map;
    cuuint64_t dimension[2] = {K, (cuuint64_t)rows}, stride[1] = {K * 2};
    cuuint32_t size[2] = {TILE_K, (cuuint32_t)box}, step[2] = {1, 1};
    CUresult r = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, address,
                                        dimension, stride, size, step,
                                        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r != CUDA_SUCCESS)
        fail("cuTensorMapEncodeTiled: %d", (int)r);
    return map;
}

int main()
{
    __half *a, *b;
    float *c;
    CHECK(cudaMallocManaged(&a, M * K * sizeof *a));
    CHECK(cudaMallocManaged(&b, N * K * sizeof *b));
    CHECK(cudaMallocManaged(&c, M * N * sizeof *c));
    for (int i = 0; i < M * K; i++)
        a[i] = __float2half((float)(i * 7 % 11 - 5));
    for (int i = 0; i < N * K; i++)
        b[i] = __float2half((float)(i * 5 % 13 - 6));
    int bytes = (int)sizeof(stages);
    CHECK(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    gemm<<<dim3(M / TILE_M, N / TILE_N), 3 * GROUP, bytes>>>(map_of(a, M, TILE_M),
                                                            map_of(b, N, TILE_N / CLUSTER), c);
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += ((i * K + k) * 7 % 11 - 5) * ((j * K + k) * 5 % 13 - 6);
            wrong += c[i * N + j] != (float)sum;
        }
    }
    if (wrong)
        fail("%d of %d sums are wrong", wrong, M * N);
    return pass();
}
