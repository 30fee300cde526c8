/*
 * PTX operations that are several machine instructions.
 *
 * One letter per instruction: its unit and cost, see letters in machine.c. What is in no
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

/* Of integers; by the bytes of the type. */
static const struct {
    u8 code;
    const char *letters;
} pairs[] = {
    {LOWER_ADD, "ii"},   {LOWER_SUB, "ii"},   {LOWER_NEG, "ii"},   {LOWER_AND, "ii"},
    {LOWER_OR, "ii"},    {LOWER_XOR, "ii"},   {LOWER_NOT, "ii"},   {LOWER_SHL, "ii"},
    {LOWER_SHR, "ii"},   {LOWER_SELP, "ii"},  {LOWER_SETP, "cc"},  {LOWER_MUL, "mmmi"},
    {LOWER_MAD, "mmm"},  {LOWER_MIN, "ccii"}, {LOWER_MAX, "ccii"}, {LOWER_ABS, "ciii"},
    {LOWER_POPC, "ssi"}, {LOWER_CLZ, "cisi"}, {LOWER_MOV, "ii"},
};

const char *lower_expansion(const struct lower *l, const struct node *n)
{
    (void)l;
    for (size_t i = 0; i < ARRAY_LEN(expansions); i++) {
        if (expansions[i].code == n->code && expansions[i].type == n->mods.types[0] &&
            (n->mods.flags & expansions[i].among) == expansions[i].flags)
            return expansions[i].letters;
    }
    bool pair = n->bytes == 8 && lower_is_whole(n) && !(n->mods.flags & MOD_WIDE);
    for (size_t i = 0; pair && i < ARRAY_LEN(pairs); i++) {
        if (pairs[i].code == n->code)
            return pairs[i].letters;
    }
    return NULL;
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
