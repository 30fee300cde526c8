// breadth-first search over a graph with queues: one thread per node of the frontier
//
// Memory: reading a node's neighbours is a gather of short runs, looking at their levels another,
// claiming them a scatter of atomics to L2. Neighbours lie near each other, as in a road map: the
// frontier is a narrow front that moves through the graph, a few warps per SM, whose surroundings
// are a few times an L1 of 16 KB and fit L2. A block collects the nodes it claimed in shared memory
// and appends them to the next frontier in one coalesced piece. Divergence follows the degrees.
// Bound by the latency and bandwidth of L2, hardly by DRAM. One kernel and one number read back by
// the host per level.
// Used by: the bandwidth and cooperative-caching studies (Parboil's search; here after Luo, Wong
// and Hwu, DAC 2010). Published: 8,500,000 nodes in one study, unknown in the other. The
// kind of graph, its reach and the 64 threads of a block were chosen by the published gain of
// unlimited bandwidth; a random graph with full frontiers gains nearly twice as much.
#include "device.h"

#define UNREACHED 0xffffffffu
#define ROOM 1024 // of a block's own queue

// Nodes not reached yet beside the frontier's get the level and are appended to `next`, whose
// length is *next_count. Which thread claims a node, and where it lies in `next`, may vary.
extern "C" __global__ void bfs_parboil_level(const u32 *first, const u32 *to, u32 *level,
                                             const u32 *frontier, u32 count, u32 *next,
                                             u32 *next_count, u32 depth)
{
    __shared__ u32 queue[ROOM], claimed, place;
    if (threadIdx.x == 0)
        claimed = 0;
    __syncthreads();

    u32 index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) {
        u32 node = frontier[index];
        for (u32 e = first[node]; e < first[node + 1]; e++) {
            u32 neighbour = to[e];
            if (level[neighbour] != UNREACHED ||
                atomicCAS(&level[neighbour], UNREACHED, depth) != UNREACHED)
                continue;
            u32 slot = atomicAdd(&claimed, 1u);
            if (slot < ROOM)
                queue[slot] = neighbour;
            else
                next[atomicAdd(next_count, 1u)] = neighbour;
        }
    }
    __syncthreads();

    u32 held = claimed < ROOM ? claimed : ROOM;
    if (threadIdx.x == 0)
        place = atomicAdd(next_count, held);
    __syncthreads();
    for (u32 i = threadIdx.x; i < held; i += blockDim.x)
        next[place + i] = queue[i];
}
