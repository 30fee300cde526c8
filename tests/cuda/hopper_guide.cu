/*
 * Hopper's features as NVIDIA's programming guide uses them, through the toolkit's own headers:
 * cuda::barrier and its experimental tensor copies, cuda::ptx, cuda::memcpy_async, cooperative
 * groups' clusters, distributed shared memory, tensor maps from cudaGetDriverEntryPointByVersion
 * and changed on the device, programmatic launches and their events, occupancy of clusters.
 */
#define TEST "hopper_guide"
#include "check.h"

#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cudaTypedefs.h>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
namespace cde = cuda::device::experimental;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

enum {
    ROWS = 64,
    COLUMNS = 48,
    BOX_ROWS = 8,
    BOX_COLUMNS = 16,
    BINS = 256,
    THREADS = 128,
    CHAIN = 1024
};

/* a tile there, doubled, and back, by the experimental functions */
__global__ void boxes(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) int tile[BOX_ROWS][BOX_COLUMNS];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ block_barrier bar;
    int x = blockIdx.x * BOX_COLUMNS, y = blockIdx.y * BOX_ROWS;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    block_barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < BOX_ROWS * BOX_COLUMNS; i += blockDim.x)
        tile[i / BOX_COLUMNS][i % BOX_COLUMNS] *= 2;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
        (&bar)->~block_barrier();
    }
}

/* a map changed field by field through cuda::ptx, by one block, used by the next kernel */
__global__ void change(const __grid_constant__ CUtensorMap base, CUtensorMap *out, int *data,
                       int rows, int columns)
{
    __shared__ alignas(128) CUtensorMap map;
    if (threadIdx.x == 0) {
        map = base;
        ptx::tensormap_replace_global_address(ptx::space_shared, &map, data);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &map, ptx::n32_t<0>{}, columns);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &map, ptx::n32_t<1>{}, rows);
        ptx::tensormap_replace_global_stride(ptx::space_shared, &map, ptx::n32_t<0>{},
                                             (uint64_t)columns * 4);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, out, &map, ptx::n32_t<128>{});
}

__global__ void through(CUtensorMap *map, int *sum)
{
    __shared__ alignas(128) int tile[BOX_ROWS][BOX_COLUMNS];
    __shared__ alignas(8) uint64_t bar;
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, map, ptx::n32_t<128>{});
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        int32_t at[2] = {(int)blockIdx.x * BOX_COLUMNS, (int)blockIdx.y * BOX_ROWS};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                       sizeof tile);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0))
        ;
    int s = 0;
    for (int i = threadIdx.x; i < BOX_ROWS * BOX_COLUMNS; i += blockDim.x)
        s += tile[i / BOX_COLUMNS][i % BOX_COLUMNS];
    atomicAdd(sum, s);
}

/* bulk copy in, add, bulk reduction out */
__global__ void bulk(const int *in, int *out)
{
    __shared__ alignas(16) int smem[THREADS];
    __shared__ block_barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::memcpy_async(smem, in + blockIdx.x * THREADS, cuda::aligned_size_t<16>(sizeof(smem)),
                           bar);
    }
    block_barrier::arrival_token token = bar.arrive();
    bar.wait(std::move(token));
    smem[threadIdx.x] += 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, smem,
                                  sizeof(smem));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

/* histogram with bins spread over a cluster */
__global__ void histogram(int *bins, int nbins, int bins_per_block, const int *input, size_t size)
{
    extern __shared__ int smem[];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        smem[i] = 0;
    cluster.sync();
    for (size_t i = cg::this_grid().thread_rank(); i < size; i += blockDim.x * gridDim.x) {
        int bin = min(max(input[i], 0), nbins - 1);
        int *there = cluster.map_shared_rank(smem, bin / bins_per_block);
        atomicAdd(there + bin % bins_per_block, 1);
    }
    cluster.sync();
    int *mine = bins + rank * bins_per_block;
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        atomicAdd(&mine[i], smem[i]);
}

/* st.async ring through cuda::ptx */
__global__ void __cluster_dims__(8, 1, 1) ring(int *received)
{
    __shared__ alignas(8) uint64_t bar;
    __shared__ alignas(16) int buffer[4];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, blockDim.x);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    auto token = ptx::mbarrier_arrive_expect_tx(
        ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar, threadIdx.x == 0 ? 16u : 0u);
    if (threadIdx.x == 0) {
        int v[4] = {(int)rank, (int)rank * 2, (int)rank * 3, (int)rank * 4};
        ptx::st_async(cluster.map_shared_rank(buffer, next), v,
                      cluster.map_shared_rank(&bar, next));
    }
    while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cluster, &bar, token))
        ;
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; i++)
            received[rank * 4 + i] = buffer[i];
    cluster.sync();
}

__global__ void first(int *p, int n)
{
    cudaTriggerProgrammaticLaunchCompletion();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = i;
}
__global__ void second(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
    if (i < n)
        p[i] = p[i] * 3 + 1;
}

static PFN_cuTensorMapEncodeTiled_v12000 encoder()
{
    void *f = nullptr;
    cudaDriverEntryPointQueryResult r;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault,
                                           &r));
    if (r != cudaDriverEntryPointSuccess || !f)
        fail("no cuTensorMapEncodeTiled");
    return (PFN_cuTensorMapEncodeTiled_v12000)f;
}

static CUtensorMap map_of(int *data)
{
    CUtensorMap map{};
    cuuint64_t dimensions[] = {COLUMNS, ROWS}, strides[] = {COLUMNS * 4};
    cuuint32_t box[] = {BOX_COLUMNS, BOX_ROWS}, steps[] = {1, 1};
    EXPECT(encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, dimensions, strides, box, steps,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE,
                     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

static void check_boxes(int *data)
{
    boxes<<<dim3(COLUMNS / BOX_COLUMNS, ROWS / BOX_ROWS), THREADS>>>(map_of(data));
    wait_for_kernels();
    std::vector<int> h = host_copy(data, ROWS * COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        expect_equal("boxes", i, h[i], 2 * i);
}

static void check_changed_map(int *data)
{
    enum { WIDE = 40, HIGH = 20 };
    std::vector<int> values(WIDE * HIGH);
    int all = 0;
    for (int i = 0; i < WIDE * HIGH; i++)
        all += values[i] = i % 17;
    int *other = device_copy(values), *sum = device_copy(std::vector<int>(1, 0));
    CUtensorMap *map = device_array<CUtensorMap>(1);
    change<<<1, 32>>>(map_of(data), map, other, HIGH, WIDE);
    through<<<dim3((WIDE + BOX_COLUMNS - 1) / BOX_COLUMNS, (HIGH + BOX_ROWS - 1) / BOX_ROWS), 64>>>(
        map, sum);
    wait_for_kernels();
    expect_equal("sum through a changed map", 0, host_copy(sum, 1)[0], all);
}

static void check_bulk(const int *data)
{
    int *out = device_copy(std::vector<int>(THREADS, 0));
    bulk<<<4, THREADS>>>(data, out);
    wait_for_kernels();
    std::vector<int> h = host_copy(out, THREADS);
    for (int i = 0; i < THREADS; i++) /* 2 (128 k + i) + 1 for k from 0 to 3 */
        expect_equal("bulk reduction", i, h[i], 2 * THREADS * 6 + 8 * i + 4);
}

static void check_histogram(const int *data, int size)
{
    int per_block = BINS / size, *bins = device_copy(std::vector<int>(BINS, 0));
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {(unsigned)size, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = 32;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = per_block * sizeof(int);
    CHECK(cudaFuncSetAttribute((void *)histogram, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)config.dynamicSmemBytes));
    CHECK(cudaFuncSetAttribute((void *)histogram, cudaFuncAttributeNonPortableClusterSizeAllowed,
                               size > 8));
    int clusters = 0, largest = 0;
    CHECK(cudaOccupancyMaxPotentialClusterSize(&largest, histogram, &config));
    expect_equal("largest cluster", size, largest, size > 8 ? 16 : 8);
    config.attrs = &cluster;
    config.numAttrs = 1;
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, histogram, &config));
    if (clusters < 1)
        fail("no cluster of %d blocks can be active", size);
    CHECK(cudaLaunchKernelEx(&config, histogram, bins, (int)BINS, per_block, data,
                             (size_t)(ROWS * COLUMNS)));
    wait_for_kernels();
    std::vector<int> is = host_copy(bins, BINS), should(BINS);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        should[2 * i < BINS ? 2 * i : BINS - 1]++;
    for (int i = 0; i < BINS; i++)
        expect_equal("bins", i, is[i], should[i]);
}

static void check_ring()
{
    int *received = device_array<int>(32);
    ring<<<8, 32>>>(received);
    wait_for_kernels();
    std::vector<int> h = host_copy(received, 32);
    for (int i = 0; i < 32; i++)
        expect_equal("ring", i, h[i], (i / 4 + 7) % 8 * (i % 4 + 1));
}

static void expect_chain(const char *what, const int *data, int factor, int term)
{
    std::vector<int> h = host_copy(data, CHAIN);
    for (int i = 0; i < CHAIN; i++)
        expect_equal(what, i, h[i], factor * i + term);
}

/* Kernels that may begin before the one before has ended; in a graph; with events of the launch. */
static void check_chain()
{
    int *data = device_array<int>(CHAIN);
    cudaStream_t s, other;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = CHAIN / 8;
    config.stream = s;
    config.attrs = attributes;
    config.numAttrs = 1;
    first<<<8, CHAIN / 8, 0, s>>>(data, CHAIN);
    for (int i = 0; i < 3; i++)
        CHECK(cudaLaunchKernelEx(&config, second, data, (int)CHAIN));
    CHECK(cudaStreamSynchronize(s));
    expect_chain("chain", data, 27, 13);

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    first<<<8, CHAIN / 8, 0, s>>>(data, CHAIN);
    CHECK(cudaLaunchKernelEx(&config, second, data, (int)CHAIN));
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    expect_chain("captured chain", data, 3, 1);

    attributes[1].id = cudaLaunchAttributeProgrammaticEvent;
    attributes[1].val.programmaticEvent.event = event;
    config.numAttrs = 2;
    CHECK(cudaLaunchKernelEx(&config, first, data, (int)CHAIN));
    CHECK(cudaStreamWaitEvent(other, event));
    attributes[1].id = cudaLaunchAttributeLaunchCompletionEvent;
    attributes[1].val = {};
    attributes[1].val.launchCompletionEvent.event = event;
    config.stream = other;
    CHECK(cudaLaunchKernelEx(&config, second, data, (int)CHAIN));
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaStreamSynchronize(other));
    expect_chain("chain over two streams", data, 3, 1);
}

int main()
{
    std::vector<int> h(ROWS * COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        h[i] = i;
    int *data = device_copy(h);
    check_boxes(data); /* doubles them */
    check_changed_map(data);
    check_bulk(data);
    for (int size : {2, 8, 16})
        check_histogram(data, size);
    check_ring();
    check_chain();
    return pass();
}
