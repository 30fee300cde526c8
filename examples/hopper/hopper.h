/*
 * What the programs of this folder share: tensor copies, mbarriers, wgmma of f16, tensor maps, and
 * how a launch is timed.
 *
 * They need compute_90a: nvcc -O3 -gencode arch=compute_90a,code=[compute_90a,sm_90a] -cudart shared
 * -lcuda. Each program checks its results on the CPU and says so; with the word `csv` in front it
 * prints a row with the nanoseconds of a launch instead, the least of ten.
 */
#ifndef EXAMPLES_HOPPER_H
#define EXAMPLES_HOPPER_H

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 128, ROW_BYTES = 128, ROW_HALVES = 64 }; /* a warp group; a swizzled row */

/* ---- the device ---------------------------------------------------------------------------- */

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
typedef unsigned long long barrier_t;

static inline __device__ unsigned at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static inline __device__ void barrier_init(barrier_t *b, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(b)), "r"(arrivals) : "memory");
}

/* Behind the last barrier_init, by the same thread: tensor copies see the barriers. */
static inline __device__ void barriers_are_made()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static inline __device__ void barrier_expect(barrier_t *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at(b)), "r"(bytes)
                 : "memory");
}

static inline __device__ void barrier_arrive(barrier_t *b)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(b)) : "memory");
}

static inline __device__ void barrier_wait(barrier_t *b, unsigned parity)
{
    asm volatile("{\n.reg .pred p;\nAGAIN: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                 "@!p bra AGAIN;\n}" ::"r"(at(b)), "r"(parity) : "memory");
}

static inline __device__ void load_2d(void *to, const CUtensorMap *map, int x, int y, barrier_t *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(at(to)), "l"(map), "r"(x), "r"(y), "r"(at(b))
                 : "memory");
}

/* Rows of 128 bytes, swizzled over them all; eight rows every 1,024 bytes. Of a matrix whose rows
 * are along k, the lines of the product; of one whose rows are across k (`apart` bytes between
 * its parts of 64 columns), the elements of k. */
static inline __device__ unsigned long long descriptor(const void *p, unsigned apart = 16)
{
    return (unsigned long long)(at(p) >> 4 & 0x3fff) | (unsigned long long)(apart >> 4) << 16 |
           64ull << 32 | 1ull << 62;
}

#define F8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), \
                 "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define F32(d, i) F8(d, i), F8(d, i + 8), F8(d, i + 16), F8(d, i + 24)
#define SUMS_32                                                                                    \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"  \
    "%25,%26,%27,%28,%29,%30,%31"
#define SUMS_64                                                                                    \
    SUMS_32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,"    \
            "%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"

/* 64 x 128 sums += A x B', 16 along k of both in shared memory; adds 0: sums are set */
static inline __device__ void multiply_128(float *d, unsigned long long a, unsigned long long b, int adds)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " SUMS_64
                 "}, %64, %65, p, 1, 1, 0, 0;\n}"
                 : F32(d, 0), F32(d, 32)
                 : "l"(a), "l"(b), "r"(adds));
}

/* 64 x N sums += A x B with A in registers and B across k */
static inline __device__ void multiply_registers(float (&d)[32], const unsigned *a, unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS_32
                 "}, {%32,%33,%34,%35}, %36, 1, 1, 1, 1;"
                 : F32(d, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

static inline __device__ void multiply_registers(float (&d)[64], const unsigned *a, unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " SUMS_64
                 "}, {%64,%65,%66,%67}, %68, 1, 1, 1, 1;"
                 : F32(d, 0), F32(d, 32)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

static inline __device__ void products_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static inline __device__ void products_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int LEFT> static inline __device__ void products_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

/* Tiles of A, 128 rows for two consumer groups, and of B', 128 rows, 64 halves along k. */
struct tiles {
    enum { COUNT = 4, TILE = 128, BYTES = 2 * TILE * ROW_BYTES };
    __half a[COUNT][TILE * ROW_HALVES], b[COUNT][TILE * ROW_HALVES];
    barrier_t full[COUNT], empty[COUNT];
};

static inline __device__ void tiles_init(tiles *s)
{
    if (threadIdx.x == 0) {
        for (int i = 0; i < tiles::COUNT; i++) {
            barrier_init(&s->full[i], 1);
            barrier_init(&s->empty[i], 2);
        }
        barriers_are_made();
    }
    __syncthreads();
}

/* A warp group adds `steps` tiles to its 64 x 128 sums; turn: tiles so far. */
static inline __device__ void tiles_consume(tiles *s, float *d, int steps, unsigned *turn)
{
    int group = threadIdx.x / GROUP;
    for (int k = 0; k < steps; k++, ++*turn) {
        unsigned stage = *turn % tiles::COUNT;
        barrier_wait(&s->full[stage], *turn / tiles::COUNT & 1);
        products_begin();
        for (int i = 0; i < 4; i++)
            multiply_128(d, descriptor(&s->a[stage][group * 64 * ROW_HALVES]) + 2 * i,
                         descriptor(s->b[stage]) + 2 * i, k + i > 0);
        products_commit();
        products_wait<1>(); /* those of the stage before: it is free */
        if (k > 0 && threadIdx.x % GROUP == 0)
            barrier_arrive(&s->empty[(*turn - 1) % tiles::COUNT]);
    }
    products_wait<0>();
    if (threadIdx.x % GROUP == 0)
        barrier_arrive(&s->empty[(*turn - 1) % tiles::COUNT]);
}

/* The stage of that turn, when it is free; its copies are expected. */
static inline __device__ unsigned tiles_fill(tiles *s, unsigned turn)
{
    unsigned stage = turn % tiles::COUNT;
    barrier_wait(&s->empty[stage], (turn / tiles::COUNT & 1) ^ 1);
    barrier_expect(&s->full[stage], tiles::BYTES);
    return stage;
}

/* Lane 4r + q has columns 2q and 2q + 1 of rows r and r + 8, of every eight columns; 64 x 128 sums
 * of a group go to rows below `rows` of a matrix with `pitch` columns. */
static inline __device__ void sums_store(float *to, const float *d, int row, int rows, int column, int pitch)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x % GROUP / 32;
    for (int i = 0; i < 64; i += 2) {
        int r = row + 16 * warp + lane / 4 + i / 2 % 2 * 8, x = column + i / 4 * 8 + lane % 4 * 2;
        if (r < rows)
            *(float2 *)(to + (size_t)r * pitch + x) = make_float2(d[i], d[i + 1]);
    }
}
#endif

/* ---- the host ------------------------------------------------------------------------------ */

static inline void must(int error, const char *what)
{
    if (error) {
        fprintf(stderr, "%s: error %d\n", what, error);
        exit(1);
    }
}

static inline void *on_device(const void *from, size_t bytes)
{
    void *p;
    must(cudaMalloc(&p, bytes), "cudaMalloc");
    if (from)
        must(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    else
        must(cudaMemset(p, 0, bytes), "cudaMemset");
    return p;
}

/* Of rows of halves; boxes of `box` rows, 128 bytes wide and swizzled. */
static inline CUtensorMap map_of_rows(void *address, size_t rows, int columns, int box)
{
    CUtensorMap map;
    cuuint64_t size[2] = {(cuuint64_t)columns, (cuuint64_t)rows}, stride[1] = {(cuuint64_t)columns * 2};
    cuuint32_t boxes[2] = {ROW_HALVES, (cuuint32_t)box}, steps[2] = {1, 1};
    must(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, address, size, stride,
                                boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
         "cuTensorMapEncodeTiled");
    return map;
}

/* The i-th of a row of integers from -2 to 2: products and their sums are exact. */
static inline int small_integer(size_t i, int seed)
{
    return (int)((i * (size_t)seed + i / 89) % 5) - 2;
}

static inline __half *small_integers(size_t count, int seed)
{
    __half *all = (__half *)malloc(count * sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = __float2half((float)small_integer(i, seed));
    return all;
}

/* Nanoseconds of a launch, the least of ten. */
template <class LAUNCH> static double nanoseconds(LAUNCH launch)
{
    cudaEvent_t from, to;
    must(cudaEventCreate(&from), "cudaEventCreate");
    must(cudaEventCreate(&to), "cudaEventCreate");
    float least = INFINITY, ms;
    for (int i = 0; i < 10; i++) {
        must(cudaEventRecord(from), "cudaEventRecord");
        launch();
        must(cudaEventRecord(to), "cudaEventRecord");
        must(cudaEventSynchronize(to), "kernel");
        must(cudaEventElapsedTime(&ms, from, to), "cudaEventElapsedTime");
        least = fminf(least, ms);
    }
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    return 1e6 * least;
}

#endif
