/*
 * Shortest distances by worklists that belong to blocks: what bfs_wl and sssp run.
 *
 * Block b owns the nodes from b x share on. A node whose distance fell goes to the list of its
 * owner, unless it is there; the warps of a block take up to 32 nodes of its list at a time. The
 * lists of blocks that have not begun are served by all others, so that a grid that does not fit on
 * the chip ends as well. All is over when no node is in a list or in work. A distance is the bits
 * of a whole number or of a float that is not negative: both order alike.
 */
#ifndef WORKLOADS_RELAX_DEVICE_H
#define WORKLOADS_RELAX_DEVICE_H

#include "device.h"

#define NO_NODE 0xffffffffu
#define LARGE 32 /* arcs that a warp shares out over its lanes */

/* relax.c has the same structure with device addresses. */
struct relax_lists {
    u32 *slots;         /* share x blocks, NO_NODE where none is: a ring per block */
    u32 *heads, *tails; /* of the rings, counted without end */
    u32 *begun;         /* 1: the block runs, or has run */
    u32 *listed;        /* per node: it is in a list */
    u32 *pending;       /* nodes in lists or in work */
    u32 share;
};

DEVICE_CALL u32 fresh(const u32 *at)
{
    return *(const volatile u32 *)at;
}

/* Up to 32 nodes of a list: how many, and the first one's place. */
DEVICE_CALL u32 relax_claim(const struct relax_lists *l, u32 list, u32 *from)
{
    u32 head = fresh(&l->heads[list]), count = fresh(&l->tails[list]) - head;
    count = count < 32 ? count : 32;
    *from = head;
    return count > 0 && atomicCAS(&l->heads[list], head, head + count) == head ? count : 0;
}

DEVICE_CALL void relax_push(const struct relax_lists *l, u32 node)
{
    __threadfence(); /* its distance before its flag */
    if (atomicExch(&l->listed[node], 1u))
        return;
    atomicAdd(l->pending, 1u);
    u32 list = node / l->share, at = atomicAdd(&l->tails[list], 1u) % l->share;
    while (atomicCAS(&l->slots[list * l->share + at], NO_NODE, node) != NO_NODE) {
        /* whoever claimed the node that was here is about to take it */
    }
}

DEVICE_CALL u32 relax_take(const struct relax_lists *l, u32 list, u32 place)
{
    u32 *slot = &l->slots[list * l->share + place % l->share], node;
    do {
        node = atomicExch(slot, NO_NODE); /* its place may be counted before it is there */
    } while (node == NO_NODE);
    atomicExch(&l->listed[node], 0u);
    __threadfence(); /* a later fall of its distance lists it again */
    return node;
}

/* WEIGHTS::along(distance, arc) is the distance at the arc's end. */
template <typename WEIGHTS>
DEVICE_CALL void relax_arc(const u32 *to, u32 *distance, u32 mine, u32 arc, WEIGHTS weights,
                           const struct relax_lists *l)
{
    u32 end = to[arc], there = weights.along(mine, arc);
    if (there < fresh(&distance[end]) && there < atomicMin(&distance[end], there))
        relax_push(l, end);
}

template <typename WEIGHTS>
DEVICE_CALL void relax_run(const u32 *first, const u32 *to, u32 *distance, WEIGHTS weights,
                           const struct relax_lists *l)
{
    u32 lane = threadIdx.x % 32, other = blockIdx.x;
    if (threadIdx.x == 0)
        atomicExch(&l->begun[blockIdx.x], 1u);
    for (;;) {
        u32 list = blockIdx.x, from = 0, count = 0, ended = 0;
        if (lane == 0) {
            count = relax_claim(l, list, &from);
            if (count == 0) {
                other = other + 1 < gridDim.x ? other + 1 : 0;
                if (!fresh(&l->begun[other])) {
                    list = other;
                    count = relax_claim(l, list, &from);
                }
                ended = count == 0 && fresh(l->pending) == 0;
            }
        }
        count = __shfl_sync(ALL_LANES, count, 0);
        list = __shfl_sync(ALL_LANES, list, 0);
        from = __shfl_sync(ALL_LANES, from, 0);
        if (__shfl_sync(ALL_LANES, ended, 0))
            return;
        u32 node = NO_NODE, mine = 0, arc = 0, end = 0;
        if (lane < count) {
            node = relax_take(l, list, from + lane);
            mine = fresh(&distance[node]);
            arc = first[node];
            end = first[node + 1];
        }
        __syncwarp();
        for (u32 large = __ballot_sync(ALL_LANES, end - arc >= LARGE); large; large &= large - 1) {
            u32 of = (u32)__builtin_ctz(large), till = __shfl_sync(ALL_LANES, end, of);
            u32 at = __shfl_sync(ALL_LANES, mine, of);
            for (u32 a = __shfl_sync(ALL_LANES, arc, of) + lane; a < till; a += 32)
                relax_arc(to, distance, at, a, weights, l);
            __syncwarp();
        }
        for (u32 a = arc; end - arc < LARGE && a < end; a++)
            relax_arc(to, distance, mine, a, weights, l);
        __syncwarp();
        if (lane == 0 && count > 0) {
            __threadfence();
            atomicAdd(l->pending, 0u - count);
        }
    }
}

#endif
