// molecular dynamics in cell lists: Lennard-Jones forces from the 27 cells around an atom
//
// Memory: neighbouring threads have atoms of one cell, and read the same cells around it: L1 and L2
// reuse, only the halo of a block's cells comes from elsewhere. With --atoms warp the lanes of a
// warp share out the atoms of each cell around one. A cell then collects the atoms that moved into
// it, in a fixed order, so that sums are the same in every run. Used by: the study of several
// sockets (CoMD, a thread or a warp per atom, and NAMD); from the algorithm (Allen and Tildesley
// 1987).
#include "atoms.h"

extern "C" __global__ void md_force(const struct atom *atoms, const u32 *counts,
                                    struct vector *forces, u32 side)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < side * side * side * ROOM && i % ROOM < counts[i / ROOM])
        forces[i] = forces_on(atoms, counts, i / ROOM, i % ROOM, side, 0, 1);
}

DEVICE_CALL float warp_sum(float x)
{
    for (u32 by = 16; by > 0; by /= 2)
        x += __shfl_down_sync(ALL_LANES, x, by);
    return x;
}

extern "C" __global__ void md_force_warp(const struct atom *atoms, const u32 *counts,
                                         struct vector *forces, u32 side)
{
    u32 lane = threadIdx.x % 32, i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (i >= side * side * side * ROOM || i % ROOM >= counts[i / ROOM])
        return;
    struct vector f = forces_on(atoms, counts, i / ROOM, i % ROOM, side, lane, 32);
    f.x = warp_sum(f.x), f.y = warp_sum(f.y), f.z = warp_sum(f.z);
    if (lane == 0)
        forces[i] = f;
}

extern "C" __global__ void md_move(struct atom *atoms, const u32 *counts,
                                   const struct vector *forces, float dt, u32 side)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < side * side * side * ROOM && i % ROOM < counts[i / ROOM])
        atoms[i] = moved(atoms[i], forces[i], dt, side);
}

// One thread per cell.
extern "C" __global__ void md_cells(const struct atom *from, const u32 *counts, struct atom *to,
                                    u32 *to_counts, u32 side)
{
    u32 cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell < side * side * side)
        to_counts[cell] = collect(from, counts, cell, side, to);
}
