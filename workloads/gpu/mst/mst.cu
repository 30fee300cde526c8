// minimum spanning forest by Boruvka's rounds, every block with a worklist of its own
//
// Memory: gathers of neighbours' components, an atomic minimum per node and round. A round is three
// kernels: the lightest edge that leaves each component, the merging of components along it, new
// labels. Nodes without an edge to another component leave their list, so blocks finish ever
// earlier while what is left is dense.
// Used by: the study of block scheduling (LonestarGPU's mst: 640 blocks of 256, no shared memory)
// and the one of several sockets; from the algorithm (Boruvka 1926). With --worklist shared all
// blocks take from one list, and which block has which node changes from round to round. With
// --graph mesh the graph is a planar grid.
//
// As many registers as published:
// .maxnreg mst_find 34
#include "device.h"

#define NONE 0xffffffffu

// The nodes of a list: of the block alone, or of the whole grid.
struct slice {
    u32 list, first, stride;
};

DEVICE_CALL struct slice slice_of(u32 share)
{
    struct slice own = {blockIdx.x, threadIdx.x, blockDim.x};
    struct slice all = {0, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x};
    return share ? own : all;
}

// share: nodes of a block's list; 0: one list. Weights are positive and differ.
extern "C" __global__ void __launch_bounds__(256)
    mst_find(const u32 *first, const u32 *to, const float *weights, const u32 *component, u32 *best,
             const u32 *list, const u32 *count, u32 *next, u32 *next_count, u32 share)
{
    struct slice s = slice_of(share);
    for (u32 i = s.first; i < count[s.list]; i += s.stride) {
        u32 node = list[s.list * share + i], mine = component[node];
        float least = __builtin_inff();
        for (u32 arc = first[node]; arc < first[node + 1]; arc++) {
            if (component[to[arc]] != mine && weights[arc] < least)
                least = weights[arc];
        }
        if (least < __builtin_inff()) {
            atomicMin(&best[mine], __float_as_uint(least));
            next[s.list * share + atomicAdd(&next_count[s.list], 1u)] = node;
        }
    }
}

// Every component with an edge joins the one at its other end; of two that chose the same edge the
// lower stays. A weight is its edge's number.
extern "C" __global__ void __launch_bounds__(256)
    mst_merge(const u32 *ends, const u32 *component, const u32 *best, u32 *parent, u32 *in_tree,
              u32 nodes)
{
    u32 stride = gridDim.x * blockDim.x;
    for (u32 node = blockIdx.x * blockDim.x + threadIdx.x; node < nodes; node += stride) {
        if (component[node] != node || best[node] == NONE)
            continue;
        u32 edge = (u32)__uint_as_float(best[node]);
        u32 other = component[ends[2 * edge]];
        if (other == node)
            other = component[ends[2 * edge + 1]];
        if (best[other] != best[node] || other < node)
            parent[node] = other;
        in_tree[edge] = 1;
    }
}

extern "C" __global__ void __launch_bounds__(256)
    mst_label(const u32 *parent, u32 *component, u32 *best, u32 *next_count, u32 lists, u32 nodes)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (u32 node = thread; node < nodes; node += stride) {
        u32 root = component[node];
        while (parent[root] != root)
            root = parent[root];
        component[node] = root;
        best[node] = NONE;
    }
    for (u32 list = thread; list < lists; list += stride)
        next_count[list] = 0;
}
