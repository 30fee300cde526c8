/*
 * Every lane-wise form whose semantics live in num, run on the suite's inputs and compared
 * with what an H200 gave. f32 and f64 arithmetic that the host does is in test_host.c.
 */
#include "recorded.h"

#include "num/approx.h"
#include "num/bits.h"
#include "num/compare.h"
#include "num/convert.h"
#include "num/float16.h"
#include "num/video.h"

static bool is_in(const char *word, const char *list)
{
    const char *at = strstr(list, word);
    size_t n = strlen(word);
    return n && at && (at == list || at[-1] == ' ') && (at[n] == 0 || at[n] == ' ');
}

static enum num_int int_type(const char *name)
{
    static const char *const names[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
    for (u32 k = 0; k < ARRAY_LEN(names); k++) {
        if (!strcmp(name, names[k]))
            return (enum num_int)k;
    }
    if (name[0] == 'b')
        return int_type(name[1] == '1' ? "u16" : name[1] == '3' ? "u32" : "u64");
    fail_msg("%s is not an integer type", name);
    return INT_U8;
}

static bool is_int(const char *name)
{
    return is_in(name, "u8 s8 u16 s16 u32 s32 u64 s64 b16 b32 b64");
}

static enum num_round rounding(const struct instruction *i)
{
    static const char *const names[] = {"rn", "rz", "rm", "rp", "rna"};
    for (u32 k = 0; k < ARRAY_LEN(names); k++) {
        char integral[8];
        snprintf(integral, sizeof integral, "%si", names[k]);
        if (has(i, names[k]) || has(i, integral))
            return (enum num_round)k;
    }
    return ROUND_RN;
}

static bool is_integral(const struct instruction *i)
{
    return has(i, "rni") || has(i, "rzi") || has(i, "rmi") || has(i, "rpi");
}

static enum num_compare comparison(const char *name)
{
    static const char *const names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                        "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                        "ltu", "leu", "gtu", "geu", "num", "nan"};
    for (u32 k = 0; k < ARRAY_LEN(names); k++) {
        if (!strcmp(name, names[k]))
            return (enum num_compare)k;
    }
    fail_msg("%s is not a comparison", name);
    return COMPARE_EQ;
}

/* One element: of a pair, a half. */
static bool compare_element(const struct instruction *i, const char *type, u64 a, u64 b)
{
    enum num_compare op = comparison(i->word[1]);
    bool ftz = has(i, "ftz");
    if (is_int(type)) {
        enum num_int t = int_type(type);
        a = int_extend(a, t);
        b = int_extend(b, t);
        return int_is_signed(t) ? i64_compare(op, a, b) : u64_compare(op, a, b);
    }
    if (!strcmp(type, "f64"))
        return f64_compare(op, a, b);
    if (!strcmp(type, "f32"))
        return ftz ? f32_compare(op, f32_ftz((u32)a), f32_ftz((u32)b))
                   : f32_compare(op, (u32)a, (u32)b);
    if (!strncmp(type, "f16", 3))
        return ftz ? f16_compare(op, f16_ftz((u16)a), f16_ftz((u16)b))
                   : f16_compare(op, (u16)a, (u16)b);
    return bf16_compare(op, (u16)a, (u16)b);
}

static bool combine(const struct instruction *i, bool t, u64 c)
{
    bool p = i->c->ins > 2 && ((c & 1) ^ i->negated[i->operands - 1]);
    return has(i, "and") ? t && p : has(i, "or") ? t || p : has(i, "xor") ? t != p : t;
}

static u64 true_of(const char *type, bool t)
{
    u64 yes = !strcmp(type, "f32")        ? 0x3f800000
              : !strncmp(type, "f16", 3)  ? 0x3c00
              : !strncmp(type, "bf16", 4) ? 0x3f80
                                          : 0xffffffff;
    return t ? yes : 0;
}

static bool eval_compare(struct instruction *i)
{
    const char *type = last(i, 0);
    bool pair = strstr(type, "x2");
    bool t = compare_element(i, type, i->in[0], i->in[1]);
    bool high = pair && compare_element(i, type, i->in[0] >> 16, i->in[1] >> 16);
    if (is(i, "setp")) {
        i->out[0] = combine(i, t, i->in[2]);
        i->out[1] = pair ? high : combine(i, !t, i->in[2]);
    } else {
        const char *to = last(i, 1);
        i->out[0] = true_of(to, combine(i, t, i->in[2])) | (pair ? true_of(to, high) << 16 : 0);
    }
    return true;
}

static bool eval_int3(struct instruction *i, u64 a, u64 b, u64 c)
{
    enum num_int t = int_type(last(i, 0));
    bool is_signed = int_is_signed(t), hi = has(i, "hi"), sat = has(i, "sat");
    u32 bits = int_bits(t);
    u64 *d = &i->out[0];
    if (is(i, "sad"))
        *d = is_signed ? i64_sad(a, b, c) : u64_sad(a, b, c);
    else if (is(i, "div"))
        *d = bits == 32 ? (is_signed ? i32_div((u32)a, (u32)b) : u32_div((u32)a, (u32)b))
                        : (is_signed ? i64_div(a, b) : u64_div(a, b));
    else if (is(i, "rem"))
        *d = bits == 32 ? (is_signed ? i32_rem((u32)a, (u32)b) : u32_rem((u32)a, (u32)b))
                        : (is_signed ? i64_rem(a, b) : u64_rem(a, b));
    else if ((is(i, "mul") || is(i, "mad")) && hi && !sat)
        *d = c + (bits == 64 ? (is_signed ? i64_mul_hi(a, b) : u64_mul_hi(a, b))
                  : bits == 32
                      ? (is_signed ? i32_mul_hi((u32)a, (u32)b) : u32_mul_hi((u32)a, (u32)b))
                      : (is_signed ? i16_mul_hi((u16)a, (u16)b) : u16_mul_hi((u16)a, (u16)b)));
    else if (is(i, "mad") && hi)
        *d = i32_mad_hi_sat((u32)a, (u32)b, (u32)c);
    else if (is(i, "add") && sat)
        *d = i32_add_sat((u32)a, (u32)b);
    else if (is(i, "sub") && sat)
        *d = i32_sub_sat((u32)a, (u32)b);
    else if ((is(i, "mul24") || is(i, "mad24")) && !sat)
        *d = c + (hi ? (is_signed ? i32_mul24_hi((u32)a, (u32)b) : u32_mul24_hi((u32)a, (u32)b))
                     : (is_signed ? i32_mul24_lo((u32)a, (u32)b) : u32_mul24_lo((u32)a, (u32)b)));
    else if (is(i, "mad24"))
        *d = i32_mad24_hi_sat((u32)a, (u32)b, (u32)c);
    else if (is(i, "bfind"))
        *d = bits == 64
                 ? (is_signed ? i64_bfind(a, has(i, "shiftamt")) : u64_bfind(a, has(i, "shiftamt")))
                 : (is_signed ? i32_bfind((u32)a, has(i, "shiftamt"))
                              : u32_bfind((u32)a, has(i, "shiftamt")));
    else if (is(i, "bfe"))
        *d = bits == 64 ? (is_signed ? i64_bfe(a, (u32)i->in[1], (u32)c)
                                     : u64_bfe(a, (u32)i->in[1], (u32)c))
                        : (is_signed ? i32_bfe((u32)a, (u32)i->in[1], (u32)c)
                                     : u32_bfe((u32)a, (u32)i->in[1], (u32)c));
    else if (is(i, "szext"))
        *d = is_signed ? i32_szext((u32)a, (u32)i->in[1], has(i, "wrap"))
                       : u32_szext((u32)a, (u32)i->in[1], has(i, "wrap"));
    else if (is(i, "shr") && is_signed)
        *d = bits == 64   ? i64_shr(a, (u32)i->in[1])
             : bits == 32 ? i32_shr((u32)a, (u32)i->in[1])
                          : i16_shr((u16)a, (u32)i->in[1]);
    else
        return false;
    return true;
}

static u32 number(const char *text)
{
    return (u32)strtoul(text, NULL, 0);
}

static bool eval_bits(struct instruction *i)
{
    static const char *const modes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    const char *type = last(i, 0);
    u32 a = (u32)i->in[0], b = (u32)i->in[1], c = (u32)i->in[2];
    bool wide = !strcmp(type, "b64"), half = !strcmp(type, "b16");
    u64 *d = &i->out[0];
    if (is(i, "popc"))
        *d = u64_popc(i->in[0]);
    else if (is(i, "clz"))
        *d = wide ? u64_clz(i->in[0]) : u32_clz(a);
    else if (is(i, "brev"))
        *d = wide ? u64_brev(i->in[0]) : u32_brev(a);
    else if (is(i, "fns"))
        *d = u32_fns(a, b, c);
    else if (is(i, "bfi"))
        *d = wide ? u64_bfi(i->in[0], i->in[1], c, (u32)i->in[3]) : u32_bfi(a, b, c, (u32)i->in[3]);
    else if (is(i, "bmsk"))
        *d = u32_bmsk(a, b, has(i, "wrap"));
    else if (is(i, "dp4a"))
        *d = u32_dp4a(a, b, c, i->word[1][0] == 's', i->word[2][0] == 's');
    else if (is(i, "dp2a"))
        *d = u32_dp2a(a, b, c, i->word[2][0] == 's', i->word[3][0] == 's', has(i, "hi"));
    else if (is(i, "prmt")) {
        enum prmt_mode mode = PRMT_INDEX;
        for (u32 k = 1; k < ARRAY_LEN(modes); k++)
            mode = has(i, modes[k]) ? (enum prmt_mode)k : mode;
        *d = u32_prmt(a, b, i->part[3][0] ? number(i->part[3]) : c, mode);
    } else if (is(i, "lop3")) {
        bool pred = i->c->outs == 2;
        *d = u32_lop3(a, b, c, number(i->part[pred ? 5 : 4]));
        bool q = i->in[3] & 1;
        i->out[1] = has(i, "or") ? (*d != 0 || q) : (*d != 0 && q);
    } else if (is(i, "shl"))
        *d = wide   ? u64_shl(i->in[0], b)
             : half ? u16_shl((u16)a, b)
                    : u32_shl(a, i->part[2][0] ? number(i->part[2]) : b);
    else if (is(i, "shr") && type[0] != 's')
        *d = int_bits(int_type(type)) == 64   ? u64_shr(i->in[0], b)
             : int_bits(int_type(type)) == 16 ? u16_shr((u16)a, b)
                                              : u32_shr(a, b);
    else if (is(i, "shr") && i->part[2][0])
        *d = i32_shr(a, number(i->part[2]));
    else if (is(i, "shf"))
        *d = has(i, "l") ? u32_shf_l(a, b, c, has(i, "wrap")) : u32_shf_r(a, b, c, has(i, "wrap"));
    else if (is(i, "cnot"))
        *d = u64_cnot(i->in[0]);
    else if (is(i, "add") && strstr(type, "x2"))
        *d = u16x2_add(a, b);
    else if (is(i, "min") && has(i, "u16x2"))
        *d = u16x2_min(a, b);
    else if (is(i, "max") && has(i, "u16x2"))
        *d = u16x2_max(a, b);
    else if (is(i, "min") && has(i, "s16x2"))
        *d = i16x2_min(a, b, has(i, "relu"));
    else if (is(i, "max") && has(i, "s16x2"))
        *d = i16x2_max(a, b, has(i, "relu"));
    else if (is(i, "min") && has(i, "relu"))
        *d = i32_min_relu(a, b);
    else if (is(i, "max") && has(i, "relu"))
        *d = i32_max_relu(a, b);
    else
        return false;
    return true;
}

static bool eval_integer(struct instruction *i)
{
    if (eval_bits(i))
        return true;
    const char *type = last(i, 0);
    if (!is_int(type) || has(i, "wide"))
        return false;
    enum num_int t = int_type(type);
    u64 c = i->c->ins > 2 ? i->in[2] : 0;
    return eval_int3(i, int_extend(i->in[0], t), int_extend(i->in[1], t), c);
}

static u16 half_modify(const struct instruction *i, u16 d, bool brain)
{
    if (has(i, "sat"))
        d = brain ? bf16_sat(d) : f16_sat(d);
    if (has(i, "relu"))
        d = brain ? bf16_relu(d) : f16_relu(d);
    return d;
}

static bool half_element(const struct instruction *i, bool brain, u16 a, u16 b, u16 c, u16 *d)
{
    bool nan = has(i, "NaN"), sign = has(i, "xorsign"), ftz = has(i, "ftz") && !brain;
    if (is(i, "add"))
        *d = brain ? bf16_add(a, b) : ftz ? f16_add_ftz(a, b) : f16_add(a, b);
    else if (is(i, "sub"))
        *d = brain ? bf16_sub(a, b) : ftz ? f16_sub_ftz(a, b) : f16_sub(a, b);
    else if (is(i, "mul"))
        *d = brain ? bf16_mul(a, b) : ftz ? f16_mul_ftz(a, b) : f16_mul(a, b);
    else if (is(i, "fma"))
        *d = brain ? bf16_fma(a, b, c) : ftz ? f16_fma_ftz(a, b, c) : f16_fma(a, b, c);
    a = ftz ? f16_ftz(a) : a;
    b = ftz ? f16_ftz(b) : b;
    if (is(i, "add") || is(i, "sub") || is(i, "mul") || is(i, "fma"))
        *d = half_modify(i, *d, brain);
    else if (is(i, "min") && sign)
        *d = brain ? bf16_min_xorsign(a, b, nan) : f16_min_xorsign(a, b, nan);
    else if (is(i, "max") && sign)
        *d = brain ? bf16_max_xorsign(a, b, nan) : f16_max_xorsign(a, b, nan);
    else if (is(i, "min"))
        *d = brain ? bf16_min(a, b, nan) : f16_min(a, b, nan);
    else if (is(i, "max"))
        *d = brain ? bf16_max(a, b, nan) : f16_max(a, b, nan);
    else if (is(i, "abs"))
        *d = brain ? bf16_abs(a) : f16_abs(a);
    else if (is(i, "neg"))
        *d = brain ? bf16_neg(a) : f16_neg(a);
    else if (is(i, "ex2"))
        *d = brain ? bf16_ex2(a) : f16_ex2(a);
    else if (is(i, "tanh"))
        *d = brain ? bf16_tanh(a) : f16_tanh(a);
    else
        return false;
    return true;
}

static bool eval_half(struct instruction *i)
{
    const char *type = last(i, 0);
    bool brain = type[0] == 'b', pair = strstr(type, "x2");
    u64 a = i->in[0], b = i->in[1], c = i->in[2];
    u16 low = 0, high = 0;
    bool ok =
        half_element(i, brain, (u16)a, (u16)b, (u16)c, &low) &&
        (!pair || half_element(i, brain, (u16)(a >> 16), (u16)(b >> 16), (u16)(c >> 16), &high));
    i->out[0] = (u32)high << 16 | low;
    return ok;
}

static bool eval_float(struct instruction *i)
{
    static const char *const classes[] = {"finite",     "infinite", "number",
                                          "notanumber", "normal",   "subnormal"};
    bool wide = !strcmp(last(i, 0), "f64"), nan = has(i, "NaN"), ftz = has(i, "ftz");
    bool sign = has(i, "xorsign");
    u32 a = ftz ? f32_ftz((u32)i->in[0]) : (u32)i->in[0];
    u32 b = ftz ? f32_ftz((u32)i->in[1]) : (u32)i->in[1];
    u64 *d = &i->out[0];
    if (is(i, "min"))
        *d = wide   ? f64_min(i->in[0], i->in[1])
             : sign ? f32_min_xorsign(a, b, nan)
                    : f32_min(a, b, nan);
    else if (is(i, "max"))
        *d = wide   ? f64_max(i->in[0], i->in[1])
             : sign ? f32_max_xorsign(a, b, nan)
                    : f32_max(a, b, nan);
    else if (is(i, "abs"))
        *d = wide ? f64_abs(i->in[0]) : f32_abs(a);
    else if (is(i, "neg"))
        *d = wide ? f64_neg(i->in[0]) : f32_neg(a);
    else if (is(i, "copysign"))
        *d = wide ? f64_copysign(i->in[0], i->in[1]) : f32_copysign(a, b);
    else if (is(i, "testp")) {
        for (u32 k = 0; k < ARRAY_LEN(classes); k++) {
            if (has(i, classes[k]))
                *d =
                    wide ? f64_testp((enum num_class)k, i->in[0]) : f32_testp((enum num_class)k, a);
        }
    } else
        return false;
    return true;
}

static bool eval_approx(struct instruction *i)
{
    bool wide = !strcmp(last(i, 0), "f64"), ftz = has(i, "ftz");
    u32 a = (u32)i->in[0], b = (u32)i->in[1];
    u64 *d = &i->out[0];
    if (is(i, "rcp"))
        *d = wide ? f64_rcp_approx(i->in[0]) : f32_rcp_approx(a, ftz);
    else if (is(i, "rsqrt"))
        *d = wide ? f64_rsqrt_approx(i->in[0], ftz) : f32_rsqrt_approx(a, ftz);
    else if (is(i, "sqrt"))
        *d = f32_sqrt_approx(a, ftz);
    else if (is(i, "div"))
        *d = has(i, "full") ? f32_div_full(a, b, ftz) : f32_div_approx(a, b, ftz);
    else if (is(i, "sin"))
        *d = f32_sin_approx(a, ftz);
    else if (is(i, "cos"))
        *d = f32_cos_approx(a, ftz);
    else if (is(i, "lg2"))
        *d = f32_lg2_approx(a, ftz);
    else if (is(i, "ex2"))
        *d = f32_ex2_approx(a, ftz);
    else if (is(i, "tanh"))
        *d = f32_tanh_approx(a);
    else
        return false;
    return true;
}

static u64 int_from_float(const struct instruction *i, const char *from, enum num_int to)
{
    enum num_round r = rounding(i);
    if (!strcmp(from, "f64"))
        return f64_to_int(i->in[0], to, r);
    if (!strcmp(from, "f32"))
        return f32_to_int(has(i, "ftz") ? f32_ftz((u32)i->in[0]) : (u32)i->in[0], to, r);
    return from[0] == 'b' ? bf16_to_int((u16)i->in[0], to, r) : f16_to_int((u16)i->in[0], to, r);
}

static u64 float_from_int(const char *to, u64 x, enum num_int from, enum num_round r)
{
    if (!strcmp(to, "f64"))
        return int_to_f64(x, from, r);
    if (!strcmp(to, "f32"))
        return int_to_f32(x, from, r);
    return to[0] == 'b' ? int_to_bf16(x, from, r) : int_to_f16(x, from, r);
}

static u64 float_integral(const char *type, u64 x, enum num_round r)
{
    if (!strcmp(type, "f64"))
        return f64_round_integral(x, r);
    if (!strcmp(type, "f32"))
        return f32_round_integral((u32)x, r);
    return type[0] == 'b' ? bf16_round_integral((u16)x, r) : f16_round_integral((u16)x, r);
}

/* A NaN keeps its payload only where the instruction is a move. */
static u64 float_same(const struct instruction *i, const char *type, u64 x)
{
    if (!strcmp(type, "f32"))
        return has(i, "ftz") ? f32_canonical((u32)x) : x;
    return !strcmp(type, "f16") && f16_is_nan((u16)x) ? F16_NAN : x;
}

static u64 float_from_float(const struct instruction *i, const char *to, const char *from, u64 x)
{
    enum num_round r = rounding(i);
    bool ftz = has(i, "ftz"), to16 = !strcmp(to, "f16"), tob16 = !strcmp(to, "bf16");
    if (ftz && !strcmp(from, "f32") && !to16)
        x = f32_ftz((u32)x);
    if (!strcmp(to, from))
        return is_integral(i) ? float_integral(to, x, r) : float_same(i, to, x);
    if (!strcmp(to, "f64")) {
        if (!strcmp(from, "f32"))
            return f32_to_f64(ftz ? f32_canonical((u32)x) : (u32)x);
        return !strcmp(from, "f16") ? f16_to_f64((u16)x) : bf16_to_f64((u16)x);
    }
    if (!strcmp(to, "f32")) {
        if (!strcmp(from, "f64"))
            return ftz ? f32_ftz(f64_to_f32(x, r)) : f64_to_f32(x, r);
        return !strcmp(from, "f16") ? f16_to_f32((u16)x) : bf16_to_f32((u16)x);
    }
    if (!strcmp(to, "tf32")) {
        if (r == ROUND_RNA)
            return has(i, "satfinite") ? f32_to_tf32_rna_satfinite((u32)x)
                                       : f32_to_tf32_rna((u32)x);
        return has(i, "relu") ? tf32_relu(f32_to_tf32((u32)x, r)) : f32_to_tf32((u32)x, r);
    }
    u16 d = 0;
    if (!strcmp(from, "f64"))
        d = to16 ? f64_to_f16(x, r) : f64_to_bf16(x, r);
    else if (!strcmp(from, "f32"))
        d = to16 ? f32_to_f16((u32)x, r) : f32_to_bf16((u32)x, r);
    else
        d = to16 ? bf16_to_f16((u16)x, r) : f16_to_bf16((u16)x, r);
    if (has(i, "satfinite"))
        d = tob16 ? bf16_satfinite(d) : f16_satfinite(d);
    if (has(i, "relu"))
        d = tob16 ? bf16_relu(d) : f16_relu(d);
    return d;
}

static u64 float_sat(const char *type, u64 x)
{
    return !strcmp(type, "f64")   ? f64_sat(x)
           : !strcmp(type, "f32") ? f32_sat((u32)x)
                                  : f16_sat((u16)x);
}

static bool eval_packed(struct instruction *i)
{
    const char *to = last(i, 1), *from = last(i, 0);
    bool relu = has(i, "relu");
    u64 a = i->in[0], b = i->in[1];
    if (has(i, "pack")) {
        const char *element = i->word[3];
        u32 bits = number(element + 1);
        bool is_signed = element[0] == 's';
        u64 both =
            (u64)int_pack((u32)a, bits, is_signed) << bits | int_pack((u32)b, bits, is_signed);
        i->out[0] = bits == 16 ? both : (i->in[2] << (2 * bits) | both);
    } else if (!strcmp(to, "e4m3x2") || !strcmp(to, "e5m2x2")) {
        bool e4 = to[1] == '4', two = !strcmp(from, "f32");
        u32 x = two ? (u32)a : f16_widen((u16)(a >> 16)), y = two ? (u32)b : f16_widen((u16)a);
        u32 high = e4 ? f32_to_e4m3(x, relu) : f32_to_e5m2(x, relu);
        u32 low = e4 ? f32_to_e4m3(y, relu) : f32_to_e5m2(y, relu);
        i->out[0] = high << 8 | low;
    } else if (!strcmp(from, "e4m3x2") || !strcmp(from, "e5m2x2")) {
        bool e4 = from[1] == '4';
        u16 high = e4 ? e4m3_to_f16((u8)(a >> 8)) : e5m2_to_f16((u8)(a >> 8));
        u16 low = e4 ? e4m3_to_f16((u8)a) : e5m2_to_f16((u8)a);
        i->out[0] = (u32)(relu ? f16_relu(high) : high) << 16 | (relu ? f16_relu(low) : low);
    } else {
        const char *one = to[0] == 'b' ? "bf16" : "f16";
        i->out[0] = float_from_float(i, one, from, a) << 16 | float_from_float(i, one, from, b);
    }
    return true;
}

static bool eval_cvt(struct instruction *i)
{
    const char *to = last(i, 1), *from = last(i, 0);
    bool sat = has(i, "sat");
    if (has(i, "pack") || strstr(to, "x2") || strstr(from, "x2"))
        return eval_packed(i);
    u64 x = i->in[0];
    if (is_int(from))
        x = int_extend(x, int_type(from));
    if (is_int(from) && is_int(to))
        x = sat ? int_saturate(x, int_type(from), int_type(to)) : int_extend(x, int_type(to));
    else if (is_int(to))
        x = int_from_float(i, from, int_type(to));
    else {
        x = is_int(from) ? float_from_int(to, x, int_type(from), rounding(i))
                         : float_from_float(i, to, from, x);
        x = sat ? float_sat(to, x) : x;
    }
    i->out[0] = x;
    return true;
}

static enum video_part part_of(const char *text)
{
    static const char *const names[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
    for (u32 k = 0; k < ARRAY_LEN(names); k++) {
        if (!strcmp(text, names[k]))
            return (enum video_part)k;
    }
    fail_msg("%s is not a part", text);
    return VIDEO_WORD;
}

static u32 selector_of(const char *text, u32 otherwise)
{
    return text[0] ? (u32)strtoul(text + 1, NULL, 16) : otherwise;
}

static bool eval_video(struct instruction *i)
{
    static const char *const ops[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg", "vset"};
    char opcode[WORD_BYTES];
    snprintf(opcode, sizeof opcode, "%s", i->word[0]);
    size_t n = strlen(opcode);
    u32 width = opcode[n - 1] == '2' ? 16 : opcode[n - 1] == '4' ? 8 : 0;
    if (width)
        opcode[n - 1] = 0;
    bool set = !strcmp(opcode, "vset");
    u32 a = (u32)i->in[0], b = (u32)i->in[1], c = (u32)i->in[2];
    struct video_mode m = {.d_signed = !set && i->word[1][0] == 's',
                           .a_signed = i->word[set ? 1 : 2][0] == 's',
                           .b_signed = i->word[set ? 2 : 3][0] == 's',
                           .saturate = has(i, "sat"),
                           .second = has(i, "add")   ? VIDEO_THEN_ADD
                                     : has(i, "min") ? VIDEO_THEN_MIN
                                     : has(i, "max") ? VIDEO_THEN_MAX
                                                     : VIDEO_NONE};
    for (u32 k = 0; k < ARRAY_LEN(ops); k++)
        m.op = !strcmp(opcode, ops[k]) ? (enum video_op)k : m.op;
    m.compare = set ? comparison(i->word[3]) : COMPARE_EQ;
    if (width) {
        u32 as = selector_of(i->part[1], width == 16 ? 0x10 : 0x3210);
        u32 bs = selector_of(i->part[2], width == 16 ? 0x32 : 0x7654);
        i->out[0] = video_simd(&m, width, a, b, c, as, bs, 15);
        return true;
    }
    m.d_part = part_of(i->part[0]);
    m.a_part = part_of(i->part[1]);
    m.b_part = part_of(i->part[2]);
    if (!strcmp(opcode, "vmad"))
        i->out[0] = video_mad(&m, a, b, c,
                              has(i, "shr7")    ? 7
                              : has(i, "shr15") ? 15
                                                : 0,
                              false, false, has(i, "po"));
    else if (!strcmp(opcode, "vshl") || !strcmp(opcode, "vshr"))
        i->out[0] = video_shift(&m, a, b, c, !strcmp(opcode, "vshr"), has(i, "wrap"));
    else
        i->out[0] = video_scalar(&m, a, b, c);
    return true;
}

static bool eval_one(struct instruction *i)
{
    const char *type = last(i, 0);
    if (is(i, "set") || is(i, "setp"))
        return eval_compare(i);
    if (is(i, "cvt"))
        return eval_cvt(i);
    if (i->word[0][0] == 'v')
        return eval_video(i);
    if (is_in(type, "f16 f16x2 bf16 bf16x2"))
        return eval_half(i);
    if (is_in(type, "f32 f64") && (has(i, "approx") || has(i, "full")))
        return eval_approx(i);
    return is_in(type, "f32 f64") ? eval_float(i) : eval_integer(i);
}

TEST(every_recorded_form_of_these_functions_agrees_with_the_gpu)
{
    UNUSED_STATE;
    struct replay r;
    replay_init(&r);
    replay_all(&r, eval_one);
    print_message("# %u forms, %u lanes, %u forms not bit-equal\n", r.cases, r.lanes,
                  r.inexact_cases);
    assert_int_equal(r.wrong_cases, 0);
    assert_true(r.cases > 1800);
    replay_fini(&r);
}

RUN_TESTS(T(every_recorded_form_of_these_functions_agrees_with_the_gpu))
