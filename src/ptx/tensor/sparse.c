/*
 * mma.sp: A has half of its elements, and metadata that says which columns they belong to.
 *
 * Of four neighbouring columns two are there (of tf32, of two columns one), with four bits: two
 * for the column of each. A tensor core multiplies what is there by the elements of B that belong
 * to it; so an element of D is the sum that a product of k / 2 columns gives, with the B of its
 * row. That it adds as a dense product of that length does is an assumption: no results of sparse
 * products were recorded.
 *
 * Where the bits lie (PTX ISA, "Matrix fragments ... with sparse matrix A", of which CUTLASS's
 * order of metadata is the inverse), lanes of the four that hold rows g and g + 8:
 *   16 bits a row: lane `selector`, row g in the lower half;
 *   32 bits a row: lanes 2 x selector and the next, each half of the columns as above; of 8-bit
 *                  elements the first lane has row g, the second g + 8 (assumed: the first half of
 *                  what 64 bits are);
 *   64 bits a row: all four, columns 0 to 31 of rows g and g + 8, then columns 32 to 63.
 */
#include "ptx/tensor/mma.h"

#include "ptx/tensor/dot.h"

enum { COLUMNS_OF_B = 8 };

static u64 row_metadata(const struct mma_shape *s, const u32 *metadata, u32 row)
{
    u32 per_row = s->a == MMA_TF32 ? s->k * 2u : s->k;
    const u32 *group = &metadata[row % 8 * 4];
    u32 lower = row / 8;
    if (per_row == 16)
        return group[s->selector] >> 16 * lower & 0xffff;
    if (per_row == 64)
        return group[lower] | (u64)group[2 + lower] << 32;
    const u32 *pair = &group[2 * s->selector];
    if (mma_type_bits(s->a) == 8)
        return pair[lower];
    return (pair[0] >> 16 * lower & 0xffff) | (pair[1] >> 16 * lower & 0xffff) << 16;
}

/* The column of A, and so the row of B, of the element at `place` of a row. */
static u32 column_of(const struct mma_shape *s, u64 bits, u32 place)
{
    if (s->a == MMA_TF32) /* counted in halves of 16 bits: 0b0100 is the first, 0b1110 the second */
        return 2 * place + (bits >> (4 * place + 1) & 1);
    return place / 2 * 4 + (bits >> 2 * place & 3);
}

/* The elements of a column of B that belong to a row of A, packed like the row. */
static void choose(const struct mma_shape *s, u64 bits, const u32 *from, u32 *to)
{
    u32 width = mma_type_bits(s->a), parts = 32 / width;
    u32 mask = width == 32 ? UINT32_MAX : (1u << width) - 1;
    for (u32 i = 0; i < s->k / 2u; i++) {
        u32 column = column_of(s, bits, i);
        u32 element = from[column / parts] >> column % parts * width & mask;
        u32 *word = &to[i / parts];
        *word = i % parts ? *word | element << i % parts * width : element;
    }
}

void dot_sparse(const struct mma_shape *s, const u32 *metadata, const u32 (*columns)[SPARSE_WORDS],
                struct tile *t, void (*dot)(const struct mma_shape *, struct tile *))
{
    struct mma_shape row = *s; /* one row of A, with its own B */
    struct tile one = {0};
    row.sparse = false;
    row.m = 1;
    row.k = s->k / 2;
    for (u32 i = 0; i < s->m; i++) {
        u64 bits = row_metadata(s, metadata, i);
        for (u32 w = 0; w < LINE_WORDS_MAX; w++)
            one.a[0][w] = t->a[i][w];
        for (u32 j = 0; j < s->n; j++) {
            choose(s, bits, columns[j], one.b[j]);
            one.c[j] = t->c[i * s->n + j];
        }
        dot(&row, &one);
        for (u32 j = 0; j < s->n; j++)
            t->d[i * s->n + j] = one.d[j];
    }
}

void mma_execute_sparse(const struct mma_shape *s, const u32 *const *a, const u32 *const *b,
                        const u32 *const *c, const u32 *metadata, u32 *const *d)
{
    struct fragment fa = fragment_of(s, FRAGMENT_A), fb = fragment_of(s, FRAGMENT_B);
    struct fragment fc = fragment_of(s, FRAGMENT_C), fd = fragment_of(s, FRAGMENT_D);
    struct tile t;
    u32 columns[COLUMNS_OF_B][SPARSE_WORDS];
    lines_gather(&fa, a, &t.a[0][0], LINE_WORDS_MAX);
    lines_gather(&fb, b, &columns[0][0], SPARSE_WORDS);
    sums_gather(&fc, c, t.c);
    dot_sparse(s, metadata, (const u32(*)[SPARSE_WORDS])columns, &t, dot_any);
    sums_scatter(&fd, t.d, d);
}
