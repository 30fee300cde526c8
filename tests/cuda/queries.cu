/*
 * What the runtime says of the device and of kernels agrees with itself.
 *
 * Proves nothing about a particular GPU: properties equal the attributes of
 * the same name, numbers lie in the ranges every CUDA GPU keeps, function
 * attributes describe the kernels below, occupancy obeys every limit it is
 * made of, and a kernel finds the dimensions the host asked for.
 */
#define TEST "queries"
#include "check.h"

static const int static_words = 1000;

__global__ void plain(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

__global__ void with_shared(int *out)
{
    __shared__ int words[static_words];
    for (int i = threadIdx.x; i < static_words; i += blockDim.x)
        words[i] = out[i];
    __syncthreads();
    out[threadIdx.x] = words[static_words - 1 - threadIdx.x];
}

/* An array indexed by data lives in local memory. */
__global__ void with_local(int *out)
{
    int local[200];
    for (int i = 0; i < 200; i++)
        local[i] = i * out[i];
    for (int i = 0; i < 200; i++)
        local[out[i] & 127] += local[out[i + 1] & 127];
    out[threadIdx.x] = local[out[threadIdx.x] & 127];
}

__global__ void __launch_bounds__(128, 2) bounded(int *out)
{
    out[threadIdx.x]++;
}

static int attribute(enum cudaDeviceAttr which)
{
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static void device(const struct cudaDeviceProp *p)
{
    EXPECT(p->name[0] != 0);
    EXPECT(p->warpSize == 32);
    EXPECT(p->maxThreadsPerBlock >= 1024);
    EXPECT(p->maxThreadsDim[0] >= 1024 && p->maxThreadsDim[1] >= 1024 && p->maxThreadsDim[2] >= 64);
    EXPECT(p->maxGridSize[0] == 2147483647 && p->maxGridSize[1] >= 65535);
    EXPECT(p->multiProcessorCount >= 1);
    EXPECT(p->maxThreadsPerMultiProcessor >= p->maxThreadsPerBlock);
    EXPECT(p->sharedMemPerBlock >= 49152);
    EXPECT(p->sharedMemPerBlockOptin >= p->sharedMemPerBlock);
    EXPECT(p->sharedMemPerMultiprocessor >= p->sharedMemPerBlockOptin);
    EXPECT(p->regsPerBlock >= 32768 && p->regsPerMultiprocessor >= p->regsPerBlock);
    EXPECT(p->totalConstMem == 65536);
    EXPECT(p->totalGlobalMem > 64 << 20);
    EXPECT(p->major >= 7);
    EXPECT(p->l2CacheSize > 0 && p->memoryBusWidth > 0);
    EXPECT(p->maxBlocksPerMultiProcessor >= 1);
    EXPECT(p->unifiedAddressing == 1 && p->canMapHostMemory == 1);

    EXPECT(attribute(cudaDevAttrWarpSize) == p->warpSize);
    EXPECT(attribute(cudaDevAttrMaxThreadsPerBlock) == p->maxThreadsPerBlock);
    EXPECT(attribute(cudaDevAttrMaxBlockDimZ) == p->maxThreadsDim[2]);
    EXPECT(attribute(cudaDevAttrMaxGridDimX) == p->maxGridSize[0]);
    EXPECT(attribute(cudaDevAttrMultiProcessorCount) == p->multiProcessorCount);
    EXPECT(attribute(cudaDevAttrComputeCapabilityMajor) == p->major);
    EXPECT(attribute(cudaDevAttrComputeCapabilityMinor) == p->minor);
    EXPECT((size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlock) == p->sharedMemPerBlock);
    EXPECT(attribute(cudaDevAttrMaxRegistersPerBlock) == p->regsPerBlock);
    EXPECT(attribute(cudaDevAttrMaxThreadsPerMultiProcessor) == p->maxThreadsPerMultiProcessor);
    EXPECT(attribute(cudaDevAttrL2CacheSize) == p->l2CacheSize);
    EXPECT(attribute(cudaDevAttrClockRate) > 0);

    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    EXPECT(free_bytes <= total_bytes && total_bytes <= p->totalGlobalMem);
    int runtime = 0, driver = 0, least = -1, greatest = 1;
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDriverGetVersion(&driver));
    EXPECT(runtime / 1000 == CUDART_VERSION / 1000 && driver / 1000 >= runtime / 1000);
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(greatest <= least);
}

static struct cudaFuncAttributes attributes_of(const void *kernel)
{
    struct cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, kernel));
    EXPECT(a.numRegs > 0 && a.numRegs <= 255);
    EXPECT(a.maxThreadsPerBlock >= 32 && a.maxThreadsPerBlock <= 1024);
    EXPECT(a.ptxVersion >= 50 && a.binaryVersion >= a.ptxVersion);
    return a;
}

static void functions(const struct cudaDeviceProp *p)
{
    struct cudaFuncAttributes none = attributes_of((void *)plain);
    struct cudaFuncAttributes shared = attributes_of((void *)with_shared);
    struct cudaFuncAttributes local = attributes_of((void *)with_local);
    EXPECT(none.sharedSizeBytes <= p->reservedSharedMemPerBlock);
    EXPECT(shared.sharedSizeBytes >= static_words * sizeof(int));
    EXPECT(shared.sharedSizeBytes <= static_words * sizeof(int) + p->reservedSharedMemPerBlock);
    EXPECT(none.localSizeBytes == 0 && local.localSizeBytes >= 200 * sizeof(int));
    EXPECT(attributes_of((void *)bounded).maxThreadsPerBlock == 128);
}

static int resident(void (*kernel)(int *), int block, size_t dynamic_bytes)
{
    int blocks = -1;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, dynamic_bytes));
    return blocks;
}

static void occupancy(const struct cudaDeviceProp *p)
{
    int before = 1 << 30;
    for (int block = 32; block <= 1024; block *= 2) {
        int blocks = resident(plain, block, 0);
        EXPECT(blocks >= 1 && blocks <= p->maxBlocksPerMultiProcessor && blocks <= before);
        EXPECT(blocks * block <= p->maxThreadsPerMultiProcessor);
        before = blocks;
    }
    before = 1 << 30;
    for (size_t bytes = 0; bytes <= 48 << 10; bytes += 8 << 10) {
        int blocks = resident(plain, 64, bytes);
        EXPECT(blocks >= 1 && blocks <= before && blocks * bytes <= p->sharedMemPerMultiprocessor);
        before = blocks;
    }
    EXPECT(resident(with_shared, 128, 0) <= resident(plain, 128, 0));
    EXPECT(resident(bounded, 128, 0) >= 2); /* as its launch bounds ask */
    int grid = 0, block = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 0));
    EXPECT(block >= 32 && block <= 1024 && block % 32 == 0);
    EXPECT(grid == resident(plain, block, 0) * p->multiProcessorCount);
    size_t room = 0;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, plain, 2, 128));
    EXPECT(room > 0 && room * 2 <= p->sharedMemPerMultiprocessor);
}

int main(void)
{
    struct cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    device(&properties);
    functions(&properties);
    occupancy(&properties);

    int *out = device_array<int>(128);
    plain<<<1, 128>>>(out);
    wait_for_kernels();
    bounded<<<1, 128>>>(out);
    wait_for_kernels();
    std::vector<int> got = host_copy(out, 128);
    for (int i = 0; i < 128; i++)
        expect_equal("plain", i, got[i], i + 1);
    return pass();
}
