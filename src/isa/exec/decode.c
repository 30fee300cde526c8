/* PTX statements to ops: the table of opcodes, and the lane-wise instructions. */
#include "isa/exec/decode.h"

#include "isa/exec/warp.h"
#include "isa/num/bits.h"
#include "isa/num/convert.h"

#include <stdio.h>
#include <string.h>

extern const struct form selection_forms[];

static const struct form *selection(const char *name)
{
    const struct form *f = selection_forms;
    while (f->opcode && strcmp(f->opcode, name) != 0)
        f++;
    return f->opcode ? f : NULL;
}

static const struct ptx_operand *operand(const struct decoder *d, u32 i)
{
    return &d->statement->operands[i];
}

/* MXCSR for a rounding; 0 to 3 are its RC field. */
static u8 fp_mode(const struct decoder *d)
{
    static const u8 control[] = {[ROUND_RN] = 0, [ROUND_RM] = 1, [ROUND_RP] = 2, [ROUND_RZ] = 3};
    u8 mode = d->mods.round == ROUND_NONE ? 0 : control[d->mods.round];
    return d->mods.flags & MOD_FTZ ? mode | FP_FLUSH : mode;
}

static void use_form(struct decoder *d, const struct form *f)
{
    struct op *op = d->op;
    op->unit = f->unit;
    if (f->lane != LANE_NONE) {
        op->run = d->program->lanes[f->lane];
    } else {
        op->run = lanes_scalar;
        op->scalar = f->scalar;
    }
    if (f->fp == FORM_ROUNDED)
        op->fp_mode = fp_mode(d);
    else if (f->fp == FORM_OWN)
        op->fp_mode = 0;
}

static enum type source_type(const struct form *f, enum type type, u32 k)
{
    static const enum type by_bytes[] = {[2] = TYPE_B16, [4] = TYPE_B32, [8] = TYPE_B64};
    u8 bytes = k == 0 ? 0 : f->source_bytes[k - 1];
    return bytes == 0xff ? TYPE_PRED : bytes ? by_bytes[bytes] : type;
}

static bool decode_form(struct decoder *d, const struct form *f, enum type type)
{
    static const u8 doubled[] = {[1] = 2, [2] = 4, [4] = 8, [8] = 16};
    u8 bytes = type_info[type].bytes;
    u8 result = f->result == RESULT_DOUBLE ? doubled[bytes]
                : f->result == RESULT_B32  ? 4
                : f->result == RESULT_PRED ? 0
                                           : bytes;
    use_form(d, f);
    if (!decode_operand_count(d, f->sources + 1u, f->sources + 1u) ||
        !decode_destination_exact(d, 0, result))
        return false;
    for (u32 k = 0; k < f->sources; k++) {
        enum type t = source_type(f, type, k);
        if (f->result == RESULT_DOUBLE && k == 2) /* the addend of mad.wide */
            t = result == 8 ? TYPE_B64 : TYPE_B32;
        if (!decode_source_exact(d, k + 1, t, k))
            return false;
        if (operand(d, k + 1)->negated)
            return decode_unsupported(d, "a negated operand");
    }
    return true;
}

/* ---- moves and selections ------------------------------------------------------- */

static enum type bits_of(u8 bytes)
{
    return bytes == 2 ? TYPE_B16 : bytes == 8 ? TYPE_B64 : bytes == 4 ? TYPE_B32 : TYPE_B128;
}

static bool decode_mov(struct decoder *d)
{
    struct op *op = d->op;
    const struct ptx_operand *to, *from;
    if (!decode_operand_count(d, 2, 2))
        return false;
    to = operand(d, 0);
    from = operand(d, 1);
    enum type type = d->mods.types[0];
    u8 bytes;
    if (from->kind == OPERAND_VECTOR && to->kind == OPERAND_VECTOR) { /* {a, b} = %tid */
        op->run = lane_move_list;
        op->extra = NULL;
        if (from->count != to->count || !decode_list(d, from, type, true, &op->src_bytes[0]))
            return decode_unsupported(d, "");
        op->extra = op->list;
        return decode_list(d, to, type, false, &op->dst_bytes) &&
               (op->dst_bytes == op->src_bytes[0] || decode_unsupported(d, "other widths"));
    }
    if (from->kind == OPERAND_VECTOR) { /* d = {a, b} */
        op->run = lane_pack;
        return decode_list(d, from, bits_of(type_info[type].bytes / (u8)from->count), true,
                           &op->src_bytes[0]) &&
               decode_destination_exact(d, 0, type_info[type].bytes);
    }
    if (to->kind == OPERAND_VECTOR) { /* {a, b} = s */
        op->run = lane_unpack;
        return decode_list(d, to, type, false, &op->dst_bytes) &&
               decode_source_exact(d, 1, type, 0);
    }
    if (type == TYPE_PRED) {
        op->run = lanes_scalar;
        op->scalar = selection("mov")->scalar;
        if (!decode_destination_exact(d, 0, 0) || !decode_predicate_source(d, from, 0))
            return false;
        return !op->negate || decode_unsupported(d, "a negated operand");
    }
    if (from->kind == OPERAND_SPECIAL && special_info[from->index].changes) {
        op->run = lane_special;
        op->imm = from->index;
        return decode_destination(d, to, &op->dst, &op->dst_bytes);
    }
    if (from->kind == OPERAND_SYMBOL) {
        const struct ptx_symbol *s = d->function->module->symbols[from->index];
        bool kernel_param = d->source->is_entry && s >= d->source->params &&
                            s < d->source->params + d->source->param_count;
        if (s->space == SPACE_LOCAL || (s->space == SPACE_PARAM && !kernel_param)) {
            op->run = lane_local_address;
            op->imm = s->offset + (u64)from->value;
            return decode_destination(d, to, &op->dst, &op->dst_bytes);
        }
    }
    if (!decode_destination(d, to, &op->dst, &op->dst_bytes) ||
        !decode_source(d, from, type, &op->src[0], &bytes))
        return false;
    op->src_bytes[0] = bytes;
    bool narrow = from->kind == OPERAND_SPECIAL && op->dst_bytes < bytes;
    if (!narrow && bytes != op->dst_bytes && from->kind != OPERAND_SPECIAL)
        return err_at(d->err, decode_pos(d), "mov moves %u bits into %u", 8u * bytes,
                      8u * op->dst_bytes);
    static const u16 moves[] = {[2] = LANE_mov_u16, [4] = LANE_mov_u32, [8] = LANE_mov_u64};
    if (bytes == op->dst_bytes && bytes <= 8 && bytes >= 2) {
        op->run = d->program->lanes[moves[bytes]];
    } else if (bytes <= 8) {
        op->run = lanes_scalar;
        op->scalar = selection("mov")->scalar;
    } else {
        return decode_unsupported(d, "128 bits");
    }
    return true;
}

static bool decode_selp(struct decoder *d)
{
    enum type type = d->mods.types[0];
    d->op->run = lane_selp;
    return decode_operand_count(d, 4, 4) &&
           decode_destination_exact(d, 0, type_info[type].bytes) &&
           decode_source_exact(d, 1, type, 0) && decode_source_exact(d, 2, type, 1) &&
           decode_predicate_source(d, operand(d, 3), 2);
}

static bool decode_slct(struct decoder *d)
{
    if (d->mods.type_count != 2)
        return decode_unsupported(d, "");
    bool is_float = d->mods.types[1] == TYPE_F32;
    enum type type = d->mods.types[0];
    use_form(d, selection(is_float ? "slct_f32" : "slct_s32"));
    return decode_operand_count(d, 4, 4) &&
           decode_destination_exact(d, 0, type_info[type].bytes) &&
           decode_source_exact(d, 1, type, 0) && decode_source_exact(d, 2, type, 1) &&
           decode_source_exact(d, 3, d->mods.types[1], 2);
}

static bool constant_operand(struct decoder *d, u32 i, u64 *out)
{
    if (operand(d, i)->kind != OPERAND_INT)
        return err_at(d->err, decode_pos(d), "operand %u of %s is not a constant", i + 1,
                      d->statement->opcode);
    *out = (u64)operand(d, i)->value;
    return true;
}

static bool decode_lop3(struct decoder *d)
{
    struct op *op = d->op;
    bool with_predicate = d->mods.operation != OPERATION_NONE;
    u32 first = with_predicate ? 2 : 1;
    u64 table = 0;
    use_form(d, selection("lop3"));
    if (!decode_operand_count(d, first + 4, first + 5) || !constant_operand(d, first + 3, &table) ||
        !decode_destination_exact(d, 0, 4))
        return false;
    for (u32 k = 0; k < 3; k++) {
        if (!decode_source_exact(d, first + k, TYPE_B32, k))
            return false;
    }
    op->imm = table & 0xff;
    if (with_predicate) { /* d|p = lop3 with q: p = (d != 0) op q */
        u8 bytes;
        op->operation = d->mods.operation;
        op->run = lane_lop3_predicate;
        return decode_destination(d, operand(d, 1), &op->dst2, &bytes) &&
               decode_predicate_source(d, operand(d, first + 4), 3);
    }
    return true;
}

static bool decode_prmt(struct decoder *d)
{
    static const char *const modes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    u8 mode = PRMT_INDEX;
    for (u32 i = 1; i < ARRAY_LEN(modes); i++) {
        if (decode_has(d, modes[i]))
            mode = (u8)i;
    }
    use_form(d, selection("prmt"));
    d->op->operation = mode;
    if (mode == PRMT_INDEX)
        d->op->run = d->program->lanes[LANE_prmt_u32];
    return decode_operand_count(d, 4, 4) && decode_destination_exact(d, 0, 4) &&
           decode_source_exact(d, 1, TYPE_B32, 0) && decode_source_exact(d, 2, TYPE_B32, 1) &&
           decode_source_exact(d, 3, TYPE_B32, 2);
}

static bool decode_dot(struct decoder *d)
{
    if (d->mods.type_count != 2)
        return decode_unsupported(d, "");
    use_form(d, selection(d->statement->opcode));
    d->op->type = (u8)d->mods.types[0];
    d->op->stype = (u8)d->mods.types[1];
    return decode_operand_count(d, 4, 4) && decode_destination_exact(d, 0, 4) &&
           decode_source_exact(d, 1, TYPE_B32, 0) && decode_source_exact(d, 2, TYPE_B32, 1) &&
           decode_source_exact(d, 3, TYPE_B32, 2);
}

static bool decode_testp(struct decoder *d)
{
    static const struct {
        const char *word;
        u8 class;
    } classes[] = {{"finite", CLASS_FINITE},         {"infinite", CLASS_INFINITE},
                   {"number", CLASS_NUMBER},         {"notanumber", CLASS_NOTANUMBER},
                   {"normal", CLASS_NORMAL},         {"subnormal", CLASS_SUBNORMAL}};
    bool wide = d->mods.types[0] == TYPE_F64;
    use_form(d, selection(wide ? "testp_f64" : "testp_f32"));
    for (u32 i = 0; i < ARRAY_LEN(classes); i++) {
        if (decode_is(d, 0, classes[i].word)) {
            d->op->operation = classes[i].class;
            return decode_operand_count(d, 2, 2) && decode_destination_exact(d, 0, 0) &&
                   decode_source_exact(d, 1, d->mods.types[0], 0);
        }
    }
    return decode_unsupported(d, "");
}

/* ---- comparisons ---------------------------------------------------------------- */

static const struct {
    u8 compare, class;
    u16 lane[3]; /* 16, 32, 64 bits; floats: none, f32, f64 */
} fast_compares[] = {
#define BOTH(C, c)                                                                                 \
    {COMPARE_##C, CLASS_SIGNED, {LANE_##c##_u16, LANE_##c##_u32, LANE_##c##_u64}},                 \
        {COMPARE_##C, CLASS_UNSIGNED, {LANE_##c##_u16, LANE_##c##_u32, LANE_##c##_u64}},           \
    {                                                                                              \
        COMPARE_##C, CLASS_BITS,                                                                   \
        {                                                                                          \
            LANE_##c##_u16, LANE_##c##_u32, LANE_##c##_u64                                         \
        }                                                                                          \
    }
#define ORDER(C, U, c)                                                                             \
    {COMPARE_##C, CLASS_SIGNED, {LANE_##c##_s16, LANE_##c##_s32, LANE_##c##_s64}},                 \
        {COMPARE_##C, CLASS_UNSIGNED, {LANE_##c##_u16, LANE_##c##_u32, LANE_##c##_u64}},           \
    {                                                                                              \
        COMPARE_##U, CLASS_UNSIGNED,                                                               \
        {                                                                                          \
            LANE_##c##_u16, LANE_##c##_u32, LANE_##c##_u64                                         \
        }                                                                                          \
    }
#define REAL(C, c)                                                                                 \
    {                                                                                              \
        COMPARE_##C, CLASS_FLOAT,                                                                  \
        {                                                                                          \
            LANE_NONE, LANE_##c##_f32, LANE_##c##_f64                                              \
        }                                                                                          \
    }
    BOTH(EQ, eq),      BOTH(NE, ne),      ORDER(LT, LO, lt), ORDER(LE, LS, le),
    ORDER(GT, HI, gt), ORDER(GE, HS, ge), REAL(EQ, eq),      REAL(NE, ne),
    REAL(LT, lt),      REAL(LE, le),      REAL(GT, gt),      REAL(GE, ge),
    REAL(EQU, equ),    REAL(NEU, neu),    REAL(LTU, ltu),    REAL(LEU, leu),
    REAL(GTU, gtu),    REAL(GEU, geu),    REAL(NUM, num),    REAL(NAN, nan),
};

static u16 find_compare(u8 compare, enum type type)
{
    const struct type_info *t = &type_info[type];
    u32 size = t->bytes == 2 ? 0 : t->bytes == 4 ? 1 : 2;
    for (u32 i = 0; i < ARRAY_LEN(fast_compares); i++) {
        if (fast_compares[i].compare == compare && fast_compares[i].class == t->class)
            return fast_compares[i].lane[size];
    }
    return LANE_NONE;
}

static bool read_compare(struct decoder *d)
{
    /* .lo and .hi are comparisons here */
    if (d->mods.flags & MOD_LO)
        d->mods.compare = COMPARE_LO;
    if (d->mods.flags & MOD_HI)
        d->mods.compare = COMPARE_HI;
    d->op->compare = d->mods.compare;
    d->op->operation = d->mods.operation;
    return (d->mods.compare != COMPARE_NONE && d->mods.operation <= OPERATION_XOR) ||
           decode_unsupported(d, "");
}

static bool decode_setp(struct decoder *d)
{
    struct op *op = d->op;
    enum type type = d->mods.types[0];
    u32 n = d->statement->operand_count;
    u32 sources = d->mods.operation ? 3 : 2, results = n - sources;
    u8 bytes;
    if (!decode_operand_count(d, sources + 1, sources + 2) || d->mods.type_count != 1 ||
        !read_compare(d))
        return decode_unsupported(d, "");
    op->stype = (u8)type;
    bool packed = type == TYPE_F16X2 || type == TYPE_BF16X2;
    u16 lane = find_compare(op->compare, type);
    op->run = packed ? lane_pair_compare
              : lane != LANE_NONE ? d->program->lanes[lane]
                                  : lane_setp_scalar;
    op->fp_mode = type_info[type].class == CLASS_FLOAT ? fp_mode(d) : FP_ANY;
    op->unit = type == TYPE_F64 ? UNIT_FP64 : UNIT_INT;
    if (!decode_destination_exact(d, 0, 0))
        return false;
    if (results == 2 && !decode_destination(d, operand(d, 1), &op->dst2, &bytes))
        return false;
    if (!decode_source_exact(d, results, type, 0) ||
        !decode_source_exact(d, results + 1, type, 1))
        return false;
    return sources == 2 || decode_predicate_source(d, operand(d, results + 2), 2);
}

static bool decode_set(struct decoder *d)
{
    struct op *op = d->op;
    if (d->mods.type_count != 2 || !read_compare(d))
        return decode_unsupported(d, "");
    enum type to = d->mods.types[0], from = d->mods.types[1];
    op->type = (u8)to;
    op->stype = (u8)from;
    op->run = lane_set;
    op->fp_mode = 0;
    return decode_operand_count(d, 3, 4) && decode_destination_exact(d, 0, type_info[to].bytes) &&
           decode_source_exact(d, 1, from, 0) && decode_source_exact(d, 2, from, 1) &&
           (!d->mods.operation || (decode_operand_count(d, 4, 4) &&
                                   decode_predicate_source(d, operand(d, 3), 2)));
}

/* ---- conversions ----------------------------------------------------------------- */

static const struct {
    u8 to, from, round;
    bool integral;
    u16 lane;
} fast_conversions[] = {
    {TYPE_S64, TYPE_S32, ROUND_NONE, false, LANE_cvt_s64_s32},
    {TYPE_U64, TYPE_S32, ROUND_NONE, false, LANE_cvt_s64_s32},
    {TYPE_U64, TYPE_U32, ROUND_NONE, false, LANE_cvt_u64_u32},
    {TYPE_S64, TYPE_U32, ROUND_NONE, false, LANE_cvt_u64_u32},
    {TYPE_U32, TYPE_U64, ROUND_NONE, false, LANE_cvt_u32_u64},
    {TYPE_S32, TYPE_U64, ROUND_NONE, false, LANE_cvt_u32_u64},
    {TYPE_U32, TYPE_S64, ROUND_NONE, false, LANE_cvt_u32_u64},
    {TYPE_S32, TYPE_S64, ROUND_NONE, false, LANE_cvt_u32_u64},
    {TYPE_U32, TYPE_U16, ROUND_NONE, false, LANE_cvt_u32_u16},
    {TYPE_S32, TYPE_S16, ROUND_NONE, false, LANE_cvt_s32_s16},
    {TYPE_U32, TYPE_S16, ROUND_NONE, false, LANE_cvt_s32_s16},
    {TYPE_U16, TYPE_U32, ROUND_NONE, false, LANE_cvt_u16_u32},
    {TYPE_U64, TYPE_U16, ROUND_NONE, false, LANE_cvt_u64_u16},
    {TYPE_S64, TYPE_S16, ROUND_NONE, false, LANE_cvt_s64_s16},
    {TYPE_F32, TYPE_S32, ROUND_RN, false, LANE_cvt_f32_s32},
    {TYPE_F32, TYPE_U32, ROUND_RN, false, LANE_cvt_f32_u32},
    {TYPE_F64, TYPE_S32, ROUND_RN, false, LANE_cvt_f64_s32},
    {TYPE_F64, TYPE_U32, ROUND_RN, false, LANE_cvt_f64_u32},
    {TYPE_F64, TYPE_F32, ROUND_NONE, false, LANE_cvt_f64_f32},
    {TYPE_S32, TYPE_F32, ROUND_RZ, true, LANE_cvt_s32_f32},
};

/* cvt.pack.sat.u8.s32{.b32} d, a, b{, c}: imm is the width and, in bit 8, the sign. */
static u64 scalar_pack(const struct op *op, const u64 *s)
{
    u32 bits = (u32)op->imm & 0xff;
    bool is_signed = op->imm >> 8;
    u64 pair = (u64)int_pack((u32)s[0], bits, is_signed) << bits | int_pack((u32)s[1], bits, is_signed);
    return op->src[2] == REF_NONE ? pair : s[2] << (2 * bits) | pair;
}

static bool decode_pack(struct decoder *d)
{
    static const struct {
        const char *word;
        u32 code;
    } widths[] = {{"u16", 16}, {"s16", 0x110}, {"u8", 8}, {"s8", 0x108},
                  {"u4", 4},   {"s4", 0x104},  {"u2", 2}, {"s2", 0x102}};
    for (u32 i = 0; i < ARRAY_LEN(widths); i++) {
        if (decode_is(d, 2, widths[i].word))
            d->op->imm = widths[i].code;
    }
    d->op->run = lanes_scalar;
    d->op->scalar = scalar_pack;
    if (!d->op->imm || !decode_operand_count(d, 3, 4) || !decode_destination_exact(d, 0, 4))
        return decode_unsupported(d, "");
    for (u32 k = 0; k + 1 < d->statement->operand_count; k++) {
        if (!decode_source_exact(d, k + 1, TYPE_B32, k))
            return false;
    }
    return true;
}

static bool decode_cvt(struct decoder *d)
{
    struct op *op = d->op;
    if (d->mods.flags & MOD_PACK)
        return decode_pack(d);
    if (d->mods.unknown || d->mods.type_count != 2)
        return decode_unsupported(d, "");
    enum type to = d->mods.types[0], from = d->mods.types[1];
    u32 sources = d->statement->operand_count - 1;
    if (!decode_operand_count(d, 2, 3))
        return false;
    op->type = (u8)to;
    op->stype = (u8)from;
    op->round = d->mods.round;
    op->negate = d->mods.to_integral;
    op->fp_mode = 0;
    op->run = lanes_scalar;
    op->scalar = scalar_cvt;
    op->unit = type_info[to].bytes == 8 ? UNIT_FP64 : UNIT_INT;
    if (!decode_destination(d, operand(d, 0), &op->dst, &op->dst_bytes))
        return false;
    for (u32 k = 0; k < sources; k++) {
        if (!decode_source(d, operand(d, k + 1), from, &op->src[k], &op->src_bytes[k]))
            return false;
        if (op->src_bytes[k] < type_info[from].bytes)
            return err_at(d->err, decode_pos(d), "cvt reads %u bits of a register with %u",
                          8u * type_info[from].bytes, 8u * op->src_bytes[k]);
    }
    if (op->dst_bytes < type_info[to].bytes)
        return err_at(d->err, decode_pos(d), "cvt makes %u bits for a register with %u",
                      8u * type_info[to].bytes, 8u * op->dst_bytes);
    bool exact = op->dst_bytes == type_info[to].bytes && op->src_bytes[0] == type_info[from].bytes;
    for (u32 i = 0; exact && !d->mods.flags && sources == 1 && i < ARRAY_LEN(fast_conversions);
         i++) {
        if (fast_conversions[i].to == to && fast_conversions[i].from == from &&
            fast_conversions[i].round == d->mods.round &&
            fast_conversions[i].integral == d->mods.to_integral)
            op->run = d->program->lanes[fast_conversions[i].lane];
    }
    return true;
}

/* ---- carry chains ---------------------------------------------------------------- */

static bool decode_carry(struct decoder *d)
{
    struct op *op = d->op;
    enum type type = d->mods.types[0];
    bool is_mad = strncmp(d->statement->opcode, "mad", 3) == 0;
    u32 sources = is_mad ? 3 : 2;
    op->run = lane_carry;
    op->type = (u8)type;
    /* imm: 0 add, 1 sub, 2 mad; +4 takes the carry in; +8 writes it */
    op->imm = is_mad ? 2 : strncmp(d->statement->opcode, "sub", 3) == 0 ? 1 : 0;
    size_t n = strlen(d->statement->opcode);
    if (d->statement->opcode[n - 1] == 'c' && n == 4)
        op->imm |= 4;
    if (d->mods.flags & MOD_CC)
        op->imm |= 8;
    op->src[3] = d->carry;
    if (type_info[type].bytes != 4 && type_info[type].bytes != 8)
        return decode_unsupported(d, "");
    if (!decode_operand_count(d, sources + 1, sources + 1) ||
        !decode_destination_exact(d, 0, type_info[type].bytes))
        return false;
    for (u32 k = 0; k < sources; k++) {
        if (!decode_source_exact(d, k + 1, type, k))
            return false;
    }
    return true;
}

/* ---- the table of opcodes --------------------------------------------------------- */

static const struct {
    const char *name;
    decode_fn *decode;
    bool own_words; /* has modifiers that are in no common table */
} opcodes[] = {
    {"mov", decode_mov, false},
    {"selp", decode_selp, false},
    {"slct", decode_slct, false},
    {"lop3", decode_lop3, false},
    {"prmt", decode_prmt, true},
    {"dp4a", decode_dot, false},
    {"dp2a", decode_dot, false},
    {"testp", decode_testp, true},
    {"setp", decode_setp, false},
    {"set", decode_set, false},
    {"cvt", decode_cvt, true},
    {"addc", decode_carry, false},
    {"subc", decode_carry, false},
    {"madc", decode_carry, false},
    {"ld", decode_load, false},
    {"ldu", decode_load, false},
    {"st", decode_store, false},
    {"atom", decode_atomic, false},
    {"red", decode_atomic, false},
    {"cvta", decode_cvta, false},
    {"isspacep", decode_isspacep, false},
    {"membar", decode_fence, false},
    {"fence", decode_fence, true},
    {"prefetch", decode_prefetch, true},
    {"prefetchu", decode_prefetch, true},
    {"shfl", decode_shuffle, false},
    {"vote", decode_vote, false},
    {"match", decode_match, false},
    {"redux", decode_redux, false},
    {"activemask", decode_activemask, false},
    {"elect", decode_elect, false},
    {"bra", decode_branch, false},
    {"brx", decode_branch_table, false},
    {"call", decode_call, false},
    {"ret", decode_return, false},
    {"exit", decode_exit, false},
    {"bar", decode_barrier, false},
    {"barrier", decode_barrier, false},
    {"trap", decode_trap, false},
    {"brkpt", decode_trap, false},
    {"nanosleep", decode_nanosleep, false},
    {"mma", decode_mma, true},
    {"wmma", decode_wmma, true},
    {"ldmatrix", decode_ldmatrix, true},
    {"stmatrix", decode_ldmatrix, true},
    {"movmatrix", decode_movmatrix, true},
    {"cp", decode_copy, true},
    {"mbarrier", decode_mbarrier, true},
    {"tex", decode_texture, true},
    {"tld4", decode_texture, true},
    {"txq", decode_texture_query, true},
    {"suq", decode_texture_query, true},
    {"suld", decode_surface, true},
    {"sust", decode_surface, true},
    {"griddepcontrol", decode_fence, true},
    {"discard", decode_prefetch, true},
    {"pmevent", decode_prefetch, true},
    {"applypriority", decode_prefetch, true},
};

const u32 decode_opcode_count = ARRAY_LEN(opcodes);

const char *decode_opcode(u32 index)
{
    return opcodes[index].name;
}

static bool decode_guard(struct decoder *d)
{
    const struct ptx_statement *s = d->statement;
    d->op->guard = s->guard == PTX_NONE ? REF_NONE : d->function->reg_refs[s->guard];
    d->op->guard_negated = s->guard_negated;
    return true;
}

static bool decode_statement(struct decoder *d)
{
    struct op *op = d->op;
    *op = (struct op){.dst = REF_NONE,
                      .dst2 = REF_NONE,
                      .src = {REF_NONE, REF_NONE, REF_NONE, REF_NONE},
                      .fp_mode = FP_ANY,
                      .target = PTX_NONE,
                      .reconverge = PTX_NONE,
                      .round = ROUND_NONE,
                      .compare = COMPARE_NONE,
                      .line = d->statement->line};
    decode_guard(d);
    mods_read(d->statement, &d->mods);
    op->flags = d->mods.flags;
    op->type = (u8)d->mods.types[0];
    bool carry = (d->mods.flags & MOD_CC) != 0;
    for (u32 i = 0; i < ARRAY_LEN(opcodes); i++) {
        if (strcmp(opcodes[i].name, d->statement->opcode) != 0)
            continue;
        if (d->mods.unknown && !opcodes[i].own_words)
            break;
        return opcodes[i].decode(d);
    }
    if (d->statement->opcode[0] == 'v')
        return decode_video(d);
    if (d->mods.unknown)
        return decode_unsupported(d, "");
    if (carry)
        return decode_carry(d);
    const struct form *f = form_find(d->statement->opcode, &d->mods);
    if (!f)
        return decode_unsupported(d, "");
    return decode_form(d, f, d->mods.types[0]);
}

#define CARRY_OFFSET FRAME_HEADER_BYTES

void function_place(struct program *p, struct function *f)
{
    const struct ptx_function *s = f->source;
    f->reg_refs = ARENA_ARRAY(&p->arena, ref_t, s->reg_count + 1);
    u32 at = CARRY_OFFSET + 64;
    u32 predicates = 0;
    for (u32 i = 0; i < s->reg_count; i++) {
        if (s->regs[i].type == TYPE_PRED)
            f->reg_refs[i] = ref_make(REF_FRAME, at + 4 * predicates++);
    }
    at = (at + 4 * predicates + 63) & ~63u;
    for (u32 i = 0; i < s->reg_count; i++) {
        if (s->regs[i].type == TYPE_PRED)
            continue;
        f->reg_refs[i] = ref_make(REF_FRAME, at);
        at += (u32)type_info[s->regs[i].type].bytes * LANES;
        at = (at + 31) & ~31u;
    }
    f->frame_bytes = (at + 63) & ~63u;
    f->local_bytes = (s->local_bytes + 15) & ~15u;
}

bool function_decode(struct program *p, struct function *f, struct err *err)
{
    struct decoder d = {.program = p,
                        .function = f,
                        .source = f->source,
                        .carry = ref_make(REF_FRAME, CARRY_OFFSET),
                        .err = err};
    const struct ptx_function *s = f->source;
    f->op_count = s->statement_count + 1;
    f->ops = ARENA_ARRAY(&p->arena, struct op, f->op_count);
    for (u32 i = 0; i < s->statement_count; i++) {
        d.statement = &s->statements[i];
        d.op = &f->ops[i];
        if (!decode_statement(&d)) {
            if (err->kind == ERR_NONE)
                decode_unsupported(&d, "");
            return false;
        }
    }
    /* falling off the end of a function is a return */
    f->ops[s->statement_count] = (struct op){.kind = f->is_entry ? OP_EXIT : OP_RETURN,
                                             .guard = REF_NONE,
                                             .fp_mode = FP_ANY,
                                             .reconverge = PTX_NONE,
                                             .unit = UNIT_BRANCH};
    return true;
}
