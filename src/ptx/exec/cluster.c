/*
 * Clusters: barrier.cluster, mapa, getctarank, shared memory of other blocks.
 *
 * A block of a launch without clusters is a cluster of its own. A thread arrives, and waits later:
 * it goes on when all threads of the cluster that have not exited have arrived since the barrier
 * opened last. A lane that has arrived, and whose phase is not complete, is a bit of its block's
 * barrier.
 */
#include "ptx/exec/cluster.h"
#include "ptx/decode/decode.h"
#include "ptx/exec/out_of_bounds.h"
#include "ptx/exec/reconvergence.h"

static u32 cluster_size(const struct block *b)
{
    return b->cluster ? b->cluster->count : 1;
}

static void block_open(struct block *b)
{
    for (u32 i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        b->barriers[CLUSTER_BARRIER].lanes[i] = 0;
        EACH (k, w->used_paths) {
            struct path *p = &w->paths[k];
            if (p->state != PATH_AT_BARRIER || p->barrier != CLUSTER_BARRIER)
                continue;
            p->state = PATH_READY;
            p->pc++;
            w->ready++;
        }
    }
    b->barriers[CLUSTER_BARRIER].arrived = 0;
}

/* Lanes of a block that the barrier waits for; counts those that have arrived. */
static u32 block_missing(struct block *b, u32 *arrived)
{
    struct barrier *bar = &b->barriers[CLUSTER_BARRIER];
    u32 missing = 0;
    bar->arrived = 0;
    for (u32 i = 0; i < b->warp_count; i++) {
        u32 live = b->warps[i].live;
        bar->arrived += (u32)__builtin_popcount(bar->lanes[i] & live);
        missing |= live & ~bar->lanes[i];
    }
    *arrived += bar->arrived;
    return missing;
}

void block_check_cluster(struct block *b)
{
    u32 missing = 0, arrived = 0, size = cluster_size(b);
    if (!b->cluster && !b->barriers[CLUSTER_BARRIER].arrived)
        return;
    for (u32 rank = 0; rank < size; rank++) {
        struct block *other = cluster_block(b, rank);
        bool gone = b->cluster && b->cluster->gone >> rank & 1;
        missing |= other ? block_missing(other, &arrived) : !gone;
    }
    if (!arrived || missing)
        return;
    for (u32 rank = 0; rank < size; rank++) {
        if (cluster_block(b, rank))
            block_open(cluster_block(b, rank));
    }
    b->warps[0].on->opened = b->cluster;
}

u32 block_cluster_threads(const struct block *b)
{
    u32 threads = b->cluster ? 0 : b->live_threads;
    for (u32 i = 0; b->cluster && i < b->cluster->count; i++)
        threads += b->cluster->blocks[i]       ? b->cluster->blocks[i]->live_threads
                   : b->cluster->gone >> i & 1 ? 0
                                               : b->grid->threads_per_block;
    return threads;
}

void path_cluster(struct warp *w, const struct op *op, u32 mask)
{
    struct path *p = &w->paths[w->current];
    u32 *arrived = &w->block->barriers[CLUSTER_BARRIER].lanes[w->index];
    if (mask == 0 || op->flags & MOD_ARRIVE) {
        p->pc++;
        *arrived |= mask;
        w->block->barriers[CLUSTER_BARRIER].arrived += mask != 0;
        block_check_cluster(w->block);
        return;
    }
    if (mask != p->mask)
        path_diverge(w, p->mask & ~mask, p->pc + 1, p->pc, PTX_NONE);
    p = &w->paths[w->current];
    if (!(*arrived & p->mask)) {
        p->pc++;
        return;
    }
    p->state = PATH_AT_BARRIER;
    p->barrier = CLUSTER_BARRIER;
    w->ready--;
    path_choose(w);
}

/* barrier.cluster.arrive{.release, .relaxed}{.aligned}; barrier.cluster.wait{.acquire}{.aligned} */
bool decode_cluster_barrier(struct decoder *d)
{
    bool waits = decode_is(d, 1, "wait");
    d->op->kind = OP_CLUSTER;
    if (!waits && !decode_is(d, 1, "arrive"))
        return decode_unsupported(d, "");
    return decode_operand_count(d, 0, 0);
}

/* ---- addresses in a cluster --------------------------------------------------------------- */

bool cluster_resolve(struct warp *w, const struct op *op, u32 mask, u32 bytes, u8 **where)
{
    EACH (i, mask) {
        u64 a = w->on->address[i], offset = a & CLUSTER_OFFSET;
        const struct block *b = cluster_block(w->block, cluster_rank_of(w->block, a));
        if (!b || a >> CLUSTER_SHIFT > MOST_CLUSTER_BLOCKS ||
            offset + bytes > w->grid->shared_room || offset % bytes)
            return out_of_bounds_fault(w, op, i, bytes, "shared");
        where[i] = b->shared + offset;
    }
    return true;
}

static void lane_mapa(struct warp *w, const struct op *op, u32 mask)
{
    const u32 *rank = ref_get(w, op->src[1]);
    EACH (lane, mask) {
        u64 a = lane_read(ref_get(w, op->src[0]), lane, op->src_bytes[0]);
        if (rank[lane] >= w->grid->cluster_blocks) {
            warp_fault(w, op, FAULT_ADDRESS, lane, "mapa of block %u in a cluster of %u",
                       rank[lane], w->grid->cluster_blocks);
            return;
        }
        a = (a & ~CLUSTER_FIELD) | (u64)(rank[lane] + 1) << CLUSTER_SHIFT;
        lane_write(ref_get(w, op->dst), lane, op->dst_bytes, a);
    }
}

/* mapa{.shared::cluster}.type d, a, rank: the address of what a is in another block */
bool decode_mapa(struct decoder *d)
{
    enum type type = d->mods.types[0];
    d->op->run = lane_mapa;
    if (d->mods.type_count != 1 || (type != TYPE_U32 && type != TYPE_U64))
        return decode_unsupported(d, "");
    return decode_operand_count(d, 3, 3) && decode_destination_exact(d, 0, type_info[type].bytes) &&
           decode_source_exact(d, 1, type, 0) && decode_source_exact(d, 2, TYPE_U32, 1);
}

static void lane_getctarank(struct warp *w, const struct op *op, u32 mask)
{
    EACH (lane, mask) {
        u64 a = lane_read(ref_get(w, op->src[0]), lane, op->src_bytes[0]);
        lane_write(ref_get(w, op->dst), lane, 4, cluster_rank_of(w->block, a));
    }
}

/* getctarank{.shared::cluster}.type d, a: the block that an address belongs to */
bool decode_getctarank(struct decoder *d)
{
    enum type type = d->mods.types[0];
    d->op->run = lane_getctarank;
    if (d->mods.type_count != 1 || (type != TYPE_U32 && type != TYPE_U64))
        return decode_unsupported(d, "");
    return decode_operand_count(d, 2, 2) && decode_destination_exact(d, 0, 4) &&
           decode_source_exact(d, 1, type, 0);
}
