/* Moves, selections and comparisons that the lane loops do not cover. */
#include "isa/exec/decode.h"
#include "isa/exec/warp.h"

#include "isa/num/bits.h"

#include <string.h>

void lane_nothing(struct warp *w, const struct op *op, u32 mask)
{
    (void)w, (void)op, (void)mask;
}

static void put(struct warp *w, ref_t ref, u8 bytes, u32 lane, u64 value)
{
    u8 *v = ref_get(w, ref);
    if (bytes == 0) {
        u32 *mask = (u32 *)(void *)v;
        *mask = (*mask & ~(1u << lane)) | (u32)(value & 1) << lane;
    } else {
        memcpy(v + (size_t)lane * bytes, &value, bytes < 8 ? bytes : 8);
    }
}

static u64 get(const struct warp *w, ref_t ref, u8 bytes, u32 lane)
{
    const u8 *v = ref_get(w, ref);
    u64 value = 0;
    if (bytes == 0)
        return *(const u32 *)(const void *)v >> lane & 1;
    memcpy(&value, v + (size_t)lane * bytes, bytes < 8 ? bytes : 8);
    return value;
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
    u8 part = op->src_bytes[0];
    u8 *d = ref_get(w, op->dst);
    for (u32 k = 0; k < op->list_count; k++) {
        if (op->list[k] == REF_NONE)
            continue;
        const u8 *s = ref_get(w, op->list[k]);
        EACH (lane, mask)
            memcpy(d + (size_t)lane * op->dst_bytes + (size_t)k * part, s + (size_t)lane * part,
                   part);
    }
}

void lane_unpack(struct warp *w, const struct op *op, u32 mask)
{
    u8 part = op->dst_bytes;
    u8 whole[LANES * 16];
    /* the source may be among the results */
    memcpy(whole, ref_get(w, op->src[0]), (size_t)LANES * op->src_bytes[0]);
    for (u32 k = 0; k < op->list_count; k++) {
        if (op->list[k] == REF_NONE)
            continue;
        u8 *d = ref_get(w, op->list[k]);
        EACH (lane, mask)
            memcpy(d + (size_t)lane * part,
                   whole + (size_t)lane * op->src_bytes[0] + (size_t)k * part, part);
    }
}

void lane_move_list(struct warp *w, const struct op *op, u32 mask)
{
    const ref_t *from = op->extra;
    for (u32 k = 0; k < op->list_count; k++) {
        if (op->list[k] == REF_NONE)
            continue;
        EACH (lane, mask)
            put(w, op->list[k], op->dst_bytes, lane, get(w, from[k], op->dst_bytes, lane));
    }
}

/* Clocks: without timing they count instructions, one a nanosecond. */
void lane_special(struct warp *w, const struct op *op, u32 mask)
{
    u64 clock = w->grid->launch->clock + w->grid->warp_instructions, value = clock;
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

static void merge_predicate(struct warp *w, ref_t ref, u32 value, u32 mask)
{
    if (ref == REF_NONE)
        return;
    u32 *p = ref_get(w, ref);
    *p = (*p & ~mask) | (value & mask);
}

void lane_setp_scalar(struct warp *w, const struct op *op, u32 mask)
{
    u32 result = compare_lanes(w, op, mask, 0);
    u32 p = combined(w, op, result), q = combined(w, op, ~result);
    merge_predicate(w, op->dst, p, mask);
    merge_predicate(w, op->dst2, q, mask);
}

/* setp on pairs: p for the lower halves, q for the upper ones. */
void lane_pair_compare(struct warp *w, const struct op *op, u32 mask)
{
    struct op half = *op;
    half.stype = op->stype == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
    u32 p = combined(w, op, compare_lanes(w, &half, mask, 0));
    u32 q = combined(w, op, compare_lanes(w, &half, mask, 16));
    merge_predicate(w, op->dst, p, mask);
    merge_predicate(w, op->dst2, q, mask);
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
    u32 *d = op->dst == REF_NONE ? NULL : ref_get(w, op->dst);
    if (op->negate)
        q = ~q;
    EACH (lane, mask) {
        u32 r = u32_lop3(a[lane], b[lane], c[lane], (u32)op->imm);
        any |= (u32)(r != 0) << lane;
        if (d)
            d[lane] = r;
    }
    u32 p = op->operation == OPERATION_AND  ? any & q
            : op->operation == OPERATION_OR ? any | q
                                            : any ^ q;
    merge_predicate(w, op->dst2, p, mask);
}
