/*
 * cp.async.bulk and cp.reduce.async.bulk: a lane moves as many bytes as it says.
 *
 * Done when issued; then the barrier is told. A copy to several blocks of a cluster puts the same
 * bytes at the same place of each, and tells the barrier at the same place of each.
 */
#include "ptx/exec/cluster.h"
#include "ptx/exec/mbarrier.h"
#include "ptx/exec/transfer.h"

#include <string.h>

struct bulk {
    struct address to, from, barrier;
    bool has_barrier, reduces;
    ref_t blocks; /* ranks that get a copy, a bit each; REF_NONE: one */
    u8 blocks_bytes;
};

static u64 address_of(struct warp *w, u32 lane, const struct address *a)
{
    access_addresses(w, a);
    return a->space == SPACE_GLOBAL ? w->on->address[lane]
                                    : access_shared_address(w->on->address[lane]);
}

static void combine(const struct op *op, u8 *to, const u8 *from, u32 bytes)
{
    u32 each = op->access_bytes;
    for (u32 i = 0; i < bytes; i += each) {
        u64 old = 0, value = 0;
        memcpy(&old, to + i, each);
        memcpy(&value, from + i, each);
        value = access_combine(op, old, value);
        memcpy(to + i, &value, each);
    }
}

/* A reduction reads, changes and writes: to global memory it takes place with other atomics. */
static void reduce_lanes(struct warp *w, const struct op *op, u32 mask, u8 *const *where)
{
    const struct bulk *b = op->extra;
    (void)where;
    EACH (lane, mask) {
        u32 bytes = ((const u32 *)ref_get(w, op->src[1]))[lane];
        u64 from = address_of(w, lane, &b->from), to = address_of(w, lane, &b->to);
        const u8 *source = access_shared_run(w, op, lane, from, bytes);
        u8 *target = !source                       ? NULL
                     : b->to.space == SPACE_GLOBAL ? access_global_run(w, op, lane, to, bytes)
                                                   : access_shared_run(w, op, lane, to, bytes);
        if (!target)
            return;
        combine(op, target, source, bytes);
        w->on->changes++;
        if (b->has_barrier &&
            !mbarrier_complete(w, op, lane, address_of(w, lane, &b->barrier), bytes))
            return;
    }
}

/* To the same place of each block in the mask. */
static bool copy_to_blocks(struct warp *w, const struct op *op, u32 lane, u32 bytes)
{
    const struct bulk *b = op->extra;
    u32 blocks = (u32)lane_read(ref_get(w, b->blocks), lane, b->blocks_bytes);
    u64 from = address_of(w, lane, &b->from), to = address_of(w, lane, &b->to) & CLUSTER_OFFSET;
    u64 barrier = address_of(w, lane, &b->barrier) & CLUSTER_OFFSET;
    EACH (rank, blocks & 0xffff) {
        u64 there = (u64)(rank + 1) << CLUSTER_SHIFT;
        u8 *target = access_shared_run(w, op, lane, there | to, bytes);
        if (!target || !access_read_run(w, op, lane, from, bytes, target))
            return false;
    }
    return transfer_complete(w, op, lane, barrier, bytes, blocks & 0xffff);
}

static bool is_whole(struct warp *w, const struct op *op, u32 lane, u32 bytes)
{
    if (bytes % 16 == 0)
        return true;
    warp_fault(w, op, FAULT_MISALIGNED, lane, "a bulk copy of %u bytes, expected a multiple of 16",
               bytes);
    return false;
}

static void run_bulk(struct warp *w, const struct op *op, u32 mask)
{
    const struct bulk *b = op->extra;
    bool stores = b->to.space == SPACE_GLOBAL;
    transfer_begin(w, stores);
    EACH (lane, mask) {
        u32 bytes = ((const u32 *)ref_get(w, op->src[1]))[lane];
        if (!is_whole(w, op, lane, bytes))
            return;
        if (bytes == 0)
            continue;
        if (b->blocks != REF_NONE ? !copy_to_blocks(w, op, lane, bytes)
                                  : !access_copy(w, op, lane, bytes, &b->to, &b->from))
            return;
        if (b->has_barrier && b->blocks == REF_NONE &&
            !transfer_complete(w, op, lane, address_of(w, lane, &b->barrier), bytes, 0))
            return;
        transfer_box(w, bytes);
        if (b->from.space == SPACE_GLOBAL || b->to.space == SPACE_GLOBAL)
            transfer_lines(w, address_of(w, lane, stores ? &b->to : &b->from), bytes);
    }
}

static void run_reduce(struct warp *w, const struct op *op, u32 mask)
{
    const struct bulk *b = op->extra;
    EACH (lane, mask) {
        if (!is_whole(w, op, lane, ((const u32 *)ref_get(w, op->src[1]))[lane]))
            return;
    }
    bool stores = b->to.space == SPACE_GLOBAL;
    transfer_begin(w, stores);
    EACH (lane, stores ? mask : 0) {
        u32 bytes = ((const u32 *)ref_get(w, op->src[1]))[lane];
        transfer_box(w, bytes);
        transfer_lines(w, address_of(w, lane, &b->to), bytes);
    }
    if (w->on->log && b->to.space == SPACE_GLOBAL)
        executor_put_off(w, op, mask, NULL, reduce_lanes);
    else
        reduce_lanes(w, op, mask, NULL);
}

static void run_bulk_prefetch(struct warp *w, const struct op *op, u32 mask)
{
    const u32 *bytes = ref_get(w, op->src[1]);
    access_addresses(w, op->extra);
    EACH (lane, mask) {
        if (bytes[lane] % 16 || w->on->address[lane] % 16) {
            warp_fault(w, op, FAULT_MISALIGNED, lane, "a bulk prefetch of %u bytes at 0x%llx",
                       bytes[lane], (unsigned long long)w->on->address[lane]);
            return;
        }
    }
}

/* cp.async.bulk.prefetch.L2.global [a], size */
static bool decode_bulk_prefetch(struct decoder *d)
{
    struct address *a = ARENA_NEW(&d->program->arena, struct address);
    if (!decode_is(d, 3, "L2") || !decode_is(d, 4, "global"))
        return decode_unsupported(d, "");
    d->op->run = run_bulk_prefetch;
    d->op->extra = a;
    return decode_hinted_count(d, 2, 2) && access_decode(d, 0, SPACE_GLOBAL, a) &&
           decode_source_exact(d, 1, TYPE_B32, 1);
}

/* add of all but and, or, xor of bits; min, max; inc and dec of u32 */
static bool decode_reduction(struct decoder *d)
{
    struct op *op = d->op;
    enum type type = d->mods.types[0];
    u8 class = type_info[type].class, bytes = type_info[type].bytes;
    bool is_half = type == TYPE_F16 || type == TYPE_BF16, is_float = class == CLASS_FLOAT;
    bool is_whole_type = class == CLASS_UNSIGNED || class == CLASS_SIGNED, is_ok;
    switch ((enum operation)d->mods.operation) {
    case OPERATION_ADD:
        is_ok = is_float || (is_whole_type && (bytes == 4 || type == TYPE_U64 || type == TYPE_S64));
        break;
    case OPERATION_MIN:
    case OPERATION_MAX:
        is_ok = is_half || (is_whole_type && bytes >= 4);
        break;
    case OPERATION_INC:
    case OPERATION_DEC:
        is_ok = type == TYPE_U32;
        break;
    case OPERATION_AND:
    case OPERATION_OR:
    case OPERATION_XOR:
        is_ok = class == CLASS_BITS && (bytes == 4 || bytes == 8);
        break;
    default:
        is_ok = false;
    }
    if (d->mods.type_count != 1 || !is_ok)
        return decode_unsupported(d, "");
    op->run = run_reduce;
    d->program->uses_transfers = true;
    op->operation = d->mods.operation;
    op->type = (u8)type;
    op->access_bytes = bytes;
    op->fp_mode = 0;
    return true;
}

static bool decode_blocks(struct decoder *d, struct bulk *b, u32 operand)
{
    return decode_source(d, &d->statement->operands[operand], TYPE_B16, &b->blocks,
                         &b->blocks_bytes) &&
           (b->blocks_bytes == 2 || decode_unsupported(d, "a mask of other than 16 bits"));
}

bool decode_bulk(struct decoder *d)
{
    u32 at = decode_is(d, 0, "reduce") ? 3 : 2; /* where the spaces are named */
    if (decode_has(d, "tensor"))
        return decode_tensor_copy(d);
    if (!decode_is(d, at - 1, "bulk"))
        return decode_unsupported(d, "");
    if (decode_is(d, at, "prefetch"))
        return decode_bulk_prefetch(d);
    struct bulk *b = ARENA_NEW(&d->program->arena, struct bulk);
    bool to_shared = decode_is(d, at, "shared::cluster") || decode_is(d, at, "shared::cta");
    bool from_shared = decode_is(d, at + 1, "shared::cta");
    bool to_many = decode_has(d, "multicast::cluster");
    d->op->run = run_bulk;
    d->op->extra = b;
    d->program->uses_transfers = true;
    b->has_barrier = decode_has(d, "mbarrier::complete_tx::bytes");
    b->reduces = at == 3;
    b->blocks = REF_NONE;
    if ((!from_shared && !decode_is(d, at + 1, "global")) || to_shared != b->has_barrier ||
        (!to_shared && (!decode_is(d, at, "global") || !decode_has(d, "bulk_group"))) ||
        (!to_shared && !from_shared) || (to_many && (from_shared || b->reduces)) ||
        decode_has(d, "cp_mask") || (b->reduces && !from_shared))
        return decode_unsupported(d, "");
    if (b->reduces && !decode_reduction(d))
        return false;
    u32 operands = 3u + b->has_barrier + to_many;
    if (!decode_hinted_count(d, operands, operands) ||
        !access_decode(d, 0, to_shared ? SPACE_SHARED : SPACE_GLOBAL, &b->to) ||
        !access_decode(d, 1, from_shared ? SPACE_SHARED : SPACE_GLOBAL, &b->from) ||
        (b->has_barrier && !access_decode(d, 3, SPACE_SHARED, &b->barrier)) ||
        (to_many && !decode_blocks(d, b, 4)))
        return false;
    return decode_source_exact(d, 2, TYPE_B32, 1);
}
