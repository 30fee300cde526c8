/*
 * Kernels of different streams run at the same time.
 *
 * Proves that four kernels, each with enough blocks to use every SM and all
 * together few enough to be resident at once, meet: a block of each waits
 * until the other three kernels have started.
 */
#define TEST "overlap"
#include "check.h"

static const int kernels = 4, polls = 20000;

__global__ void meet(volatile int *started, int *met, int self)
{
    started[self] = 1;
    int seen = 0;
    for (int k = 0; k < polls && seen < kernels; k++) {
        seen = 0;
        for (int other = 0; other < kernels; other++)
            seen += started[other];
    }
    met[blockIdx.x] = seen;
}

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    const int blocks = 2 * device.multiProcessorCount;
    int *started = device_array<int>(kernels), *met = device_array<int>(kernels * blocks);
    CHECK(cudaMemset(started, 0, kernels * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t streams[kernels];
    for (int k = 0; k < kernels; k++)
        CHECK(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
    for (int k = 0; k < kernels; k++)
        meet<<<blocks, 1, 0, streams[k]>>>(started, met + k * blocks, k);
    wait_for_kernels();
    std::vector<int> result = host_copy(met, kernels * blocks);
    for (size_t i = 0; i < result.size(); i++)
        expect_equal("met", i, result[i], kernels);
    return pass();
}
