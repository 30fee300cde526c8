// connected components of a graph: hooking of trees along edges, and jumping to their roots
//
// Memory: each thread reads the list of its node and the labels of its neighbours, then follows a
// chain of labels to its root. Nodes lie on a square and their neighbours beside them, so both come
// in runs of a few lines per warp that other warps use too; the roots are gathers. Labels and lists
// of the warps of an SM are more than an L1 of 16 KB, and all of them more than L2. Atomic minima
// at the roots go to L2, few of them after the first round. Bound by L2 and the networks. Two
// kernels and a flag read back by the host per round.
// Used by: the Poise study, for training (component labelling of Xu et al., IISWC 2014; here after
// Shiloach and Vishkin, J. Algorithms 1982). Published: 17 kernels; input unknown. The square
// was chosen by the published gain of a 64 times larger L1, after a random graph gained four times
// as much; it then takes 17 kernels with seed 1, 15 with seed 7.
#include "device.h"

// Label n is the number of a node of the same component, never larger than n; at first n itself.
extern "C" __global__ void ccl_start(u32 *label, u32 nodes)
{
    u32 node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < nodes)
        label[node] = node;
}

// A node that knows of a smaller label hangs its root under it. Labels only fall, so what another
// thread has not made visible yet is found in the next round; *again asks the host for it.
extern "C" __global__ void ccl_hook(const u32 *first, const u32 *to, u32 *label, u32 *again,
                                    u32 nodes)
{
    u32 node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes)
        return;
    u32 root = label[node], least = root;
    for (u32 e = first[node]; e < first[node + 1]; e++) {
        u32 other = label[to[e]];
        least = other < least ? other : least;
    }
    if (least < root) {
        atomicMin(&label[root], least);
        *again = 1;
    }
}

// Every node takes the label of the root above it.
extern "C" __global__ void ccl_jump(u32 *label, u32 nodes)
{
    u32 node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes)
        return;
    u32 root = label[node], above = label[root];
    while (above != root) {
        root = above;
        above = label[root];
    }
    label[node] = root;
}
