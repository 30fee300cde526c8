// the two products of a biconjugate gradient step, s = A^T r and q = A p, in f32
//
// Memory: for s each thread walks its column of A: coalesced, each line used once, bound by the
// latency of DRAM. For q each thread walks its row: one load of a warp touches 32 lines, which the
// next 31 columns come back to, 4 KB per warp; more than four warps lose them in an L1 of 16 KB and
// fetch them over and over, bound by L2. r and p are one word for the whole warp.
// Used by: the Poise study (Polybench's bicg; here from the definition). Published input unknown,
// Polybench's own is 4096 x 4096; here more rows than columns, so that a smaller matrix still has
// many warps. --pitch 4096 lets rows lie as far apart as Polybench's do: lines that a warp needs at
// a time then share few sets of L1 and L2.
#include "matvec.h"

// A is rows x columns. One thread per column.
extern "C" __global__ void bicg_s(const float *a, const float *r, float *s, u32 rows, u32 columns)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < columns)
        s[j] = matvec_column(a + j, r, rows, columns, 0);
}

// One thread per row.
extern "C" __global__ void bicg_q(const float *a, const float *p, float *q, u32 rows, u32 columns)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        q[i] = matvec_row(a + (u64)i * columns, p, columns, 0);
}

// The same, of a matrix whose rows begin `pitch` elements apart.
extern "C" __global__ void bicg_s_pitched(const float *a, const float *r, float *s, u32 rows,
                                          u32 columns, u32 pitch)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < columns)
        s[j] = matvec_column(a + j, r, rows, pitch, 0);
}

extern "C" __global__ void bicg_q_pitched(const float *a, const float *p, float *q, u32 rows,
                                          u32 columns, u32 pitch)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        q[i] = matvec_row(a + (u64)i * pitch, p, columns, 0);
}

// The same with sums in memory (--sums memory); last, so that the others lie where they lay.
extern "C" __global__ void bicg_s_memory(const float *a, const float *r, float *s, u32 rows,
                                         u32 columns, u32 pitch)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < columns)
        matvec_column_memory(a + j, r, rows, pitch, s + j);
}

extern "C" __global__ void bicg_q_memory(const float *a, const float *p, float *q, u32 rows,
                                         u32 columns, u32 pitch)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        matvec_row_memory(a + (u64)i * pitch, p, columns, q + i);
}
