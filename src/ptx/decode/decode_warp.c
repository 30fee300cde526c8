/* Instructions in which the lanes of a warp look at each other, and barriers. */
#include "ptx/decode/decode.h"
#include "ptx/exec/warp.h"

#include <string.h>

/* The member mask of a .sync instruction, in src[3]; without one the active lanes. */
static bool member_mask(struct decoder *d, u32 operand)
{
    if (!(d->mods.flags & MOD_SYNC))
        return true;
    d->op->kind = OP_COLLECTIVE;
    return decode_source_exact(d, operand, TYPE_B32, 3);
}

bool decode_shuffle(struct decoder *d)
{
    struct op *op = d->op;
    bool sync = (d->mods.flags & MOD_SYNC) != 0;
    u32 n = d->statement->operand_count, sources = sync ? 4 : 3;
    op->run = lane_shuffle;
    if (!decode_operand_count(d, sources + 1, sources + 2) ||
        !(d->mods.flags & (MOD_UP | MOD_DOWN | MOD_BFLY | MOD_IDX)))
        return decode_unsupported(d, "");
    u32 first = n - sources;
    if (first == 2 && !decode_second_destination(d, 1))
        return false;
    return decode_destination_exact(d, 0, 4) && decode_source_exact(d, first, TYPE_B32, 0) &&
           decode_source_exact(d, first + 1, TYPE_B32, 1) &&
           decode_source_exact(d, first + 2, TYPE_B32, 2) && member_mask(d, first + 3);
}

bool decode_vote(struct decoder *d)
{
    struct op *op = d->op;
    bool ballot = (d->mods.flags & MOD_BALLOT) != 0;
    op->run = lane_vote;
    if (!decode_operand_count(d, 2, 3) ||
        !(ballot || d->mods.flags & (MOD_ALL | MOD_ANY | MOD_UNI)))
        return decode_unsupported(d, "");
    return decode_destination_exact(d, 0, ballot ? 4 : 0) &&
           decode_predicate_source(d, &d->statement->operands[1], 0) && member_mask(d, 2);
}

bool decode_match(struct decoder *d)
{
    struct op *op = d->op;
    u32 n = d->statement->operand_count;
    enum type type = d->mods.types[0];
    op->run = lane_match;
    if (!decode_operand_count(d, 3, 4) || !(d->mods.flags & (MOD_ALL | MOD_ANY)) ||
        (type_info[type].bytes != 4 && type_info[type].bytes != 8))
        return decode_unsupported(d, "");
    if (n == 4 && !decode_second_destination(d, 1))
        return false;
    return decode_destination_exact(d, 0, 4) && decode_source_exact(d, n - 2, type, 0) &&
           member_mask(d, n - 1);
}

bool decode_redux(struct decoder *d)
{
    struct op *op = d->op;
    op->run = lane_redux;
    op->operation = d->mods.operation;
    enum type type = d->mods.types[0];
    if (!decode_operand_count(d, 3, 3) || d->mods.operation == OPERATION_NONE ||
        d->mods.operation > OPERATION_MAX || type_info[type].bytes != 4 ||
        type_info[type].class == CLASS_FLOAT)
        return decode_unsupported(d, "");
    return decode_destination_exact(d, 0, 4) && decode_source_exact(d, 1, type, 0) &&
           member_mask(d, 2);
}

bool decode_activemask(struct decoder *d)
{
    d->op->run = lane_activemask;
    return decode_operand_count(d, 1, 1) && decode_destination_exact(d, 0, 4);
}

/* elect.sync d|p, members: the lowest member. */
bool decode_elect(struct decoder *d)
{
    d->op->run = lane_elect;
    return decode_operand_count(d, 3, 3) && decode_destination_exact(d, 0, 4) &&
           decode_second_destination(d, 1) && member_mask(d, 2);
}

/* bar.sync a{, b}; bar.arrive a, b; bar.red.op d, a{, b}, p; bar.warp.sync mask. */
bool decode_barrier(struct decoder *d)
{
    struct op *op = d->op;
    const struct ptx_operand *o = d->statement->operands;
    u32 n = d->statement->operand_count;
    op->unit = UNIT_BRANCH;
    if (d->mods.flags & MOD_WARP) {
        op->kind = OP_COLLECTIVE;
        op->run = lane_nothing;
        return decode_operand_count(d, 1, 1) && decode_source_exact(d, 0, TYPE_B32, 3);
    }
    if (decode_has(d, "cluster"))
        return decode_cluster_barrier(d);
    if (d->mods.unknown)
        return decode_unsupported(d, "");
    op->kind = OP_BARRIER;
    u32 at = 0, last = n;
    if (d->mods.flags & MOD_RED) {
        op->operation = d->mods.operation;
        if (op->operation != OPERATION_AND && op->operation != OPERATION_OR &&
            op->operation != OPERATION_POPC)
            return decode_unsupported(d, "");
        if (!decode_operand_count(d, 3, 4) ||
            !decode_destination_exact(d, 0, op->operation == OPERATION_POPC ? 4 : 0) ||
            !decode_predicate_source(d, &o[n - 1], 2))
            return false;
        at = 1;
        last = n - 1;
    }
    if (d->mods.flags & MOD_ARRIVE && n != 2)
        return err_at(d->err, decode_pos(d), "%s.arrive has no count of threads",
                      d->statement->opcode);
    if (last - at < 1 || last - at > 2)
        return decode_operand_count(d, 1, 4) && decode_unsupported(d, "");
    if (!decode_source_exact(d, at, TYPE_B32, 0))
        return false;
    return last - at == 1 || decode_source_exact(d, at + 1, TYPE_B32, 1);
}
