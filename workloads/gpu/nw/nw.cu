// Needleman-Wunsch alignment scores of two sequences, in diagonals of 16 x 16 blocks
//
// Memory: half a warp per block. It reads the similarities of its letters and the border that its
// three neighbours left (one part of it strided, a line per element), fills its tile in shared
// memory along 31 diagonals with a barrier and bank conflicts each, and writes it in runs of 64
// bytes. Everything is read once from DRAM, but few warps are there to wait for it: two kernels,
// the first with ever more blocks per launch, the second with ever fewer. Bound by latency.
// Used by: the bandwidth and cooperative-caching studies (Rodinia's nw, 2048 x 2048; here from the
// algorithm), also that of context switches. Small is half as long: a power of two as well, which
// keeps how the blocks of a diagonal fall on the memory channels.
#include "device.h"

#define TILE 16

// Row 0 and column 0 hold what only gaps cost; block (bx, by) owns the TILE x TILE scores from
// row by x TILE + 1, column bx x TILE + 1 on. `similarity` has the same shape as `score`.
static __device__ void align_block(const int *similarity, int *score, u32 pitch, int gap, u32 bx,
                                   u32 by)
{
    __shared__ int cell[TILE + 1][TILE + 1], match[TILE][TILE];
    u32 t = threadIdx.x, corner = by * TILE * pitch + bx * TILE;
    if (t == 0)
        cell[0][0] = score[corner];
#pragma unroll
    for (u32 y = 0; y < TILE; y++)
        match[y][t] = similarity[corner + (y + 1) * pitch + t + 1];
    cell[t + 1][0] = score[corner + (t + 1) * pitch];
    cell[0][t + 1] = score[corner + t + 1];
    __syncthreads();
    for (u32 diagonal = 0; diagonal < 2 * TILE - 1; diagonal++) {
        u32 y = diagonal - t; // unsigned: large where the diagonal has not reached this column
        if (y < TILE) {
            int best = cell[y][t] + match[y][t];
            int from_left = cell[y + 1][t] - gap, from_above = cell[y][t + 1] - gap;
            best = from_left > best ? from_left : best;
            cell[y + 1][t + 1] = from_above > best ? from_above : best;
        }
        __syncthreads();
    }
#pragma unroll
    for (u32 y = 0; y < TILE; y++)
        score[corner + (y + 1) * pitch + t + 1] = cell[y + 1][t + 1];
}

// The `blocks` blocks of a diagonal that grows from the upper left corner.
extern "C" __global__ void __launch_bounds__(TILE)
    nw_growing(const int *similarity, int *score, u32 pitch, int gap, u32 blocks)
{
    align_block(similarity, score, pitch, gap, blockIdx.x, blocks - 1 - blockIdx.x);
}

// The `blocks` blocks of one that shrinks towards the lower right; the matrix is `side` blocks.
extern "C" __global__ void __launch_bounds__(TILE)
    nw_shrinking(const int *similarity, int *score, u32 pitch, int gap, u32 blocks, u32 side)
{
    align_block(similarity, score, pitch, gap, side - blocks + blockIdx.x, side - 1 - blockIdx.x);
}
