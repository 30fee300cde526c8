/*
 * PTX operations that are several machine instructions.
 *
 * One letter per instruction: its unit and cost, see letters in code.c. What is in no
 * row is one instruction. Counted in silicon/h200/micro-sass.csv, which has ptxas's code for
 * a chain of each; the common way through, not the one for subnormal operands.
 */
#include "isa/lower/rules.h"

static const struct {
    u8 code;
    enum type type;
    u64 flags; /* those of approx, ftz and full that it has */
    u64 among; /* of these */
    const char *letters;
} expansions[] = {
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
    {LOWER_SQRT, TYPE_F32, 1 << MOD_BIT_APPROX, 1 << MOD_BIT_APPROX, "cfsf"},
    {LOWER_SQRT, TYPE_F32, 0, 0, "biscbffffb"},
    {LOWER_SQRT, TYPE_F64, 0, 0, "bisidddddddcbb"},
    {LOWER_RSQRT, TYPE_F32, 1 << MOD_BIT_APPROX | 1 << MOD_BIT_FTZ,
     1 << MOD_BIT_APPROX | 1 << MOD_BIT_FTZ, "s"},
    {LOWER_RSQRT, TYPE_F32, 0, 0, "cfsf"},
    {LOWER_EX2, TYPE_F32, 1 << MOD_BIT_FTZ, 1 << MOD_BIT_FTZ, "s"},
    {LOWER_EX2, TYPE_F32, 0, 0, "cfsf"},
    {LOWER_LG2, TYPE_F32, 1 << MOD_BIT_FTZ, 1 << MOD_BIT_FTZ, "s"},
    {LOWER_LG2, TYPE_F32, 0, 0, "cfsf"},
    {LOWER_SIN, TYPE_F32, 0, 0, "fs"},
    {LOWER_COS, TYPE_F32, 0, 0, "fs"},
    {LOWER_CLZ, TYPE_B32, 0, 0, "si"},
    {LOWER_BFE, TYPE_U32, 0, 0, "ii"},
    {LOWER_BFE, TYPE_S32, 0, 0, "ii"},
    {LOWER_DIV, TYPE_U32, 0, 0, "ssiimmimiciciici"},
    {LOWER_REM, TYPE_U32, 0, 0, "ssiimmimicicicii"},
    {LOWER_DIV, TYPE_S32, 0, 0, "iissiimmimiciciicici"},
    {LOWER_REM, TYPE_S32, 0, 0, "iissiimmimicicicici"},
    {LOWER_DIV, TYPE_U64, 0, 0, "iiibsiiiimmmmmmmmmmiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiciciciciiiib"},
    {LOWER_REM, TYPE_U64, 0, 0, "iiibsiiiimmmmmmmmmmiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiciciciciiiib"},
};

struct row {
    u8 code;
    const char *letters;
};

/* Of integers of 8 bytes. */
static const struct row pairs[] = {
    {LOWER_ADD, "ii"},   {LOWER_SUB, "ii"},   {LOWER_NEG, "ii"},   {LOWER_AND, "cc"},
    {LOWER_OR, "cc"},    {LOWER_XOR, "cc"},   {LOWER_NOT, "cc"},   {LOWER_SHL, "cc"},
    {LOWER_SHR, "cc"},   {LOWER_SELP, "cc"},  {LOWER_SETP, "cc"},  {LOWER_MUL, "mmmi"},
    {LOWER_MAD, "mmm"},  {LOWER_MIN, "ccii"}, {LOWER_MAX, "ccii"}, {LOWER_ABS, "ciii"},
    {LOWER_POPC, "ssi"}, {LOWER_CLZ, "cisi"}, {LOWER_MOV, "ii"},
};

/* One instruction, but neither one per cycle nor of 4 cycles (micro.csv): the pipe of logic takes
 * one in 2 cycles, that of special functions one in 8 and 17 cycles long. */
static const struct row singles[] = {
    {LOWER_AND, "c"},  {LOWER_OR, "c"},   {LOWER_XOR, "c"},  {LOWER_NOT, "c"},   {LOWER_SHL, "c"},
    {LOWER_SHR, "c"},  {LOWER_SHF, "c"},  {LOWER_LOP3, "c"}, {LOWER_PRMT, "c"},  {LOWER_SETP, "c"},
    {LOWER_SELP, "c"}, {LOWER_POPC, "s"}, {LOWER_BREV, "s"}, {LOWER_BFIND, "s"},
};

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
    bool narrow = type_info[from].bytes <= 4;
    return to == TYPE_F32 && narrow && !is_float(from) ? "c" : "s";
}

static const char *single(const struct node *n)
{
    if (n->code == LOWER_CVT)
        return conversion(n);
    if (n->code == LOWER_SETP && n->mods.types[0] == TYPE_F64)
        return NULL;
    return letters_in(singles, ARRAY_LEN(singles), n->code);
}

const char *lower_expansion(const struct lower *l, const struct node *n)
{
    (void)l;
    for (size_t i = 0; i < ARRAY_LEN(expansions); i++) {
        if (expansions[i].code == n->code && expansions[i].type == n->mods.types[0] &&
            (n->mods.flags & expansions[i].among) == expansions[i].flags)
            return expansions[i].letters;
    }
    bool pair = n->bytes == 8 && lower_is_whole(n) && !(n->mods.flags & MOD_WIDE);
    const char *two = pair ? letters_in(pairs, ARRAY_LEN(pairs), n->code) : NULL;
    return two ? two : n->count == 1 ? single(n) : NULL;
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
