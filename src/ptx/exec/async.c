/*
 * cp.async.
 *
 * A copy is done when it is issued, which every program must allow for: groups are always complete.
 */
#include "ptx/decode/decode.h"
#include "ptx/exec/mbarrier.h"

#include <string.h>

struct copy {
    struct address to, from;
    u32 bytes;
    ref_t given;        /* bytes to read, the rest is zero; REF_NONE: all */
    bool given_is_skip; /* a predicate: read nothing */
};

static void run_copy(struct warp *w, const struct op *op, u32 mask)
{
    const struct copy *c = op->extra;
    u8 *to[LANES], *from[LANES];
    u32 read[LANES];
    u32 wanted = 0;
    for (u32 i = 0; i < LANES; i++) {
        read[i] = c->bytes;
        if (c->given != REF_NONE && c->given_is_skip)
            read[i] = *(const u32 *)ref_get(w, c->given) >> i & 1 ? 0 : c->bytes;
        else if (c->given != REF_NONE)
            read[i] = ((const u32 *)ref_get(w, c->given))[i];
        if (read[i] > c->bytes)
            read[i] = c->bytes;
        wanted |= (u32)(read[i] > 0) << i;
    }
    access_addresses(w, &c->to);
    if (!access_resolve(w, op, mask, c->bytes, to, c->to.space, ACCESS_WRITE))
        return;
    access_addresses(w, &c->from); /* last: the side that the timing model sees */
    if ((mask & wanted) &&
        !access_resolve(w, op, mask & wanted, c->bytes, from, c->from.space, ACCESS_READ))
        return;
    EACH (i, mask) {
        u8 data[16] = {0};
        if (read[i])
            memcpy(data, from[i], read[i]);
        memcpy(to[i], data, c->bytes);
    }
}

bool decode_copy(struct decoder *d)
{
    struct op *op = d->op;
    op->unit = UNIT_MEMORY;
    if (decode_is(d, 0, "reduce"))
        return decode_bulk(d);
    if (!decode_is(d, 0, "async"))
        return decode_unsupported(d, "");
    if (decode_has(d, "commit_group") || decode_has(d, "wait_group") || decode_has(d, "wait_all")) {
        op->run = lane_nothing;
        return true;
    }
    if (decode_has(d, "mbarrier"))
        return decode_mbarrier_of_copies(d);
    if (decode_has(d, "bulk"))
        return decode_bulk(d);
    if (!decode_hinted_count(d, 3, 4))
        return false;
    u32 given = d->statement->operand_count - (d->mods.flags & MOD_CACHE_HINT ? 1 : 0);
    struct copy *c = ARENA_NEW(&d->program->arena, struct copy);
    const struct ptx_operand *o = d->statement->operands;
    op->run = run_copy;
    op->extra = c;
    c->given = REF_NONE;
    if (!access_decode(d, 0, SPACE_SHARED, &c->to) || !access_decode(d, 1, SPACE_GLOBAL, &c->from))
        return false;
    if (o[2].kind != OPERAND_INT || (o[2].value != 4 && o[2].value != 8 && o[2].value != 16))
        return decode_unsupported(d, "a size other than 4, 8 or 16");
    c->bytes = (u32)o[2].value;
    if (given > 3) {
        u8 bytes;
        bool predicate = o[3].kind == OPERAND_REG && d->source->regs[o[3].index].type == TYPE_PRED;
        c->given_is_skip = predicate;
        return decode_source(d, &o[3], predicate ? TYPE_PRED : TYPE_B32, &c->given, &bytes) &&
               (bytes == (predicate ? 0 : 4) || decode_unsupported(d, "such a count of bytes"));
    }
    return true;
}
