#include "ptx/decode/modifiers.h"

#include <string.h>

struct word {
    const char *text;
    u8 value;
};

static const struct word compares[] = {
    {"eq", COMPARE_EQ},   {"ne", COMPARE_NE},   {"lt", COMPARE_LT},   {"le", COMPARE_LE},
    {"gt", COMPARE_GT},   {"ge", COMPARE_GE},   {"ls", COMPARE_LS},   {"hs", COMPARE_HS},
    {"equ", COMPARE_EQU}, {"neu", COMPARE_NEU}, {"ltu", COMPARE_LTU}, {"leu", COMPARE_LEU},
    {"gtu", COMPARE_GTU}, {"geu", COMPARE_GEU}, {"num", COMPARE_NUM}, {"nan", COMPARE_NAN},
};

static const struct word operations[] = {
    {"and", OPERATION_AND},   {"or", OPERATION_OR},     {"xor", OPERATION_XOR},
    {"add", OPERATION_ADD},   {"min", OPERATION_MIN},   {"max", OPERATION_MAX},
    {"inc", OPERATION_INC},   {"dec", OPERATION_DEC},   {"cas", OPERATION_CAS},
    {"exch", OPERATION_EXCH}, {"popc", OPERATION_POPC},
};

static const struct word rounds[] = {
    {"rn", ROUND_RN}, {"rz", ROUND_RZ}, {"rm", ROUND_RM}, {"rp", ROUND_RP}, {"rna", ROUND_RNA}};
static const struct word integral_rounds[] = {
    {"rni", ROUND_RN}, {"rzi", ROUND_RZ}, {"rmi", ROUND_RM}, {"rpi", ROUND_RP}};

static const struct word spaces[] = {
    {"global", SPACE_GLOBAL},
    {"const", SPACE_CONST},
    {"shared", SPACE_SHARED},
    {"shared::cta", SPACE_SHARED},
    {"shared::cluster", SPACE_SHARED}, /* a cluster here is one block */
    {"local", SPACE_LOCAL},
    {"param", SPACE_PARAM},
    {"param::entry", SPACE_PARAM},
    {"param::func", SPACE_PARAM},
};

static const struct word vectors[] = {{"v2", 2}, {"v4", 4}, {"v8", 8}};

/* Hints and scopes: they change timing and visibility, not values, on a machine
 * that executes memory operations one at a time. */
static const char *const without_effect[] = {
    "ca",
    "cg",
    "cs",
    "cv",
    "lu",
    "wb",
    "wt",
    "cta",
    "gpu",
    "sys",
    "gl",
    "cluster",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::evict_last",
    "L2::evict_normal",
    "L2::evict_first",
    "L2::64B",
    "L2::128B",
    "L2::256B",
    "level::eviction_priority",
};

static const struct {
    const char *text;
    u8 bit;
} flags[] = {
#define X(id, word) {word, MOD_BIT_##id},
    MOD_FLAGS(X)
#undef X
};

static bool find(const struct word *table, size_t count, const char *text, u8 *out)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].text, text) == 0) {
            *out = table[i].value;
            return true;
        }
    }
    return false;
}

#define FIND(table, text, out) find(table, ARRAY_LEN(table), text, out)

static bool read_word(const char *text, struct mods *m)
{
    enum type type = type_find(text, strlen(text));
    if (type != TYPE_NONE) {
        if (m->type_count == ARRAY_LEN(m->types))
            return false;
        m->types[m->type_count++] = type;
        return true;
    }
    if (FIND(compares, text, &m->compare) || FIND(operations, text, &m->operation) ||
        FIND(rounds, text, &m->round) || FIND(vectors, text, &m->vector))
        return true;
    if (FIND(integral_rounds, text, &m->round)) {
        m->to_integral = true;
        return true;
    }
    if (FIND(spaces, text, &m->space)) {
        m->has_space = true;
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
        if (strcmp(flags[i].text, text) == 0) {
            m->flags |= (u64)1 << flags[i].bit;
            return true;
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(without_effect); i++) {
        if (strcmp(without_effect[i], text) == 0)
            return true;
    }
    return false;
}

void mods_read(const struct ptx_statement *s, struct mods *mods)
{
    *mods = (struct mods){.round = ROUND_NONE, .compare = COMPARE_NONE};
    for (u32 i = 0; i < s->modifier_count; i++) {
        if (!read_word(s->modifiers[i], mods) && !mods->unknown)
            mods->unknown = s->modifiers[i];
    }
}
