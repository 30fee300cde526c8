// Gaussian elimination of a linear system, two kernels per column
//
// Memory: the first kernel reads one column (strided) and makes the multipliers, the second
// subtracts a row's multiple from all below: streams over what is left of the matrix, which shrinks
// from launch to launch. Many launches, the last ones with little to do.
// Used by: the study of several sockets (Rodinia's gaussian, 510 kernels); from the algorithm,
// without pivots.
#include "device.h"

extern "C" __global__ void gaussian_multipliers(const float *a, float *m, u32 n, u32 column)
{
    u32 row = column + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n)
        m[row] = a[row * n + column] / a[column * n + column];
}

extern "C" __global__ void gaussian_subtract(float *a, float *b, const float *m, u32 n, u32 column)
{
    u32 x = column + blockIdx.x * blockDim.x + threadIdx.x;
    u32 row = column + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || row >= n)
        return;
    a[row * n + x] = fmaf(-m[row], a[column * n + x], a[row * n + x]);
    if (x == column)
        b[row] = fmaf(-m[row], b[column], b[row]);
}
