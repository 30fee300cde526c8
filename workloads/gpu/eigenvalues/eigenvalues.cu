// eigenvalues of a symmetric tridiagonal matrix by bisection, one launch per halving
//
// Memory: all threads read the matrix from end to end, the same element at the same time:
// broadcasts from L1. Intervals and counts are small arrays that go from one launch to the next. A
// division per element in a chain: latency. Many short kernels. Used by: the study of cache regions
// (eigenvalues: ten regions; --side 2560 has 0.1 MB); from the algorithm.
#include "bisection.h"

// Eigenvalue k is between left[k] and right[k], below which there are as many as the counts say.
extern "C" __global__ void eigenvalues(const float *diagonal, const float *squares,
                                       const float *left, const float *right, const u32 *left_count,
                                       const u32 *right_count, float *next_left, float *next_right,
                                       u32 *next_left_count, u32 *next_right_count, u32 n)
{
    u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    float middle = 0.5f * (left[k] + right[k]);
    u32 count = count_below(diagonal, squares, n, middle);
    bool low = count > k;
    next_left[k] = low ? left[k] : middle;
    next_left_count[k] = low ? left_count[k] : count;
    next_right[k] = low ? middle : right[k];
    next_right_count[k] = low ? count : right_count[k];
}
