/*
 * A sparse matrix of doubles in compressed-row form, columns of a row in ascending order.
 *
 * The compressed-column form of a matrix is the compressed-row form of its transpose. Storage is
 * the caller's to free with matrix_fini, which accepts a zeroed matrix.
 */
#ifndef MATRIX_MATRIX_H
#define MATRIX_MATRIX_H

#include "base/err.h"
#include "base/types.h"

#include <stdio.h>

struct matrix {
    u32 rows, columns;
    u64 *start; /* of each row in the two arrays; rows + 1 of them */
    u32 *column;
    double *value;
};

/* One element on its way into a matrix. */
struct matrix_entry {
    u32 row, column;
    double value;
};

static inline u64 matrix_nnz(const struct matrix *m)
{
    return m->start ? m->start[m->rows] : 0;
}

static inline u64 matrix_row_length(const struct matrix *m, u32 row)
{
    return m->start[row + 1] - m->start[row];
}

/* Room for so many elements; all rows are empty. */
void matrix_init(struct matrix *m, u32 rows, u32 columns, u64 nnz);
void matrix_fini(struct matrix *m);
/* Elements in any order; the list is sorted. UINT64_MAX: done; else the number, in the sorted list,
 * of an element whose place another has taken. */
u64 matrix_from_entries(struct matrix *m, u32 rows, u32 columns, struct matrix_entry *entries,
                        u64 count);
void matrix_transpose(struct matrix *out, const struct matrix *m);

/* Sum of nnz(a_i) nnz(b_i) over columns of A and rows of B: multiplications of the product. */
u64 matrix_partial_products(const struct matrix *a, const struct matrix *b);
/* Row by row (Gustavson 1978), products of an element added in the order of the inner index. Zeros
 * that cancellation makes are kept. */
void matrix_multiply(struct matrix *out, const struct matrix *a, const struct matrix *b);
/* Same places, values within a relative difference; otherwise *row, *column are the first place. */
bool matrix_equals(const struct matrix *a, const struct matrix *b, double tolerance, u32 *row,
                   u32 *column);

/* matrix/market.c: Matrix Market coordinate files, also compressed by gzip. */
struct market_options {
    bool has_pattern_value; /* files without values are read, with this one */
    double pattern_value;
    u32 most_side; /* rows or columns that a file may have; 0: 2^31 - 1 */
};
bool matrix_read(struct matrix *m, const char *path, const struct market_options *options,
                 struct err *err);
bool matrix_write(const struct matrix *m, const char *path, struct err *err);

/* matrix/spec.c: a file's name, or a generator with its parameters ("uniform:n=100,nnz=500"). */
bool matrix_open(struct matrix *m, const char *spec, const struct market_options *options,
                 struct err *err);
/* Of the generators, for help: "uniform:n=,nnz=" and what it makes; ends with a NULL name. */
struct matrix_generator_text {
    const char *name, *parameters, *about;
};
extern const struct matrix_generator_text matrix_generators[];
extern const char *const matrix_stand_in_names[]; /* ends with NULL */

#endif
