/*
 * mbarrier: arrivals and bytes that a phase waits for.
 *
 * A barrier's 64 bits are ours: expected and pending arrivals, pending bytes, and the phase in the
 * top bit.
 */
#include "ptx/exec/mbarrier.h"

#include "ptx/decode/decode.h"
#include "ptx/exec/cluster.h"

#include <stdio.h>
#include <string.h>

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
    if (!((value ^ old) & PHASE))
        return;
    u32 rank = w->block->rank;
    for (u32 i = 0; UNLIKELY(w->block->cluster != NULL) && i < w->block->cluster->count; i++) {
        const struct block *b = w->block->cluster->blocks[i];
        if (b && where >= b->shared && where < b->shared + w->grid->shared_room)
            rank = i;
    }
    if (rank == w->block->rank)
        w->on->phase = PHASE_BEGUN;
    else
        w->on->begun |= 1u << rank;
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

/* Bytes of a copy have come to a barrier. */
static void complete(struct warp *w, u8 *where, u32 bytes)
{
    u64 old;
    memcpy(&old, where, 8);
    u64 value = settle((u32)old & COUNT_MASK, (u32)(old >> COUNT_BITS) & COUNT_MASK,
                       ((u32)(old >> TX_SHIFT) & TX_MASK) - bytes, old & PHASE);
    put_mbarrier(w, where, old, value);
}

bool mbarrier_complete(struct warp *w, const struct op *op, u32 lane, u64 address, u32 bytes)
{
    u8 *where[LANES];
    w->on->address[lane] = address;
    if (!access_resolve(w, op, 1u << lane, 8, where, SPACE_SHARED, ACCESS_UPDATE))
        return false;
    complete(w, where[lane], bytes);
    return true;
}

bool mbarrier_is_look(const struct op *op)
{
    return op->run == run_mbarrier &&
           (op->operation == MBARRIER_TEST || op->operation == MBARRIER_TRY);
}

bool mbarrier_changes(const struct op *op)
{
    return op->run == run_mbarrier && !mbarrier_is_look(op);
}

void mbarrier_explain(struct warp *w, u64 address, char *out, size_t size)
{
    char where[40] = "";
    u64 value, at = access_shared_address(address), offset = at & CLUSTER_OFFSET;
    u32 rank = cluster_rank_of(w->block, at);
    const struct block *b = cluster_block(w->block, rank);
    *out = '\0';
    if (!b || offset + 8 > w->grid->shared_room)
        return;
    memcpy(&value, b->shared + offset, 8);
    if (b != w->block)
        snprintf(where, sizeof where, " of block %u of the cluster", rank);
    u32 pending = (u32)(value >> COUNT_BITS) & COUNT_MASK, tx = (u32)(value >> TX_SHIFT) & TX_MASK;
    /* more bytes may have come than were expected: the count is signed */
    i64 bytes = tx > TX_MASK / 2 ? (i64)tx - TX_MASK - 1 : (i64)tx;
    snprintf(
        out, size,
        "waits for the mbarrier at 0x%llx of shared memory%s: %u of %u arrivals and %lld bytes "
        "are pending",
        (unsigned long long)offset, where, pending, (u32)value & COUNT_MASK, (long long)bytes);
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
    if (!access_decode(d, operand, space, a))
        return false;
    d->op->extra = a;
    return true;
}

/* cp.async.mbarrier.arrive: copies are done, so that it is an arrival or nothing. */
bool decode_mbarrier_of_copies(struct decoder *d)
{
    d->op->run = run_mbarrier;
    d->op->operation = decode_has(d, "noinc") ? MBARRIER_ARRIVE : MBARRIER_NOTHING;
    return decode_operand_count(d, 1, 1) && barrier_address(d, 0);
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
