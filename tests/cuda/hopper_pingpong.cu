/*
 * A persistent product written the way CUTLASS's Hopper kernels are: one warp group loads, two take
 * tiles in turn (ping-pong), clusters of two blocks share B by multicast, and results go through
 * shared memory (stmatrix) and tensor stores. f16, and e4m3 whose partial sums are added up apart.
 *
 * Proves the inline PTX of such kernels, spelt as they spell it: labels and registers of the same
 * names in many scopes, waits with and without a time limit, predicated looks, arrivals at remote
 * mbarriers without a scope, transaction counts without an arrival, elected lanes, cache hints,
 * named barriers whose numbers are in registers, relaxed arrivals of clusters. All numbers are
 * small integers, and every element of C is checked.
 */
#define TEST "hopper_pingpong"
#include "check.h"

#include <cuda.h>
#include <cuda_fp16.h>

enum { STAGES = 3, ROWS = 64, COLUMNS = 128, STEP = 128, GROUP = 128, CLUSTER = 2 };

struct alignas(1024) stages {
    char a[STAGES][ROWS * STEP], b[STAGES][COLUMNS * STEP];
    char c[2][2][ROWS * 128]; /* by group and half of the columns */
    uint64_t full[STAGES], empty[STAGES], order[2], scratch;
};

struct problem {
    int m, n, steps, element_bytes, clusters;
};

static __device__ uint32_t at(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

static __device__ uint32_t elect_one()
{
    uint32_t pred = 0, laneid = 0;
    asm volatile("{\n"
                 ".reg .b32 %rx;\n"
                 ".reg .pred %px;\n"
                 "     elect.sync %rx|%px, %2;\n"
                 "@%px mov.s32 %1, 1;\n"
                 "     mov.s32 %0, %rx;\n"
                 "}\n"
                 : "+r"(laneid), "+r"(pred)
                 : "r"(0xFFFFFFFF));
    return pred;
}

static __device__ void barrier_init(uint64_t *bar, uint32_t count)
{
    asm volatile("{\n\t"
                 "mbarrier.init.shared::cta.b64 [%1], %0; \n"
                 "}"
                 :
                 : "r"(count), "r"(at(bar)));
}

static __device__ void barrier_wait(uint64_t *bar, uint32_t phase)
{
    uint32_t ticks = 0x989680;
    asm volatile("{\n\t"
                 ".reg .pred       P1; \n\t"
                 "LAB_WAIT: \n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1, %2; \n\t"
                 "@P1 bra DONE; \n\t"
                 "bra     LAB_WAIT; \n\t"
                 "DONE: \n\t"
                 "}"
                 :
                 : "r"(at(bar)), "r"(phase), "r"(ticks));
}

static __device__ bool barrier_try(uint64_t *bar, uint32_t phase)
{
    uint32_t complete;
    asm volatile("{\n\t"
                 ".reg .pred P1; \n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 P1, [%1], %2; \n\t"
                 "selp.b32 %0, 1, 0, P1; \n\t"
                 "}"
                 : "=r"(complete)
                 : "r"(at(bar)), "r"(phase));
    return complete;
}

static __device__ bool barrier_test(uint64_t *bar, uint32_t phase, uint32_t pred)
{
    uint32_t complete;
    asm volatile("{\n\t"
                 ".reg .pred P1; \n\t"
                 ".reg .pred P2; \n\t"
                 "setp.eq.u32 P2, %3, 1;\n\t"
                 "@P2 mbarrier.test_wait.parity.shared::cta.b64 P1, [%1], %2; \n\t"
                 "selp.b32 %0, 1, 0, P1; \n\t"
                 "}"
                 : "=r"(complete)
                 : "r"(at(bar)), "r"(phase), "r"(pred));
    return complete;
}

static __device__ void barrier_arrive(uint64_t *bar)
{
    asm volatile("{\n\t"
                 "mbarrier.arrive.shared::cta.b64 _, [%0];\n\t"
                 "}"
                 :
                 : "r"(at(bar)));
}

static __device__ void barrier_arrive(uint64_t *bar, uint32_t rank)
{
    asm volatile("{\n\t"
                 ".reg .b32 remAddr32;\n\t"
                 "mapa.shared::cluster.u32  remAddr32, %0, %1;\n\t"
                 "mbarrier.arrive.shared::cluster.b64  _, [remAddr32];\n\t"
                 "}"
                 :
                 : "r"(at(bar)), "r"(rank));
}

static __device__ void barrier_expect(uint64_t *bar, uint32_t bytes)
{
    asm volatile("{\n\t"
                 "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], %0; \n\t"
                 "}"
                 :
                 : "r"(bytes), "r"(at(bar)));
}

/* Bytes that are expected and come without a copy; then the phase ends with the one arrival. */
static __device__ bool transactions_count(uint64_t *bar, uint32_t rank)
{
    uint32_t there;
    asm volatile("{\n\t"
                 "mbarrier.expect_tx.shared::cta.b64 [%1], %0; \n\t"
                 "}"
                 :
                 : "r"(48), "r"(at(bar)));
    barrier_arrive(bar);
    bool early = barrier_test(bar, 0, 1);
    asm volatile("mapa.shared::cluster.u32  %0, %1, %2;\n" : "=r"(there) : "r"(at(bar)), "r"(rank));
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "setp.eq.u32 p, %2, 1;\n\t"
                 "@p mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64   [%1], %0;"
                 "}"
                 :
                 : "r"(48), "r"(there), "r"(1));
    return !early && barrier_test(bar, 0, 1);
}

static __device__ void load(const CUtensorMap *map, uint64_t *bar, uint64_t hint, void *to, int x,
                            int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".L2::cache_hint"
                 " [%0], [%1, {%3, %4}], [%2], %5;"
                 :
                 : "r"(at(to)), "l"(map), "r"(at(bar)), "r"(x), "r"(y), "l"(hint)
                 : "memory");
}

static __device__ void load_for_all(const CUtensorMap *map, uint64_t *bar, uint16_t mask,
                                    uint64_t hint, void *to, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster.L2::cache_hint"
                 " [%0], [%1, {%4, %5}], [%2], %3, %6;"
                 :
                 : "r"(at(to)), "l"(map), "r"(at(bar)), "h"(mask), "r"(x), "r"(y), "l"(hint)
                 : "memory");
}

static __device__ uint64_t descriptor(uint32_t address)
{
    return (uint64_t)(address >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

#define E8(d, i)                                                                                   \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]),    \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#define MULTIPLY(form, transposed)                                                                 \
    asm volatile("{\n"                                                                             \
                 ".reg .pred p;\n"                                                                 \
                 "setp.ne.b32 p, %66, 0;\n"                                                        \
                 "wgmma.mma_async.sync.aligned.m64n128" form " "                                   \
                 "{%0,   %1,   %2,   %3,   %4,   %5,   %6,   %7,   "                               \
                 " %8,   %9,   %10,  %11,  %12,  %13,  %14,  %15,  "                               \
                 " %16,  %17,  %18,  %19,  %20,  %21,  %22,  %23,  "                               \
                 " %24,  %25,  %26,  %27,  %28,  %29,  %30,  %31,  "                               \
                 " %32,  %33,  %34,  %35,  %36,  %37,  %38,  %39,  "                               \
                 " %40,  %41,  %42,  %43,  %44,  %45,  %46,  %47,  "                               \
                 " %48,  %49,  %50,  %51,  %52,  %53,  %54,  %55,  "                               \
                 " %56,  %57,  %58,  %59,  %60,  %61,  %62,  %63},"                                \
                 " %64,"                                                                           \
                 " %65,"                                                                           \
                 " p,   %67,  %68" transposed ";\n"                                                \
                 "}\n"                                                                             \
                 : E8(d, 0), E8(d, 8), E8(d, 16), E8(d, 24), E8(d, 32), E8(d, 40), E8(d, 48),      \
                   E8(d, 56)                                                                       \
                 : "l"(a), "l"(b), "r"(int32_t(adds)), "n"(1), "n"(1), "n"(0), "n"(0))

template <bool FP8>
static __device__ void multiply(float (&d)[64], uint64_t a, uint64_t b, bool adds)
{
    if (FP8)
        MULTIPLY("k32.f32.e4m3.e4m3", "");
    else
        MULTIPLY("k16.f32.f16.f16", ",  %69,  %70");
}

/* The sums must not be touched between here and the wait. */
static __device__ void fence_operand(float (&d)[64])
{
    for (int i = 0; i < 64; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

static __device__ void step_products(float (&d)[64], stages *s, int stage, bool fp8, bool adds)
{
    for (int k = 0; k < STEP / 32; k++) {
        uint64_t a = descriptor(at(s->a[stage])) + 2 * k, b = descriptor(at(s->b[stage])) + 2 * k;
        fp8 ? multiply<true>(d, a, b, adds || k) : multiply<false>(d, a, b, adds || k);
    }
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}

static __device__ void named_sync(uint32_t id, uint32_t threads)
{
    asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads));
}

/* 16 rows of a warp, two by two blocks of 8 x 8, into boxes of 64 columns with swizzled rows. */
static __device__ void write_out(const float (&d)[64], stages *s, int group)
{
    int lane = threadIdx.x % 32, row = threadIdx.x % GROUP / 32 * 16 + lane % 16;
    for (int j = 0; j < COLUMNS / 8; j += 2) {
        uint32_t r[4];
        for (int i = 0; i < 4; i++) {
            __half2 h = __floats2half2_rn(d[4 * j + 2 * i], d[4 * j + 2 * i + 1]);
            memcpy(&r[i], &h, 4);
        }
        int chunk = j + lane / 16;
        uint32_t to = at(s->c[group][chunk / 8]) + row * 128 + ((chunk % 8) ^ (row % 8)) * 16;
        asm volatile("stmatrix.sync.aligned.x4.m8n8.shared.b16 [%0], {%1, %2, %3, %4};\n" ::"r"(to),
                     "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]));
    }
}

template <bool FP8>
static __device__ void consume(stages *s, const CUtensorMap *c, const problem &p, int group,
                               uint32_t rank)
{
    int tiles_m = p.m / (CLUSTER * ROWS), tiles = tiles_m * (p.n / COLUMNS);
    int first = blockIdx.x / CLUSTER;
    uint32_t turn = group * p.steps;
    for (int k = 0, tile = first + group * p.clusters; tile < tiles;
         k++, tile += 2 * p.clusters, turn += p.steps) {
        float d[64], part[64];
        for (int i = 0; i < 64; i++)
            d[i] = 0;
        barrier_wait(&s->order[group], group ? k & 1 : (k & 1) ^ 1);
        for (int step = 0; step < p.steps; step++, turn++) {
            int stage = turn % STAGES;
            uint32_t phase = turn / STAGES & 1;
            if (!barrier_try(&s->full[stage], phase))
                barrier_wait(&s->full[stage], phase);
            fence_operand(FP8 ? part : d);
            asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
            step_products(FP8 ? part : d, s, stage, FP8, !FP8 && step > 0);
            if (FP8) {
                asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(0) : "memory");
                fence_operand(part);
                for (int i = 0; i < 64; i++)
                    d[i] += part[i];
            } else {
                asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(1) : "memory");
            }
            int done = FP8 ? step : step - 1; /* a lane for each block of the cluster */
            if (done >= 0 && threadIdx.x % GROUP < CLUSTER)
                barrier_arrive(&s->empty[(turn - (FP8 ? 0 : 1)) % STAGES], threadIdx.x % GROUP);
        }
        barrier_arrive(&s->order[group ^ 1]);
        if (!FP8) {
            asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(0) : "memory");
            if (threadIdx.x % GROUP < CLUSTER)
                barrier_arrive(&s->empty[(turn - 1) % STAGES], threadIdx.x % GROUP);
        }
        fence_operand(d);
        bool stores = threadIdx.x % GROUP / 32 == 0 && elect_one();
        if (stores)
            asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(0) : "memory");
        named_sync(6 + group, GROUP);
        write_out(d, s, group);
        asm volatile("{\n\t"
                     "fence.proxy.async.shared::cta; \n"
                     "}" ::);
        named_sync(6 + group, GROUP);
        for (int half = 0; half < 2 && stores; half++)
            asm volatile(
                "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(
                    c),
                "r"(at(s->c[group][half])), "r"(tile / tiles_m * COLUMNS + half * 64),
                "r"((tile % tiles_m * CLUSTER + (int)rank) * ROWS)
                : "memory");
        if (stores)
            asm volatile("cp.async.bulk.commit_group;");
    }
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(0) : "memory");
}

static __device__ void produce(stages *s, const CUtensorMap *a, const CUtensorMap *b,
                               const problem &p, uint32_t rank)
{
    int tiles_m = p.m / (CLUSTER * ROWS), tiles = tiles_m * (p.n / COLUMNS), wide;
    uint32_t turn = 0;
    wide = STEP / p.element_bytes;
    for (int tile = blockIdx.x / CLUSTER; tile < tiles; tile += p.clusters) {
        int row = (tile % tiles_m * CLUSTER + (int)rank) * ROWS;
        int column = tile / tiles_m * COLUMNS + (int)rank * (COLUMNS / CLUSTER);
        for (int step = 0; step < p.steps; step++, turn++) {
            int stage = turn % STAGES;
            barrier_wait(&s->empty[stage], (turn / STAGES & 1) ^ 1);
            barrier_expect(&s->full[stage], (ROWS + COLUMNS) * STEP);
            load(a, &s->full[stage], 0x12F0000000000000, s->a[stage], step * wide, row);
            load_for_all(b, &s->full[stage], (1 << CLUSTER) - 1, 0x14F0000000000000,
                         s->b[stage] + rank * (COLUMNS / CLUSTER) * STEP, step * wide, column);
        }
    }
    for (int i = 0; i < STAGES; i++, turn++) /* before the block ends, all its stages are free */
        barrier_wait(&s->empty[turn % STAGES], (turn / STAGES & 1) ^ 1);
}

template <bool FP8>
__global__ __launch_bounds__(3 * GROUP, 1) void product(const __grid_constant__ CUtensorMap a,
                                                        const __grid_constant__ CUtensorMap b,
                                                        const __grid_constant__ CUtensorMap c,
                                                        const __grid_constant__ problem p,
                                                        int *wrong)
{
    extern __shared__ __align__(1024) char memory[];
    stages *s = (stages *)memory;
    uint32_t rank, group = __shfl_sync(0xffffffff, threadIdx.x / GROUP, 0);
    asm volatile("mov.u32 %0, %cluster_ctarank;\n" : "=r"(rank) :);
    if (threadIdx.x < 32 && elect_one()) {
        const CUtensorMap *maps[] = {&a, &b, &c};
        for (const CUtensorMap *map : maps)
            asm volatile("prefetch.tensormap [%0];" : : "l"(map) : "memory");
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&s->full[i], 1);
            barrier_init(&s->empty[i], CLUSTER);
        }
        barrier_init(&s->order[0], GROUP);
        barrier_init(&s->order[1], GROUP);
        barrier_init(&s->scratch, 1);
        asm volatile("{\n\t"
                     "fence.mbarrier_init.release.cluster; \n"
                     "}" ::);
        if (!transactions_count(&s->scratch, rank))
            atomicAdd(wrong, 1);
    }
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n" : :);
    asm volatile("griddepcontrol.wait;" : : : "memory");
    asm volatile("barrier.cluster.wait.aligned;\n" : :);
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" : : "n"(40));
        if (threadIdx.x / 32 == 0 && elect_one())
            produce(s, &a, &b, p, rank);
        asm volatile("griddepcontrol.launch_dependents;");
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" : : "n"(232));
        consume<FP8>(s, &c, p, group - 1, rank);
    }
}

typedef CUresult encode_tiled(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                              const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                              const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static CUtensorMap map_of(void *address, int bytes, int rows, int columns, int box)
{
    void *encode;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                           cudaEnableDefault, &found));
    CUtensorMap map;
    cuuint64_t sizes[] = {(cuuint64_t)columns, (cuuint64_t)rows};
    cuuint64_t strides[] = {(cuuint64_t)columns * bytes};
    cuuint32_t boxes[] = {(cuuint32_t)(STEP / bytes), (cuuint32_t)box}, steps[] = {1, 1};
    EXPECT(((encode_tiled *)encode)(
               &map, bytes == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
               2, address, sizes, strides, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    reinterpret_cast<uint64_t *>(&map)[1] &= ~(1ull << 21); /* NVIDIA's advice for small tensors */
    return map;
}

static int number(int i, int seed)
{
    return (int)(mix((uint32_t)i * 31 + seed) % 3) - 1;
}

template <bool FP8> static void check(int m, int n, int steps, int clusters)
{
    int bytes = FP8 ? 1 : 2, k = steps * STEP / bytes, shared = sizeof(stages);
    static const uint16_t f16[] = {0xbc00, 0, 0x3c00};
    static const uint8_t e4m3[] = {0xb8, 0, 0x38};
    std::vector<char> a((size_t)m * k * bytes), b((size_t)n * k * bytes);
    for (int i = 0; i < m * k; i++)
        memcpy(&a[(size_t)i * bytes],
               FP8 ? (void *)&e4m3[number(i, 1) + 1] : (void *)&f16[number(i, 1) + 1], bytes);
    for (int i = 0; i < n * k; i++)
        memcpy(&b[(size_t)i * bytes],
               FP8 ? (void *)&e4m3[number(i, 2) + 1] : (void *)&f16[number(i, 2) + 1], bytes);
    char *on_a = device_copy(a), *on_b = device_copy(b);
    __half *c = device_array<__half>((size_t)m * n);
    int *wrong = device_copy(std::vector<int>(1, 0));
    problem p = {m, n, steps, bytes, clusters};
    auto kernel = product<FP8>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {CLUSTER, 1, 1};
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(clusters * CLUSTER);
    config.blockDim = dim3(3 * GROUP);
    config.dynamicSmemBytes = shared;
    config.attrs = attributes;
    config.numAttrs = 2;
    CUtensorMap map_a = map_of(on_a, bytes, m, k, ROWS), map_c = map_of(c, 2, m, n, ROWS);
    CUtensorMap map_b = map_of(on_b, bytes, n, k, COLUMNS / CLUSTER);
    void *arguments[] = {&map_a, &map_b, &map_c, &p, &wrong};
    CHECK(cudaLaunchKernelExC(&config, (const void *)kernel, arguments));
    wait_for_kernels();
    expect_equal("transaction counts", 0, host_copy(wrong, 1)[0], 0);
    std::vector<__half> is = host_copy(c, (size_t)m * n);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int x = 0; x < k; x++)
                sum += number(i * k + x, 1) * number(j * k + x, 2);
            expect_equal(FP8 ? "e4m3" : "f16", (size_t)i * n + j,
                         __half2float(is[(size_t)i * n + j]), (float)sum);
        }
    }
}

int main()
{
    check<false>(256, 256, 5, 1);
    check<false>(384, 128, 2, 2);
    check<true>(256, 256, 2, 1);
    check<true>(128, 384, 3, 2);
    return pass();
}
