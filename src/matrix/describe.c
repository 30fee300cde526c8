#include "matrix/describe.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static u64 longest_row(const struct matrix *m)
{
    u64 longest = 0;
    for (u32 r = 0; r < m->rows; r++)
        longest = max_u64(longest, matrix_row_length(m, r));
    return longest;
}

void matrix_describe(struct matrix_facts *f, const struct matrix *m)
{
    struct matrix transpose;
    u64 near = 0, side = max_u64(m->rows, m->columns);
    *f = (struct matrix_facts){.rows = m->rows, .columns = m->columns, .nnz = matrix_nnz(m)};
    f->density = (double)f->nnz / ((double)m->rows * m->columns);
    f->mean_row = (double)f->nnz / m->rows;
    f->longest_row = longest_row(m);
    for (u32 r = 0; r < m->rows; r++) {
        f->empty_rows += !matrix_row_length(m, r);
        for (u64 i = m->start[r]; i < m->start[r + 1]; i++) {
            u64 away = m->column[i] > r ? m->column[i] - r : r - m->column[i];
            near += 100 * away <= side;
        }
    }
    f->near_diagonal = f->nnz ? (double)near / (double)f->nnz : 0;
    matrix_transpose(&transpose, m);
    f->longest_column = longest_row(&transpose);
    matrix_fini(&transpose);
    if (m->rows == m->columns)
        f->partial_products = matrix_partial_products(m, m);
}

void matrix_facts_text(const struct matrix_facts *f, struct text *out)
{
    text_printf(out, "  size              %u x %u, %llu elements (density %.4g %%)\n", f->rows,
                f->columns, (unsigned long long)f->nnz, 100 * f->density);
    text_printf(out, "  per row           %.2f on average, longest row %llu, longest column %llu\n",
                f->mean_row, (unsigned long long)f->longest_row,
                (unsigned long long)f->longest_column);
    text_printf(out, "  empty rows        %llu\n", (unsigned long long)f->empty_rows);
    text_printf(out, "  near the diagonal %.1f %% of elements, within 1 %% of the side\n",
                100 * f->near_diagonal);
    if (f->rows == f->columns)
        text_printf(out, "  squared           %llu partial products\n",
                    (unsigned long long)f->partial_products);
}

void matrix_picture(const struct matrix *m, u32 side, struct text *out)
{
    static const char shades[] = " .:-=+*#%@";
    u32 across = (u32)min_u64(side, m->columns), down = (u32)min_u64((side + 1) / 2, m->rows);
    u64 *squares = xrealloc(NULL, (size_t)across * down * sizeof *squares), fullest = 1;
    memset(squares, 0, (size_t)across * down * sizeof *squares);
    for (u32 r = 0; r < m->rows; r++) {
        u64 *row = squares + (size_t)((u64)r * down / m->rows) * across;
        for (u64 i = m->start[r]; i < m->start[r + 1]; i++) {
            u64 *square = &row[(u64)m->column[i] * across / m->columns];
            fullest = max_u64(fullest, ++*square);
        }
    }
    for (u32 y = 0; y < down; y++) {
        text_printf(out, "  |");
        for (u32 x = 0; x < across; x++) {
            /* the root, so that few elements are seen beside many */
            double part = sqrt((double)squares[(size_t)y * across + x] / (double)fullest);
            text_printf(out, "%c", shades[(u32)ceil(part * (sizeof shades - 2))]);
        }
        text_printf(out, "|\n");
    }
    free(squares);
}
