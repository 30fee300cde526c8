// matrix product as a MapReduce program: one map task per element, no tiling
//
// Memory: a task walks a row of A and a column of B, which lies contiguous as the row of A does.
// The lanes of a warp share the row and have 32 different columns, so a load of B touches 32 lines
// and the next 31 steps need the same lines again: far more than L1 holds, while the lines of the
// current steps of all warps fit in L2. Bound by the bandwidth between L1 and L2.
// Used by: the bandwidth, cooperative-caching and warp-scheduling studies (mm of Mars, 23 kernels:
// counting, three prefix sums of seven launches, map). Published: 768 x 768. Size small keeps 768
// columns, which set the working set of L1, and shortens the rows and the number of them.
#include "mapreduce_device.h"

struct place {
    u32 row, column;
};

extern "C" __global__ void mm_map_count(struct emission out, u32 tasks)
{
    u32 task = global_thread();
    if (task >= tasks)
        return;
    struct cursor c = {};
    cursor_count(&c, sizeof(struct place), sizeof(float));
    cursor_save(c, &out, task);
}

// A is rows x depth, B is columns x depth (transposed). Emits (row, column) and the element.
extern "C" __global__ void mm_map(const float *a, const float *b, struct emission out, u32 columns,
                                  u32 depth, u32 tasks)
{
    u32 task = global_thread();
    if (task >= tasks)
        return;
    struct place at = {task / columns, task % columns};
    const float *row = a + at.row * depth, *column = b + at.column * depth;
    float sum = 0;
    for (u32 k = 0; k < depth; k++)
        sum = fmaf(row[k], column[k], sum);
    struct cursor c = cursor_load(&out, task);
    *(struct place *)(out.keys + c.key) = at;
    *(float *)(out.values + c.value) = sum;
    cursor_emit(&c, &out, sizeof at, sizeof sum);
}
