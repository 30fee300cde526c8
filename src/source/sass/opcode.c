#include "source/sass/opcode.h"

#include <string.h>

struct slice mnemonic_base(struct slice mnemonic)
{
    const char *dot = mnemonic.length ? memchr(mnemonic.start, '.', mnemonic.length) : NULL;
    if (dot)
        mnemonic.length = (size_t)(dot - mnemonic.start);
    return mnemonic;
}

/* The next modifier behind *rest, which starts as the whole mnemonic. False: no more. */
static bool next_modifier(struct slice *rest, struct slice *modifier)
{
    struct slice word = mnemonic_base(*rest);
    if (word.length == rest->length)
        return false;
    rest->start += word.length + 1;
    rest->length -= word.length + 1;
    *modifier = mnemonic_base(*rest);
    return true;
}

bool mnemonic_has(struct slice mnemonic, const char *modifier)
{
    struct slice word;
    while (next_modifier(&mnemonic, &word)) {
        if (slice_is(word, modifier))
            return true;
    }
    return false;
}

static i32 compare(struct slice word, const char *name)
{
    size_t length = strlen(name), shorter = min_u64(word.length, length);
    i32 order = memcmp(word.start, name, shorter);
    return order ? order : (word.length > length) - (word.length < length);
}

const struct opcode *opcode_find(struct slice mnemonic)
{
    u32 low = 0, high;
    const struct opcode *table = opcode_table(&high);
    struct slice base = mnemonic_base(mnemonic);
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        i32 order = compare(base, table[middle].name);
        if (order == 0)
            return &table[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

bool opcode_is_bulk(struct slice mnemonic)
{
    static const char *const names[] = {"UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG",
                                        "UBLKCP",  "UBLKPF",  "UBLKRED"};
    if (mnemonic.length < 6 || mnemonic.start[0] != 'U')
        return false;
    struct slice base = mnemonic_base(mnemonic);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (slice_is(base, names[i]))
            return true;
    }
    return false;
}

/* The first modifier that names a size decides; cache hints such as LTC128B are other words. */
u8 opcode_bytes(const struct opcode *op, struct slice mnemonic)
{
    static const struct {
        const char *modifier;
        u8 bytes;
    } sizes[] = {
        {"8", 1},   {"U8", 1},  {"S8", 1},  {"16", 2},   {"U16", 2},  {"S16", 2},
        {"32", 4},  {"U32", 4}, {"S32", 4}, {"F32", 4},  {"64", 8},   {"U64", 8},
        {"S64", 8}, {"F64", 8}, {"96", 12}, {"128", 16}, {"256", 32},
    };
    /* A lane of LDSM and STSM names a row of a matrix. */
    if (strncmp(op->name, "LDSM", 4) == 0 || strncmp(op->name, "STSM", 4) == 0)
        return 16;
    struct slice word;
    while (next_modifier(&mnemonic, &word)) {
        for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
            if (slice_is(word, sizes[i].modifier))
                return sizes[i].bytes;
        }
    }
    return 4;
}

/* ptxas writes ld.cg as .STRONG.GPU and ld.volatile as .STRONG.SYS; what is strong in the
 * block only may be in L1. */
enum cache_operator opcode_cache_operator(struct slice mnemonic)
{
    bool strong = mnemonic_has(mnemonic, "STRONG");
    if ((strong && mnemonic_has(mnemonic, "SYS")) || mnemonic_has(mnemonic, "CV") ||
        mnemonic_has(mnemonic, "MMIO"))
        return CACHE_VOLATILE;
    if ((strong && mnemonic_has(mnemonic, "GPU")) || mnemonic_has(mnemonic, "CG") ||
        mnemonic_has(mnemonic, "BYPASS") || mnemonic_has(mnemonic, "NA"))
        return CACHE_GLOBAL;
    if (mnemonic_has(mnemonic, "EF") || mnemonic_has(mnemonic, "CS") ||
        mnemonic_has(mnemonic, "LU"))
        return CACHE_STREAM;
    return CACHE_ALL;
}

static u32 registers_of_bytes(u32 bytes)
{
    return bytes <= 4 ? 1 : bytes / 4;
}

/* Sources of a memory instruction are the address, then the data. */
static u32 memory_registers(const struct opcode *op, struct slice mnemonic, i32 operand)
{
    bool is_matrix = strncmp(op->name, "LDSM", 4) == 0 || strncmp(op->name, "STSM", 4) == 0;
    if (operand == 0)
        return mnemonic_has(mnemonic, "E") ? 2 : 1;
    if (operand > 0 && op->kind == WINST_LOAD)
        return 1; /* a second part of the address */
    if (is_matrix)
        return mnemonic_has(mnemonic, "4") ? 4 : mnemonic_has(mnemonic, "2") ? 2 : 1;
    if (op->kind == WINST_ASYNC_COPY)
        return 2; /* both operands are addresses */
    return registers_of_bytes(opcode_bytes(op, mnemonic));
}

/* Which of the types in F2F.F64.F32 or I2I.S64.S32 belongs to the operand: the destination's
 * comes first. */
static bool is_wide_in_order(struct slice mnemonic, i32 operand)
{
    struct slice word;
    u32 wanted = operand < 0 ? 0 : 1, seen = 0;
    while (next_modifier(&mnemonic, &word)) {
        const char *end = word.start + word.length;
        bool is_type = word.length >= 2 && end[-1] >= '0' && end[-1] <= '9';
        if (is_type && seen++ == wanted)
            return word.length >= 3 && memcmp(end - 2, "64", 2) == 0;
    }
    return false;
}

/* Between float and integer the types say whose they are, and 32 bits are not written:
 * F2I.F64 reads a pair, I2F.F64 writes one. */
static u32 convert_registers(const struct opcode *op, struct slice mnemonic, i32 operand)
{
    bool from_float = op->name[0] == 'F', to_float = op->name[2] == 'F', is_wide;
    if (from_float == to_float)
        is_wide = is_wide_in_order(mnemonic, operand);
    else if ((operand < 0) == to_float)
        is_wide = mnemonic_has(mnemonic, "F64");
    else
        is_wide = mnemonic_has(mnemonic, "S64") || mnemonic_has(mnemonic, "U64");
    return is_wide ? 2 : 1;
}

/* Shapes with the largest k of their type have A in four registers of a lane and B in two,
 * the others half of it. */
static bool is_large_shape(const struct opcode *op, struct slice mnemonic)
{
    static const struct {
        const char *name, *shape, *type; /* NULL: any */
    } large[] = {
        {"HMMA", "16816", NULL}, {"HMMA", "1688", "TF32"}, {"IMMA", "16832", NULL},
        {"IMMA", "16864", NULL}, {"BMMA", "168256", NULL}, {"QMMA", "16832", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(large); i++) {
        if (strcmp(op->name, large[i].name) == 0 && mnemonic_has(mnemonic, large[i].shape) &&
            (!large[i].type || mnemonic_has(mnemonic, large[i].type)))
            return true;
    }
    return false;
}

/* Operands are A, B and the accumulators. */
static u32 matrix_registers(const struct opcode *op, struct slice mnemonic, i32 operand)
{
    bool is_large = is_large_shape(op, mnemonic);
    if (operand == 0)
        return is_large ? 4 : 2;
    if (operand == 1)
        return is_large ? 2 : 1;
    return mnemonic_has(mnemonic, "F16") ? 2 : 4;
}

u32 opcode_registers(const struct opcode *op, struct slice mnemonic, i32 operand, u32 sources)
{
    bool is_addend = operand == (i32)sources - 1;
    switch ((enum operand_width)op->width) {
    case WIDTH_ONE:
        return 1;
    case WIDTH_MEMORY:
        return memory_registers(op, mnemonic, operand);
    case WIDTH_DOUBLE:
        return 2;
    case WIDTH_COMPARE:
        return operand < 0 ? 1 : 2;
    case WIDTH_CONVERT:
        return convert_registers(op, mnemonic, operand);
    case WIDTH_WIDE:
        return mnemonic_has(mnemonic, "WIDE") && (operand < 0 || (is_addend && sources == 3)) ? 2
                                                                                              : 1;
    case WIDTH_CLOCK:
        return operand < 0 && !mnemonic_has(mnemonic, "32") ? 2 : 1;
    case WIDTH_MATRIX:
        return matrix_registers(op, mnemonic, operand);
    }
    return 1;
}
