// graph colouring: every node wants a colour free among its neighbours, conflicts are resolved
//
// Memory: each thread walks the short list of its node's neighbours and gathers one word for each
// from anywhere: up to 32 lines per load. Lists and words are far more than an L1 of 16 KB and
// about L2; a large L1 keeps most words from round to round. More nodes have their colour each
// round and leave: warps diverge. Bound by the reply network. Two kernels and a flag read back by
// the host per round.
// Used by: the Poise study, for training (graph colouring of Xu et al., IISWC 2014; here after
// Gebremedhin and Manne, Concurrency 2000, with rounds instead of races). Published: 12 kernels;
// input unknown. Nodes, degree and SPREAD were chosen by the published number of kernels and gain
// of a 64 times larger L1 (seed 1).
#include "device.h"

#define NONE 0xffffffffu
#define SPREAD 2 // nodes start their search at one of so many colours

static __device__ u32 mix(u32 x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

// A node without a colour wants the first one that no neighbour has, from a place of its own on.
extern "C" __global__ void gco_choose(const u32 *first, const u32 *to, const u32 *colour,
                                      u32 *wanted, u32 round, u32 nodes)
{
    u32 node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes)
        return;
    wanted[node] = NONE;
    if (colour[node] != NONE)
        return;
    u32 used, from = 0; // one bit for each of 32 colours
    for (;; from += 32) {
        used = 0;
        for (u32 e = first[node]; e < first[node + 1]; e++) {
            u32 other = colour[to[e]] - from;
            if (other < 32)
                used |= 1u << other;
        }
        if (used != ~0u)
            break;
    }
    u32 bit = mix(node + round * nodes) % SPREAD;
    while (used >> bit & 1)
        bit = (bit + 1) % 32;
    wanted[node] = from + bit;
}

// Of neighbours that want the same colour the one with the largest number gets it; *again tells the
// host that a node is left without.
extern "C" __global__ void gco_resolve(const u32 *first, const u32 *to, u32 *colour,
                                       const u32 *wanted, u32 *again, u32 nodes)
{
    u32 node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || wanted[node] == NONE)
        return;
    u32 mine = wanted[node];
    bool wins = true;
    for (u32 e = first[node]; e < first[node + 1]; e++) {
        u32 other = to[e];
        if (wanted[other] == mine && other > node)
            wins = false;
    }
    if (wins)
        colour[node] = mine;
    else
        *again = 1;
}
