/*
 * Virtual memory management: addresses reserved, physical memory made, mapped, grown, mapped twice,
 * exported and imported as a file descriptor; memory pools with their attributes; values that streams
 * write and wait for.
 */
#define TEST "virtual_memory"
#include "check.h"

#include <cuda.h>
#include <unistd.h>

__global__ void fill(int *x, size_t count, int first)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        x[i] = first + (int)i;
}

static void must(CUresult got, const char *what, int line, CUresult want = CUDA_SUCCESS)
{
    if (got != want)
        fail("line %d: %s gave %d, expected %d", line, what, (int)got, (int)want);
}
#define DRIVER(call) must((call), #call, __LINE__)
#define REFUSED(call) must((call), #call, __LINE__, CUDA_ERROR_INVALID_VALUE)

static CUmemAllocationProp props(void)
{
    CUmemAllocationProp p = {};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return p;
}

static void allow(CUdeviceptr at, size_t bytes)
{
    CUmemAccessDesc access = {};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DRIVER(cuMemSetAccess(at, bytes, &access, 1));
}

static void mappings(void)
{
    CUmemAllocationProp prop = props();
    size_t unit = 0;
    DRIVER(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    EXPECT(unit > 0 && (unit & (unit - 1)) == 0);
    CUdeviceptr base = 0, other = 0;
    CUmemGenericAllocationHandle a, b;
    DRIVER(cuMemAddressReserve(&base, 4 * unit, 0, 0, 0));
    REFUSED(cuMemAddressReserve(&other, unit / 2, 0, 0, 0));
    REFUSED(cuMemCreate(&a, unit / 2, &prop, 0));
    DRIVER(cuMemCreate(&a, unit, &prop, 0));
    DRIVER(cuMemCreate(&b, unit, &prop, 0));
    DRIVER(cuMemMap(base, unit, 0, a, 0));
    allow(base, unit);
    fill<<<4, 128>>>((int *)base, unit / 4, 1);
    wait_for_kernels();

    /* it grows: what was there stays, and copies go over both */
    DRIVER(cuMemMap(base + unit, unit, 0, b, 0));
    allow(base + unit, unit);
    fill<<<4, 128>>>((int *)(base + unit), unit / 4, 1 + (int)(unit / 4));
    wait_for_kernels();
    std::vector<int> got = host_copy((int *)base, unit / 2);
    for (size_t i = 0; i < got.size(); i += 97)
        expect_equal("grown", i, got[i], 1 + (int)i);

    /* the same memory in two places, and its handle from an address */
    CUmemGenericAllocationHandle again;
    DRIVER(cuMemRetainAllocationHandle(&again, (void *)base));
    EXPECT(again == a);
    DRIVER(cuMemMap(base + 3 * unit, unit, 0, again, 0));
    allow(base + 3 * unit, unit);
    fill<<<1, 32>>>((int *)base, 32, 7000);
    wait_for_kernels();
    got = host_copy((int *)(base + 3 * unit), 32);
    for (size_t i = 0; i < got.size(); i++)
        expect_equal("alias", i, got[i], 7000 + (int)i);
    DRIVER(cuMemRelease(again));
    unsigned long long flags = 0;
    CUmemLocation place = {};
    place.type = CU_MEM_LOCATION_TYPE_DEVICE;
    DRIVER(cuMemGetAccess(&flags, &place, base));
    EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemAllocationProp asked = {};
    DRIVER(cuMemGetAllocationPropertiesFromHandle(&asked, a));
    EXPECT(asked.type == CU_MEM_ALLOCATION_TYPE_PINNED);

    /* as a descriptor, and back */
    int file = -1;
    CUmemGenericAllocationHandle imported;
    DRIVER(cuMemExportToShareableHandle(&file, b, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    DRIVER(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)file,
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
    DRIVER(cuMemMap(base + 2 * unit, unit, 0, imported, 0));
    allow(base + 2 * unit, unit);
    got = host_copy((int *)(base + 2 * unit), 32);
    for (size_t i = 0; i < got.size(); i++)
        expect_equal("imported", i, got[i], 1 + (int)(unit / 4 + i));

    DRIVER(cuMemUnmap(base, 4 * unit));
    DRIVER(cuMemRelease(a));
    DRIVER(cuMemRelease(b));
    DRIVER(cuMemRelease(imported));
    DRIVER(cuMemAddressFree(base, 4 * unit));
}

static void pools(void)
{
    cudaMemPool_t pool = nullptr;
    cudaMemPoolProps prop = {};
    prop.allocType = cudaMemAllocationTypePinned;
    prop.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&pool, &prop));
    uint64_t threshold = UINT64_MAX, got = 0;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
    EXPECT(got == UINT64_MAX);
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    int *x = nullptr;
    CHECK(cudaMallocFromPoolAsync((void **)&x, 1 << 20, pool, s));
    fill<<<4, 128, 0, s>>>(x, (1 << 20) / 4, 3);
    CHECK(cudaStreamSynchronize(s));
    std::vector<int> values = host_copy(x, (1 << 20) / 4);
    for (size_t i = 0; i < values.size(); i += 101)
        expect_equal("pool", i, values[i], 3 + (int)i);
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &got));
    EXPECT(got == 1 << 20);
    CHECK(cudaFreeAsync(x, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &got));
    EXPECT(got == 0);
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &got));
    EXPECT(got == 1 << 20);
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &got));
    EXPECT(got >= 1 << 20); /* kept: the threshold says so */
    CHECK(cudaMemPoolTrimTo(pool, 0));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &got));
    EXPECT(got == 0);
    cudaMemAccessFlags access = cudaMemAccessFlagsProtNone;
    cudaMemLocation place = {};
    place.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolGetAccess(&access, pool, &place));
    EXPECT(access == cudaMemAccessFlagsProtReadWrite);
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaStreamDestroy(s));
}

static void values(void)
{
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    int *x = device_array<int>(32);
    unsigned *flag = device_array<unsigned>(2);
    CHECK(cudaMemset(flag, 0, 8));
    CHECK(cudaDeviceSynchronize());
    DRIVER(cuStreamWaitValue32((CUstream)first, (CUdeviceptr)flag, 2, CU_STREAM_WAIT_VALUE_GEQ));
    fill<<<1, 32, 0, first>>>(x, 32, 500);
    fill<<<1, 32, 0, second>>>(x, 32, 1);
    DRIVER(cuStreamWriteValue32((CUstream)second, (CUdeviceptr)flag, 2, 0));
    CHECK(cudaStreamSynchronize(first));
    std::vector<int> got = host_copy(x, 32);
    for (size_t i = 0; i < got.size(); i++)
        expect_equal("after the value", i, got[i], 500 + (int)i);
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
}

int main()
{
    CHECK(cudaFree(nullptr));
    mappings();
    pools();
    values();
    return pass();
}
