/*
 * cp.async and mbarrier.
 *
 * Without timing a copy is done when it is issued, which every program must
 * allow for: groups are always complete. A barrier's 64 bits are ours: expected
 * and pending arrivals, pending bytes, and the phase in the top bit.
 */
#include "ptx/exec/access.h"
#include "ptx/decode/decode.h"

#include <string.h>

struct copy {
    struct address to, from;
    u32 bytes;
    ref_t given;        /* bytes to read, the rest is zero; REF_NONE: all */
    bool given_is_skip; /* a predicate: read nothing */
};

static bool take_address(struct decoder *d, u32 operand, u8 space, struct address *a)
{
    const struct ptx_operand *o = &d->statement->operands[operand];
    d->mods.space = space;
    d->mods.has_space = space != SPACE_GENERIC;
    if (!decode_address(d, o) || !decode_space(d, o))
        return false;
    *a = (struct address){d->op->src[0], d->op->imm, d->op->address_64, d->op->in_frame,
                          d->op->space};
    d->op->src[0] = REF_NONE;
    return true;
}

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

/* cp.async.bulk: a lane copies as many bytes as it says, then tells a barrier. */
struct bulk {
    struct address to, from, barrier;
    bool has_barrier;
};

/* ---- mbarrier ----------------------------------------------------------------------------- */

#define COUNT_BITS 20
#define COUNT_MASK ((1u << COUNT_BITS) - 1)
#define TX_SHIFT 40
#define TX_MASK ((1u << 22) - 1)
#define PHASE ((u64)1 << 63)

enum mbarrier_action {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_ARRIVE,
    MBARRIER_ARRIVE_DROP,
    MBARRIER_EXPECT_TX,
    MBARRIER_COMPLETE_TX,
    MBARRIER_TEST,
    MBARRIER_TRY, /* the same, but the warp may be suspended until the phase is complete */
    MBARRIER_PENDING,
    MBARRIER_NOTHING,
};

static u64 pack(u32 expected, u32 pending, u32 tx, u64 phase)
{
    return phase | (u64)(tx & TX_MASK) << TX_SHIFT | (u64)(pending & COUNT_MASK) << COUNT_BITS |
           (expected & COUNT_MASK);
}

static u64 settle(u32 expected, u32 pending, u32 tx, u64 phase)
{
    if (pending == 0 && (tx & TX_MASK) == 0)
        return pack(expected, expected, 0, phase ^ PHASE);
    return pack(expected, pending, tx, phase);
}

static void put_mbarrier(struct warp *w, u8 *where, u64 old, u64 value)
{
    memcpy(where, &value, 8);
    w->on->changes += value != old;
    if ((value ^ old) & PHASE)
        w->on->phase = PHASE_BEGUN;
}

/* operation: what; src[1]: count or token; compare: 1 adds src[2] bytes first, 2 a parity */
static void update_mbarrier(struct warp *w, const struct op *op, u32 mask, u8 *const *where)
{
    /* lanes that went another way may be those that have to arrive: then it is not suspended */
    bool awaited = op->operation == MBARRIER_TRY && (w->used_paths & (w->used_paths - 1)) == 0;
    EACH (i, mask) {
        u64 old, value = 0, result = 0;
        memcpy(&old, where[i], 8);
        u32 expected = (u32)old & COUNT_MASK, pending = (u32)(old >> COUNT_BITS) & COUNT_MASK;
        u32 tx = (u32)(old >> TX_SHIFT) & TX_MASK;
        u64 phase = old & PHASE, operand = 1;
        if (op->src[1] != REF_NONE)
            memcpy(&operand, (const u8 *)ref_get(w, op->src[1]) + (size_t)i * op->src_bytes[1],
                   op->src_bytes[1]);
        if (op->src_bytes[1] == 4)
            operand = (u32)operand;
        u32 count = (u32)operand & COUNT_MASK;
        result = old;
        switch ((enum mbarrier_action)op->operation) {
        case MBARRIER_INIT:
            value = pack(count, count, 0, 0);
            break;
        case MBARRIER_INVAL:
            break;
        case MBARRIER_ARRIVE:
            if (op->compare == 1) {
                tx += count;
                count = 1;
            }
            value = settle(expected, pending - count, tx, phase);
            break;
        case MBARRIER_ARRIVE_DROP:
            value = settle(expected - count, pending - count, tx, phase);
            break;
        case MBARRIER_EXPECT_TX:
            value = pack(expected, pending, tx + count, phase);
            break;
        case MBARRIER_COMPLETE_TX:
            value = settle(expected, pending, tx - count, phase);
            break;
        case MBARRIER_TEST:
        case MBARRIER_TRY:
            value = old;
            result = op->compare == 2 ? (phase != 0) != (operand & 1) : (operand & PHASE) != phase;
            awaited &= !result;
            break;
        case MBARRIER_PENDING:
        case MBARRIER_NOTHING:
            value = old;
            break;
        }
        put_mbarrier(w, where[i], old, value);
        if (op->dst == REF_NONE)
            continue;
        lane_write(ref_get(w, op->dst), i, op->dst_bytes, result);
    }
    if (awaited)
        w->on->phase = PHASE_AWAITED;
}

static void run_mbarrier(struct warp *w, const struct op *op, u32 mask)
{
    const struct address *a = op->extra;
    u8 *where[LANES];
    access_addresses(w, a);
    if (access_resolve(w, op, mask, 8, where, a->space, ACCESS_UPDATE))
        access_update(w, op, mask, where, a->space, update_mbarrier);
}

static void run_bulk(struct warp *w, const struct op *op, u32 mask)
{
    const struct bulk *b = op->extra;
    EACH (lane, mask) {
        u32 bytes = ((const u32 *)ref_get(w, op->src[1]))[lane];
        if (bytes == 0)
            continue;
        if (bytes % 16) {
            warp_fault(w, op, FAULT_MISALIGNED, lane, "a bulk copy of %u bytes", bytes);
            return;
        }
        if (!access_copy(w, op, lane, bytes, &b->to, &b->from))
            return;
        if (!b->has_barrier)
            continue;
        u8 *where[LANES];
        u64 old;
        access_addresses(w, &b->barrier);
        if (!access_resolve(w, op, 1u << lane, 8, where, b->barrier.space, ACCESS_UPDATE))
            return;
        memcpy(&old, where[lane], 8);
        u64 value = settle((u32)old & COUNT_MASK, (u32)(old >> COUNT_BITS) & COUNT_MASK,
                           ((u32)(old >> TX_SHIFT) & TX_MASK) - bytes, old & PHASE);
        put_mbarrier(w, where[lane], old, value);
    }
}

static u64 scalar_pending(const struct op *op, const u64 *s)
{
    (void)op;
    return s[0] >> COUNT_BITS & COUNT_MASK;
}

static bool barrier_address(struct decoder *d, u32 operand)
{
    struct address *a = ARENA_NEW(&d->program->arena, struct address);
    u8 space = d->mods.has_space ? d->mods.space : SPACE_GENERIC;
    if (!take_address(d, operand, space, a))
        return false;
    d->op->extra = a;
    return true;
}

static void run_bulk_prefetch(struct warp *w, const struct op *op, u32 mask)
{
    const u32 *bytes = ref_get(w, op->src[1]);
    access_addresses(w, op->extra);
    EACH (lane, mask) {
        if (bytes[lane] % 16 || w->address[lane] % 16) {
            warp_fault(w, op, FAULT_MISALIGNED, lane, "a bulk prefetch of %u bytes at 0x%llx",
                       bytes[lane], (unsigned long long)w->address[lane]);
            return;
        }
    }
}

/* cp.async.bulk.prefetch.L2.global [a], size */
static bool decode_bulk_prefetch(struct decoder *d)
{
    if (!decode_is(d, 3, "L2") || !decode_is(d, 4, "global"))
        return decode_unsupported(d, "");
    d->op->run = run_bulk_prefetch;
    d->mods.has_space = true;
    d->mods.space = SPACE_GLOBAL;
    return decode_hinted_count(d, 2, 2) && barrier_address(d, 0) &&
           decode_source_exact(d, 1, TYPE_B32, 1);
}

static bool decode_bulk(struct decoder *d)
{
    if (decode_is(d, 2, "prefetch"))
        return decode_bulk_prefetch(d);
    struct bulk *b = ARENA_NEW(&d->program->arena, struct bulk);
    d->op->run = run_bulk;
    d->op->extra = b;
    b->has_barrier = decode_has(d, "mbarrier::complete_tx::bytes");
    bool to_shared = decode_is(d, 2, "shared::cluster") || decode_is(d, 2, "shared::cta");
    bool to_global = decode_is(d, 2, "global") && decode_has(d, "bulk_group");
    if (decode_has(d, "tensor") || decode_has(d, "reduce") || decode_has(d, "prefetch") ||
        decode_has(d, "multicast::cluster") || (!to_shared && !to_global) ||
        !decode_is(d, 3, to_shared ? "global" : "shared::cta"))
        return decode_unsupported(d, "");
    if (!decode_hinted_count(d, b->has_barrier ? 4 : 3, b->has_barrier ? 4 : 3))
        return false;
    if (!take_address(d, 0, to_shared ? SPACE_SHARED : SPACE_GLOBAL, &b->to) ||
        !take_address(d, 1, to_shared ? SPACE_GLOBAL : SPACE_SHARED, &b->from) ||
        (b->has_barrier && !take_address(d, 3, SPACE_SHARED, &b->barrier)))
        return false;
    return decode_source_exact(d, 2, TYPE_B32, 1);
}

bool decode_copy(struct decoder *d)
{
    struct op *op = d->op;
    op->unit = UNIT_MEMORY;
    if (!decode_is(d, 0, "async"))
        return decode_unsupported(d, "");
    if (decode_has(d, "commit_group") || decode_has(d, "wait_group") || decode_has(d, "wait_all")) {
        op->run = lane_nothing;
        return true;
    }
    if (decode_has(d, "mbarrier")) {
        op->run = run_mbarrier;
        op->operation = decode_has(d, "noinc") ? MBARRIER_ARRIVE : MBARRIER_NOTHING;
        return decode_operand_count(d, 1, 1) && barrier_address(d, 0);
    }
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
    if (!take_address(d, 0, SPACE_SHARED, &c->to) || !take_address(d, 1, SPACE_GLOBAL, &c->from))
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

bool decode_mbarrier(struct decoder *d)
{
    struct op *op = d->op;
    const struct ptx_operand *o = d->statement->operands;
    u32 n = d->statement->operand_count, at = 0;
    op->run = run_mbarrier;
    op->unit = UNIT_MEMORY;
    op->compare = 0;
    op->observes = true;
    if (decode_is(d, 0, "pending_count")) {
        op->run = lanes_scalar;
        op->scalar = scalar_pending;
        return decode_operand_count(d, 2, 2) && decode_destination_exact(d, 0, 4) &&
               decode_source_exact(d, 1, TYPE_B64, 0);
    }
    if (decode_is(d, 0, "init")) {
        op->operation = MBARRIER_INIT;
        return decode_operand_count(d, 2, 2) && barrier_address(d, 0) &&
               decode_source_exact(d, 1, TYPE_B32, 1);
    }
    if (decode_is(d, 0, "inval")) {
        op->operation = MBARRIER_INVAL;
        return decode_operand_count(d, 1, 1) && barrier_address(d, 0);
    }
    if (decode_is(d, 0, "expect_tx") || decode_is(d, 0, "complete_tx")) {
        op->operation = decode_is(d, 0, "expect_tx") ? MBARRIER_EXPECT_TX : MBARRIER_COMPLETE_TX;
        return decode_operand_count(d, 2, 2) && barrier_address(d, 0) &&
               decode_source_exact(d, 1, TYPE_B32, 1);
    }
    if (decode_is(d, 0, "arrive") || decode_is(d, 0, "arrive_drop")) {
        op->operation = decode_is(d, 0, "arrive") ? MBARRIER_ARRIVE : MBARRIER_ARRIVE_DROP;
        op->compare = decode_has(d, "expect_tx") ? 1 : 0;
        if (n && o[0].kind != OPERAND_ADDRESS) {
            at = 1;
            if (!decode_destination_exact(d, 0, 8))
                return false;
        }
        return decode_operand_count(d, at + 1, at + 2) && barrier_address(d, at) &&
               (n == at + 1 || decode_source_exact(d, at + 1, TYPE_B32, 1));
    }
    if (decode_is(d, 0, "test_wait") || decode_is(d, 0, "try_wait")) {
        bool parity = decode_has(d, "parity");
        op->operation = decode_is(d, 0, "try_wait") ? MBARRIER_TRY : MBARRIER_TEST;
        op->compare = parity ? 2 : 0;
        return decode_operand_count(d, 3, 4) && decode_destination_exact(d, 0, 0) &&
               barrier_address(d, 1) && decode_source_exact(d, 2, parity ? TYPE_B32 : TYPE_B64, 1);
    }
    return decode_unsupported(d, "");
}
