// symmetric rank-k update C = alpha x A x A^T + beta x C in f32, one thread per element
//
// Memory: C grows in global memory, one coalesced store per step. Row i of A is one word for the
// whole warp; row j is walked by lane, so that one load touches 32 lines and the next 31 steps come
// back to them. The 8 warps of a block walk the same 32 rows; the 6 blocks of a full SM need 24 KB
// of lines at a time and lose them in an L1 of 16 KB, L2 holds them. Bound by L2 and the networks.
// Used by: the Poise study (Polybench's syrk; here from the definition). Published input unknown,
// Polybench's own is 1024 x 1024; fewer rows and steps here, the lines needed at a time are the
// same, for they follow from the warps of an SM.
#include "device.h"

// A is rows x depth, C is rows x rows. Threads: x is C's column, y its row. A row of A begins pitch
// elements after the one before.
DEVICE_CALL void element(const float *a, float *c, float alpha, float beta, u32 rows, u32 depth,
                         u32 pitch)
{
    u32 i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows || j >= rows)
        return;
    const float *row_i = a + (u64)i * pitch, *row_j = a + (u64)j * pitch;
    float *sum = c + (u64)i * rows + j;
    *sum *= beta;
    for (u32 k = 0; k < depth; k++)
        *sum = fmaf(alpha * row_i[k], row_j[k], *sum);
}

extern "C" __global__ void syrk_element(const float *a, float *c, float alpha, float beta, u32 rows,
                                        u32 depth)
{
    element(a, c, alpha, beta, rows, depth, depth);
}

extern "C" __global__ void syrk_element_pitched(const float *a, float *c, float alpha, float beta,
                                                u32 rows, u32 depth, u32 pitch)
{
    element(a, c, alpha, beta, rows, depth, pitch);
}
