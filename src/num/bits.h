/*
 * Integer instructions that C has no operator for. Register contents are unsigned; a function
 * whose name starts with i reads them as two's complement.
 */
#ifndef NUM_BITS_H
#define NUM_BITS_H

#include "base/types.h"

/* mul.hi.u64 */
static inline u64 u64_mul_hi(u64 a, u64 b)
{
    return (u64)(((u128)a * b) >> 64);
}

/* mul.hi.s64 */
static inline u64 i64_mul_hi(u64 a, u64 b)
{
    return (u64)(((i128)(i64)a * (i64)b) >> 64);
}

/* mul.hi.u32 */
static inline u32 u32_mul_hi(u32 a, u32 b)
{
    return (u32)(((u64)a * b) >> 32);
}

/* mul.hi.s32 */
static inline u32 i32_mul_hi(u32 a, u32 b)
{
    return (u32)((u64)((i64)(i32)a * (i32)b) >> 32);
}

/* mul.hi.u16 */
static inline u16 u16_mul_hi(u16 a, u16 b)
{
    return (u16)(((u32)a * b) >> 16);
}

/* mul.hi.s16 */
static inline u16 i16_mul_hi(u16 a, u16 b)
{
    return (u16)((u32)((i16)a * (i16)b) >> 16);
}

static inline u32 i32_clamp(i64 x)
{
    x = x > INT32_MAX ? INT32_MAX : x;
    return (u32)(x < INT32_MIN ? INT32_MIN : x);
}

/* add.sat.s32 */
static inline u32 i32_add_sat(u32 a, u32 b)
{
    return i32_clamp((i64)(i32)a + (i32)b);
}

/* sub.sat.s32 */
static inline u32 i32_sub_sat(u32 a, u32 b)
{
    return i32_clamp((i64)(i32)a - (i32)b);
}

/* mad.hi.sat.s32 */
static inline u32 i32_mad_hi_sat(u32 a, u32 b, u32 c)
{
    return i32_clamp((i64)(i32)i32_mul_hi(a, b) + (i32)c);
}

/* mul24.lo.u32; mul24.lo.s32 has the same low bits */
static inline u32 u32_mul24_lo(u32 a, u32 b)
{
    return (u32)((u64)(a & 0xffffff) * (b & 0xffffff));
}

/* mul24.hi.u32: bits 47 to 16 */
static inline u32 u32_mul24_hi(u32 a, u32 b)
{
    return (u32)(((u64)(a & 0xffffff) * (b & 0xffffff)) >> 16);
}

static inline i64 i24_product(u32 a, u32 b)
{
    return (i64)((i32)(a << 8) >> 8) * ((i32)(b << 8) >> 8);
}

/* mul24.lo.s32 */
static inline u32 i32_mul24_lo(u32 a, u32 b)
{
    return (u32)i24_product(a, b);
}

/* mul24.hi.s32 */
static inline u32 i32_mul24_hi(u32 a, u32 b)
{
    return (u32)(i24_product(a, b) >> 16);
}

/* mad24.hi.sat.s32 */
static inline u32 i32_mad24_hi_sat(u32 a, u32 b, u32 c)
{
    return i32_clamp((i64)(i32)i32_mul24_hi(a, b) + (i32)c);
}

/* sad.u16 sad.u32 sad.u64: for narrower types extend first and cut the result */
static inline u64 u64_sad(u64 a, u64 b, u64 c)
{
    return c + (a > b ? a - b : b - a);
}

/* sad.s16 sad.s32 sad.s64 */
static inline u64 i64_sad(u64 a, u64 b, u64 c)
{
    return c + ((i64)a > (i64)b ? a - b : b - a);
}

/* div.u64 and, extended, div.u16: an H200 gives all ones for division by zero, also as remainder */
static inline u64 u64_div(u64 a, u64 b)
{
    return b ? a / b : ~(u64)0;
}

/* rem.u64 and, extended, rem.u16 */
static inline u64 u64_rem(u64 a, u64 b)
{
    return b ? a % b : ~(u64)0;
}

/* div.u32 */
static inline u32 u32_div(u32 a, u32 b)
{
    return b ? a / b : ~0u;
}

/* rem.u32 */
static inline u32 u32_rem(u32 a, u32 b)
{
    return b ? a % b : ~0u;
}

/* div.s64 and, extended, div.s16: the least number by -1 is itself */
static inline u64 i64_div(u64 a, u64 b)
{
    if (b == 0)
        return ~(u64)0;
    return b == ~(u64)0 ? (u64)0 - a : (u64)((i64)a / (i64)b);
}

/* rem.s64 and, extended, rem.s16 */
static inline u64 i64_rem(u64 a, u64 b)
{
    if (b == 0)
        return ~(u64)0;
    return b == ~(u64)0 ? 0 : (u64)((i64)a % (i64)b);
}

/* div.s32 */
static inline u32 i32_div(u32 a, u32 b)
{
    return b ? (u32)((i64)(i32)a / (i32)b) : ~0u;
}

/* rem.s32 */
static inline u32 i32_rem(u32 a, u32 b)
{
    return b ? (u32)((i64)(i32)a % (i32)b) : ~0u;
}

/* shl.b16 shl.b32 shl.b64: a count of the width or more gives zero */
static inline u16 u16_shl(u16 a, u32 n)
{
    return (u16)(n > 15 ? 0 : (u32)a << n);
}

static inline u32 u32_shl(u32 a, u32 n)
{
    return n > 31 ? 0 : a << (n & 31);
}

static inline u64 u64_shl(u64 a, u32 n)
{
    return n > 63 ? 0 : a << (n & 63);
}

/* shr.u16 shr.u32 shr.u64 and .b */
static inline u16 u16_shr(u16 a, u32 n)
{
    return (u16)(n > 15 ? 0 : (u32)a >> n);
}

static inline u32 u32_shr(u32 a, u32 n)
{
    return n > 31 ? 0 : a >> (n & 31);
}

static inline u64 u64_shr(u64 a, u32 n)
{
    return n > 63 ? 0 : a >> (n & 63);
}

/* shr.s16 shr.s32 shr.s64: a count of the width or more leaves the sign */
static inline u16 i16_shr(u16 a, u32 n)
{
    return (u16)((i16)a >> (n > 15 ? 15 : n));
}

static inline u32 i32_shr(u32 a, u32 n)
{
    return (u32)((i32)a >> (n > 31 ? 31 : n));
}

static inline u64 i64_shr(u64 a, u32 n)
{
    return (u64)((i64)a >> (n > 63 ? 63 : n));
}

/* shf.l: the upper word of b:a shifted left */
static inline u32 u32_shf_l(u32 a, u32 b, u32 n, bool wrap)
{
    n = wrap ? n & 31 : n > 32 ? 32 : n;
    return (u32)(((((u64)b << 32) | a) << n) >> 32);
}

/* shf.r: the lower word of b:a shifted right */
static inline u32 u32_shf_r(u32 a, u32 b, u32 n, bool wrap)
{
    n = wrap ? n & 31 : n > 32 ? 32 : n;
    return (u32)((((u64)b << 32) | a) >> n);
}

/* lop3.b32: one multiplexer per input bit, so all lanes share the masks of the table */
static inline u32 u32_lop3(u32 a, u32 b, u32 c, u32 table)
{
    u32 m[8];
    for (u32 i = 0; i < 8; i++)
        m[i] = 0u - ((table >> i) & 1);
    u32 c00 = (c & m[1]) | (~c & m[0]), c01 = (c & m[3]) | (~c & m[2]);
    u32 c10 = (c & m[5]) | (~c & m[4]), c11 = (c & m[7]) | (~c & m[6]);
    u32 b0 = (b & c01) | (~b & c00), b1 = (b & c11) | (~b & c10);
    return (a & b1) | (~a & b0);
}

/* popc.b32 popc.b64 */
static inline u32 u64_popc(u64 a)
{
    a = a - ((a >> 1) & 0x5555555555555555);
    a = (a & 0x3333333333333333) + ((a >> 2) & 0x3333333333333333);
    a = (a + (a >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (u32)((a * 0x0101010101010101) >> 56);
}

/* clz.b32 */
static inline u32 u32_clz(u32 a)
{
    return a ? (u32)__builtin_clz(a) : 32;
}

/* clz.b64 */
static inline u32 u64_clz(u64 a)
{
    return a ? (u32)__builtin_clzll(a) : 64;
}

/* brev.b32 */
static inline u32 u32_brev(u32 a)
{
    a = ((a >> 1) & 0x55555555) | ((a & 0x55555555) << 1);
    a = ((a >> 2) & 0x33333333) | ((a & 0x33333333) << 2);
    a = ((a >> 4) & 0x0f0f0f0f) | ((a & 0x0f0f0f0f) << 4);
    return __builtin_bswap32(a);
}

/* brev.b64 */
static inline u64 u64_brev(u64 a)
{
    return ((u64)u32_brev((u32)a) << 32) | u32_brev((u32)(a >> 32));
}

/* bfind.u32: the highest one, or all ones; .shiftamt counts from the top */
static inline u32 u32_bfind(u32 a, bool shiftamt)
{
    u32 zeros = u32_clz(a);
    return a == 0 ? ~0u : shiftamt ? zeros : 31 - zeros;
}

/* bfind.s32: the highest bit that differs from the sign */
static inline u32 i32_bfind(u32 a, bool shiftamt)
{
    return u32_bfind(a ^ (u32)((i32)a >> 31), shiftamt);
}

/* bfind.u64 */
static inline u32 u64_bfind(u64 a, bool shiftamt)
{
    u32 zeros = u64_clz(a);
    return a == 0 ? ~0u : shiftamt ? zeros : 63 - zeros;
}

/* bfind.s64 */
static inline u32 i64_bfind(u64 a, bool shiftamt)
{
    return u64_bfind(a ^ (u64)((i64)a >> 63), shiftamt);
}

/* fns.b32: where the offset-th one lies, counted up or down from base */
static inline u32 u32_fns(u32 mask, u32 base, u32 offset)
{
    i32 way = (i32)offset < 0 ? -1 : 1;
    u32 left = way < 0 ? 0u - offset : offset;
    if (base > 31)
        return ~0u;
    if (left == 0)
        return (mask >> base) & 1 ? base : ~0u;
    for (i32 at = (i32)base; at >= 0 && at < 32; at += way) {
        left -= (mask >> at) & 1;
        if (left == 0)
            return (u32)at;
    }
    return ~0u;
}

/* bfe.u64: len bits from pos on; what lies beyond the register reads as zero */
static inline u64 u64_bfe(u64 a, u32 pos, u32 len)
{
    pos &= 255;
    len &= 255;
    return u64_shr(a, pos) & ~u64_shl(~(u64)0, len);
}

/* bfe.s64: the field's top bit, or the register's, extends it */
static inline u64 i64_bfe(u64 a, u32 pos, u32 len)
{
    pos &= 255;
    len &= 255;
    u64 field = i64_shr(a, pos);
    u32 spare = len > 63 ? 0 : 64 - len;
    return len == 0 ? 0 : (u64)((i64)(field << (spare & 63)) >> (spare & 63));
}

/* bfe.u32 */
static inline u32 u32_bfe(u32 a, u32 pos, u32 len)
{
    pos &= 255;
    len &= 255;
    return u32_shr(a, pos) & ~u32_shl(~0u, len);
}

/* bfe.s32 */
static inline u32 i32_bfe(u32 a, u32 pos, u32 len)
{
    pos &= 255;
    len &= 255;
    u32 field = i32_shr(a, pos), spare = len > 31 ? 0 : 32 - len;
    return len == 0 ? 0 : (u32)((i32)(field << (spare & 31)) >> (spare & 31));
}

/* bfi.b32: the low len bits of a over b from pos on */
static inline u32 u32_bfi(u32 a, u32 b, u32 pos, u32 len)
{
    pos &= 255;
    len &= 255;
    u32 mask = u32_shl(~u32_shl(~0u, len), pos);
    return (u32_shl(a, pos) & mask) | (b & ~mask);
}

/* bfi.b64 */
static inline u64 u64_bfi(u64 a, u64 b, u32 pos, u32 len)
{
    pos &= 255;
    len &= 255;
    u64 mask = u64_shl(~u64_shl(~(u64)0, len), pos);
    return (u64_shl(a, pos) & mask) | (b & ~mask);
}

/* bmsk.clamp.b32 bmsk.wrap.b32: len ones from pos on */
static inline u32 u32_bmsk(u32 pos, u32 len, bool wrap)
{
    pos = wrap ? pos & 31 : pos;
    len = wrap ? len & 31 : len;
    return u32_shl(~u32_shl(~0u, len), pos);
}

/* szext.u32: the low n bits */
static inline u32 u32_szext(u32 a, u32 n, bool wrap)
{
    return a & ~u32_shl(~0u, wrap ? n & 31 : n);
}

/* szext.s32: the low n bits, their top one extended */
static inline u32 i32_szext(u32 a, u32 n, bool wrap)
{
    n = wrap ? n & 31 : n;
    u32 spare = n > 31 ? 0 : 32 - n;
    return n == 0 ? 0 : (u32)((i32)(a << (spare & 31)) >> (spare & 31));
}

/* dp4a: which of the two operands is signed is in the instruction's types */
static inline u32 u32_dp4a(u32 a, u32 b, u32 c, bool a_signed, bool b_signed)
{
    for (u32 i = 0; i < 32; i += 8) {
        i32 x = a_signed ? (i8)(a >> i) : (u8)(a >> i);
        i32 y = b_signed ? (i8)(b >> i) : (u8)(b >> i);
        c += (u32)(x * y);
    }
    return c;
}

/* dp2a.lo dp2a.hi: both halves of a with two bytes of b */
static inline u32 u32_dp2a(u32 a, u32 b, u32 c, bool a_signed, bool b_signed, bool high)
{
    b >>= high ? 16 : 0;
    for (u32 i = 0; i < 2; i++) {
        i32 x = a_signed ? (i16)(a >> (16 * i)) : (u16)(a >> (16 * i));
        i32 y = b_signed ? (i8)(b >> (8 * i)) : (u8)(b >> (8 * i));
        c += (u32)(x * y);
    }
    return c;
}

enum prmt_mode { PRMT_INDEX, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };

/* The selector of the plain mode that does what a named mode does with control c. */
static inline u32 prmt_selector(u32 c, enum prmt_mode mode)
{
    /* clang-format off */
    static const u16 table[7][4] = {
        [PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
        [PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
        [PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
        [PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
        [PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
        [PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
    };
    /* clang-format on */
    return mode == PRMT_INDEX ? c : table[mode][c & 3];
}

/* prmt.b32 and its modes: bytes of b:a by the selector's nibbles, whose top bit spreads the sign */
static inline u32 u32_prmt(u32 a, u32 b, u32 c, enum prmt_mode mode)
{
    u64 source = ((u64)b << 32) | a;
    u32 selector = prmt_selector(c, mode), d = 0;
    for (u32 i = 0; i < 4; i++) {
        u32 nibble = selector >> (4 * i);
        u32 byte = (u32)(source >> (8 * (nibble & 7))) & 255;
        u32 sign = 0u - (byte >> 7);
        d |= ((nibble & 8 ? sign : byte) & 255) << (8 * i);
    }
    return d;
}

/* cnot.b16 cnot.b32 cnot.b64 */
static inline u64 u64_cnot(u64 a)
{
    return a == 0;
}

static inline u32 u32_pair(u32 low, u32 high)
{
    return (low & 0xffff) | (high << 16);
}

/* add.u16x2 add.s16x2 */
static inline u32 u16x2_add(u32 a, u32 b)
{
    return u32_pair(a + b, (a >> 16) + (b >> 16));
}

/* min.u16x2 */
static inline u32 u16x2_min(u32 a, u32 b)
{
    u32 al = a & 0xffff, bl = b & 0xffff, ah = a >> 16, bh = b >> 16;
    return u32_pair(al < bl ? al : bl, ah < bh ? ah : bh);
}

/* max.u16x2 */
static inline u32 u16x2_max(u32 a, u32 b)
{
    u32 al = a & 0xffff, bl = b & 0xffff, ah = a >> 16, bh = b >> 16;
    return u32_pair(al > bl ? al : bl, ah > bh ? ah : bh);
}

/* min.s16x2; with relu also not below zero */
static inline u32 i16x2_min(u32 a, u32 b, bool relu)
{
    i32 al = (i16)a, bl = (i16)b, ah = (i16)(a >> 16), bh = (i16)(b >> 16);
    i32 low = al < bl ? al : bl, high = ah < bh ? ah : bh;
    return u32_pair((u32)(relu && low < 0 ? 0 : low), (u32)(relu && high < 0 ? 0 : high));
}

/* max.s16x2; with relu also not below zero */
static inline u32 i16x2_max(u32 a, u32 b, bool relu)
{
    i32 al = (i16)a, bl = (i16)b, ah = (i16)(a >> 16), bh = (i16)(b >> 16);
    i32 low = al > bl ? al : bl, high = ah > bh ? ah : bh;
    return u32_pair((u32)(relu && low < 0 ? 0 : low), (u32)(relu && high < 0 ? 0 : high));
}

/* min.relu.s32 */
static inline u32 i32_min_relu(u32 a, u32 b)
{
    i32 least = (i32)a < (i32)b ? (i32)a : (i32)b;
    return (u32)(least < 0 ? 0 : least);
}

/* max.relu.s32 */
static inline u32 i32_max_relu(u32 a, u32 b)
{
    i32 most = (i32)a > (i32)b ? (i32)a : (i32)b;
    return (u32)(most < 0 ? 0 : most);
}

#endif
