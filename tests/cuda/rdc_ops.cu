/*
 * The second file of the program rdc; see rdc_main.cu.
 */
#include "rdc.h"

__device__ int call_count = 3;
__constant__ int offsets[4] = {1, 10, 100, 1000};
__device__ binary_op const op_table[3] = {op_add, op_multiply, op_weave};
__device__ int *const count_pointer = &call_count;

static __device__ int hidden = 40; /* rdc_main.cu has one of its own */

__device__ __noinline__ int op_add(int a, int b)
{
    atomicAdd(&call_count, 1);
    return a + b + offsets[(a + b) & 3];
}

__device__ __noinline__ int op_multiply(int a, int b)
{
    return a * b - offsets[a & 3];
}

__device__ __noinline__ int private_of_ops(int add)
{
    return atomicAdd(&hidden, add);
}

__device__ __noinline__ int depth_even(int n)
{
    return n == 0 ? 1 : depth_odd(n - 1) + 2;
}

static __global__ void fill(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = op_weave(i, n) + 5;
}

void ops_launch(int *out, int n)
{
    fill<<<(n + 31) / 32, 32>>>(out, n);
}
