// matrix-vector products x1 += A y1 and x2 += A^T y2 in f32, one thread per element of x1 and x2
//
// Memory: for x1 each thread walks its row of A: one load of a warp touches 32 lines, which the
// next 31 columns come back to, 4 KB per warp; more than four warps lose them in an L1 of 16 KB.
// For x2 each thread walks its column: coalesced, each line used once. y1 and y2 are one word for
// the whole warp. Bound by L2 and lines fetched over and over, then by the latency of DRAM.
// Used by: the Poise study (Polybench's mvt; here from the definition, as one kernel like the
// published one). Published input unknown, Polybench's own is 4096 x 4096; here more rows than
// columns, so that a smaller matrix still has many warps. --pitch 4096 lets rows lie as far apart
// as Polybench's do: lines that a warp needs at a time then share few sets of L1 and L2.
#include "matvec.h"

// A is rows x columns; x1 has a thread per row, x2 one per column, rows being the larger number.
extern "C" __global__ void mvt_both(const float *a, float *x1, float *x2, const float *y1,
                                    const float *y2, u32 rows, u32 columns)
{
    u32 n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < rows)
        x1[n] = matvec_row(a + (u64)n * columns, y1, columns, x1[n]);
    if (n < columns)
        x2[n] = matvec_column(a + n, y2, rows, columns, x2[n]);
}

// The same, of a matrix whose rows begin `pitch` elements apart.
extern "C" __global__ void mvt_both_pitched(const float *a, float *x1, float *x2, const float *y1,
                                            const float *y2, u32 rows, u32 columns, u32 pitch)
{
    u32 n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < rows)
        x1[n] = matvec_row(a + (u64)n * pitch, y1, columns, x1[n]);
    if (n < columns)
        x2[n] = matvec_column(a + n, y2, rows, pitch, x2[n]);
}

// The same with sums in memory (--sums memory); last, so that the others lie where they lay.
extern "C" __global__ void mvt_both_memory(const float *a, float *x1, float *x2, const float *y1,
                                           const float *y2, u32 rows, u32 columns, u32 pitch)
{
    u32 n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < rows)
        matvec_row_memory(a + (u64)n * pitch, y1, columns, x1 + n);
    if (n < columns)
        matvec_column_memory(a + n, y2, rows, pitch, x2 + n);
}
