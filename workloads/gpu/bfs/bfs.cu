// breadth-first search over a graph, level by level with frontier masks
//
// Memory: reading a node's neighbours is a gather of short, unaligned runs; marking them is a
// scatter over all nodes. Coalescing is poor, divergence follows the degrees (mild in a uniform
// graph, extreme in an R-MAT one), and most threads of a level find nothing to do. Bound by memory
// latency and L2/DRAM bandwidth. Two kernels and a flag read back by the host per level.
// Used by: the bandwidth and cooperative-caching studies (Rodinia's search; here from the
// algorithm).
#include "device.h"

// One thread per node: a frontier node gives its level + 1 to the neighbours not visited yet.
// Several threads may mark one neighbour; they all write the same values.
extern "C" __global__ void bfs_expand(const u32 *first, const u32 *to, u8 *frontier, u8 *marked,
                                      const u8 *visited, u32 *level, u32 nodes)
{
    u32 node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || !frontier[node])
        return;
    frontier[node] = 0;
    u32 next = level[node] + 1;
    for (u32 e = first[node]; e < first[node + 1]; e++) {
        u32 neighbour = to[e];
        if (!visited[neighbour]) {
            level[neighbour] = next;
            marked[neighbour] = 1;
        }
    }
}

// The marked nodes become the next frontier; *again tells the host that there are any.
extern "C" __global__ void bfs_advance(u8 *frontier, u8 *marked, u8 *visited, u32 *again, u32 nodes)
{
    u32 node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || !marked[node])
        return;
    marked[node] = 0;
    frontier[node] = 1;
    visited[node] = 1;
    *again = 1;
}
