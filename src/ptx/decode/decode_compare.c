/* set and setp. */
#include "ptx/decode/decode.h"

#include "ptx/exec/warp.h"

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
    BOTH(EQ, eq),      BOTH(NE, ne),   ORDER(LT, LO, lt), ORDER(LE, LS, le), ORDER(GT, HI, gt),
    ORDER(GE, HS, ge), REAL(EQ, eq),   REAL(NE, ne),      REAL(LT, lt),      REAL(LE, le),
    REAL(GT, gt),      REAL(GE, ge),   REAL(EQU, equ),    REAL(NEU, neu),    REAL(LTU, ltu),
    REAL(LEU, leu),    REAL(GTU, gtu), REAL(GEU, geu),    REAL(NUM, num),    REAL(NAN, nan),
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

/* Numbers of 16, 32 or 64 bits, alone or as a pair of halves. */
static bool is_comparable(enum type type)
{
    const struct type_info *t = &type_info[type];
    bool plain = t->class == CLASS_BITS || t->class == CLASS_UNSIGNED || t->class == CLASS_SIGNED ||
                 t->class == CLASS_FLOAT;
    return type == TYPE_F16X2 || type == TYPE_BF16X2 ||
           (plain && type != TYPE_TF32 && (t->bytes == 2 || t->bytes == 4 || t->bytes == 8));
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
    return (d->mods.compare != COMPARE_NONE && d->mods.operation <= OPERATION_XOR &&
            d->mods.round == ROUND_NONE) ||
           decode_unsupported(d, "");
}

bool decode_setp(struct decoder *d)
{
    struct op *op = d->op;
    enum type type = d->mods.types[0];
    u32 n = d->statement->operand_count;
    u32 sources = d->mods.operation ? 3 : 2, results = n - sources;
    if (!decode_operand_count(d, sources + 1, sources + 2) || d->mods.type_count != 1 ||
        !is_comparable(type) || !read_compare(d))
        return decode_unsupported(d, "");
    op->stype = (u8)type;
    bool packed = type == TYPE_F16X2 || type == TYPE_BF16X2;
    u16 lane = find_compare(op->compare, type);
    op->run = packed              ? lane_pair_compare
              : lane != LANE_NONE ? d->program->lanes[lane]
                                  : lane_setp_scalar;
    op->fp_mode = type_info[type].class == CLASS_FLOAT ? decode_fp_mode(d) : FP_ANY;
    op->unit = type == TYPE_F64 ? UNIT_FP64 : UNIT_INT;
    if (!decode_destination_exact(d, 0, 0))
        return false;
    if (results == 2 && !decode_second_destination(d, 1))
        return false;
    if (!decode_source_exact(d, results, type, 0) || !decode_source_exact(d, results + 1, type, 1))
        return false;
    return sources == 2 || decode_predicate_source(d, &d->statement->operands[results + 2], 2);
}

bool decode_set(struct decoder *d)
{
    struct op *op = d->op;
    enum type to = d->mods.types[0], from = d->mods.types[1];
    bool pair = from == TYPE_F16X2 || from == TYPE_BF16X2;
    if (d->mods.type_count != 2 || !is_comparable(to) || type_info[to].bytes > 4 ||
        !is_comparable(from) || (pair && type_info[to].bytes != 4) || !read_compare(d))
        return decode_unsupported(d, "");
    op->type = (u8)to;
    op->stype = (u8)from;
    op->run = lane_set;
    op->fp_mode = 0;
    return decode_operand_count(d, 3, 4) && decode_destination_exact(d, 0, type_info[to].bytes) &&
           decode_source_exact(d, 1, from, 0) && decode_source_exact(d, 2, from, 1) &&
           (!d->mods.operation || (decode_operand_count(d, 4, 4) &&
                                   decode_predicate_source(d, &d->statement->operands[3], 2)));
}
