/* cvt: between any two types, and packed with saturation. */
#include "ptx/decode/decode.h"

#include "num/convert.h"

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
    u64 pair =
        (u64)int_pack((u32)s[0], bits, is_signed) << bits | int_pack((u32)s[1], bits, is_signed);
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

static bool is_whole(enum type t)
{
    return (type_info[t].class == CLASS_SIGNED || type_info[t].class == CLASS_UNSIGNED) &&
           type_info[t].bytes <= 8;
}

static bool is_real(enum type t)
{
    return t == TYPE_F16 || t == TYPE_BF16 || t == TYPE_F32 || t == TYPE_F64;
}

/* Which conversions there are, and from how many operands. */
static u32 conversion_sources(enum type to, enum type from)
{
    bool pair = to == TYPE_F16X2 || to == TYPE_BF16X2;
    bool small = to == TYPE_E4M3X2 || to == TYPE_E5M2X2;
    if ((is_whole(to) || is_real(to)) && (is_whole(from) || is_real(from)))
        return 1;
    if (to == TYPE_TF32 && from == TYPE_F32)
        return 1;
    if ((pair || small) && from == TYPE_F32)
        return 2;
    if (small && from == TYPE_F16X2)
        return 1;
    return to == TYPE_F16X2 && (from == TYPE_E4M3X2 || from == TYPE_E5M2X2);
}

bool decode_cvt(struct decoder *d)
{
    struct op *op = d->op;
    if (d->mods.flags & MOD_PACK)
        return decode_pack(d);
    if (d->mods.unknown || d->mods.type_count != 2)
        return decode_unsupported(d, "");
    enum type to = d->mods.types[0], from = d->mods.types[1];
    u32 sources = conversion_sources(to, from);
    if (sources == 0 || (d->mods.round == ROUND_RNA && to != TYPE_TF32))
        return decode_unsupported(d, "");
    if (!decode_operand_count(d, sources + 1, sources + 1))
        return false;
    op->type = (u8)to;
    op->stype = (u8)from;
    op->round = d->mods.round;
    op->negate = d->mods.to_integral;
    op->fp_mode = 0;
    op->run = lanes_scalar;
    op->scalar = scalar_cvt;
    op->unit = type_info[to].bytes == 8 ? UNIT_FP64 : UNIT_INT;
    if (!decode_destination(d, &d->statement->operands[0], &op->dst, &op->dst_bytes))
        return false;
    for (u32 k = 0; k < sources; k++) {
        if (!decode_source(d, &d->statement->operands[k + 1], from, &op->src[k], &op->src_bytes[k]))
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
