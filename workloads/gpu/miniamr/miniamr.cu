// adaptive mesh refinement: stencils on blocks of two sizes, finer where a sphere passes
//
// Memory: a block of threads has a block of cells; its borders are gathered from up to 24 blocks,
// which lie anywhere in the list; the stencil then streams through its own cells. When the mesh
// changes, blocks are split and joined into another list. Many kernels over large arrays.
// Used by: the study of several sockets (MiniAMR); from the algorithm (Berger and Colella 1989), on
// two levels.
#include "blocks.h"

extern "C" __global__ void __launch_bounds__(N *N)
    miniamr_border(const struct block *blocks, float *cells)
{
    u32 b = blockIdx.x, u = threadIdx.x % N, v = threadIdx.x / N;
    for (u32 face = 0; face < FACES; face++)
        cells[b * CELLS + place_on(face / 2, face % 2 ? N : 0u - 1, u, v)] =
            border_of(blocks, cells, b, face, u, v);
}

extern "C" __global__ void __launch_bounds__(N *N) miniamr_stencil(const float *from, float *to)
{
    u32 x = threadIdx.x % N, y = threadIdx.x / N, b = blockIdx.x * CELLS;
    for (u32 z = 0; z < N; z++)
        to[b + place(x, y, z)] = stencil_at(from + b, place(x, y, z));
}

extern "C" __global__ void __launch_bounds__(N *N)
    miniamr_change(const struct origin *origins, const float *from, float *to)
{
    u32 x = threadIdx.x % N, y = threadIdx.x / N;
    for (u32 z = 0; z < N; z++)
        to[blockIdx.x * CELLS + place(x, y, z)] = cell_from(origins[blockIdx.x], from, x, y, z);
}
