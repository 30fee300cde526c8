// chip temperatures over time: explicit heat steps on a 2D grid, several per launch
//
// The finite-difference model of HotSpot (Skadron et al., ISCA 2003): a cell exchanges heat with
// its four neighbours and with the air, and its circuits heat it.
// Memory: pyramid blocking. A block reads a 16 x 16 tile of temperatures and powers once,
// coalesced, and does several steps on it in shared memory; the ring it can still compute shrinks
// by one cell per step, so neighbouring blocks read (and compute) a shared border twice. Little
// traffic, much arithmetic (half of it in double) and many barriers: bound by the execution units.
// Used by: the cooperative-caching study (Rodinia's hotspot, 512 x 512, two steps per launch; here
// from the algorithm), also those of region-based power, NUMA GPUs and context switches. Small has
// the published grid and a few launches.
#include "device.h"

#define TILE 16

// Blocks of TILE x TILE threads; each writes its inner TILE - 2 x steps cells in both directions.
// Where the grid ends, a cell is its own neighbour. The small differences are summed in double, as
// the constants of the published program make them.
extern "C" __global__ void __launch_bounds__(TILE *TILE)
    hotspot_steps(const float *power, const float *from, float *to, u32 columns, u32 rows,
                  u32 steps, float gain, float per_rx, float per_ry, float per_rz, float air)
{
    __shared__ float heat[TILE][TILE], watts[TILE][TILE];
    u32 tx = threadIdx.x, ty = threadIdx.y, inner = TILE - 2 * steps;
    u32 x = blockIdx.x * inner + tx - steps, y = blockIdx.y * inner + ty - steps;
    bool on_grid = x < columns && y < rows; // unsigned: also false left of 0
    u32 cell = y * columns + x;
    if (on_grid) {
        heat[ty][tx] = from[cell];
        watts[ty][tx] = power[cell];
    }
    u32 west = x > 0 ? tx - 1 : tx, east = x < columns - 1 ? tx + 1 : tx;
    u32 north = y > 0 ? ty - 1 : ty, south = y < rows - 1 ? ty + 1 : ty;
    __syncthreads();

    float next = 0;
    bool computes = false;
    for (u32 ring = 1; ring <= steps; ring++) {
        computes = on_grid && tx >= ring && tx < TILE - ring && ty >= ring && ty < TILE - ring;
        if (computes) {
            float now = heat[ty][tx];
            double flow = watts[ty][tx];
            flow += (heat[north][tx] + heat[south][tx] - 2.0 * now) * per_ry;
            flow += (heat[ty][west] + heat[ty][east] - 2.0 * now) * per_rx;
            flow += (air - now) * per_rz;
            next = (float)(now + gain * flow);
        }
        __syncthreads();
        if (computes)
            heat[ty][tx] = next;
        __syncthreads();
    }
    if (computes)
        to[cell] = next;
}
