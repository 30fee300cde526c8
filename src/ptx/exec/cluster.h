/*
 * Addresses of shared memory within a cluster.
 *
 * An address is an offset into the block's own shared memory; with a number in bits 24 to 28 it is
 * one into that of the block of rank number - 1. So what a block has of its own needs no change,
 * and the two kinds tell each other apart.
 */
#ifndef PTX_EXEC_CLUSTER_H
#define PTX_EXEC_CLUSTER_H

#include "ptx/exec/warp.h"

#define CLUSTER_SHIFT 24u
#define CLUSTER_FIELD ((u64)31 << CLUSTER_SHIFT)
#define CLUSTER_OFFSET (((u64)1 << CLUSTER_SHIFT) - 1)

/* The rank that an address of shared memory is of. */
static inline u32 cluster_rank_of(const struct block *b, u64 address)
{
    u32 field = (u32)((address & CLUSTER_FIELD) >> CLUSTER_SHIFT);
    return field ? field - 1 : b->rank;
}

/* A block of the cluster; NULL: there is none of that rank, or it has not begun. */
static inline struct block *cluster_block(struct block *b, u32 rank)
{
    if (!b->cluster)
        return rank == 0 ? b : NULL;
    return rank < b->cluster->count ? b->cluster->blocks[rank] : NULL;
}

/* Lanes of shared memory, some of other blocks': access_resolve. */
bool cluster_resolve(struct warp *w, const struct op *op, u32 mask, u32 bytes, u8 **where);

#endif
