// scalar, vector and matrix product y = alpha x A x + beta x B x in f32, one thread per row
//
// Memory: each thread walks its row of A and its row of B, so that one load of a warp touches 32
// lines and the next 31 columns come back to them: 8 KB per warp, which an L1 of 16 KB holds for
// two warps. Eight columns are loaded at a time, as from an unrolled loop: seven of eight loads
// join the misses of the first. x is one word for the whole warp. Every element of A and B is used
// once: bound by DRAM where L1 keeps the lines; where it does not, they are fetched four times, and
// the MSHRs of L1 and the reply network are the limit.
// Used by: the Poise study (Polybench's gesummv; here from the definition). Published input
// unknown, Polybench's own is 4096 x 4096; here more rows, for the warps of 15 SMs, and fewer
// columns. The unrolling brings the gain of a 64 times larger L1 near the published one.
#include "device.h"

#define STEP 8

// A and B are rows x columns; columns is a multiple of STEP. A row begins pitch elements after the
// one before.
DEVICE_CALL void products(const float *a, const float *b, const float *x, float *ax, float *bx,
                          u32 rows, u32 columns, u32 pitch)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows)
        return;
    const float *row_a = a + (u64)i * pitch, *row_b = b + (u64)i * pitch;
    float sum_a = 0, sum_b = 0;
    for (u32 j = 0; j < columns; j += STEP) {
        float from_a[STEP], from_b[STEP];
        for (u32 s = 0; s < STEP; s++)
            from_a[s] = row_a[j + s];
        for (u32 s = 0; s < STEP; s++)
            from_b[s] = row_b[j + s];
        for (u32 s = 0; s < STEP; s++) {
            sum_a = fmaf(from_a[s], x[j + s], sum_a);
            sum_b = fmaf(from_b[s], x[j + s], sum_b);
        }
    }
    ax[i] = sum_a;
    bx[i] = sum_b;
}

extern "C" __global__ void gesummv_products(const float *a, const float *b, const float *x,
                                            float *ax, float *bx, u32 rows, u32 columns)
{
    products(a, b, x, ax, bx, rows, columns, columns);
}

extern "C" __global__ void gesummv_sum(const float *ax, const float *bx, float *y, float alpha,
                                       float beta, u32 rows)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        y[i] = fmaf(alpha, ax[i], beta * bx[i]);
}

// Last, so that the others lie where they lay: instruction caches see where.
extern "C" __global__ void gesummv_products_pitched(const float *a, const float *b, const float *x,
                                                    float *ax, float *bx, u32 rows, u32 columns,
                                                    u32 pitch)
{
    products(a, b, x, ax, bx, rows, columns, pitch);
}

// The same with sums in memory, one column at a time, as Polybench has it (--sums memory). A store
// to one sum may change the other for all that the compiler knows, so both are loaded again at
// every step, and L1 has evicted them: a store evicts its line.
extern "C" __global__ void gesummv_products_memory(const float *a, const float *b, const float *x,
                                                   float *ax, float *bx, u32 rows, u32 columns,
                                                   u32 pitch)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows)
        return;
    const float *row_a = a + (u64)i * pitch, *row_b = b + (u64)i * pitch;
    for (u32 j = 0; j < columns; j++) {
        ax[i] = fmaf(row_a[j], x[j], ax[i]);
        bx[i] = fmaf(row_b[j], x[j], bx[i]);
    }
}
