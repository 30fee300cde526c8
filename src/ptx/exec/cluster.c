/*
 * Clusters of one block: barrier.cluster, mapa, getctarank.
 *
 * A launch of larger clusters is refused, so that the cluster is the block. A thread arrives, and
 * waits later: it goes on when all threads that have not exited have arrived since the barrier
 * opened last. A lane that has arrived, and whose phase is not complete, is a bit of the barrier.
 */
#include "ptx/decode/decode.h"
#include "ptx/exec/reconvergence.h"

static void cluster_open(struct block *b)
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

void block_check_cluster(struct block *b)
{
    struct barrier *bar = &b->barriers[CLUSTER_BARRIER];
    u32 missing = 0, arrived = 0;
    if (!bar->arrived)
        return;
    for (u32 i = 0; i < b->warp_count; i++) {
        u32 live = b->warps[i].live;
        arrived += (u32)__builtin_popcount(bar->lanes[i] & live);
        missing |= live & ~bar->lanes[i];
    }
    bar->arrived = arrived;
    if (arrived && !missing)
        cluster_open(b);
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

static void lane_mapa(struct warp *w, const struct op *op, u32 mask)
{
    const u32 *rank = ref_get(w, op->src[1]);
    EACH (lane, mask) {
        if (rank[lane]) {
            warp_fault(w, op, FAULT_ADDRESS, lane, "mapa of block %u in a cluster of one block",
                       rank[lane]);
            return;
        }
        lane_write(ref_get(w, op->dst), lane, op->dst_bytes,
                   lane_read(ref_get(w, op->src[0]), lane, op->src_bytes[0]));
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

/* getctarank{.shared::cluster}.type d, a: the block that an address belongs to, here always 0 */
bool decode_getctarank(struct decoder *d)
{
    enum type type = d->mods.types[0];
    u8 bytes;
    ref_t address;
    d->op->run = d->program->lanes[LANE_mov_u32];
    if (d->mods.type_count != 1 || (type != TYPE_U32 && type != TYPE_U64))
        return decode_unsupported(d, "");
    d->op->src[0] = decode_constant(d, 0, 4);
    d->op->src_bytes[0] = 4;
    return decode_operand_count(d, 2, 2) && decode_destination_exact(d, 0, 4) &&
           decode_source(d, &d->statement->operands[1], type, &address, &bytes) &&
           (bytes == type_info[type].bytes || decode_unsupported(d, "such an address"));
}
