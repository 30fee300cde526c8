/*
 * One thread's part of a product of a matrix, stored by rows, and a vector: for kernels. A product
 * and a sum are fused, in ascending order of the index summed over, as dense.h does on the CPU.
 *
 * That a row is loaded word by word and a column four at a time is our choice: with it matrices
 * small enough to simulate gain from a larger L1 about what was published for mvt, bicg and atax.
 */
#ifndef WORKLOADS_MATVEC_H
#define WORKLOADS_MATVEC_H

#include "device.h"

#define MATVEC_STEP 4

/* sum + row x. Neighbouring threads have neighbouring rows: a load of a warp touches 32 lines, and
 * the next 31 columns come back to them. */
static __device__ float matvec_row(const float *row, const float *x, u32 columns, float sum)
{
    for (u32 j = 0; j < columns; j++)
        sum = fmaf(row[j], x[j], sum);
    return sum;
}

/* sum + column x. Neighbouring threads have neighbouring columns: a load of a warp is one line,
 * used once. A row begins pitch elements after the one before. Four rows are loaded at a time; rows
 * is a multiple of four. */
static __device__ float matvec_column(const float *column, const float *x, u32 rows, u32 pitch,
                                      float sum)
{
    for (u32 i = 0; i < rows; i += MATVEC_STEP) {
        float from[MATVEC_STEP];
        for (u32 s = 0; s < MATVEC_STEP; s++)
            from[s] = column[(u64)(i + s) * pitch];
        for (u32 s = 0; s < MATVEC_STEP; s++)
            sum = fmaf(from[s], x[i + s], sum);
    }
    return sum;
}

/* The same two with the sum in memory, stored at every step and one element loaded at a time, as
 * Polybench's kernels have it: nothing tells the compiler that a store does not change the vector
 * or the matrix, so that no load is moved across it. A store is one line of a warp. */
static __device__ void matvec_row_memory(const float *row, const float *x, u32 columns, float *sum)
{
    for (u32 j = 0; j < columns; j++)
        *sum = fmaf(row[j], x[j], *sum);
}

static __device__ void matvec_column_memory(const float *column, const float *x, u32 rows,
                                            u32 pitch, float *sum)
{
    for (u32 i = 0; i < rows; i++)
        *sum = fmaf(column[(u64)i * pitch], x[i], *sum);
}

#endif
