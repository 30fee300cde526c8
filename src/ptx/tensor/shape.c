#include "ptx/tensor/shape.h"

#include <stdio.h>
#include <string.h>

/* Types of A and B that share shapes and rules. */
enum family { F16, BF16, TF32, F64, BYTE, NIBBLE, BIT, FP8 };

static const struct {
    const char *name;
    u32 bits;
    enum family family; /* meaningless for what is never in A */
} types[] = {
    [MMA_F16] = {"f16", 16, F16},  [MMA_BF16] = {"bf16", 16, BF16}, [MMA_TF32] = {"tf32", 32, TF32},
    [MMA_F32] = {"f32", 32, F16},  [MMA_F64] = {"f64", 64, F64},    [MMA_S8] = {"s8", 8, BYTE},
    [MMA_U8] = {"u8", 8, BYTE},    [MMA_S4] = {"s4", 4, NIBBLE},    [MMA_U4] = {"u4", 4, NIBBLE},
    [MMA_B1] = {"b1", 1, BIT},     [MMA_S32] = {"s32", 32, BYTE},   [MMA_E4M3] = {"e4m3", 8, FP8},
    [MMA_E5M2] = {"e5m2", 8, FP8},
};

/* PTX ISA 8.5, "Matrix Shape" of mma and of wmma. */
static const struct {
    u16 m, n, k;
    enum family family;
    bool wmma;
} shapes[] = {
    {8, 8, 4, F16, false},      {16, 8, 8, F16, false},     {16, 8, 16, F16, false},
    {16, 8, 8, BF16, false},    {16, 8, 16, BF16, false},   {16, 8, 4, TF32, false},
    {16, 8, 8, TF32, false},    {8, 8, 4, F64, false},      {16, 8, 4, F64, false},
    {16, 8, 8, F64, false},     {16, 8, 16, F64, false},    {8, 8, 16, BYTE, false},
    {16, 8, 16, BYTE, false},   {16, 8, 32, BYTE, false},   {8, 8, 32, NIBBLE, false},
    {16, 8, 32, NIBBLE, false}, {16, 8, 64, NIBBLE, false}, {8, 8, 128, BIT, false},
    {16, 8, 128, BIT, false},   {16, 8, 256, BIT, false},   {16, 16, 16, F16, true},
    {32, 8, 16, F16, true},     {8, 32, 16, F16, true},     {16, 16, 16, BF16, true},
    {32, 8, 16, BF16, true},    {8, 32, 16, BF16, true},    {16, 16, 16, BYTE, true},
    {32, 8, 16, BYTE, true},    {8, 32, 16, BYTE, true},    {16, 16, 8, TF32, true},
    {8, 8, 4, F64, true},       {8, 8, 32, NIBBLE, true},   {8, 8, 128, BIT, true},
    {16, 8, 16, FP8, false},    {16, 8, 32, FP8, false},
};

/* The same of mma.sp; 4-bit integers are left out. */
static const struct {
    u16 k;
    enum family family;
} sparse_shapes[] = {{16, F16},  {32, F16},  {16, BF16}, {32, BF16}, {8, TF32},
                     {16, TF32}, {32, BYTE}, {64, BYTE}, {64, FP8}};

bool mma_type_find(const char *word, enum mma_type *type)
{
    for (u32 i = 0; i < ARRAY_LEN(types); i++) {
        if (!strcmp(types[i].name, word)) {
            *type = (enum mma_type)i;
            return true;
        }
    }
    return false;
}

const char *mma_type_name(enum mma_type type)
{
    return types[type].name;
}

u32 mma_type_bits(enum mma_type type)
{
    return types[type].bits;
}

/* "m16n8k4": each letter with one to three digits */
static bool shape_read(struct mma_shape *s, const char *word)
{
    u16 *const parts[] = {&s->m, &s->n, &s->k};
    for (u32 i = 0; i < 3; i++) {
        if (*word++ != "mnk"[i])
            return false;
        u32 value = 0, digits = 0;
        for (; digits < 3 && *word >= '0' && *word <= '9'; digits++)
            value = value * 10 + (u32)(*word++ - '0');
        if (digits == 0)
            return false;
        *parts[i] = (u16)value;
    }
    return *word == 0;
}

static bool sparse_is_listed(const struct mma_shape *s, enum family family)
{
    for (u32 i = 0; i < ARRAY_LEN(sparse_shapes); i++) {
        if (sparse_shapes[i].k == s->k && sparse_shapes[i].family == family)
            return s->m == 16 && s->n == 8;
    }
    return false;
}

static bool shape_is_listed(const struct mma_shape *s, enum family family)
{
    if (s->sparse)
        return sparse_is_listed(s, family);
    for (u32 i = 0; i < ARRAY_LEN(shapes); i++) {
        if (shapes[i].m == s->m && shapes[i].n == s->n && shapes[i].k == s->k &&
            shapes[i].family == family && shapes[i].wmma == s->wmma)
            return true;
    }
    return false;
}

/* "m16n8k8 or m16n8k16" */
static void shapes_write(enum family family, bool wmma, bool sparse, char *out, size_t room)
{
    size_t used = 0;
    out[0] = 0;
    for (u32 i = 0; sparse && i < ARRAY_LEN(sparse_shapes); i++) {
        if (sparse_shapes[i].family == family && used < room)
            used += (size_t)snprintf(out + used, room - used, "%sm16n8k%u", used ? " or " : "",
                                     sparse_shapes[i].k);
    }
    if (sparse)
        return;
    for (u32 i = 0; i < ARRAY_LEN(shapes); i++) {
        if (shapes[i].family == family && shapes[i].wmma == wmma && used < room)
            used += (size_t)snprintf(out + used, room - used, "%sm%un%uk%u", used ? " or " : "",
                                     shapes[i].m, shapes[i].n, shapes[i].k);
    }
}

/* What the words said, before it is known whether they fit together. */
struct reading {
    struct mma_shape shape;
    enum mma_type type[4];
    u32 types, layouts;
    bool has_shape, has_popc, has_rounding;
};

static bool word_read(struct reading *r, const char *word)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    struct mma_shape *s = &r->shape;
    if (!strcmp(word, "sync") || !strcmp(word, "aligned"))
        return true;
    if (!strcmp(word, "row") || !strcmp(word, "col")) {
        enum mma_layout layout = word[0] == 'r' ? MMA_ROW : MMA_COL;
        if (r->layouts == 0)
            s->a_layout = layout;
        else
            s->b_layout = layout;
        return r->layouts++ < 2;
    }
    if (!strcmp(word, "satfinite"))
        return s->satfinite = true;
    if (!strcmp(word, "popc"))
        return r->has_popc = true;
    if (!strcmp(word, "xor") || !strcmp(word, "and")) {
        s->bit_op = word[0] == 'x' ? MMA_XOR : MMA_AND;
        return true;
    }
    for (u32 i = 0; i < ARRAY_LEN(roundings); i++) {
        if (!strcmp(word, roundings[i])) {
            s->rounding = (enum mma_rounding)i;
            return r->has_rounding = true;
        }
    }
    if (!r->has_shape && shape_read(s, word))
        return r->has_shape = true;
    return r->types < 4 && mma_type_find(word, &r->type[r->types]) && ++r->types;
}

static bool types_check(const struct mma_shape *s, const char *name, struct src_pos at,
                        struct err *err)
{
    enum family family = types[s->a].family;
    const char *a = mma_type_name(s->a), *b = mma_type_name(s->b);
    bool is_accumulator_type = s->a == MMA_F32 || s->a == MMA_S32;
    if (is_accumulator_type || types[s->b].family != family ||
        (family != BYTE && family != NIBBLE && family != FP8 && s->a != s->b) ||
        (s->wmma && s->a != s->b) || s->b == MMA_F32 || s->b == MMA_S32)
        return err_at(err, at, "%s cannot multiply %s by %s", name, a, b);
    const char *c = mma_type_name(s->c), *d = mma_type_name(s->d);
    if (family == F16 || family == FP8) {
        bool c_fits = s->c == MMA_F16 || s->c == MMA_F32,
             d_fits = s->d == MMA_F16 || s->d == MMA_F32;
        /* mma: the same, except that m8n8k4 may widen f16 to f32 */
        if (!c_fits || !d_fits || (!s->wmma && s->c != s->d && !(s->k == 4 && s->d == MMA_F32)))
            return err_at(err, at, "%s of %s cannot add %s to give %s", name, a, c, d);
        if (s->sparse && family == FP8 && s->d == MMA_F16)
            return err_at(err, at, "%s of %s to give f16 is not supported: needs sm_120", name, a);
        return true;
    }
    enum mma_type sum = family == F64                      ? MMA_F64
                        : family == BF16 || family == TF32 ? MMA_F32
                                                           : MMA_S32;
    if (s->c != sum || s->d != sum)
        return err_at(err, at, "%s of %s adds %s to give %s, expected %s", name, a, c, d,
                      mma_type_name(sum));
    return true;
}

static bool shape_check(const struct reading *r, const char *name, struct src_pos at,
                        struct err *err)
{
    const struct mma_shape *s = &r->shape;
    enum family family = types[s->a].family;
    char list[128];
    if (!types_check(s, name, at, err))
        return false;
    shapes_write(family, s->wmma, s->sparse, list, sizeof list);
    if (s->sparse && (family == NIBBLE || family == BIT || family == F64))
        return err_at(err, at,
                      "%s of %s is not supported, expected f16, bf16, tf32, s8, u8, e4m3 or e5m2",
                      name, mma_type_name(s->a));
    if (!shape_is_listed(s, family))
        return err_at(err, at, "%s.m%un%uk%u of %s is not supported, expected %s", name, s->m, s->n,
                      s->k, mma_type_name(s->a), list);
    bool free_layout = s->wmma ? family != NIBBLE && family != BIT : family == F16 && s->k == 4;
    if (!free_layout && (s->a_layout != MMA_ROW || s->b_layout != MMA_COL))
        return err_at(err, at, "%s.m%un%uk%u of %s takes only .row.col", name, s->m, s->n, s->k,
                      mma_type_name(s->a));
    if (s->satfinite && family != BYTE && family != NIBBLE)
        return err_at(err, at, "%s.satfinite of %s is not supported, expected s8, u8, s4 or u4",
                      name, mma_type_name(s->a));
    if ((family == BIT) != (s->bit_op != MMA_NO_BIT_OP) || (family == BIT) != r->has_popc)
        return err_at(err, at,
                      family == BIT ? "%s of %s needs .xor.popc or .and.popc"
                                    : "%s of %s takes no bit operation",
                      name, mma_type_name(s->a));
    if (r->has_rounding && !(s->wmma && family == F64))
        return err_at(err, at, "%s of %s takes no rounding", name, mma_type_name(s->a));
    return true;
}

static bool parse(struct mma_shape *out, bool wmma, const char *const *words, u32 count,
                  struct src_pos at, struct err *err)
{
    const char *name = wmma ? "wmma.mma" : "mma";
    struct reading r = {.shape.wmma = wmma};
    if (!wmma && count && (!strcmp(words[0], "sp") || !strcmp(words[0], "sp::ordered_metadata"))) {
        r.shape.sparse = true;
        name = "mma.sp";
        words++;
        count--;
    }
    for (u32 i = 0; i < count; i++) {
        if (!strncmp(words[i], "kind::", 6))
            return err_at(err, at, "%s with .%s is not supported: needs sm_120", name, words[i]);
        if (!word_read(&r, words[i]))
            return err_at(err, at, "%s does not take the modifier .%s there", name, words[i]);
    }
    bool short_form = wmma && r.types == 2; /* .f32.f16: D and C, A and B are f16 */
    if (!r.has_shape || r.layouts != 2 || (r.types != 4 && !short_form))
        return err_at(err, at,
                      "%s has %s shape, %u layouts and %u types, expected a shape, 2 and %s", name,
                      r.has_shape ? "a" : "no", r.layouts, r.types, wmma ? "2 or 4" : "4");
    r.shape.d = r.type[0];
    r.shape.a = short_form ? MMA_F16 : r.type[1];
    r.shape.b = short_form ? MMA_F16 : r.type[2];
    r.shape.c = r.type[short_form ? 1 : 3];
    if (!shape_check(&r, name, at, err))
        return false;
    *out = r.shape;
    return true;
}

u32 mma_most_selector(const struct mma_shape *s)
{
    u32 per_row = s->a == MMA_TF32 ? s->k * 2u : s->k; /* bits */
    return per_row == 16 ? 3 : per_row == 32 ? 1 : 0;
}

bool mma_parse(struct mma_shape *s, const char *const *words, u32 count, struct src_pos at,
               struct err *err)
{
    return parse(s, false, words, count, at, err);
}

bool wmma_parse(struct mma_shape *s, const char *const *words, u32 count, struct src_pos at,
                struct err *err)
{
    return parse(s, true, words, count, at, err);
}

/* One family's A type for each accumulator, the first whose shapes match. */
static bool accumulator_fits(enum mma_type type, enum family family)
{
    switch (family) {
    case F16:
    case FP8:
        return type == MMA_F16 || type == MMA_F32;
    case BF16:
    case TF32:
        return type == MMA_F32;
    case F64:
        return type == MMA_F64;
    default:
        return type == MMA_S32;
    }
}

bool wmma_shape_find(struct mma_shape *s, const char *shape, enum mma_type type, bool accumulator,
                     struct src_pos at, struct err *err)
{
    struct mma_shape found = {.wmma = true, .bit_op = MMA_NO_BIT_OP};
    if (!shape_read(&found, shape))
        return err_at(err, at, "'%s' is not a shape, expected m16n16k16 or another of wmma", shape);
    for (u32 i = 0; i < ARRAY_LEN(types); i++) {
        enum mma_type a = (enum mma_type)i;
        enum family family = types[a].family;
        bool fits = accumulator ? accumulator_fits(type, family) : a == type;
        if (a == MMA_F32 || a == MMA_S32 || !fits || !shape_is_listed(&found, family))
            continue;
        found.a = found.b = a;
        found.c = found.d = accumulator                                         ? type
                            : family == F64                                     ? MMA_F64
                            : family == F16 || family == BF16 || family == TF32 ? MMA_F32
                                                                                : MMA_S32;
        *s = found;
        return true;
    }
    return err_at(err, at, "wmma.%s has no fragment %s of %s", shape,
                  accumulator ? "c or d" : "a or b", mma_type_name(type));
}
