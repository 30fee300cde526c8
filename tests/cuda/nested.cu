/*
 * Dynamic parallelism: kernels that launch kernels, in the default stream of their block, in streams
 * of their own, without order, and as a tail; recursion; memory, copies and fills on the device; a
 * graph that is launched from a kernel.
 */
#define TEST "nested"
#include "check.h"

__device__ int place; /* in the order of what is done */

__global__ void add(int *x, int value, double unused)
{
    (void)unused;
    x[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

__global__ void mark(int *order, int who)
{
    order[atomicAdd(&place, 1)] = who;
}

/* Every block launches its own part. */
__global__ void each_block(int *x)
{
    if (threadIdx.x == 0)
        add<<<2, 32>>>(x + blockIdx.x * 64, 1 + (int)blockIdx.x, 0.5);
}

__global__ void orders(int *order)
{
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(order, 30); /* after everything else */
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(order, 31);
    mark<<<1, 1>>>(order, 10); /* one after the other */
    mark<<<1, 1>>>(order, 11);
    mark<<<1, 1>>>(order, 12);
}

/* A tail that has a tail: it comes before the next tail of its parent. */
__global__ void inner_tail(int *order)
{
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(order, 2);
    order[atomicAdd(&place, 1)] = 1;
}

__global__ void outer_tail(int *order)
{
    inner_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(order);
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(order, 3);
    order[atomicAdd(&place, 1)] = 0;
}

__global__ void forgotten(int *x)
{
    for (int i = 0; i < 8; i++)
        add<<<1, 32, 0, cudaStreamFireAndForget>>>(x + i * 32, 1000 + i, 0);
}

__global__ void named(int *x, int *results)
{
    cudaStream_t a, b;
    cudaEvent_t done;
    results[0] = cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    results[1] = cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    results[2] = cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    results[3] = cudaMemsetAsync(x, 0, 32 * sizeof(int), a);
    add<<<1, 32, 0, a>>>(x, 5, 0);
    results[4] = cudaEventRecord(done, a);
    results[5] = cudaStreamWaitEvent(b, done, 0);
    results[6] = cudaMemcpyAsync(x + 32, x, 32 * sizeof(int), cudaMemcpyDeviceToDevice, b);
    add<<<1, 32, 0, b>>>(x + 32, 100, 0);
    results[7] = cudaEventDestroy(done);
    results[8] = cudaStreamDestroy(a);
    results[9] = cudaStreamDestroy(b);
    int *own = nullptr, device = -1, count = 0;
    results[10] = cudaMalloc(&own, 64);
    own[3] = 77;
    results[11] = own[3] == 77 ? 0 : 1;
    results[12] = cudaFree(own);
    results[13] = cudaGetDevice(&device);
    results[14] = device;
    results[15] = cudaGetDeviceCount(&count);
    results[16] = count - 1;
    results[17] = cudaGetLastError();
    add<<<1, 4096>>>(x, 1, 0); /* too many threads */
    results[18] = cudaGetLastError() == cudaSuccess;
    results[19] = cudaGetLastError();
}

/* A tree of launches: 3 levels of 4. */
__global__ void tree(int *leaves, int depth)
{
    if (depth == 3) {
        atomicAdd(leaves, 1);
        return;
    }
    if (threadIdx.x < 4)
        tree<<<1, 4>>>(leaves, depth + 1);
}

static void expect_order(const char *what, const int *device, std::vector<int> want)
{
    std::vector<int> got = host_copy(device, want.size());
    for (size_t i = 0; i < want.size(); i++)
        expect_equal(what, i, got[i], want[i]);
    int zero = 0;
    CHECK(cudaMemcpyToSymbol(place, &zero, sizeof zero));
}

int main()
{
    int *x = device_array<int>(1024);
    CHECK(cudaMemset(x, 0, 1024 * sizeof(int)));
    each_block<<<8, 32>>>(x);
    each_block<<<8, 32>>>(x); /* which begins when all of the first has ended */
    wait_for_kernels();
    std::vector<int> got = host_copy(x, 512);
    for (int i = 0; i < 512; i++)
        expect_equal("each block", i, got[i], 2 * (1 + i / 64));

    orders<<<1, 1>>>(x);
    wait_for_kernels();
    expect_order("default stream, then tails", x, {10, 11, 12, 30, 31});
    outer_tail<<<1, 1>>>(x);
    wait_for_kernels();
    expect_order("tails in tails", x, {0, 1, 2, 3});

    CHECK(cudaMemset(x, 0, 1024 * sizeof(int)));
    forgotten<<<1, 1>>>(x);
    wait_for_kernels();
    got = host_copy(x, 256);
    for (int i = 0; i < 256; i++)
        expect_equal("fire and forget", i, got[i], 1000 + i / 32);

    int *results = device_array<int>(20);
    named<<<1, 1>>>(x, results);
    wait_for_kernels();
    got = host_copy(x, 64);
    for (int i = 0; i < 64; i++)
        expect_equal("named streams", i, got[i], i < 32 ? 5 : 105);
    got = host_copy(results, 20);
    for (int i = 0; i < 20; i++)
        expect_equal("results of calls", i, got[i], 0);

    CHECK(cudaMemset(x, 0, sizeof(int)));
    tree<<<1, 4>>>(x, 0);
    wait_for_kernels();
    expect_equal("leaves", 0, host_copy(x, 1)[0], 4 * 4 * 4 * 4);
    return pass();
}
