/* Graphs that kernels of graphs launch: without order, and themselves again as a tail. */
#define TEST "nested_graph"
#include "check.h"

__global__ void add(int *x)
{
    atomicAdd(&x[threadIdx.x], 1);
}

/* Launches the other graph, then its own again until it ran three times. */
__global__ void launcher(int *rounds, cudaGraphExec_t other, int *results)
{
    int round = ++*rounds;
    results[0] |= cudaGraphLaunch(other, cudaStreamGraphFireAndForget);
    if (round < 3)
        results[1] |= cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

static cudaGraphExec_t instance(void *kernel, dim3 block, void **args)
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaKernelNodeParams p = {};
    p.func = kernel;
    p.gridDim = dim3(1);
    p.blockDim = block;
    p.kernelParams = args;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
    CHECK(cudaGraphUpload(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    return exec;
}

int main()
{
    int *x = device_array<int>(32), *rounds = device_array<int>(1), *results = device_array<int>(2);
    CHECK(cudaMemset(x, 0, 32 * sizeof(int)));
    CHECK(cudaMemset(rounds, 0, sizeof(int)));
    CHECK(cudaMemset(results, 0, 2 * sizeof(int)));
    void *add_args[] = {&x};
    cudaGraphExec_t other = instance((void *)add, dim3(32), add_args);
    void *args[] = {&rounds, &other, &results};
    cudaGraphExec_t own = instance((void *)launcher, dim3(1), args);
    CHECK(cudaGraphLaunch(own, nullptr));
    CHECK(cudaDeviceSynchronize());
    std::vector<int> calls = host_copy(results, 2);
    for (int i = 0; i < 2; i++)
        expect_equal("results of calls", i, calls[i], 0);
    expect_equal("rounds", 0, host_copy(rounds, 1)[0], 3);
    std::vector<int> got = host_copy(x, 32);
    for (int i = 0; i < 32; i++)
        expect_equal("x", i, got[i], 3);
    return pass();
}
