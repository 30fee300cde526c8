/*
 * Clusters of 1 to 16 blocks launched by cudaLaunchKernelEx.
 *
 * Proves loads, atomics, st.async and red.async to shared memory of other blocks, mapa, try_wait
 * with a time limit, ranks and sizes of clusters in three dimensions, and the errors of clusters
 * that are too large or do not divide their grid, from launches and from occupancy. At the end a
 * matrix descriptor outside shared memory ends its kernel.
 */
#define TEST "clusters"
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { THREADS = 64, BLOCKS = 32 };

struct seen {
    int rank, blocks;
    int loaded[THREADS]; /* from the next block of the cluster */
    unsigned counted, reduced, stored[4];
};

static __device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ unsigned address_in(const void *p, unsigned rank)
{
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there)
                 : "r"(shared_address(p)), "r"(rank));
    return there;
}

__global__ void exchange(struct seen *out)
{
    __shared__ int values[THREADS];
    __shared__ unsigned counted, reduced;
    __shared__ alignas(16) unsigned stored[4];
    __shared__ alignas(16) unsigned long long bar;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks(), t = threadIdx.x;
    unsigned next = (rank + 1) % blocks;
    values[t] = (int)(rank * 1000 + t);
    if (t == 0) {
        counted = reduced = 0;
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&bar)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile(
            "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&bar)),
            "r"(16 + 4 * blocks)
            : "memory");
    }
    cluster.sync();
    struct seen *s = &out[blockIdx.x + gridDim.x * blockIdx.y];
    s->loaded[t] = cluster.map_shared_rank(values, next)[t];
    for (unsigned k = 0; k < blocks; k++)
        atomicAdd(cluster.map_shared_rank(&counted, k), 1u);
    if (t == 0) {
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], "
                     "{%1, %2, %3, %4}, [%5];" ::"r"(address_in(stored, next)),
                     "r"(rank + 1), "r"(rank + 2), "r"(rank + 3), "r"(rank + 4),
                     "r"(address_in(&bar, next))
                     : "memory");
        for (unsigned k = 0; k < blocks; k++)
            asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes"
                         ".add.u32 [%0], %1, [%2];" ::"r"(address_in(&reduced, k)),
                         "r"(10u), "r"(address_in(&bar, k))
                         : "memory");
    }
    asm volatile("{\n.reg .pred p;\nAGAIN:\n"
                 "mbarrier.try_wait.parity.shared.b64 p, [%0], 0, 1000;\n@!p bra AGAIN;\n}" ::"r"(
                     shared_address(&bar))
                 : "memory");
    cluster.sync();
    if (t == 0) {
        s->rank = (int)rank;
        s->blocks = (int)blocks;
        s->counted = counted;
        s->reduced = reduced;
        for (int k = 0; k < 4; k++)
            s->stored[k] = stored[k];
    }
}

struct shape {
    dim3 grid, cluster;
};

static cudaLaunchConfig_t configure(const struct shape &s, cudaLaunchAttribute *a)
{
    cudaLaunchConfig_t c = {};
    c.gridDim = s.grid;
    c.blockDim = THREADS;
    a->id = cudaLaunchAttributeClusterDimension;
    a->val.clusterDim.x = s.cluster.x;
    a->val.clusterDim.y = s.cluster.y;
    a->val.clusterDim.z = s.cluster.z;
    c.attrs = a;
    c.numAttrs = 1;
    return c;
}

static void allow_sixteen(bool allowed)
{
    CHECK(cudaFuncSetAttribute(exchange, cudaFuncAttributeNonPortableClusterSizeAllowed, allowed));
}

static void check_exchange(const struct shape &s, struct seen *out)
{
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = configure(s, &attribute);
    int size = (int)(s.cluster.x * s.cluster.y), active = 0;
    CHECK(cudaMemset(out, 0xa5, BLOCKS * sizeof *out));
    CHECK(cudaOccupancyMaxActiveClusters(&active, exchange, &config));
    EXPECT(active > 0);
    CHECK(cudaLaunchKernelEx(&config, exchange, out));
    wait_for_kernels();
    std::vector<seen> got = host_copy(out, BLOCKS);
    for (int b = 0; b < BLOCKS; b++) {
        int x = b % (int)s.grid.x, y = b / (int)s.grid.x;
        int rank = x % (int)s.cluster.x + y % (int)s.cluster.y * (int)s.cluster.x;
        int next = (rank + 1) % size, before = (rank + size - 1) % size;
        expect_equal("rank", b, got[b].rank, rank);
        expect_equal("blocks", b, got[b].blocks, size);
        expect_equal("counted", b, got[b].counted, THREADS * size);
        expect_equal("reduced", b, got[b].reduced, 10 * size);
        for (int t = 0; t < THREADS; t++)
            expect_equal("loaded", b * THREADS + t, got[b].loaded[t], next * 1000 + t);
        for (int k = 0; k < 4; k++)
            expect_equal("stored", b * 4 + k, got[b].stored[k], before + 1 + k);
    }
}

/* Launch and occupancy refuse it alike. */
static void check_refused(const struct shape &s, struct seen *out)
{
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = configure(s, &attribute);
    int active = 0;
    EXPECT_ERROR(cudaOccupancyMaxActiveClusters(&active, exchange, &config),
                 cudaErrorInvalidClusterSize);
    EXPECT_ERROR(cudaLaunchKernelEx(&config, exchange, out), cudaErrorInvalidClusterSize);
}

static void check_sizes(struct seen *out)
{
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = configure({BLOCKS, 1}, &attribute);
    int most = 0;
    allow_sixteen(false);
    check_refused({BLOCKS, 16}, out);
    CHECK(cudaOccupancyMaxPotentialClusterSize(&most, exchange, &config));
    expect_equal("largest cluster", 0, most, 8);
    allow_sixteen(true);
    check_refused({BLOCKS, 32}, out);
    config = configure({30, 4}, &attribute);
    EXPECT_ERROR(cudaLaunchKernelEx(&config, exchange, out), cudaErrorInvalidClusterSize);
}

/* Operand B lies at the end of what a descriptor can name, beyond the block's shared memory. */
__global__ void stray_descriptor(float *out)
{
    extern __shared__ __align__(1024) char room[];
    float d[4] = {0};
    unsigned long long layout = 64ull << 32 | 1ull << 62 | 1ull << 16;
    unsigned long long a = shared_address(room) >> 4 | layout, b = 0x3fffull | layout;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1,"
                 " 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = d[0];
}

int main()
{
    struct seen *out = device_array<struct seen>(BLOCKS);
    allow_sixteen(true);
    for (unsigned size = 1; size <= 16; size *= 2)
        check_exchange({BLOCKS, size}, out);
    check_exchange({dim3(8, 4), dim3(2, 2)}, out);
    check_exchange({dim3(16, 2), dim3(4, 2)}, out);
    check_sizes(out);
    CHECK(
        cudaFuncSetAttribute(stray_descriptor, cudaFuncAttributeMaxDynamicSharedMemorySize, 32768));
    stray_descriptor<<<1, 128, 32768>>>((float *)out);
    EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    return pass();
}
