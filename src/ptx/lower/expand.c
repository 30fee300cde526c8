/*
 * PTX operations that are several machine instructions.
 *
 * One letter per instruction: its unit and cost, see letters in code.c. What is in no
 * row is one instruction. Counted in silicon/h200/micro-sass.csv, which has ptxas's code for
 * a chain of each; the common way through, not the one for subnormal operands.
 */
#include "ptx/lower/folds.h"

#include <string.h>

static const struct {
    u8 code;
    enum type type;
    u64 flags; /* those of approx, ftz and full that it has */
    u64 among; /* of these */
    const char *letters;
} expansions[] = {
    {LOWER_DIV, TYPE_F32, 1 << MOD_BIT_APPROX | 1 << MOD_BIT_FTZ,
     1 << MOD_BIT_APPROX | 1 << MOD_BIT_FTZ, "sf"},
    {LOWER_DIV, TYPE_F32, 1 << MOD_BIT_APPROX, 1 << MOD_BIT_APPROX, "cfsff"},
    {LOWER_DIV, TYPE_F32, 1 << MOD_BIT_FULL, 1 << MOD_BIT_FULL, "ccfffsff"},
    {LOWER_DIV, TYPE_F32, 0, 0, "bsfffsffbb"},
    {LOWER_DIV, TYPE_F64, 0, 0, "bsidddddddffcbb"},
    {LOWER_RCP, TYPE_F32, 1 << MOD_BIT_APPROX | 1 << MOD_BIT_FTZ,
     1 << MOD_BIT_APPROX | 1 << MOD_BIT_FTZ, "s"},
    {LOWER_RCP, TYPE_F32, 1 << MOD_BIT_APPROX, 1 << MOD_BIT_APPROX, "ccffsff"},
    {LOWER_RCP, TYPE_F32, 0, 0, "biicbsfffb"},
    {LOWER_RCP, TYPE_F64, 0, 0, "bisdddddfcbb"},
    {LOWER_SQRT, TYPE_F32, 1 << MOD_BIT_APPROX | 1 << MOD_BIT_FTZ,
     1 << MOD_BIT_APPROX | 1 << MOD_BIT_FTZ, "s"},
    {LOWER_SQRT, TYPE_F32, 1 << MOD_BIT_APPROX, 1 << MOD_BIT_APPROX, "pfsf"},
    {LOWER_SQRT, TYPE_F32, 0, 0, "biscbffffb"},
    {LOWER_SQRT, TYPE_F64, 0, 0, "iibsicdddddiidddbb"},
    {LOWER_RSQRT, TYPE_F32, 1 << MOD_BIT_APPROX | 1 << MOD_BIT_FTZ,
     1 << MOD_BIT_APPROX | 1 << MOD_BIT_FTZ, "s"},
    {LOWER_RSQRT, TYPE_F32, 0, 0, "pfsf"},
    {LOWER_RSQRT, TYPE_F64, 0, 0, "iiibsicdddddbb"},
    {LOWER_EX2, TYPE_F32, 1 << MOD_BIT_FTZ, 1 << MOD_BIT_FTZ, "s"},
    {LOWER_EX2, TYPE_F32, 0, 0, "pfsf"},
    {LOWER_LG2, TYPE_F32, 1 << MOD_BIT_FTZ, 1 << MOD_BIT_FTZ, "s"},
    {LOWER_LG2, TYPE_F32, 0, 0, "pfsf"},
    {LOWER_SIN, TYPE_F32, 0, 0, "fs"},
    {LOWER_COS, TYPE_F32, 0, 0, "fs"},
    {LOWER_MIN, TYPE_F64, 0, 0, "iciicccc"},
    {LOWER_MAX, TYPE_F64, 0, 0, "iciicccc"},
    {LOWER_CVT, TYPE_TF32, 0, 0, "pic"},
    {LOWER_SLCT, TYPE_S32, 0, 0, "cc"},
    {LOWER_SLCT, TYPE_U32, 0, 0, "cc"},
    {LOWER_SLCT, TYPE_F32, 0, 0, "cc"},
    {LOWER_SET, TYPE_U32, 0, 0, "cc"},
    {LOWER_SET, TYPE_S32, 0, 0, "cc"},
    {LOWER_CNOT, TYPE_B32, 0, 0, "cci"},
    {LOWER_BFI, TYPE_B32, 0, 0, "cc"},
    {LOWER_CLZ, TYPE_B32, 0, 0, "si"},
    {LOWER_BFE, TYPE_U32, 0, 0, "ii"},
    {LOWER_BFE, TYPE_S32, 0, 0, "ii"},
    {LOWER_DIV, TYPE_U32, 0, 0, "ssisimwwimpiipic"},
    {LOWER_REM, TYPE_U32, 0, 0, "ssisicmwwimpipic"},
    {LOWER_DIV, TYPE_S32, 0, 0, "issisiimwwimpiipiicc"},
    {LOWER_REM, TYPE_S32, 0, 0, "issisiimwwimpipiicc"},
    {LOWER_DIV, TYPE_U64, 0, 0,
     "ibssismmimmimmmmmiimimimmmmmmmmiimimmmmiimmimcmiiicmicccccmiccmccciccbmi"},
    {LOWER_REM, TYPE_U64, 0, 0,
     "ibssismmimmmimmmmimmimimmiimmmmimmimmmmimmimiimcmiciccciccmciccccbim"},
    {LOWER_DIV, TYPE_S64, 0, 0,
     "ibiccmccssismmimmmimmmmimimicmimmmmmmmimimcimmmmmimmmimicmimicmccccciccmcccicicmcmcccbmm"},
    {LOWER_REM, TYPE_S64, 0, 0,
     "ibicmccssismmimmmmmmmmiimicmimmmimcmmmmiicmimmmmmmiimmimcmicmcccicicciccmiccmccbmm"},
    {LOWER_MUL, TYPE_U64, 1 << MOD_BIT_HI, 1 << MOD_BIT_HI, "mmmiiim"},
    {LOWER_MUL, TYPE_S64, 1 << MOD_BIT_HI, 1 << MOD_BIT_HI, "cmmmmimmicmiccmcc"},
};

struct row {
    u8 code;
    const char *letters;
};

/* Of integers of 8 bytes. */
static const struct row pairs[] = {
    {LOWER_ADD, "ii"},   {LOWER_SUB, "ii"},       {LOWER_NEG, "ii"},   {LOWER_AND, "cc"},
    {LOWER_OR, "cc"},    {LOWER_XOR, "cc"},       {LOWER_NOT, "cc"},   {LOWER_SHL, "cc"},
    {LOWER_SHR, "cc"},   {LOWER_SELP, "cc"},      {LOWER_SETP, "cc"},  {LOWER_MUL, "wmmi"},
    {LOWER_MAD, "wmm"},  {LOWER_MIN, "ccii"},     {LOWER_MAX, "ccii"}, {LOWER_ABS, "ciii"},
    {LOWER_POPC, "ssi"}, {LOWER_CLZ, "ccmsiimm"}, {LOWER_MOV, "ii"},
};

/* One instruction, but neither one per cycle nor of 4 cycles (micro.csv): the pipe of logic takes
 * one in 2 cycles, that of special functions one in 8 and 17 cycles long. */
static const struct row singles[] = {
    {LOWER_AND, "c"},  {LOWER_OR, "c"},   {LOWER_XOR, "c"},  {LOWER_NOT, "c"},   {LOWER_SHL, "c"},
    {LOWER_SHR, "c"},  {LOWER_SHF, "c"},  {LOWER_LOP3, "c"}, {LOWER_PRMT, "c"},  {LOWER_SETP, "c"},
    {LOWER_SELP, "c"}, {LOWER_POPC, "s"}, {LOWER_BREV, "s"}, {LOWER_BFIND, "s"},
};

/* Matrices of wmma: products are two or four HMMA, what goes to and from memory one access for each
 * register that holds other elements, and MOVM where rows must become columns. 16 bits in shared
 * memory are one LDSM. */
static const char *matrix(const struct node *n, u8 *pieces)
{
    bool a = lower_has_word(n, "a"), b = lower_has_word(n, "b"), col = lower_has_word(n, "col");
    bool half = lower_has_word(n, "f16") || lower_has_word(n, "bf16");
    *pieces = 0;
    if (lower_has_word(n, "mma"))
        return lower_has_word(n, "tf32") ? "tttt" : lower_has_word(n, "f64") ? NULL : "tt";
    if (n->mods.space == SPACE_SHARED && half && (a || b))
        return NULL;
    *pieces = !a && !b && col ? 8 : 4;
    bool turned = half && ((a && col) || (b && !col));
    return *pieces == 8 || turned ? "iiiiiiii" : "iiii";
}

/* mma of e4m3 and e5m2: F2FP makes f16 of two elements, then two HMMA, then the addition of C. */
static const char *eight_bit_product(const struct node *n)
{
    if (!lower_has_word(n, "e4m3") && !lower_has_word(n, "e5m2"))
        return NULL;
    bool wide = n->mods.types[0] == TYPE_F32;
    if (lower_has_word(n, "m16n8k16"))
        return wide ? "ccccccttffff" : "ccccccttff";
    return wide ? "ccccccccccccttffff" : "ccccccccccccttff";
}

/* mma: HMMA.1688 of f16 and bf16 is half of the others, DMMA goes once in 16 cycles (micro.csv). */
static const char *matrix_product(const struct node *n)
{
    if (lower_has_word(n, "m16n8k8") && (lower_has_word(n, "f16") || lower_has_word(n, "bf16")))
        return "h";
    return lower_has_word(n, "m8n8k4") && lower_has_word(n, "f64") ? "D" : eight_bit_product(n);
}

static const char *letters_in(const struct row *rows, size_t count, u8 code)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].code == code)
            return rows[i].letters;
    }
    return NULL;
}

static bool is_float(enum type t)
{
    return t == TYPE_F16 || t == TYPE_BF16 || t == TYPE_F32 || t == TYPE_F64;
}

/* Between integers and floats, to and from f64, to the next whole number. Only I2FP, to f32 from 32
 * bits, is logic's. */
static const char *conversion(const struct node *n)
{
    enum type to = n->mods.types[0], from = n->mods.types[1];
    if (n->mods.to_integral)
        return "s";
    if (is_float(to) == is_float(from) && (to == TYPE_F64) == (from == TYPE_F64))
        return NULL;
    bool word = type_info[from].bytes == 4; /* I2FP; what is shorter goes through I2F */
    return to == TYPE_F32 && word && !is_float(from) ? "c" : "s";
}

static const char *single(const struct node *n)
{
    if (n->code == LOWER_CVT)
        return conversion(n);
    if (n->code == LOWER_SETP && n->mods.types[0] == TYPE_F64)
        return NULL;
    return letters_in(singles, ARRAY_LEN(singles), n->code);
}

u8 lower_pieces(const struct node *n)
{
    u8 pieces = 0;
    if (n->code == LOWER_WMMA)
        matrix(n, &pieces);
    return pieces;
}

/* What is left of a 32-bit division whose divisor's reciprocal is there, the end of its row above:
 * IMAD.HI, a sum, IMAD, twice ISETP and a sum under its guard, signs, and a divisor of zero.
 * Counted in the code sizes of one to four divisions by the same value (ptxas 13.0, sm_90). */
static const char *inverted_letters(const struct node *n)
{
    bool is_signed = n->class == CLASS_SIGNED;
    if (n->code == LOWER_DIV)
        return is_signed ? "mwimpiipiicc" : "wimpiipic";
    return is_signed ? "wimpipiicc" : "wimpipic";
}

/* IMAD.WIDE and IMAD.HI, also where one does a sum of its product. */
static bool is_wide(const struct lower *l, const struct node *n)
{
    if (n->count != 1)
        return false;
    bool words = type_info[n->mods.types[0]].bytes == 4;
    if (n->code == LOWER_MUL && n->mods.flags & (MOD_WIDE | MOD_HI))
        return words;
    if (n->code == LOWER_MAD)
        return words && n->mods.flags & (MOD_WIDE | MOD_HI);
    for (u32 k = 1; k <= 2 && n->code == LOWER_ADD && lower_is_pair(l, n); k++) {
        const struct node *d = lower_source(l, n, k);
        if (lower_is_wide_product(l, d) && !d->count)
            return true;
    }
    return lower_is_wide_product(l, n);
}

const char *lower_expansion(const struct lower *l, const struct node *n)
{
    u8 pieces;
    if (is_wide(l, n))
        return "w";
    if (n->inverted)
        return inverted_letters(n);
    if (n->code == LOWER_WMMA)
        return matrix(n, &pieces);
    if (n->code == LOWER_OTHER && n->s && strcmp(n->s->opcode, "mma") == 0)
        return matrix_product(n);
    for (size_t i = 0; i < ARRAY_LEN(expansions); i++) {
        if (expansions[i].code == n->code && expansions[i].type == n->mods.types[0] &&
            (n->mods.flags & expansions[i].among) == expansions[i].flags)
            return expansions[i].letters;
    }
    bool pair = n->bytes == 8 && lower_is_whole(n) && !(n->mods.flags & MOD_WIDE);
    const char *two = pair ? letters_in(pairs, ARRAY_LEN(pairs), n->code) : NULL;
    return two ? two : n->count == 1 ? single(n) : NULL;
}

bool lower_has_branch(const struct lower *l, const struct node *n)
{
    const char *letters = n->count > 2 ? lower_expansion(l, n) : NULL;
    return letters && strlen(letters) == n->count && strchr(letters, 'b');
}

/* The call, the way through ptxas's subroutine for a numerator of zero or a radicand of zero,
 * and the return: silicon/h200/sass.tar.xz, cfd. */
const char *lower_slow_letters(enum lower_slow slow)
{
    static const char *const paths[SLOW_COUNT] = {
        [SLOW_NONE] = "",
        [SLOW_DIVIDE] = "iibibiiiiiiccibccibibcccbiibiibibbib",
        [SLOW_ROOT] = "iibiibiibib",
    };
    return paths[slow];
}
