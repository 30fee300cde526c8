// product of a matrix, its transpose and a vector, y = A^T (A x), in f32
//
// Memory: for A x each thread walks its row of A: one load of a warp touches 32 lines, which the
// next 31 columns come back to, 4 KB per warp; more than four warps lose them in an L1 of 16 KB and
// fetch them over and over, bound by L2. For y each thread walks its column: coalesced, each line
// used once, bound by the latency of DRAM. The vectors are one word for the whole warp.
// Used by: the Poise study (Polybench's atax; here from the definition). Published input unknown,
// Polybench's own is 4096 x 4096; here more rows than columns, so that a smaller matrix still has
// many warps. --pitch 4096 lets rows lie as far apart as Polybench's do: lines that a warp needs at
// a time then share few sets of L1 and L2.
#include "matvec.h"

// A is rows x columns. One thread per row.
extern "C" __global__ void atax_product(const float *a, const float *x, float *ax, u32 rows,
                                        u32 columns)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        ax[i] = matvec_row(a + (u64)i * columns, x, columns, 0);
}

// One thread per column.
extern "C" __global__ void atax_transposed(const float *a, const float *ax, float *y, u32 rows,
                                           u32 columns)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < columns)
        y[j] = matvec_column(a + j, ax, rows, columns, 0);
}

// The same, of a matrix whose rows begin `pitch` elements apart.
extern "C" __global__ void atax_product_pitched(const float *a, const float *x, float *ax, u32 rows,
                                                u32 columns, u32 pitch)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        ax[i] = matvec_row(a + (u64)i * pitch, x, columns, 0);
}

extern "C" __global__ void atax_transposed_pitched(const float *a, const float *ax, float *y,
                                                   u32 rows, u32 columns, u32 pitch)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < columns)
        y[j] = matvec_column(a + j, ax, rows, pitch, 0);
}

// The same with sums in memory (--sums memory); last, so that the others lie where they lay.
extern "C" __global__ void atax_product_memory(const float *a, const float *x, float *ax, u32 rows,
                                               u32 columns, u32 pitch)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        matvec_row_memory(a + (u64)i * pitch, x, columns, ax + i);
}

extern "C" __global__ void atax_transposed_memory(const float *a, const float *ax, float *y,
                                                  u32 rows, u32 columns, u32 pitch)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < columns)
        matvec_column_memory(a + j, ax, rows, pitch, y + j);
}
