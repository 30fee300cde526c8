/*
 * Wrong calls get the error CUDA documents, and nothing else breaks.
 *
 * Proves refused launches (dimensions of zero, too many threads, too large a
 * grid), refused copies and frees, unknown devices, kernels and symbols; that
 * cudaGetLastError reports once and cudaPeekAtLastError keeps; the names and
 * strings of errors; and that the next correct launch still works.
 */
#define TEST "errors"
#include "check.h"

__device__ int variable;
static int not_a_symbol;

__global__ void count_up(int *counter)
{
    atomicAdd(counter, 1);
}

__global__ void __launch_bounds__(64) narrow(int *counter)
{
    atomicAdd(counter, 1);
}

static void not_a_kernel(void)
{
}

static void launches(int *counter)
{
    static const struct {
        dim3 grid, block;
    } bad[] = {
        {dim3(0), dim3(32)},           {dim3(1), dim3(0)},        {dim3(1), dim3(1025)},
        {dim3(1), dim3(32, 33)},       {dim3(1), dim3(1, 1, 65)}, {dim3(1, 65536), dim3(1)},
        {dim3(1, 1, 65536), dim3(32)}, {dim3(1, 0, 1), dim3(32)},
    };
    for (const auto &b : bad) {
        count_up<<<b.grid, b.block>>>(counter);
        EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue);
        EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue); /* peeking keeps it */
        EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
        EXPECT(cudaGetLastError() == cudaSuccess); /* getting resets it */
    }
    narrow<<<1, 128>>>(counter);
    EXPECT(cudaGetLastError() != cudaSuccess);
    void *arguments[] = {&counter};
    EXPECT_ERROR(cudaLaunchKernel((void *)not_a_kernel, dim3(1), dim3(1), arguments, 0, 0),
                 cudaErrorInvalidResourceHandle);
    struct cudaFuncAttributes attributes;
    EXPECT_ERROR(cudaFuncGetAttributes(&attributes, (void *)not_a_kernel),
                 cudaErrorInvalidResourceHandle);
    CHECK(cudaDeviceSynchronize());
}

static void memory(int *device)
{
    int host[4] = {0, 0, 0, 0}, pageable = 0;
    void *p = nullptr;
    EXPECT_ERROR(cudaMalloc(&p, (size_t)1 << 60), cudaErrorMemoryAllocation);
    EXPECT_ERROR(cudaMemcpy(host, nullptr, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaMemcpy(host, device, 16, (enum cudaMemcpyKind)77),
                 cudaErrorInvalidMemcpyDirection);
    EXPECT_ERROR(cudaMemset(nullptr, 0, 16), cudaErrorInvalidValue);
    /* Where the GPU can reach all of the host's memory, these are no mistakes. */
    CHECK(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
    if (!pageable) {
        EXPECT_ERROR(cudaMemcpy(host, host + 2, 8, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
        EXPECT_ERROR(cudaMemset(host, 0, 16), cudaErrorInvalidValue);
    }
    EXPECT_ERROR(cudaFree(host), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaFree(device + 1), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaFreeHost(host), cudaErrorInvalidValue);
    CHECK(cudaMalloc(&p, 256));
    CHECK(cudaFree(p));
    EXPECT_ERROR(cudaFree(p), cudaErrorInvalidValue);
}

static void others(void)
{
    struct cudaDeviceProp properties;
    cudaEvent_t a, b;
    float elapsed = 0;
    void *address = nullptr;
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    EXPECT_ERROR(cudaSetDevice(devices), cudaErrorInvalidDevice);
    EXPECT_ERROR(cudaSetDevice(-1), cudaErrorInvalidDevice);
    EXPECT_ERROR(cudaGetDeviceProperties(&properties, 9999), cudaErrorInvalidDevice);
    EXPECT_ERROR(cudaGetSymbolAddress(&address, not_a_symbol), cudaErrorInvalidSymbol);
    CHECK(cudaGetSymbolAddress(&address, variable));
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    EXPECT_ERROR(cudaEventElapsedTime(&elapsed, a, b), cudaErrorInvalidResourceHandle);
    CHECK(cudaEventDestroy(a));
    CHECK(cudaEventDestroy(b));
}

static void texts(void)
{
    static const struct {
        cudaError_t error;
        int number;
        const char *name, *text;
    } known[] = {
        {cudaSuccess, 0, "cudaSuccess", "no error"},
        {cudaErrorInvalidValue, 1, "cudaErrorInvalidValue", "invalid argument"},
        {cudaErrorMemoryAllocation, 2, "cudaErrorMemoryAllocation", "out of memory"},
        {cudaErrorInvalidConfiguration, 9, "cudaErrorInvalidConfiguration",
         "invalid configuration argument"},
        {cudaErrorInvalidSymbol, 13, "cudaErrorInvalidSymbol", "invalid device symbol"},
        {cudaErrorInvalidDeviceFunction, 98, "cudaErrorInvalidDeviceFunction",
         "invalid device function"},
        {cudaErrorNoDevice, 100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
        {cudaErrorInvalidDevice, 101, "cudaErrorInvalidDevice", "invalid device ordinal"},
        {cudaErrorInvalidResourceHandle, 400, "cudaErrorInvalidResourceHandle",
         "invalid resource handle"},
        {cudaErrorNotReady, 600, "cudaErrorNotReady", "device not ready"},
        {cudaErrorIllegalAddress, 700, "cudaErrorIllegalAddress",
         "an illegal memory access was encountered"},
        {cudaErrorUnknown, 999, "cudaErrorUnknown", "unknown error"},
    };
    for (const auto &k : known) {
        if (k.error != k.number || std::string(cudaGetErrorName(k.error)) != k.name ||
            std::string(cudaGetErrorString(k.error)) != k.text)
            fail("first mismatch: error %d is %s, \"%s\"; expected %s, \"%s\"", (int)k.error,
                 cudaGetErrorName(k.error), cudaGetErrorString(k.error), k.name, k.text);
    }
}

int main(void)
{
    texts();
    int *counter = device_array<int>(4);
    CHECK(cudaMemset(counter, 0, 4 * sizeof *counter));
    launches(counter);
    memory(counter);
    others();
    count_up<<<3, 50>>>(counter);
    wait_for_kernels();
    expect_equal("counter", 0, host_copy(counter, 1)[0], 150); /* no refused launch counted */
    return pass();
}
