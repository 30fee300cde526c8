// symmetric rank-2k update C = alpha x (A x B^T + B x A^T) + beta x C in f32, a thread per element
//
// Memory: as syrk, with two matrices: rows i of A and B are one word each for the whole warp, rows
// j are walked by lane, 32 lines per load, used again in the next 31 steps. The 6 blocks of a full
// SM need 48 KB of lines at a time, three times an L1 of 16 KB; L2 holds them. One coalesced store
// to C per step. Bound by L2 and the networks.
// Used by: the Poise study (Polybench's syr2k; here from the definition). Published input unknown,
// Polybench's own is 2048 x 2048; fewer rows and steps here, the lines needed at a time are the
// same, for they follow from the warps of an SM. --pitch 2048 lets rows lie as far apart as
// Polybench's do.
#include "device.h"

// A and B are rows x depth, C is rows x rows. Threads: x is C's column, y its row. A row of A or B
// begins pitch elements after the one before.
DEVICE_CALL void element(const float *a, const float *b, float *c, float alpha, float beta,
                         u32 rows, u32 depth, u32 pitch)
{
    u32 i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows || j >= rows)
        return;
    u64 row_i = (u64)i * pitch, row_j = (u64)j * pitch;
    float *sum = c + (u64)i * rows + j;
    *sum *= beta;
    for (u32 k = 0; k < depth; k++) {
        float ab = alpha * a[row_i + k] * b[row_j + k];
        *sum += fmaf(alpha * b[row_i + k], a[row_j + k], ab);
    }
}

extern "C" __global__ void syr2k_element(const float *a, const float *b, float *c, float alpha,
                                         float beta, u32 rows, u32 depth)
{
    element(a, b, c, alpha, beta, rows, depth, depth);
}

extern "C" __global__ void syr2k_element_pitched(const float *a, const float *b, float *c,
                                                 float alpha, float beta, u32 rows, u32 depth,
                                                 u32 pitch)
{
    element(a, b, c, alpha, beta, rows, depth, pitch);
}
