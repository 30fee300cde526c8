/*
 * st.async and red.async: stores and reductions to shared memory of the cluster that tell an
 * mbarrier beside it how many bytes have come.
 */
#include "ptx/exec/mbarrier.h"

static bool tell_lanes(struct warp *w, const struct op *op, u32 mask)
{
    const struct address *barrier = op->extra;
    u32 bytes = (u32)op->access_bytes * (op->list_count ? op->list_count : 1u);
    u64 there[LANES];
    access_addresses(w, barrier);
    EACH (lane, mask)
        there[lane] = access_shared_address(w->on->address[lane]);
    EACH (lane, mask) {
        if (!mbarrier_complete(w, op, lane, there[lane], bytes))
            return false;
    }
    return true;
}

static void run_store_async(struct warp *w, const struct op *op, u32 mask)
{
    lane_store(w, op, mask);
    if (w->on->fault == FAULT_NONE && tell_lanes(w, op, mask))
        access_addresses(
            w, &(struct address){op->src[0], op->imm, op->address_64, op->in_frame, op->space});
}

static void run_reduce_async(struct warp *w, const struct op *op, u32 mask)
{
    lane_atomic(w, op, mask);
    if (w->on->fault == FAULT_NONE && tell_lanes(w, op, mask))
        access_addresses(
            w, &(struct address){op->src[0], op->imm, op->address_64, op->in_frame, op->space});
}

static bool take_barrier(struct decoder *d)
{
    struct address *a = ARENA_NEW(&d->program->arena, struct address);
    if (!decode_has(d, "mbarrier::complete_tx::bytes") || !decode_has(d, "shared::cluster"))
        return decode_unsupported(d, "");
    if (!decode_operand_count(d, 3, 3) || !access_decode(d, 2, SPACE_SHARED, a))
        return false;
    d->op->extra = a;
    d->op->observes = true;
    d->op->unit = UNIT_MEMORY;
    return true;
}

/* The address and the type, which both have; d->mods is as written. */
static bool take_target(struct decoder *d)
{
    enum type type = d->mods.types[0];
    if (d->mods.type_count != 1)
        return decode_unsupported(d, "");
    d->op->type = (u8)type;
    d->op->access_bytes = type_info[type].bytes;
    return decode_address(d, &d->statement->operands[0]) &&
           decode_space(d, &d->statement->operands[0]);
}

/* st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.v2, .v4}.type [a], b, [mbar] */
bool decode_store_async(struct decoder *d)
{
    u8 bytes = 0, each = type_info[d->mods.types[0]].bytes;
    u32 expected = d->mods.vector ? d->mods.vector : 1;
    if ((each != 4 && each != 8) || expected > 4 || !take_barrier(d) || !take_target(d) ||
        !decode_list(d, &d->statement->operands[1], d->mods.types[0], true, &bytes))
        return d->err->kind == ERR_NONE ? decode_unsupported(d, "") : false;
    d->op->run = run_store_async;
    d->op->dst_bytes = bytes ? bytes : d->op->access_bytes;
    return (d->op->list_count == expected && d->op->dst_bytes == each) ||
           decode_unsupported(d, "such registers");
}

/* red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.op.type [a], b, [mbar] */
bool decode_reduce_async(struct decoder *d)
{
    enum type type = d->mods.types[0];
    enum operation operation = (enum operation)d->mods.operation;
    bool is_add = operation == OPERATION_ADD, is_word = type_info[type].bytes == 4;
    bool is_whole = type_info[type].class != CLASS_FLOAT && type_info[type].class != CLASS_PACKED;
    if (!is_whole || operation < OPERATION_AND || operation > OPERATION_DEC ||
        (!is_word && !(is_add && type_info[type].bytes == 8)))
        return decode_unsupported(d, "");
    if (!take_barrier(d) || !take_target(d))
        return false;
    d->op->run = run_reduce_async;
    d->op->operation = d->mods.operation;
    d->op->fp_mode = 0;
    return decode_source_exact(d, 1, type, 1);
}
