#include "matrix/matrix.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void matrix_init(struct matrix *m, u32 rows, u32 columns, u64 nnz)
{
    *m = (struct matrix){.rows = rows, .columns = columns};
    m->start = xrealloc(NULL, ((size_t)rows + 1) * sizeof *m->start);
    m->column = xrealloc(NULL, (nnz + 1) * sizeof *m->column);
    m->value = xrealloc(NULL, (nnz + 1) * sizeof *m->value);
    memset(m->start, 0, ((size_t)rows + 1) * sizeof *m->start);
}

void matrix_fini(struct matrix *m)
{
    free(m->start);
    free(m->column);
    free(m->value);
    *m = (struct matrix){0};
}

static int compare_entries(const void *a, const void *b)
{
    const struct matrix_entry *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

u64 matrix_from_entries(struct matrix *m, u32 rows, u32 columns, struct matrix_entry *entries,
                        u64 count)
{
    qsort(entries, count, sizeof *entries, compare_entries);
    matrix_init(m, rows, columns, count);
    for (u64 i = 0; i < count; i++) {
        if (i && compare_entries(&entries[i - 1], &entries[i]) == 0)
            return i;
        m->start[entries[i].row + 1]++;
        m->column[i] = entries[i].column;
        m->value[i] = entries[i].value;
    }
    for (u32 r = 0; r < rows; r++)
        m->start[r + 1] += m->start[r];
    return UINT64_MAX;
}

void matrix_transpose(struct matrix *out, const struct matrix *m)
{
    u64 nnz = matrix_nnz(m);
    matrix_init(out, m->columns, m->rows, nnz);
    for (u64 i = 0; i < nnz; i++)
        out->start[m->column[i] + 1]++;
    for (u32 c = 0; c < m->columns; c++)
        out->start[c + 1] += out->start[c];
    /* each start moves to the end of its row, and then back */
    for (u32 r = 0; r < m->rows; r++) {
        for (u64 i = m->start[r]; i < m->start[r + 1]; i++) {
            u64 to = out->start[m->column[i]]++;
            out->column[to] = r;
            out->value[to] = m->value[i];
        }
    }
    memmove(out->start + 1, out->start, m->columns * sizeof *out->start);
    out->start[0] = 0;
}

u64 matrix_partial_products(const struct matrix *a, const struct matrix *b)
{
    u64 sum = 0;
    for (u64 i = 0; i < matrix_nnz(a); i++)
        sum += matrix_row_length(b, a->column[i]);
    return sum;
}

/* ---- the product --------------------------------------------------------------------------- */

/* One row as it grows: a sum per column, and which columns have one. */
struct sums {
    double *value;
    u32 *marked; /* row + 1 that last used the column */
    u32 *columns;
    u32 count;
};

static int compare_columns(const void *a, const void *b)
{
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return (x > y) - (x < y);
}

static void add_row(struct sums *s, const struct matrix *a, const struct matrix *b, u32 row)
{
    s->count = 0;
    for (u64 i = a->start[row]; i < a->start[row + 1]; i++) {
        u32 inner = a->column[i];
        for (u64 k = b->start[inner]; k < b->start[inner + 1]; k++) {
            u32 c = b->column[k];
            if (s->marked[c] != row + 1) {
                s->marked[c] = row + 1;
                s->value[c] = 0;
                s->columns[s->count++] = c;
            }
            s->value[c] += a->value[i] * b->value[k];
        }
    }
    qsort(s->columns, s->count, sizeof *s->columns, compare_columns);
}

void matrix_multiply(struct matrix *out, const struct matrix *a, const struct matrix *b)
{
    u64 room = 1024, nnz = 0, columns = (u64)b->columns + 1;
    struct sums s = {.value = xrealloc(NULL, columns * sizeof *s.value),
                     .marked = xrealloc(NULL, columns * sizeof *s.marked),
                     .columns = xrealloc(NULL, columns * sizeof *s.columns)};
    memset(s.marked, 0, columns * sizeof *s.marked);
    matrix_init(out, a->rows, b->columns, room);
    for (u32 r = 0; r < a->rows; r++) {
        add_row(&s, a, b, r);
        if (nnz + s.count > room) {
            room = 2 * (nnz + s.count);
            out->column = xrealloc(out->column, room * sizeof *out->column);
            out->value = xrealloc(out->value, room * sizeof *out->value);
        }
        for (u32 i = 0; i < s.count; i++) {
            out->column[nnz] = s.columns[i];
            out->value[nnz++] = s.value[s.columns[i]];
        }
        out->start[r + 1] = nnz;
    }
    free(s.value);
    free(s.marked);
    free(s.columns);
}

static bool are_close(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fmax(fmax(fabs(a), fabs(b)), 1e-300);
}

bool matrix_equals(const struct matrix *a, const struct matrix *b, double tolerance, u32 *row,
                   u32 *column)
{
    *row = *column = 0;
    if (a->rows != b->rows || a->columns != b->columns)
        return false;
    for (u32 r = 0; r < a->rows; r++) {
        u64 length = matrix_row_length(a, r), i = a->start[r], k = b->start[r];
        *row = r;
        for (u64 n = 0; n < length; n++, i++, k++) {
            *column = a->column[i];
            if (n >= matrix_row_length(b, r) || a->column[i] != b->column[k] ||
                !are_close(a->value[i], b->value[k], tolerance))
                return false;
        }
        if (length != matrix_row_length(b, r)) {
            *column = b->column[k];
            return false;
        }
    }
    return true;
}
