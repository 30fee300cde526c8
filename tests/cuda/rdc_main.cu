/*
 * Two files compiled apart with -rdc=true and joined by the device linker.
 *
 * Proves functions, variables and constants used across files, a table of
 * function pointers whose entries come from both, functions of two files that
 * call each other, static variables and kernels that share a name yet stay
 * apart, and host access to a symbol another file defines.
 */
#define TEST "rdc"
#include "check.h"
#include "rdc.h"

static __device__ int hidden = 7; /* rdc_ops.cu has one of its own */

__device__ __noinline__ int op_weave(int a, int b)
{
    return (a << 8) ^ b;
}

__device__ __noinline__ int depth_odd(int n)
{
    return n == 0 ? 0 : depth_even(n - 1) + 3;
}

static __global__ void fill(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    /* The table is read at run time, differently in each lane. */
    out[i] = op_table[i % 3](i, i + 1) + op_multiply(i, 2) + depth_even(i % 7);
}

__global__ void variables(int *out)
{
    out[0] = call_count;
    out[1] = *count_pointer;
    out[2] = hidden;
    hidden += 5;
    out[3] = private_of_ops(2);
    out[4] = private_of_ops(0);
    out[5] = hidden;
    out[6] = count_pointer == &call_count;
    out[7] = op_table[2] == &op_weave;
    out[8] = offsets[3];
}

static int depth(int n, bool even)
{
    if (n == 0)
        return even;
    return depth(n - 1, !even) + (even ? 2 : 3);
}

int main(void)
{
    const int count = 300;
    const int new_offsets[2] = {-50, 70};
    int offset[4] = {1, -50, 70, 1000};
    CHECK(cudaMemcpyToSymbol(offsets, new_offsets, sizeof new_offsets, sizeof(int)));
    int *out = device_array<int>(count);
    fill<<<(count + 63) / 64, 64>>>(out, count);
    wait_for_kernels();
    std::vector<int> got = host_copy(out, count);
    int calls = 3;
    for (int i = 0; i < count; i++) {
        int a = i, b = i + 1, want = 0;
        if (i % 3 == 0)
            want = a + b + offset[(a + b) & 3];
        else if (i % 3 == 1)
            want = a * b - offset[a & 3];
        else
            want = (a << 8) ^ b;
        calls += i % 3 == 0;
        want += i * 2 - offset[i & 3] + depth(i % 7, true);
        expect_equal("filled", i, got[i], want);
    }

    int seen_calls = 0;
    CHECK(cudaMemcpyFromSymbol(&seen_calls, call_count, sizeof seen_calls));
    expect_equal("call_count", 0, seen_calls, calls);
    for (int round = 0; round < 2; round++) {
        variables<<<1, 1>>>(out);
        wait_for_kernels();
        got = host_copy(out, 9);
        const int want[9] = {
            calls, calls, 7 + 5 * round, 40 + 2 * round, 42 + 2 * round, 12 + 5 * round,
            1,     1,     1000};
        for (int i = 0; i < 9; i++)
            expect_equal("variables", round * 9 + i, got[i], want[i]);
    }

    ops_launch(out, count);
    wait_for_kernels();
    got = host_copy(out, count);
    for (int i = 0; i < count; i++)
        expect_equal("other fill", i, got[i], ((i << 8) ^ count) + 5);
    return pass();
}
