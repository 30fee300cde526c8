/* Rare lane-wise instructions, one lane at a time, and the table of all forms. */
#include "ptx/decode/forms.h"

#include "num/approx.h"
#include "num/bits.h"
#include "num/convert.h"
#include "num/float16.h"

#include <string.h>

#define FLAG(name) ((op->flags & MOD_##name) != 0)

/* A function of one lane, with its operands as a to d. */
#define S(name, expr)                                                                              \
    static u64 s_##name(const struct op *op, const u64 *s)                                         \
    {                                                                                              \
        u64 a = s[0], b = s[1], c = s[2], d = s[3];                                                \
        (void)op, (void)a, (void)b, (void)c, (void)d;                                              \
        return (u64)(expr);                                                                        \
    }

/* clang-format off */
/* ---- integers ---- */
S(add_sat, i32_add_sat((u32)a, (u32)b))
S(sub_sat, i32_sub_sat((u32)a, (u32)b))
S(add_u16x2, u16x2_add((u32)a, (u32)b))
S(mul_hi_u16, u16_mul_hi((u16)a, (u16)b))
S(mul_hi_s16, i16_mul_hi((u16)a, (u16)b))
S(mul_hi_u64, u64_mul_hi(a, b))
S(mul_hi_s64, i64_mul_hi(a, b))
S(mad_hi_u16, (u16)(u16_mul_hi((u16)a, (u16)b) + c))
S(mad_hi_s16, (u16)(i16_mul_hi((u16)a, (u16)b) + c))
S(mad_hi_u64, u64_mul_hi(a, b) + c)
S(mad_hi_s64, i64_mul_hi(a, b) + c)
S(mad_hi_sat, i32_mad_hi_sat((u32)a, (u32)b, (u32)c))
S(mul24_lo_u, u32_mul24_lo((u32)a, (u32)b))
S(mul24_hi_u, u32_mul24_hi((u32)a, (u32)b))
S(mul24_lo_s, i32_mul24_lo((u32)a, (u32)b))
S(mul24_hi_s, i32_mul24_hi((u32)a, (u32)b))
S(mad24_lo_u, u32_mul24_lo((u32)a, (u32)b) + (u32)c)
S(mad24_hi_u, u32_mul24_hi((u32)a, (u32)b) + (u32)c)
S(mad24_lo_s, i32_mul24_lo((u32)a, (u32)b) + (u32)c)
S(mad24_hi_s, i32_mul24_hi((u32)a, (u32)b) + (u32)c)
S(mad24_hi_sat, i32_mad24_hi_sat((u32)a, (u32)b, (u32)c))
S(sad_u, u64_sad(a, b, c))
S(sad_s16, i64_sad((u64)(i16)a, (u64)(i16)b, c))
S(sad_s32, i64_sad((u64)(i32)a, (u64)(i32)b, c))
S(sad_s64, i64_sad(a, b, c))
S(div_u16, (u16)u32_div((u16)a, (u16)b))
S(div_s16, i32_div((u32)(i16)a, (u32)(i16)b))
S(rem_u16, (u16)u32_rem((u16)a, (u16)b))
S(rem_s16, i32_rem((u32)(i16)a, (u32)(i16)b))
S(div_u64, u64_div(a, b))
S(div_s64, i64_div(a, b))
S(rem_u64, u64_rem(a, b))
S(rem_s64, i64_rem(a, b))
S(abs_s16, (i16)a < 0 ? 0 - a : a)
S(abs_s64, (i64)a < 0 ? 0 - a : a)
S(neg, 0 - a)
S(min_u16, (u16)a < (u16)b ? a : b)
S(max_u16, (u16)a > (u16)b ? a : b)
S(min_s16, (i16)a < (i16)b ? a : b)
S(max_s16, (i16)a > (i16)b ? a : b)
S(min_u16x2, u16x2_min((u32)a, (u32)b))
S(max_u16x2, u16x2_max((u32)a, (u32)b))
S(min_s16x2, i16x2_min((u32)a, (u32)b, FLAG(RELU)))
S(max_s16x2, i16x2_max((u32)a, (u32)b, FLAG(RELU)))
S(min_relu, i32_min_relu((u32)a, (u32)b))
S(max_relu, i32_max_relu((u32)a, (u32)b))
S(popc, u64_popc(a))
S(clz64, u64_clz(a))
S(bfind_u32, u32_bfind((u32)a, FLAG(SHIFTAMT)))
S(bfind_s32, i32_bfind((u32)a, FLAG(SHIFTAMT)))
S(bfind_u64, u64_bfind(a, FLAG(SHIFTAMT)))
S(bfind_s64, i64_bfind(a, FLAG(SHIFTAMT)))
S(fns, u32_fns((u32)a, (u32)b, (u32)c))
S(brev32, u32_brev((u32)a))
S(brev64, u64_brev(a))
S(bfe_u64, u64_bfe(a, (u32)b, (u32)c))
S(bfe_s64, i64_bfe(a, (u32)b, (u32)c))
S(bfi32, u32_bfi((u32)a, (u32)b, (u32)c, (u32)d))
S(bfi64, u64_bfi(a, b, (u32)c, (u32)d))
S(bmsk, u32_bmsk((u32)a, (u32)b, FLAG(WRAP)))
S(szext_u, u32_szext((u32)a, (u32)b, FLAG(WRAP)))
S(szext_s, i32_szext((u32)a, (u32)b, FLAG(WRAP)))
S(dp4a, u32_dp4a((u32)a, (u32)b, (u32)c, op->type == TYPE_S32, op->stype == TYPE_S32))
S(dp2a, u32_dp2a((u32)a, (u32)b, (u32)c, op->type == TYPE_S32, op->stype == TYPE_S32, FLAG(HI)))
S(shl_u16, u16_shl((u16)a, (u32)b))
S(shr_u16, u16_shr((u16)a, (u32)b))
S(shr_s16, i16_shr((u16)a, (u32)b))
S(shf_l, u32_shf_l((u32)a, (u32)b, (u32)c, FLAG(WRAP)))
S(shf_r, u32_shf_r((u32)a, (u32)b, (u32)c, FLAG(WRAP)))
S(cnot, u64_cnot(a))
S(lop3, u32_lop3((u32)a, (u32)b, (u32)c, (u32)op->imm))
S(and, a & b)
S(or, a | b)
S(xor, a ^ b)
S(not, ~a)
S(mov, a)
S(selp, c ? a : b)
S(slct_s32, (i32)c >= 0 ? a : b)
S(prmt, u32_prmt((u32)a, (u32)b, (u32)c, (enum prmt_mode)op->operation))

/* ---- f32 and f64 ---- */
#define FTZ(x) (FLAG(FTZ) ? f32_ftz((u32)(x)) : (u32)(x))
S(slct_f32, !(f32_value(FTZ(c)) < 0) && !f32_is_nan((u32)c) ? a : b)
S(min_f32, f32_min(FTZ(a), FTZ(b), FLAG(NAN)))
S(max_f32, f32_max(FTZ(a), FTZ(b), FLAG(NAN)))
S(min_f32_xorsign, f32_min_xorsign(FTZ(a), FTZ(b), FLAG(NAN)))
S(max_f32_xorsign, f32_max_xorsign(FTZ(a), FTZ(b), FLAG(NAN)))
S(min_f64, f64_min(a, b))
S(max_f64, f64_max(a, b))
S(abs_f32, FTZ(a) & 0x7fffffffu)
S(neg_f32, FTZ(a) ^ 0x80000000u)
S(copysign_f32, f32_copysign((u32)a, (u32)b))
S(copysign_f64, f64_copysign(a, b))
S(testp_f32, f32_testp((enum num_class)op->operation, (u32)a))
S(testp_f64, f64_testp((enum num_class)op->operation, a))
S(div_approx, f32_div_approx((u32)a, (u32)b, FLAG(FTZ)))
S(div_full, f32_div_full((u32)a, (u32)b, FLAG(FTZ)))
S(rcp_approx, f32_rcp_approx((u32)a, FLAG(FTZ)))
S(sqrt_approx, f32_sqrt_approx((u32)a, FLAG(FTZ)))
S(rsqrt_approx, f32_rsqrt_approx((u32)a, FLAG(FTZ)))
S(sin_approx, f32_sin_approx((u32)a, FLAG(FTZ)))
S(cos_approx, f32_cos_approx((u32)a, FLAG(FTZ)))
S(lg2_approx, f32_lg2_approx((u32)a, FLAG(FTZ)))
S(ex2_approx, f32_ex2_approx((u32)a, FLAG(FTZ)))
S(tanh_approx, f32_tanh_approx((u32)a))
S(rcp_approx_f64, f64_rcp_approx(a))
S(rsqrt_approx_f64, f64_rsqrt_approx(a, FLAG(FTZ)))

/* ---- f16 and bf16, alone and in pairs ---- */
#define LOW(x) ((u16)(x))
#define HIGH(x) ((u16)((x) >> 16))
#define PAIR1(fn) ((u32)fn(op, LOW(a)) | (u32)fn(op, HIGH(a)) << 16)
#define PAIR2(fn) ((u32)fn(op, LOW(a), LOW(b)) | (u32)fn(op, HIGH(a), HIGH(b)) << 16)
#define PAIR3(fn) ((u32)fn(op, LOW(a), LOW(b), LOW(c)) | (u32)fn(op, HIGH(a), HIGH(b), HIGH(c)) << 16)
/* clang-format on */

static u16 h_in(const struct op *op, u16 x)
{
    return FLAG(FTZ) ? f16_ftz(x) : x;
}

static u16 h_out(const struct op *op, u16 x)
{
    x = FLAG(SAT) ? f16_sat(x) : x;
    return FLAG(RELU) ? f16_relu(x) : x;
}

static u16 b_out(const struct op *op, u16 x)
{
    return FLAG(RELU) ? bf16_relu(x) : x;
}

/* fma.oob: zero wins over everything when an operand is the out-of-bounds NaN. */
#define OOB_NAN 0xffffu

#define H2(name, f16_fn, bf16_fn)                                                                  \
    static u16 h_##name(const struct op *op, u16 a, u16 b)                                         \
    {                                                                                              \
        return h_out(op, FLAG(FTZ) ? f16_fn##_ftz(a, b) : f16_fn(a, b));                           \
    }                                                                                              \
    static u16 b_##name(const struct op *op, u16 a, u16 b)                                         \
    {                                                                                              \
        return b_out(op, bf16_fn(a, b));                                                           \
    }                                                                                              \
    S(name##_f16, h_##name(op, LOW(a), LOW(b)))                                                    \
    S(name##_bf16, b_##name(op, LOW(a), LOW(b)))                                                   \
    S(name##_f16x2, PAIR2(h_##name))                                                               \
    S(name##_bf16x2, PAIR2(b_##name))

H2(add, f16_add, bf16_add)
H2(sub, f16_sub, bf16_sub)
H2(mul, f16_mul, bf16_mul)

#define H2_CHOOSE(name, f16_fn, bf16_fn)                                                           \
    static u16 h_##name(const struct op *op, u16 a, u16 b)                                         \
    {                                                                                              \
        return h_out(op, f16_fn(h_in(op, a), h_in(op, b), FLAG(NAN)));                             \
    }                                                                                              \
    static u16 b_##name(const struct op *op, u16 a, u16 b)                                         \
    {                                                                                              \
        return b_out(op, bf16_fn(a, b, FLAG(NAN)));                                                \
    }                                                                                              \
    S(name##_f16, h_##name(op, LOW(a), LOW(b)))                                                    \
    S(name##_bf16, b_##name(op, LOW(a), LOW(b)))                                                   \
    S(name##_f16x2, PAIR2(h_##name))                                                               \
    S(name##_bf16x2, PAIR2(b_##name))

H2_CHOOSE(min, f16_min, bf16_min)
H2_CHOOSE(max, f16_max, bf16_max)
H2_CHOOSE(min_xorsign, f16_min_xorsign, bf16_min_xorsign)
H2_CHOOSE(max_xorsign, f16_max_xorsign, bf16_max_xorsign)

static u16 h_fma(const struct op *op, u16 a, u16 b, u16 c)
{
    if (FLAG(OOB) && (a == OOB_NAN || b == OOB_NAN))
        return 0;
    return h_out(op, FLAG(FTZ) ? f16_fma_ftz(a, b, c) : f16_fma(a, b, c));
}

static u16 b_fma(const struct op *op, u16 a, u16 b, u16 c)
{
    if (FLAG(OOB) && (a == OOB_NAN || b == OOB_NAN))
        return 0;
    return b_out(op, bf16_fma(a, b, c));
}

static u16 h_neg(const struct op *op, u16 a)
{
    return h_in(op, a) ^ 0x8000;
}

static u16 h_abs(const struct op *op, u16 a)
{
    return h_in(op, a) & 0x7fff;
}

static u16 h_ex2(const struct op *op, u16 a)
{
    u16 r = h_out(op, f16_ex2(h_in(op, a)));
    return FLAG(FTZ) ? f16_ftz(r) : r;
}

static u16 b_ex2(const struct op *op, u16 a)
{
    (void)op;
    return bf16_ex2(a);
}

static u16 h_tanh(const struct op *op, u16 a)
{
    (void)op;
    return f16_tanh(a);
}

static u16 b_tanh(const struct op *op, u16 a)
{
    (void)op;
    return bf16_tanh(a);
}

/* clang-format off */
S(fma_f16, h_fma(op, LOW(a), LOW(b), LOW(c)))
S(fma_bf16, b_fma(op, LOW(a), LOW(b), LOW(c)))
S(fma_f16x2, PAIR3(h_fma))
S(fma_bf16x2, PAIR3(b_fma))
S(neg_half, h_neg(op, LOW(a)))
S(abs_half, h_abs(op, LOW(a)))
S(neg_half2, PAIR1(h_neg))
S(abs_half2, PAIR1(h_abs))
S(ex2_f16, h_ex2(op, LOW(a)))
S(ex2_bf16, b_ex2(op, LOW(a)))
S(ex2_f16x2, PAIR1(h_ex2))
S(ex2_bf16x2, PAIR1(b_ex2))
S(tanh_f16, h_tanh(op, LOW(a)))
S(tanh_bf16, b_tanh(op, LOW(a)))
S(tanh_f16x2, PAIR1(h_tanh))
S(tanh_bf16x2, PAIR1(b_tanh))

/* ---- the table ---- */
#define ROW(name, ty, needs, mays, fast, slow, count, how, width, who) \
    {.opcode = name, .type = TYPE_##ty, .need = needs, .may = mays, .lane = fast, .scalar = slow, \
     .sources = count, .fp = how, .result = width, .unit = UNIT_##who}
/* integers: fast, or one lane at a time */
#define I(name, ty, needs, fast, n)        ROW(name, ty, needs, 0, LANE_##fast, NULL, n, FORM_EXACT, RESULT_SAME, INT)
#define J(name, ty, needs, slow, n)        ROW(name, ty, needs, 0, LANE_NONE, s_##slow, n, FORM_EXACT, RESULT_SAME, INT)
#define JM(name, ty, needs, mays, slow, n) ROW(name, ty, needs, mays, LANE_NONE, s_##slow, n, FORM_EXACT, RESULT_SAME, INT)
#define IW(name, ty, fast, n)              ROW(name, ty, W, 0, LANE_##fast, NULL, n, FORM_EXACT, RESULT_DOUBLE, INT)
#define I32(name, ty, fast, n)             ROW(name, ty, 0, 0, LANE_##fast, NULL, n, FORM_EXACT, RESULT_B32, INT)
#define J32(name, ty, mays, slow, n)       ROW(name, ty, 0, mays, LANE_NONE, s_##slow, n, FORM_EXACT, RESULT_B32, INT)
#define F(name, ty, needs, mays, fast, n, who) ROW(name, ty, needs, mays, LANE_##fast, NULL, n, FORM_ROUNDED, RESULT_SAME, who)
#define G(name, ty, needs, mays, slow, n, who) ROW(name, ty, needs, mays, LANE_NONE, s_##slow, n, FORM_OWN, RESULT_SAME, who)
#define BIT(x) ((u64)1 << MOD_BIT_##x)
#define LO BIT(LO)
#define HI BIT(HI)
#define W BIT(WIDE)
#define SAT BIT(SAT)
#define FZ BIT(FTZ)
#define AP BIT(APPROX)
#define NAN_ BIT(NAN)
#define XS (BIT(XORSIGN) | BIT(ABS))
#define RELU BIT(RELU)

#define ALL6(X, name, fast) \
    X(name, U16, fast##_u16) X(name, S16, fast##_u16) X(name, U32, fast##_u32) \
    X(name, S32, fast##_u32) X(name, U64, fast##_u64) X(name, S64, fast##_u64)
#define PLAIN2(name, ty, fast) I(name, ty, 0, fast, 2),
#define LO2(name, ty, fast) I(name, ty, LO, fast, 2),
#define LO3(name, ty, fast) I(name, ty, LO, fast, 3),
#define BITS2(name, op) I(name, B16, 0, op##_u16, 2), I(name, B32, 0, op##_u32, 2), I(name, B64, 0, op##_u64, 2), \
    ROW(name, PRED, 0, 0, LANE_NONE, s_##op, 2, FORM_EXACT, RESULT_PRED, INT)

const struct form forms[] = {
    J("add", S32, SAT, add_sat, 2), J("sub", S32, SAT, sub_sat, 2),
    ALL6(PLAIN2, "add", add) ALL6(PLAIN2, "sub", sub)
    J("add", U16X2, 0, add_u16x2, 2), J("add", S16X2, 0, add_u16x2, 2),
    ALL6(LO2, "mul", mul_lo) ALL6(LO3, "mad", mad_lo)
    J("mul", U16, HI, mul_hi_u16, 2), J("mul", S16, HI, mul_hi_s16, 2),
    I("mul", U32, HI, mul_hi_u32, 2), I("mul", S32, HI, mul_hi_s32, 2),
    J("mul", U64, HI, mul_hi_u64, 2), J("mul", S64, HI, mul_hi_s64, 2),
    J("mad", U16, HI, mad_hi_u16, 3), J("mad", S16, HI, mad_hi_s16, 3),
    I("mad", U32, HI, mad_hi_u32, 3), I("mad", S32, HI, mad_hi_s32, 3),
    J("mad", U64, HI, mad_hi_u64, 3), J("mad", S64, HI, mad_hi_s64, 3),
    J("mad", S32, HI | SAT, mad_hi_sat, 3),
    IW("mul", U16, mul_wide_u16, 2), IW("mul", S16, mul_wide_s16, 2),
    IW("mul", U32, mul_wide_u32, 2), IW("mul", S32, mul_wide_s32, 2),
    IW("mad", U16, mad_wide_u16, 3), IW("mad", S16, mad_wide_s16, 3),
    IW("mad", U32, mad_wide_u32, 3), IW("mad", S32, mad_wide_s32, 3),
    J("mul24", U32, LO, mul24_lo_u, 2), J("mul24", U32, HI, mul24_hi_u, 2),
    J("mul24", S32, LO, mul24_lo_s, 2), J("mul24", S32, HI, mul24_hi_s, 2),
    J("mad24", U32, LO, mad24_lo_u, 3), J("mad24", U32, HI, mad24_hi_u, 3),
    J("mad24", S32, LO, mad24_lo_s, 3), J("mad24", S32, HI, mad24_hi_s, 3),
    J("mad24", S32, HI | SAT, mad24_hi_sat, 3),
    J("sad", U16, 0, sad_u, 3), J("sad", U32, 0, sad_u, 3), J("sad", U64, 0, sad_u, 3),
    J("sad", S16, 0, sad_s16, 3), J("sad", S32, 0, sad_s32, 3), J("sad", S64, 0, sad_s64, 3),
    J("div", U16, 0, div_u16, 2), J("div", S16, 0, div_s16, 2), I("div", U32, 0, div_u32, 2),
    I("div", S32, 0, div_s32, 2), J("div", U64, 0, div_u64, 2), J("div", S64, 0, div_s64, 2),
    J("rem", U16, 0, rem_u16, 2), J("rem", S16, 0, rem_s16, 2), I("rem", U32, 0, rem_u32, 2),
    I("rem", S32, 0, rem_s32, 2), J("rem", U64, 0, rem_u64, 2), J("rem", S64, 0, rem_s64, 2),
    J("abs", S16, 0, abs_s16, 1), I("abs", S32, 0, abs_s32, 1), J("abs", S64, 0, abs_s64, 1),
    J("neg", S16, 0, neg, 1), I("neg", S32, 0, neg_u32, 1), I("neg", S64, 0, neg_u64, 1),
    J("min", U16, 0, min_u16, 2), J("min", S16, 0, min_s16, 2), I("min", U32, 0, min_u32, 2),
    I("min", S32, 0, min_s32, 2), I("min", U64, 0, min_u64, 2), I("min", S64, 0, min_s64, 2),
    J("max", U16, 0, max_u16, 2), J("max", S16, 0, max_s16, 2), I("max", U32, 0, max_u32, 2),
    I("max", S32, 0, max_s32, 2), I("max", U64, 0, max_u64, 2), I("max", S64, 0, max_s64, 2),
    J("min", U16X2, 0, min_u16x2, 2), J("max", U16X2, 0, max_u16x2, 2),
    JM("min", S16X2, 0, RELU, min_s16x2, 2), JM("max", S16X2, 0, RELU, max_s16x2, 2),
    J("min", S32, RELU, min_relu, 2), J("max", S32, RELU, max_relu, 2),
    I32("popc", B32, popc_u32, 1), J32("popc", B64, 0, popc, 1),
    I32("clz", B32, clz_u32, 1), J32("clz", B64, 0, clz64, 1),
    J32("bfind", U32, BIT(SHIFTAMT), bfind_u32, 1), J32("bfind", S32, BIT(SHIFTAMT), bfind_s32, 1),
    J32("bfind", U64, BIT(SHIFTAMT), bfind_u64, 1), J32("bfind", S64, BIT(SHIFTAMT), bfind_s64, 1),
    J("fns", B32, 0, fns, 3), J("brev", B32, 0, brev32, 1), J("brev", B64, 0, brev64, 1),
    I("bfe", U32, 0, bfe_u32, 3), I("bfe", S32, 0, bfe_s32, 3),
    {"bfe", TYPE_U64, 0, 0, LANE_NONE, s_bfe_u64, 3, {4, 4}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    {"bfe", TYPE_S64, 0, 0, LANE_NONE, s_bfe_s64, 3, {4, 4}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    J("bfi", B32, 0, bfi32, 4),
    {"bfi", TYPE_B64, 0, 0, LANE_NONE, s_bfi64, 4, {8, 4, 4}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    JM("bmsk", B32, 0, BIT(CLAMP) | BIT(WRAP), bmsk, 2),
    JM("szext", U32, 0, BIT(CLAMP) | BIT(WRAP), szext_u, 2),
    JM("szext", S32, 0, BIT(CLAMP) | BIT(WRAP), szext_s, 2),
    BITS2("and", and), BITS2("or", or), BITS2("xor", xor),
    I("not", B16, 0, not_u16, 1), I("not", B32, 0, not_u32, 1), I("not", B64, 0, not_u64, 1),
    ROW("not", PRED, 0, 0, LANE_NONE, s_not, 1, FORM_EXACT, RESULT_PRED, INT),
    J("cnot", B16, 0, cnot, 1), J("cnot", B32, 0, cnot, 1), J("cnot", B64, 0, cnot, 1),
    {"shl", TYPE_B16, 0, 0, LANE_NONE, s_shl_u16, 2, {4}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    I("shl", B32, 0, shl_u32, 2),
    {"shl", TYPE_B64, 0, 0, LANE_shl_u64, NULL, 2, {4}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    {"shr", TYPE_B16, 0, 0, LANE_NONE, s_shr_u16, 2, {4}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    {"shr", TYPE_U16, 0, 0, LANE_NONE, s_shr_u16, 2, {4}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    {"shr", TYPE_S16, 0, 0, LANE_NONE, s_shr_s16, 2, {4}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    I("shr", B32, 0, shr_u32, 2), I("shr", U32, 0, shr_u32, 2), I("shr", S32, 0, shr_s32, 2),
    {"shr", TYPE_B64, 0, 0, LANE_shr_u64, NULL, 2, {4}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    {"shr", TYPE_U64, 0, 0, LANE_shr_u64, NULL, 2, {4}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    {"shr", TYPE_S64, 0, 0, LANE_shr_s64, NULL, 2, {4}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    I("shf", B32, BIT(LEFT) | BIT(WRAP), shf_l_wrap_u32, 3),
    I("shf", B32, BIT(RIGHT) | BIT(WRAP), shf_r_wrap_u32, 3),
    J("shf", B32, BIT(LEFT) | BIT(CLAMP), shf_l, 3), J("shf", B32, BIT(RIGHT) | BIT(CLAMP), shf_r, 3),

    F("add", F32, 0, FZ, add_f32, 2, FP32), F("add", F32, SAT, FZ, add_f32_sat, 2, FP32),
    F("sub", F32, 0, FZ, sub_f32, 2, FP32), F("sub", F32, SAT, FZ, sub_f32_sat, 2, FP32),
    F("mul", F32, 0, FZ, mul_f32, 2, FP32), F("mul", F32, SAT, FZ, mul_f32_sat, 2, FP32),
    F("fma", F32, 0, FZ, fma_f32, 3, FP32), F("fma", F32, SAT, FZ, fma_f32_sat, 3, FP32),
    F("mad", F32, 0, FZ, fma_f32, 3, FP32), F("mad", F32, SAT, FZ, fma_f32_sat, 3, FP32),
    G("div", F32, AP, FZ, div_approx, 2, SFU), G("div", F32, BIT(FULL), FZ, div_full, 2, SFU),
    F("div", F32, 0, FZ, div_f32, 2, SFU),
    G("rcp", F32, AP, FZ, rcp_approx, 1, SFU), F("rcp", F32, 0, FZ, rcp_f32, 1, SFU),
    G("sqrt", F32, AP, FZ, sqrt_approx, 1, SFU), F("sqrt", F32, 0, FZ, sqrt_f32, 1, SFU),
    G("rsqrt", F32, AP, FZ, rsqrt_approx, 1, SFU), G("sin", F32, AP, FZ, sin_approx, 1, SFU),
    G("cos", F32, AP, FZ, cos_approx, 1, SFU), G("lg2", F32, AP, FZ, lg2_approx, 1, SFU),
    G("ex2", F32, AP, FZ, ex2_approx, 1, SFU), G("tanh", F32, AP, 0, tanh_approx, 1, SFU),
    I("min", F32, 0, min_f32, 2), I("max", F32, 0, max_f32, 2),
    G("min", F32, 0, FZ | NAN_, min_f32, 2, FP32), G("max", F32, 0, FZ | NAN_, max_f32, 2, FP32),
    G("min", F32, XS, FZ | NAN_, min_f32_xorsign, 2, FP32),
    G("max", F32, XS, FZ | NAN_, max_f32_xorsign, 2, FP32),
    I("neg", F32, 0, neg_f32, 1), I("abs", F32, 0, abs_f32, 1),
    G("neg", F32, FZ, 0, neg_f32, 1, FP32), G("abs", F32, FZ, 0, abs_f32, 1, FP32),
    G("copysign", F32, 0, 0, copysign_f32, 2, FP32), G("copysign", F64, 0, 0, copysign_f64, 2, FP64),
    F("add", F64, 0, 0, add_f64, 2, FP64), F("sub", F64, 0, 0, sub_f64, 2, FP64),
    F("mul", F64, 0, 0, mul_f64, 2, FP64), F("fma", F64, 0, 0, fma_f64, 3, FP64),
    F("mad", F64, 0, 0, fma_f64, 3, FP64), F("div", F64, 0, 0, div_f64, 2, FP64),
    G("rcp", F64, AP | FZ, 0, rcp_approx_f64, 1, SFU), F("rcp", F64, 0, 0, rcp_f64, 1, FP64),
    F("sqrt", F64, 0, 0, sqrt_f64, 1, FP64), G("rsqrt", F64, AP, FZ, rsqrt_approx_f64, 1, SFU),
    G("min", F64, 0, 0, min_f64, 2, FP64), G("max", F64, 0, 0, max_f64, 2, FP64),
    I("neg", F64, 0, neg_f64, 1), I("abs", F64, 0, abs_f64, 1),

#define HALF_ARITH(name) \
    G(#name, F16, 0, FZ | SAT, name##_f16, 2, FP16), G(#name, F16X2, 0, FZ | SAT, name##_f16x2, 2, FP16), \
    G(#name, BF16, 0, 0, name##_bf16, 2, FP16), G(#name, BF16X2, 0, 0, name##_bf16x2, 2, FP16)
    HALF_ARITH(add), HALF_ARITH(sub), HALF_ARITH(mul),
    G("fma", F16, 0, FZ | SAT | RELU | BIT(OOB), fma_f16, 3, FP16),
    G("fma", F16X2, 0, FZ | SAT | RELU | BIT(OOB), fma_f16x2, 3, FP16),
    G("fma", BF16, 0, RELU | BIT(OOB), fma_bf16, 3, FP16),
    G("fma", BF16X2, 0, RELU | BIT(OOB), fma_bf16x2, 3, FP16),
#define HALF_CHOOSE(name, fn, more) \
    G(#name, F16, more, FZ | NAN_, fn##_f16, 2, FP16), G(#name, F16X2, more, FZ | NAN_, fn##_f16x2, 2, FP16), \
    G(#name, BF16, more, NAN_, fn##_bf16, 2, FP16), G(#name, BF16X2, more, NAN_, fn##_bf16x2, 2, FP16)
    HALF_CHOOSE(min, min, 0), HALF_CHOOSE(max, max, 0),
    HALF_CHOOSE(min, min_xorsign, XS), HALF_CHOOSE(max, max_xorsign, XS),
#define HALF_SIGN(name) \
    G(#name, F16, 0, FZ, name##_half, 1, FP16), G(#name, F16X2, 0, FZ, name##_half2, 1, FP16), \
    G(#name, BF16, 0, 0, name##_half, 1, FP16), G(#name, BF16X2, 0, 0, name##_half2, 1, FP16)
    HALF_SIGN(neg), HALF_SIGN(abs),
    G("ex2", F16, AP, FZ, ex2_f16, 1, SFU), G("ex2", F16X2, AP, FZ, ex2_f16x2, 1, SFU),
    G("ex2", BF16, AP | FZ, 0, ex2_bf16, 1, SFU), G("ex2", BF16X2, AP | FZ, 0, ex2_bf16x2, 1, SFU),
    G("tanh", F16, AP, 0, tanh_f16, 1, SFU), G("tanh", F16X2, AP, 0, tanh_f16x2, 1, SFU),
    G("tanh", BF16, AP, 0, tanh_bf16, 1, SFU), G("tanh", BF16X2, AP, 0, tanh_bf16x2, 1, SFU),
};
/* clang-format on */

const u32 form_count = ARRAY_LEN(forms);

const struct form *form_find(const char *opcode, const struct mods *m)
{
    bool rounded = m->round != ROUND_NONE;
    for (u32 i = 0; i < form_count; i++) {
        const struct form *f = &forms[i];
        if (f->type != m->types[0] || m->type_count != 1 || strcmp(f->opcode, opcode) != 0)
            continue;
        if ((m->flags & f->need) != f->need || (m->flags & ~(f->need | f->may)))
            continue;
        if (rounded && (f->fp == FORM_EXACT || m->to_integral || m->round == ROUND_RNA ||
                        (f->fp == FORM_OWN && m->round != ROUND_RN)))
            continue;
        return f;
    }
    return NULL;
}

u64 scalar_compare(const struct op *op, const u64 *s)
{
    u64 a = s[0], b = s[1];
    enum num_compare how = (enum num_compare)op->compare;
    bool r = false;
    switch (type_info[op->stype].class) {
    case CLASS_SIGNED: {
        u32 spare = 64 - 8u * type_info[op->stype].bytes;
        r = i64_compare(how, (u64)((i64)(a << spare) >> spare), (u64)((i64)(b << spare) >> spare));
        break;
    }
    case CLASS_FLOAT:
        if (op->stype == TYPE_F32)
            r = f32_compare(how, FTZ(a), FTZ(b));
        else if (op->stype == TYPE_F64)
            r = f64_compare(how, a, b);
        else if (op->stype == TYPE_F16)
            r = f16_compare(how, h_in(op, LOW(a)), h_in(op, LOW(b)));
        else
            r = bf16_compare(how, LOW(a), LOW(b));
        break;
    default:
        r = u64_compare(how, a, b);
    }
    return r;
}

/* The three source operands of these are handled by the decoder directly. */
const struct form selection_forms[] = {
    {"selp", TYPE_NONE, 0, 0, LANE_NONE, s_selp, 3, {0, 0xff}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    {"slct_s32",
     TYPE_NONE,
     0,
     0,
     LANE_NONE,
     s_slct_s32,
     3,
     {0, 4},
     FORM_EXACT,
     RESULT_SAME,
     UNIT_INT},
    {"slct_f32",
     TYPE_NONE,
     0,
     BIT(FTZ),
     LANE_NONE,
     s_slct_f32,
     3,
     {0, 4},
     FORM_OWN,
     RESULT_SAME,
     UNIT_INT},
    {"mov", TYPE_NONE, 0, 0, LANE_NONE, s_mov, 1, {0}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    {"lop3", TYPE_B32, 0, 0, LANE_NONE, s_lop3, 3, {0}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    {"prmt", TYPE_B32, 0, 0, LANE_NONE, s_prmt, 3, {0}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    {"testp_f32",
     TYPE_F32,
     0,
     0,
     LANE_NONE,
     s_testp_f32,
     1,
     {0},
     FORM_EXACT,
     RESULT_PRED,
     UNIT_FP32},
    {"testp_f64",
     TYPE_F64,
     0,
     0,
     LANE_NONE,
     s_testp_f64,
     1,
     {0},
     FORM_EXACT,
     RESULT_PRED,
     UNIT_FP64},
    {"dp4a", TYPE_NONE, 0, 0, LANE_NONE, s_dp4a, 3, {0}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    {"dp2a", TYPE_NONE, 0, 0, LANE_NONE, s_dp2a, 3, {0}, FORM_EXACT, RESULT_SAME, UNIT_INT},
    {0},
};
