/* cvt between any two types, one lane at a time. */
#include "ptx/decode/forms.h"

#include "num/convert.h"

#define FLAG(name) ((op->flags & MOD_##name) != 0)

static bool is_int(enum type t)
{
    u8 c = type_info[t].class;
    return c == CLASS_SIGNED || c == CLASS_UNSIGNED || c == CLASS_BITS;
}

static enum num_int int_of(enum type t)
{
    bool is_signed = type_info[t].class == CLASS_SIGNED;
    switch (type_info[t].bytes) {
    case 1:
        return is_signed ? INT_S8 : INT_U8;
    case 2:
        return is_signed ? INT_S16 : INT_U16;
    case 4:
        return is_signed ? INT_S32 : INT_U32;
    default:
        return is_signed ? INT_S64 : INT_U64;
    }
}

static enum num_round round_of(const struct op *op)
{
    return op->round == ROUND_NONE ? ROUND_RN : (enum num_round)op->round;
}

static u64 float_to_int(const struct op *op, u64 x)
{
    enum num_int to = int_of((enum type)op->type);
    enum num_round r = round_of(op);
    switch ((enum type)op->stype) {
    case TYPE_F64:
        return f64_to_int(x, to, r);
    case TYPE_F32:
        return f32_to_int(FLAG(FTZ) ? f32_ftz((u32)x) : (u32)x, to, r);
    case TYPE_F16:
        return f16_to_int((u16)x, to, r);
    default:
        return bf16_to_int((u16)x, to, r);
    }
}

/* .satfinite, .relu and .sat of a result */
static u64 finish(const struct op *op, u64 x)
{
    switch ((enum type)op->type) {
    case TYPE_F16:
    case TYPE_F16X2:
        x = FLAG(SATFINITE) ? f16_satfinite((u16)x) : x;
        x = FLAG(RELU) ? f16_relu((u16)x) : x;
        return FLAG(SAT) ? f16_sat((u16)x) : x;
    case TYPE_BF16:
    case TYPE_BF16X2:
        x = FLAG(SATFINITE) ? bf16_satfinite((u16)x) : x;
        x = FLAG(RELU) ? bf16_relu((u16)x) : x;
        return FLAG(SAT) ? bf16_sat((u16)x) : x;
    case TYPE_F32:
        x = FLAG(FTZ) ? f32_ftz((u32)x) : x;
        return FLAG(SAT) ? f32_sat((u32)x) : x;
    case TYPE_F64:
        return FLAG(SAT) ? f64_sat(x) : x;
    default:
        return x;
    }
}

static u64 int_to_float(const struct op *op, u64 x)
{
    enum num_int from = int_of((enum type)op->stype);
    enum num_round r = round_of(op);
    x = int_extend(x, from);
    switch ((enum type)op->type) {
    case TYPE_F64:
        return int_to_f64(x, from, r);
    case TYPE_F32:
        return int_to_f32(x, from, r);
    case TYPE_F16:
        return int_to_f16(x, from, r);
    default:
        return int_to_bf16(x, from, r);
    }
}

static u64 round_integral(const struct op *op, u64 x)
{
    enum num_round r = round_of(op);
    switch ((enum type)op->type) {
    case TYPE_F64:
        return f64_round_integral(x, r);
    case TYPE_F32:
        return f32_round_integral(FLAG(FTZ) ? f32_ftz((u32)x) : (u32)x, r);
    case TYPE_F16:
        return f16_round_integral((u16)x, r);
    default:
        return bf16_round_integral((u16)x, r);
    }
}

static u64 from_f32(const struct op *op, u32 x)
{
    enum num_round r = round_of(op);
    switch ((enum type)op->type) {
    case TYPE_F64:
        return f32_to_f64(FLAG(FTZ) ? f32_canonical(f32_ftz(x)) : x);
    case TYPE_F32:
        return FLAG(FTZ) ? f32_canonical(f32_ftz(x)) : x;
    case TYPE_F16:
    case TYPE_F16X2:
        return f32_to_f16(x, r);
    case TYPE_TF32:
        if (r == ROUND_RNA)
            return FLAG(SATFINITE) ? f32_to_tf32_rna_satfinite(x) : f32_to_tf32_rna(x);
        return FLAG(RELU) ? tf32_relu(f32_to_tf32(x, r)) : f32_to_tf32(x, r);
    case TYPE_E4M3X2:
        return f32_to_e4m3(x, FLAG(RELU));
    case TYPE_E5M2X2:
        return f32_to_e5m2(x, FLAG(RELU));
    default:
        return f32_to_bf16(x, r);
    }
}

static u64 from_f16(const struct op *op, u16 x)
{
    switch ((enum type)op->type) {
    case TYPE_F64:
        return f16_to_f64(x);
    case TYPE_F32:
        return f16_to_f32(x);
    case TYPE_E4M3X2:
        return f16_to_e4m3(x, FLAG(RELU));
    case TYPE_E5M2X2:
        return f16_to_e5m2(x, FLAG(RELU));
    case TYPE_F16:
        return f16_is_nan(x) ? F16_NAN : x;
    default:
        return f16_to_bf16(x, round_of(op));
    }
}

static u64 from_bf16(const struct op *op, u16 x)
{
    switch ((enum type)op->type) {
    case TYPE_F64:
        return bf16_to_f64(x);
    case TYPE_F32:
        return bf16_to_f32(x);
    case TYPE_BF16:
        return bf16_is_nan(x) ? BF16_NAN : x;
    default:
        return bf16_to_f16(x, round_of(op));
    }
}

static u64 from_f64(const struct op *op, u64 x)
{
    enum num_round r = round_of(op);
    switch ((enum type)op->type) {
    case TYPE_F32:
        return f64_to_f32(x, r);
    case TYPE_F16:
        return f64_to_f16(x, r);
    case TYPE_BF16:
        return f64_to_bf16(x, r);
    default:
        return x;
    }
}

static u64 float_to_float(const struct op *op, u64 x)
{
    switch ((enum type)op->stype) {
    case TYPE_F32:
        return from_f32(op, (u32)x);
    case TYPE_F16:
    case TYPE_F16X2:
        return from_f16(op, (u16)x);
    case TYPE_BF16:
        return from_bf16(op, (u16)x);
    case TYPE_E4M3X2:
        return e4m3_to_f16((u8)x);
    case TYPE_E5M2X2:
        return e5m2_to_f16((u8)x);
    default:
        return from_f64(op, x);
    }
}

/* Two results in one register: {a, b} from two f32, or both halves of a pair. */
static u64 packed(const struct op *op, const u64 *s)
{
    bool narrow = op->type == TYPE_E4M3X2 || op->type == TYPE_E5M2X2;
    u32 width = narrow ? 8 : 16;
    u64 high, low;
    if (op->stype == TYPE_F32) { /* the first operand becomes the upper half */
        high = s[0];
        low = s[1];
    } else {
        u32 from = type_info[op->stype].bytes * 4u;
        high = s[0] >> from;
        low = s[0] & (((u64)1 << from) - 1);
    }
    u64 h = finish(op, float_to_float(op, high)), l = finish(op, float_to_float(op, low));
    return h << width | l;
}

/* The result as wide as its register: integers are extended as their type says. */
static u64 widen(const struct op *op, u64 x)
{
    return is_int((enum type)op->type) ? int_extend(x, int_of((enum type)op->type)) : x;
}

u64 scalar_cvt(const struct op *op, const u64 *s)
{
    enum type to = (enum type)op->type, from = (enum type)op->stype;
    if (type_info[to].class == CLASS_PACKED)
        return packed(op, s);
    u64 x = s[0];
    if (is_int(to) && is_int(from)) {
        x = int_extend(x, int_of(from));
        return widen(op, FLAG(SAT) ? int_saturate(x, int_of(from), int_of(to)) : x);
    }
    if (is_int(to))
        return widen(op, float_to_int(op, x));
    if (is_int(from))
        return finish(op, int_to_float(op, x));
    if (to == from && op->negate) /* .rni and the like */
        return finish(op, round_integral(op, x));
    return finish(op, float_to_float(op, x));
}
