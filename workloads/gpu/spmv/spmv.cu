// product of a sparse matrix and a vector, rows padded to the longest of their group
//
// Memory: a thread has a row; the k-th elements of 32 neighbouring rows lie side by side, so values
// and column numbers stream coalesced and once; the vector is gathered. Rows are short and differ:
// lanes idle in groups with one long row. Bound by DRAM bandwidth and by the gathers.
// Used by: the studies of block scheduling (memory-bound co-runner), cache regions and shared
// caches (Parboil's spmv, five regions); sliced ELLPACK (Monakov et al.: HiPEAC 2010).
#include "device.h"

#define GROUP 32

struct element {
    u32 column;
    float value;
};

// A group's elements begin at first[group]; lengths are of rows.
extern "C" __global__ void spmv(const struct element *elements, const u32 *first,
                                const u32 *lengths, const float *x, float *y, u32 rows)
{
    u32 row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const struct element *at = &elements[first[row / GROUP] + row % GROUP];
    float sum = 0;
    for (u32 k = 0; k < lengths[row]; k++)
        sum = fmaf(at[k * GROUP].value, x[at[k * GROUP].column], sum);
    y[row] = sum;
}
