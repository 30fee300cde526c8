#include "ptx/tensor/warpgroup.h"

#include "ptx/tensor/dot.h"
#include "ptx/tensor/mma.h"

#include <stdio.h>
#include <string.h>

enum { AT_ONCE = 16 }; /* columns of a tile */

static const struct {
    const char *d, *a, *b;
} forms[] = {
    {"f32", "f16", "f16"},   {"f16", "f16", "f16"},   {"f32", "bf16", "bf16"},
    {"f32", "tf32", "tf32"}, {"f32", "e4m3", "e4m3"}, {"f16", "e4m3", "e4m3"},
    {"f32", "e5m2", "e5m2"}, {"f16", "e5m2", "e5m2"}, {"f32", "e4m3", "e5m2"},
    {"f16", "e4m3", "e5m2"}, {"f32", "e5m2", "e4m3"}, {"f16", "e5m2", "e4m3"},
    {"s32", "s8", "s8"},     {"s32", "u8", "u8"},     {"s32", "s8", "u8"},
    {"s32", "u8", "s8"},     {"s32", "b1", "b1"},
};

static bool is_modifier(const char *word)
{
    static const char *const known[] = {"sync", "aligned", "sp", "satfinite", "and", "popc"};
    for (u32 i = 0; i < ARRAY_LEN(known); i++) {
        if (strcmp(word, known[i]) == 0)
            return true;
    }
    return false;
}

static bool size_exists(const struct mma_shape *s, u32 m, u32 n, u32 k)
{
    bool whole = s->d == MMA_S32;
    u32 expected = 256 / mma_type_bits(s->a) * (s->sparse ? 2 : 1);
    return m == 64 && n >= 8 && n <= 256 && n % 8 == 0 && k == expected &&
           (!whole || n % 16 == 0 || n <= 24);
}

bool wgmma_parse(struct mma_shape *s, const char *const *words, u32 count, struct src_pos at,
                 struct err *err)
{
    const char *types[3] = {"", "", ""}, *shape = "";
    u32 type_count = 0, m = 0, n = 0, k = 0;
    *s = (struct mma_shape){.a_layout = MMA_ROW, .b_layout = MMA_COL};
    for (u32 i = 0; i < count; i++) {
        s->sparse |= strcmp(words[i], "sp") == 0;
        s->satfinite |= strcmp(words[i], "satfinite") == 0;
        if (is_modifier(words[i]))
            continue;
        if (words[i][0] == 'm')
            shape = words[i];
        else if (type_count < 3)
            types[type_count++] = words[i];
        else
            return err_at(err, at, "wgmma has a modifier .%s that it does not take", words[i]);
    }
    u32 f = 0;
    while (f < ARRAY_LEN(forms) &&
           (strcmp(forms[f].d, types[0]) != 0 || strcmp(forms[f].a, types[1]) != 0 ||
            strcmp(forms[f].b, types[2]) != 0))
        f++;
    if (f == ARRAY_LEN(forms))
        return err_at(err, at,
                      "wgmma of .%s.%s.%s is not supported, expected f16, bf16, tf32, "
                      "e4m3, e5m2, s8, u8 or b1 forms",
                      types[0], types[1], types[2]);
    mma_type_find(types[0], &s->d);
    mma_type_find(types[1], &s->a);
    mma_type_find(types[2], &s->b);
    s->c = s->d;
    s->bit_op = s->a == MMA_B1 ? MMA_AND : MMA_NO_BIT_OP;
    int used = 0;
    if (sscanf(shape, "m%un%uk%u%n", &m, &n, &k, &used) != 3 || shape[used] ||
        !size_exists(s, m, n, k))
        return err_at(err, at,
                      "wgmma of .%s has shape '%s', expected m64nNk%u with N from 8 to 256",
                      types[1], shape, 256 / mma_type_bits(s->a) * (s->sparse ? 2 : 1));
    s->m = GROUP_ROWS;
    s->n = (u16)n;
    s->k = (u16)k;
    return true;
}

/* Lane 4r + q has elements 2q and 2q + 1 of rows r and r + 8, of every eight columns. */
static void sums_gather_group(const struct mma_shape *s, u32 *const *d, u32 first, u32 wide,
                              u32 *to)
{
    bool half = s->d == MMA_F16;
    for (u32 row = 0; row < GROUP_ROWS; row++) {
        for (u32 j = 0; j < wide; j++) {
            u32 column = first + j, lane = row % 8 * 4 + column % 8 / 2;
            u32 reg =
                column / 8 * (half ? 2 : 4) + row / 8 * (half ? 1 : 2) + (half ? 0 : column % 2);
            to[row * wide + j] = half ? d[reg][lane] >> column % 2 * 16 & 0xffff : d[reg][lane];
        }
    }
}

static void sums_scatter_group(const struct mma_shape *s, const u32 *from, u32 first, u32 wide,
                               u32 *const *d)
{
    bool half = s->d == MMA_F16;
    for (u32 row = 0; row < GROUP_ROWS; row++) {
        for (u32 j = 0; j < wide; j++) {
            u32 column = first + j, lane = row % 8 * 4 + column % 8 / 2, v = from[row * wide + j];
            u32 reg =
                column / 8 * (half ? 2 : 4) + row / 8 * (half ? 1 : 2) + (half ? 0 : column % 2);
            u32 *to = &d[reg][lane];
            if (half)
                v = column % 2 ? (*to & 0xffff) | v << 16 : (*to & 0xffff0000) | (v & 0xffff);
            *to = v;
        }
    }
}

static void multiply(const struct mma_shape *s, struct tile *t)
{
    if (s->a == MMA_E4M3 || s->a == MMA_E5M2)
        dot_fp8_group(s, t);
    else
        dot_any(s, t);
}

void wgmma_execute(const struct group_product *p, u32 *const *d)
{
    struct mma_shape part = p->shape;
    struct tile t;
    if (wgmma_execute_whole(p, d))
        return;
    memcpy(t.a, p->a, sizeof p->a);
    for (u32 first = 0; first < p->shape.n; first += part.n) {
        u32 left = p->shape.n - first;
        part.n = (u16)(left < AT_ONCE ? left : AT_ONCE);
        if (p->accumulates)
            sums_gather_group(&part, d, first, part.n, t.c);
        else
            memset(t.c, 0, sizeof t.c);
        if (part.sparse) {
            dot_sparse(&part, p->metadata, &p->b[first], &t, multiply);
        } else {
            for (u32 j = 0; j < part.n; j++)
                memcpy(t.b[j], p->b[first + j], sizeof t.b[j]);
            multiply(&part, &t);
        }
        sums_scatter_group(&part, t.d, first, part.n, d);
    }
}
