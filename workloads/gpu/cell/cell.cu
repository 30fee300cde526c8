// cellular automaton in three dimensions, tiles with their border in shared memory
//
// Memory: a block reads its tile and one layer around it once and counts 26 neighbours of every
// cell in shared memory. A byte per cell: what is alive stays in L2. Mostly shared memory and
// integer arithmetic. Used by: the study of shared caches (cell, type A); from the rule.
#include "device.h"

#define TILE 8
#define WIDE (TILE + 2)

// A cell with 5 to 7 neighbours lives on, with 6 one is born; beyond the border nothing lives.
extern "C" __global__ void __launch_bounds__(TILE *TILE *TILE)
    cell(const u8 *from, u8 *to, u32 side)
{
    __shared__ u8 tile[WIDE * WIDE * WIDE];
    u32 t = (threadIdx.z * TILE + threadIdx.y) * TILE + threadIdx.x;
    for (u32 i = t; i < WIDE * WIDE * WIDE; i += TILE * TILE * TILE) {
        u32 x = blockIdx.x * TILE + i % WIDE - 1, y = blockIdx.y * TILE + i / WIDE % WIDE - 1;
        u32 z = blockIdx.z * TILE + i / WIDE / WIDE - 1;
        bool inside = x < side && y < side && z < side;
        tile[i] = inside ? from[(z * side + y) * side + x] : 0;
    }
    __syncthreads();
    u32 neighbours = 0, corner = (threadIdx.z * WIDE + threadIdx.y) * WIDE + threadIdx.x;
    for (u32 z = 0; z < 3; z++) {
        for (u32 y = 0; y < 3; y++) {
            for (u32 x = 0; x < 3; x++)
                neighbours += tile[corner + (z * WIDE + y) * WIDE + x];
        }
    }
    u32 mine = tile[corner + (WIDE + 1) * WIDE + 1];
    neighbours -= mine;
    u32 x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    u32 z = blockIdx.z * TILE + threadIdx.z;
    to[(z * side + y) * side + x] = mine ? neighbours >= 5 && neighbours <= 7 : neighbours == 6;
}
