// shortest paths from one node, with a worklist per block, one shared worklist, or none
//
// Memory: gathers of neighbours and weights, atomics on distances. By default one launch in which
// every block has a worklist of its own (see bfs_wl). With --worklist shared the nodes whose
// distance fell are appended to one list by atomics on its end, and a launch takes one list to the
// next. With --worklist topology a launch looks at all nodes for those that fell: no list, most
// threads idle.
// Used by: the study of block scheduling (LonestarGPU's sssp, 160 blocks of 256) and the one of
// several sockets (Lonestar-SSSP, -Wln, -Wlc); from the algorithm. Weights are floats.
//
// As many registers as published:
// .maxnreg sssp_distributed 32
#include "relax_device.h"

struct lengths {
    const float *weights;
    __device__ u32 along(u32 distance, u32 arc) const
    {
        return __float_as_uint(__uint_as_float(distance) + weights[arc]);
    }
};

extern "C" __global__ void __launch_bounds__(256)
    sssp_distributed(const u32 *first, const u32 *to, const float *weights, u32 *distance,
                     struct relax_lists lists)
{
    struct lengths by = {weights};
    relax_run(first, to, distance, by, &lists);
}

// One thread per entry of a list. `listed` keeps a node from being appended twice.
extern "C" __global__ void sssp_shared(const u32 *first, const u32 *to, const float *weights,
                                       u32 *distance, u32 *listed, const u32 *list, u32 *next,
                                       u32 *next_count, u32 count)
{
    struct lengths by = {weights};
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        u32 node = list[i];
        atomicExch(&listed[node], 0u);
        __threadfence();
        u32 mine = fresh(&distance[node]);
        for (u32 arc = first[node]; arc < first[node + 1]; arc++) {
            u32 end = to[arc], there = by.along(mine, arc);
            if (there >= fresh(&distance[end]) || there >= atomicMin(&distance[end], there))
                continue;
            __threadfence();
            if (!atomicExch(&listed[end], 1u))
                next[atomicAdd(next_count, 1u)] = end;
        }
    }
}

// One thread per node; fallen[node] says that its distance fell since it was looked at.
extern "C" __global__ void sssp_topology(const u32 *first, const u32 *to, const float *weights,
                                         u32 *distance, u32 *fallen, u32 *again, u32 nodes)
{
    u32 node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || !fresh(&fallen[node]))
        return;
    atomicExch(&fallen[node], 0u);
    __threadfence();
    struct lengths by = {weights};
    u32 mine = fresh(&distance[node]);
    for (u32 arc = first[node]; arc < first[node + 1]; arc++) {
        u32 end = to[arc], there = by.along(mine, arc);
        if (there < fresh(&distance[end]) && there < atomicMin(&distance[end], there)) {
            __threadfence();
            atomicExch(&fallen[end], 1u);
            *again = 1;
        }
    }
}
