/* Moves, selections and comparisons that the lane loops do not cover. */
#include "ptx/decode/decode.h"
#include "ptx/exec/warp.h"

#include "num/bits.h"

#include <string.h>

void lane_nothing(struct warp *w, const struct op *op, u32 mask)
{
    (void)w, (void)op, (void)mask;
}

static void put(struct warp *w, ref_t ref, u8 bytes, u32 lane, u64 value)
{
    lane_write(ref_get(w, ref), lane, bytes, value);
}

static u64 get(const struct warp *w, ref_t ref, u8 bytes, u32 lane)
{
    return lane_read(ref_get(w, ref), lane, bytes);
}

void lane_selp(struct warp *w, const struct op *op, u32 mask)
{
    u32 p = *(const u32 *)ref_get(w, op->src[2]);
    if (op->negate)
        p = ~p;
    if (op->dst_bytes == 4) {
        const u32 *a = ref_get(w, op->src[0]), *b = ref_get(w, op->src[1]);
        u32 *d = ref_get(w, op->dst);
        for (u32 i = 0; i < LANES; i++) {
            u32 r = p >> i & 1 ? a[i] : b[i];
            d[i] = mask >> i & 1 ? r : d[i];
        }
        return;
    }
    EACH (lane, mask)
        put(w, op->dst, op->dst_bytes, lane,
            get(w, op->src[p >> lane & 1 ? 0 : 1], op->dst_bytes, lane));
}

void lane_pack(struct warp *w, const struct op *op, u32 mask)
{
    u8 part = op->src_bytes[0], whole = op->dst_bytes;
    u8 *d = ref_get(w, op->dst);
    EACH (lane, mask) { /* the result may be among the parts */
        u8 value[16] = {0};
        for (u32 k = 0; k < op->list_count; k++)
            memcpy(value + (size_t)k * part,
                   (const u8 *)ref_get(w, op->list[k]) + (size_t)lane * part, part);
        memcpy(d + (size_t)lane * whole, value, whole);
    }
}

void lane_unpack(struct warp *w, const struct op *op, u32 mask)
{
    u8 part = op->dst_bytes, whole = op->src_bytes[0];
    const u8 *s = ref_get(w, op->src[0]);
    EACH (lane, mask) { /* the source may be among the results */
        u8 value[16];
        memcpy(value, s + (size_t)lane * whole, whole);
        for (u32 k = 0; k < op->list_count; k++)
            memcpy((u8 *)ref_get(w, op->list[k]) + (size_t)lane * part, value + (size_t)k * part,
                   part);
    }
}

void lane_move_list(struct warp *w, const struct op *op, u32 mask)
{
    const ref_t *from = op->extra;
    EACH (lane, mask) { /* a result may be an operand: {a, b} = {b, a} */
        u8 all[256][16];
        for (u32 k = 0; k < op->list_count; k++)
            memcpy(all[k], (const u8 *)ref_get(w, from[k]) + (size_t)lane * op->dst_bytes,
                   op->dst_bytes);
        for (u32 k = 0; k < op->list_count; k++)
            memcpy((u8 *)ref_get(w, op->list[k]) + (size_t)lane * op->dst_bytes, all[k],
                   op->dst_bytes);
    }
}

#define MANY_READS 4096u   /* of the clock by a warp that may be measuring */
#define READS_A_STEP 1024u /* after which each read moves the clock twice as far */
#define MOST_STEP 30u      /* as a power of two */
#define MOST_STEP_LOW                                                                              \
    20u /* where 32 bits are read, which wrap around: the loop must see its time */

/* Without timing a warp that waits for a time, and not for anybody, would count up to it one
 * instruction at a time. The more often it looks, the faster its clock goes. */
static void run_ahead(struct warp *w, u8 bytes)
{
    if (++w->clock_reads <= MANY_READS)
        return;
    u32 step = (w->clock_reads - MANY_READS) / READS_A_STEP,
        most = bytes == 4 ? MOST_STEP_LOW : MOST_STEP;
    w->on->clock_ahead += 1ull << (step < most ? step : most);
}

/* Clocks: without timing they count instructions, one a nanosecond; with timing, cycles. */
void lane_special(struct warp *w, const struct op *op, u32 mask)
{
    struct executor *e = w->on;
    e->changes++;
    if (!e->log)
        run_ahead(w, op->dst_bytes);
    u64 clock = e->clock ? *e->clock : w->grid->launch->clock + e->warp_instructions;
    clock += e->clock_ahead;
    u64 value = clock;
    switch (op->imm) {
    case SPECIAL_CLOCK_HI:
    case SPECIAL_GLOBALTIMER_HI:
        value = clock >> 32;
        break;
    default:
        break;
    }
    EACH (lane, mask)
        put(w, op->dst, op->dst_bytes, lane, value);
}

void lane_local_address(struct warp *w, const struct op *op, u32 mask)
{
    u64 value = op->imm + w->paths[w->current].stack;
    EACH (lane, mask)
        put(w, op->dst, op->dst_bytes, lane, value);
}

/* imm: 0 add, 1 sub, 2 mad; +4 takes the carry in; +8 writes it. A borrow is kept
 * as hardware keeps it, a carry of a + ~b + 1: it shows when chains are mixed. */
void lane_carry(struct warp *w, const struct op *op, u32 mask)
{
    u8 bytes = type_info[op->type].bytes;
    u32 *carry = ref_get(w, op->src[3]), after = *carry;
    bool is_signed = type_info[op->type].class == CLASS_SIGNED;
    u32 bits = 8u * bytes;
    EACH (lane, mask) {
        u64 a = get(w, op->src[0], bytes, lane), b = get(w, op->src[1], bytes, lane);
        u64 in = op->imm & 4 ? *carry >> lane & 1 : 0;
        u128 r;
        if ((op->imm & 3) == 2) {
            u64 c = get(w, op->src[2], bytes, lane), product;
            i128 wide = is_signed && bytes == 4 ? (i128)((i64)(i32)a * (i32)b)
                        : is_signed             ? (i128)(i64)a * (i64)b
                                                : (i128)((u128)a * b);
            product = op->flags & MOD_HI ? (u64)(wide >> bits) : (u64)wide;
            if (bytes == 4)
                product = (u32)product;
            r = (u128)product + c + in;
        } else if ((op->imm & 3) == 1) {
            u64 inverted = bytes == 4 ? (u32)~b : ~b;
            r = (u128)a + inverted + (op->imm & 4 ? in : 1);
        } else {
            r = (u128)a + b + in;
        }
        put(w, op->dst, bytes, lane, (u64)r);
        u32 out = (u32)(r >> bits) & 1;
        after = (after & ~(1u << lane)) | out << lane;
    }
    if (op->imm & 8)
        *carry = after;
}

/* ---- comparisons of any type -------------------------------------------------------- */

static u32 combined(const struct warp *w, const struct op *op, u32 result)
{
    if (!op->operation)
        return result;
    u32 with = *(const u32 *)ref_get(w, op->src[2]);
    if (op->negate)
        with = ~with;
    return op->operation == OPERATION_AND  ? result & with
           : op->operation == OPERATION_OR ? result | with
                                           : result ^ with;
}

static u32 compare_lanes(const struct warp *w, const struct op *op, u32 mask, u32 shift)
{
    u32 result = 0;
    u8 bytes = op->src_bytes[0];
    EACH (lane, mask) {
        u64 s[4] = {get(w, op->src[0], bytes, lane) >> shift,
                    get(w, op->src[1], op->src_bytes[1], lane) >> shift};
        result |= (u32)scalar_compare(op, s) << lane;
    }
    return result;
}

void lane_setp_scalar(struct warp *w, const struct op *op, u32 mask)
{
    u32 result = compare_lanes(w, op, mask, 0);
    u32 p = combined(w, op, result), q = combined(w, op, ~result);
    predicate_merge(w, op->dst, p, mask);
    predicate_merge(w, op->dst2, q, mask);
}

/* setp on pairs: p for the lower halves, q for the upper ones. */
void lane_pair_compare(struct warp *w, const struct op *op, u32 mask)
{
    struct op half = *op;
    half.stype = op->stype == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
    u32 p = combined(w, op, compare_lanes(w, &half, mask, 0));
    u32 q = combined(w, op, compare_lanes(w, &half, mask, 16));
    predicate_merge(w, op->dst, p, mask);
    predicate_merge(w, op->dst2, q, mask);
}

static u64 truth(enum type type)
{
    switch (type) {
    case TYPE_F32:
        return 0x3f800000;
    case TYPE_F16:
        return 0x3c00;
    case TYPE_BF16:
        return 0x3f80;
    case TYPE_F64:
        return 0x3ff0000000000000;
    default:
        return UINT64_MAX;
    }
}

void lane_set(struct warp *w, const struct op *op, u32 mask)
{
    if (op->stype == TYPE_F16X2 || op->stype == TYPE_BF16X2) {
        struct op half = *op;
        half.stype = op->stype == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
        u32 one = (u32)truth((enum type)half.stype);
        u32 low = combined(w, op, compare_lanes(w, &half, mask, 0));
        u32 high = combined(w, op, compare_lanes(w, &half, mask, 16));
        EACH (lane, mask)
            put(w, op->dst, 4, lane,
                (low >> lane & 1 ? one : 0) | (high >> lane & 1 ? one << 16 : 0));
        return;
    }
    u32 result = combined(w, op, compare_lanes(w, op, mask, 0));
    u64 one = truth((enum type)op->type);
    EACH (lane, mask)
        put(w, op->dst, op->dst_bytes, lane, result >> lane & 1 ? one : 0);
}

/* d = lop3; p = (d != 0) op q */
void lane_lop3_predicate(struct warp *w, const struct op *op, u32 mask)
{
    const u32 *a = ref_get(w, op->src[0]), *b = ref_get(w, op->src[1]), *c = ref_get(w, op->src[2]);
    u32 q = *(const u32 *)ref_get(w, op->src[3]), any = 0;
    u32 *d = ref_get(w, op->dst);
    if (op->negate)
        q = ~q;
    EACH (lane, mask) {
        u32 r = u32_lop3(a[lane], b[lane], c[lane], (u32)op->imm);
        any |= (u32)(r != 0) << lane;
        d[lane] = r;
    }
    u32 p = op->operation == OPERATION_AND  ? any & q
            : op->operation == OPERATION_OR ? any | q
                                            : any ^ q;
    predicate_merge(w, op->dst2, p, mask);
}
