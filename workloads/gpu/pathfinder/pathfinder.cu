// cheapest path down a 2D grid, row by row with ghost zones in shared memory
//
// Dynamic programming: the cheapest way to a cell comes from one of the three cells above it.
// Memory: the costs are read once, coalesced, one row per step, without reuse except for the ghost
// zone of `steps` columns on both sides of a block, which its neighbours read too. The running row
// stays in shared memory between steps; two barriers per row. Bound by instruction throughput and
// barriers, with little traffic.
// Used by: the studies of region-based power, NUMA GPUs and context switches (Rodinia's pathfinder,
// 100000 columns x 100 rows, 20 rows per launch; here from the algorithm). Small has the published
// width and three launches.
#include "device.h"

#define BLOCK 256

// Rows `row` to row + steps - 1 are added to the row of totals `from`. A block writes its inner
// BLOCK - 2 x steps columns: those that its own columns determine.
extern "C" __global__ void __launch_bounds__(BLOCK)
    pathfinder_rows(const u32 *cost, const u32 *from, u32 *to, u32 columns, u32 row, u32 steps)
{
    __shared__ u32 best[BLOCK];
    u32 t = threadIdx.x, x = blockIdx.x * (BLOCK - 2 * steps) + t - steps;
    bool on_grid = x < columns; // unsigned: also false left of 0
    if (on_grid)
        best[t] = from[x];
    u32 west = x > 0 ? t - 1 : t, east = x < columns - 1 ? t + 1 : t;
    __syncthreads();

    u32 total = 0;
    bool computes = false;
    for (u32 step = 0; step < steps; step++) {
        computes = on_grid && t > step && t < BLOCK - 1 - step;
        if (computes) {
            u32 least = best[t];
            least = best[west] < least ? best[west] : least;
            least = best[east] < least ? best[east] : least;
            total = least + cost[(row + step) * columns + x];
        }
        __syncthreads();
        if (computes)
            best[t] = total;
        __syncthreads();
    }
    if (computes)
        to[x] = total;
}
