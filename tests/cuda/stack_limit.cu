/*
 * Recursion and cudaLimitStackSize.
 *
 * Proves that recursion which fits in the default of 1,024 bytes a thread works,
 * that a larger limit allows a deeper one, and that endless recursion ends the
 * kernel with an error instead of the program or its machine.
 */
#define TEST "stack_limit"
#include "check.h"

/* No loop can be made of it: what it stores depends on what it got back. */
__device__ __noinline__ int descend(int n, int *p)
{
    int a = p[n & 7];
    if (n <= 0)
        return a;
    int b = descend(n - 1, p);
    p[(n + b) & 7] = b;
    return b + a + n;
}

__global__ void start(int *p, int n, int *result)
{
    *result = descend(n, p);
}

static cudaError_t run(int depth, int *sum)
{
    int *p = device_array<int>(8), *result = device_array<int>(1);
    CHECK(cudaMemset(p, 0, 8 * sizeof *p));
    start<<<1, 1>>>(p, depth, result);
    CHECK(cudaGetLastError());
    cudaError_t e = cudaDeviceSynchronize();
    if (e == cudaSuccess)
        *sum = host_copy(result, 1)[0];
    return e;
}

int main(void)
{
    size_t limit = 0;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    expect_equal("limit", 0, limit, 1024);
    int sum = 0;
    CHECK(run(12, &sum));
    expect_equal("sum", 12, sum, 12 * 13 / 2);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    CHECK(run(200, &sum));
    expect_equal("sum", 200, sum, 200 * 201 / 2);
    EXPECT_ERROR(run(100000000, &sum), cudaErrorIllegalAddress);
    return pass();
}
