// stream clustering: the gain of opening a centre, one thread per point
//
// Memory: points are stored by dimension, so a warp reads one line per dimension, coalesced, and
// never again in this launch; the candidate's coordinates are copied to shared memory, or, with
// --candidate global, read by every warp for every dimension as in Rodinia's kernel: the same line
// for all SMs. Then every point adds to its own row of a table of savings per open centre:
// scattered, one line per lane. The points are many times what L2 holds. One launch per candidate.
// Used by: the bandwidth and cooperative-caching studies (sc of Rodinia). Published: 16384 points
// of 256 dimensions, which size small has, with eight candidates.
#include "device.h"

#define MOST_DIMENSIONS 256
#define AT_ONCE 4 // loads in flight per thread; dimensions are a multiple

// Where a point would move to the candidate, its cost falls: that saving is its own; otherwise what
// it would cost more is lost if its own centre closed, and is noted in that centre's column of
// `lost`, of which every point has a row.
extern "C" __global__ void sc_gain(const float *by_dimension, const float *weight,
                                   const float *cost, const u32 *centre_of, u8 *moves, float *saved,
                                   float *lost, u32 points, u32 dimensions, u32 candidate,
                                   u32 centres)
{
    __shared__ float wanted[MOST_DIMENSIONS];
    for (u32 d = threadIdx.x; d < dimensions; d += blockDim.x)
        wanted[d] = by_dimension[d * points + candidate];
    __syncthreads();

    u32 point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= points)
        return;
    const float *at = by_dimension + point;
    float distance = 0, mine[AT_ONCE];
    for (u32 d = 0; d < dimensions; d += AT_ONCE) {
        for (u32 i = 0; i < AT_ONCE; i++, at += points)
            mine[i] = *at;
        for (u32 i = 0; i < AT_ONCE; i++) {
            float apart = mine[i] - wanted[d + i];
            distance = fmaf(apart, apart, distance);
        }
    }
    float there = distance * weight[point], here = cost[point];
    bool move = there < here;
    moves[point] = move;
    saved[point] = move ? here - there : 0;
    if (!move)
        lost[point * centres + centre_of[point]] += there - here;
}

// The same with the candidate read from global memory. Last, so that the other lies where it lay.
extern "C" __global__ void sc_gain_global(const float *by_dimension, const float *weight,
                                          const float *cost, const u32 *centre_of, u8 *moves,
                                          float *saved, float *lost, u32 points, u32 dimensions,
                                          u32 candidate, u32 centres)
{
    u32 point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= points)
        return;
    const float *at = by_dimension + point, *wanted = by_dimension + candidate;
    float distance = 0, mine[AT_ONCE], other[AT_ONCE];
    for (u32 d = 0; d < dimensions; d += AT_ONCE) {
        for (u32 i = 0; i < AT_ONCE; i++, at += points, wanted += points) {
            mine[i] = *at;
            other[i] = *wanted;
        }
        for (u32 i = 0; i < AT_ONCE; i++) {
            float apart = mine[i] - other[i];
            distance = fmaf(apart, apart, distance);
        }
    }
    float there = distance * weight[point], here = cost[point];
    bool move = there < here;
    moves[point] = move;
    saved[point] = move ? here - there : 0;
    if (!move)
        lost[point * centres + centre_of[point]] += there - here;
}
