/*
 * C = A x B' the way Hopper multiplies: tensor copies fill shared memory, warp groups multiply
 * from there, and mbarriers tell one from the other which stages are full and which are free.
 *
 *   nvcc -O3 -gencode arch=compute_90a,code=[compute_90a,sm_90a] -cudart shared -lcuda \
 *       -o hopper_gemm hopper_gemm.cu
 *   hopper_gemm [f16|bf16|e4m3|tf32] [M N K] [consumers 1|2] [cluster 1|2] [tiles|stream|split S]
 *
 * The word `and` begins the next product. A is M x K, B is N x K, C is M x N and f32. One warp
 * group loads, one or two multiply, 64 rows of a tile each. The blocks of a cluster have the same
 * columns of C; each loads its part of the tile of B for all. Blocks are persistent: `tiles` gives
 * each cluster whole tiles in turn, `split` divides K of each tile by S, and `stream` gives each
 * cluster the same share of all steps along K, wherever tiles begin (stream-K). Parts of a tile are
 * added up in C.
 *
 * All numbers are small integers, so every sum is exact; up to 64 rows of C are checked.
 */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 4, GROUP = 128, TILE_N = 128, STEP_BYTES = 128, ROWS = 64 };
enum type { F16, BF16, E4M3, TF32, TYPES };
enum plan { TILES, SPLIT, STREAM };

struct problem {
    int m, n, k;
    int steps, tiles_m, tiles, clusters; /* steps along k of a tile; tiles as a cluster has them */
    int plan, splits;
    float *c;
};

struct part { /* of a tile: steps from begin to end */
    int tile, begin, end;
};

/* The i-th part of a cluster; false: it has no more. */
static inline __host__ __device__ bool part_of(const problem *p, int cluster, int i, part *out)
{
    if (p->plan != STREAM) {
        int splits = p->plan == SPLIT ? p->splits : 1, at = cluster + i * p->clusters;
        out->tile = at / splits;
        out->begin = (int)((long long)p->steps * (at % splits) / splits);
        out->end = (int)((long long)p->steps * (at % splits + 1) / splits);
        return out->tile < p->tiles;
    }
    long long all = (long long)p->tiles * p->steps;
    long long first = all * cluster / p->clusters, last = all * (cluster + 1) / p->clusters;
    out->tile = (int)(first / p->steps) + i;
    long long from = (long long)out->tile * p->steps, to = from + p->steps;
    out->begin = (int)((first > from ? first : from) - from);
    out->end = (int)((last < to ? last : to) - from);
    return from < last;
}

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
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
                                    unsigned barrier, int blocks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to), "l"(map), "r"(x),
                 "r"(y), "r"(barrier), "h"((short)((1 << blocks) - 1)) : "memory");
}

/* Rows of 128 bytes, swizzled over them all; eight rows every 1,024 bytes. */
static __device__ unsigned long long descriptor(unsigned address)
{
    return (unsigned long long)(address >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

#define E8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), \
                 "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define MULTIPLY(form, rest)                                                                       \
    asm volatile(                                                                                  \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"                                               \
        "wgmma.mma_async.sync.aligned.m64n128" form " "                                            \
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,"  \
        "%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45," \
        "%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, "               \
        "%64, %65, p, 1, 1" rest ";\n}"                                                            \
        : E8(d, 0), E8(d, 8), E8(d, 16), E8(d, 24), E8(d, 32), E8(d, 40), E8(d, 48), E8(d, 56)     \
        : "l"(a), "l"(b), "r"(adds))

/* 64 x 128 sums, 32 bytes along k */
template <int TYPE>
static __device__ void multiply(float *d, unsigned long long a, unsigned long long b, int adds)
{
    if (TYPE == F16)
        MULTIPLY("k16.f32.f16.f16", ", 0, 0");
    else if (TYPE == BF16)
        MULTIPLY("k16.f32.bf16.bf16", ", 0, 0");
    else if (TYPE == E4M3)
        MULTIPLY("k32.f32.e4m3.e4m3", "");
    else
        MULTIPLY("k8.f32.tf32.tf32", "");
}

template <int CONSUMERS> struct stages {
    char a[STAGES][CONSUMERS * ROWS * STEP_BYTES], b[STAGES][TILE_N * STEP_BYTES];
    unsigned long long full[STAGES], empty[STAGES];
};

template <int CONSUMERS, int CLUSTER>
static __device__ void produce(stages<CONSUMERS> *s, const CUtensorMap *a, const CUtensorMap *b,
                               const problem *p, int wide, int cluster, int rank)
{
    part t;
    unsigned turn = 0;
    for (int i = 0; part_of(p, cluster, i, &t); i++) {
        int row = (t.tile % p->tiles_m * CLUSTER + rank) * CONSUMERS * ROWS;
        int column = t.tile / p->tiles_m * TILE_N + rank * (TILE_N / CLUSTER);
        for (int k = t.begin; k < t.end; k++, turn++) {
            unsigned stage = turn % STAGES, full = at(&s->full[stage]);
            wait(at(&s->empty[stage]), (turn / STAGES & 1) ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(full),
                         "r"((CONSUMERS * ROWS + TILE_N) * STEP_BYTES) : "memory");
            load(at(s->a[stage]), a, k * wide, row, full);
            unsigned to = at(s->b[stage]) + rank * (TILE_N / CLUSTER) * STEP_BYTES;
            if (CLUSTER > 1)
                load_for_all(to, b, k * wide, column, full, CLUSTER);
            else
                load(to, b, k * wide, column, full);
        }
    }
}

/* All blocks of the cluster hear that a warp group has read a stage. */
template <int CLUSTER> static __device__ void release(unsigned barrier)
{
    for (unsigned rank = 0; rank < CLUSTER; rank++)
        asm volatile("{\n.reg .b32 r;\nmapa.shared::cluster.u32 r, %0, %1;\n"
                     "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r];\n}" ::"r"(barrier),
                     "r"(rank) : "memory");
}

/* Lane 4r + q has columns 2q and 2q + 1 of rows r and r + 8, of every eight columns. */
static __device__ void write_out(const problem *p, const float *d, int row, int column, bool whole)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x % GROUP / 32;
    for (int i = 0; i < 64; i += 2) {
        int r = row + 16 * warp + lane / 4 + i / 2 % 2 * 8, x = column + i / 4 * 8 + lane % 4 * 2;
        float *to = p->c + (size_t)r * p->n + x;
        if (whole) {
            *(float2 *)to = make_float2(d[i], d[i + 1]);
        } else {
            atomicAdd(to, d[i]);
            atomicAdd(to + 1, d[i + 1]);
        }
    }
}

template <int TYPE, int CONSUMERS, int CLUSTER>
static __device__ void consume(stages<CONSUMERS> *s, const problem *p, int cluster, int rank,
                               int group)
{
    part t;
    float d[64];
    unsigned turn = 0;
    for (int i = 0; part_of(p, cluster, i, &t); i++) {
        for (int k = 0; k < 64; k++)
            d[k] = 0;
        for (int k = t.begin; k < t.end; k++, turn++) {
            unsigned stage = turn % STAGES;
            wait(at(&s->full[stage]), turn / STAGES & 1);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            for (int step = 0; step < STEP_BYTES / 32; step++)
                multiply<TYPE>(d, descriptor(at(s->a[stage] + group * ROWS * STEP_BYTES) + 32 * step),
                               descriptor(at(s->b[stage]) + 32 * step), 1);
            /* The products of the stage before are done: it is free. */
            asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;" :::
                         "memory");
            if (k > t.begin && threadIdx.x % GROUP == 0)
                release<CLUSTER>(at(&s->empty[(turn - 1) % STAGES]));
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (t.end > t.begin && threadIdx.x % GROUP == 0)
            release<CLUSTER>(at(&s->empty[(turn - 1) % STAGES]));
        write_out(p, d, ((t.tile % p->tiles_m * CLUSTER + rank) * CONSUMERS + group) * ROWS,
                  t.tile / p->tiles_m * TILE_N, t.begin == 0 && t.end == p->steps);
    }
}
#endif

template <int TYPE, int CONSUMERS, int CLUSTER>
__global__ __launch_bounds__((CONSUMERS + 1) * GROUP, 1) void gemm(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
    const __grid_constant__ problem p, int wide)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) char memory[];
    stages<CONSUMERS> *s = (stages<CONSUMERS> *)memory;
    int group = threadIdx.x / GROUP, cluster = blockIdx.x / CLUSTER, rank = blockIdx.x % CLUSTER;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&s->full[i])));
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(&s->empty[i])),
                         "r"(CONSUMERS * CLUSTER));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (group == CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == CONSUMERS * GROUP)
            produce<CONSUMERS, CLUSTER>(s, &a, &b, &p, wide, cluster, rank);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMERS == 1 ? 168 : 232));
        consume<TYPE, CONSUMERS, CLUSTER>(s, &p, cluster, rank, group);
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

static void check(int r, const char *what)
{
    if (r) {
        fprintf(stderr, "%s: error %d\n", what, r);
        exit(1);
    }
}

/* ---- numbers ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int bytes;
    CUtensorMapDataType map;
} types[TYPES] = {{"f16", 2, CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
                  {"bf16", 2, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
                  {"e4m3", 1, CU_TENSOR_MAP_DATA_TYPE_UINT8},
                  {"tf32", 4, CU_TENSOR_MAP_DATA_TYPE_FLOAT32}};

/* -2 to 2 and 3, exact in all types */
static int number(long long i, int seed)
{
    return (int)((i * seed + i / 97) % 6) - 2;
}

static void put(char *to, int type, long long i, int v)
{
    static const uint16_t f16[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200};
    static const uint8_t e4m3[] = {0xc0, 0xb8, 0, 0x38, 0x40, 0x44};
    float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    uint16_t upper = (uint16_t)(bits >> 16);
    if (type == F16)
        memcpy(to + 2 * i, &f16[v + 2], 2);
    else if (type == BF16)
        memcpy(to + 2 * i, &upper, 2);
    else if (type == E4M3)
        to[i] = (char)e4m3[v + 2];
    else
        memcpy(to + 4 * i, &f, 4);
}

static char *matrix(int type, int rows, int k, int seed)
{
    size_t bytes = (size_t)rows * k * types[type].bytes;
    char *on_host = (char *)malloc(bytes), *on_device;
    for (long long i = 0; i < (long long)rows * k; i++)
        put(on_host, type, i, number(i, seed));
    check(cudaMalloc((void **)&on_device, bytes), "cudaMalloc");
    check(cudaMemcpy(on_device, on_host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    free(on_host);
    return on_device;
}

static CUtensorMap map_of(int type, char *address, int rows, int k, int box)
{
    CUtensorMap map;
    cuuint64_t dimension[2] = {(cuuint64_t)k, (cuuint64_t)rows};
    cuuint64_t stride[1] = {(cuuint64_t)k * types[type].bytes};
    cuuint32_t size[2] = {(cuuint32_t)(STEP_BYTES / types[type].bytes), (cuuint32_t)box};
    cuuint32_t step[2] = {1, 1};
    check(cuTensorMapEncodeTiled(&map, types[type].map, 2, address, dimension, stride, size, step,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          "cuTensorMapEncodeTiled");
    return map;
}

static signed char *numbers(int rows, int k, int seed)
{
    signed char *all = (signed char *)malloc((size_t)rows * k);
    for (long long i = 0; i < (long long)rows * k; i++)
        all[i] = (signed char)number(i, seed);
    return all;
}

static int wrong_sums(const problem *p)
{
    int wrong = 0, every = p->m > 64 ? p->m / 64 : 1;
    float *c = (float *)malloc((size_t)p->m * p->n * 4);
    signed char *a = numbers(p->m, p->k, 7), *b = numbers(p->n, p->k, 5);
    check(cudaMemcpy(c, p->c, (size_t)p->m * p->n * 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (int i = 0; i < p->m; i += every) {
        for (int j = 0; j < p->n; j++) {
            const signed char *row = a + (size_t)i * p->k, *column = b + (size_t)j * p->k;
            int sum = 0;
            for (int k = 0; k < p->k; k++)
                sum += row[k] * column[k];
            wrong += c[(size_t)i * p->n + j] != (float)sum;
        }
    }
    free(a);
    free(b);
    free(c);
    return wrong;
}

/* ---- launching ----------------------------------------------------------------------------- */

template <int TYPE, int CONSUMERS, int CLUSTER> static void launch(problem p)
{
    auto kernel = gemm<TYPE, CONSUMERS, CLUSTER>;
    int bytes = (int)sizeof(stages<CONSUMERS>), sms, wide = STEP_BYTES / types[TYPE].bytes;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "no device");
    check(cudaMalloc((void **)&p.c, (size_t)p.m * p.n * 4), "cudaMalloc");
    check(cudaMemset(p.c, 0, (size_t)p.m * p.n * 4), "cudaMemset");
    p.steps = p.k / wide;
    p.tiles_m = p.m / (CLUSTER * CONSUMERS * ROWS);
    p.tiles = p.tiles_m * (p.n / TILE_N);
    p.clusters = sms / CLUSTER;
    char *a = matrix(TYPE, p.m, p.k, 7), *b = matrix(TYPE, p.n, p.k, 5);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
          "shared memory");
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = CLUSTER;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(p.clusters * CLUSTER);
    config.blockDim = dim3((CONSUMERS + 1) * GROUP);
    config.dynamicSmemBytes = bytes;
    config.attrs = &cluster;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, kernel, map_of(TYPE, a, p.m, p.k, CONSUMERS * ROWS),
                             map_of(TYPE, b, p.n, p.k, TILE_N / CLUSTER), p, wide),
          "launch");
    check(cudaDeviceSynchronize(), "kernel");
    int wrong = wrong_sums(&p);
    if (wrong) {
        printf("%s %d x %d x %d: %d sums are wrong\n", types[TYPE].name, p.m, p.n, p.k, wrong);
        exit(1);
    }
    printf("%s %d x %d x %d: all checked sums are right\n", types[TYPE].name, p.m, p.n, p.k);
    cudaFree(a);
    cudaFree(b);
    cudaFree(p.c);
}

template <int TYPE> static void choose(const problem *p, int consumers, int cluster)
{
    if (consumers == 1)
        cluster == 1 ? launch<TYPE, 1, 1>(*p) : launch<TYPE, 1, 2>(*p);
    else
        cluster == 1 ? launch<TYPE, 2, 1>(*p) : launch<TYPE, 2, 2>(*p);
}

static int run(int argc, char **argv)
{
    problem p = {};
    p.m = p.n = p.k = 512;
    int type = 0;
    while (argc > 0 && type < TYPES && strcmp(argv[0], types[type].name))
        type++;
    if (argc > 3) {
        p.m = atoi(argv[1]);
        p.n = atoi(argv[2]);
        p.k = atoi(argv[3]);
    }
    int consumers = argc > 4 ? atoi(argv[4]) : 2, cluster = argc > 5 ? atoi(argv[5]) : 2;
    const char *plan = argc > 6 ? argv[6] : "tiles";
    p.plan = !strcmp(plan, "stream") ? STREAM : !strcmp(plan, "split") ? SPLIT : TILES;
    p.splits = p.plan == SPLIT && argc > 7 ? atoi(argv[7]) : 1;
    if (type == TYPES || p.m < 1 || p.n < 1 || p.k < 1 || p.m % 256 || p.n % 128 || p.k % 128 ||
        consumers < 1 || consumers > 2 || cluster < 1 || cluster > 2 || p.splits < 1) {
        fprintf(stderr, "usage: hopper_gemm [f16|bf16|e4m3|tf32] [M N K] [consumers 1|2] [cluster "
                        "1|2] [tiles|stream|split S] [and ...]\nM a multiple of 256, N and K of "
                        "128\n");
        return 2;
    }
    type == F16    ? choose<F16>(&p, consumers, cluster)
    : type == BF16 ? choose<BF16>(&p, consumers, cluster)
    : type == E4M3 ? choose<E4M3>(&p, consumers, cluster)
                   : choose<TF32>(&p, consumers, cluster);
    return 0;
}

int main(int argc, char **argv)
{
    int status = 0, first = 1, end;
    do {
        for (end = first; end < argc && strcmp(argv[end], "and"); end++)
            ;
        status = run(end - first, argv + first);
        first = end + 1;
    } while (!status && first < argc);
    return status;
}
