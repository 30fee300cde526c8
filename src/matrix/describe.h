/* Descriptors of a matrix, by which inputs of sparse products differ. */
#ifndef MATRIX_DESCRIBE_H
#define MATRIX_DESCRIBE_H

#include "matrix/matrix.h"
#include "base/text.h"

struct matrix_facts {
    u32 rows, columns;
    u64 nnz;
    double density, mean_row;
    u64 longest_row, longest_column, empty_rows;
    double near_diagonal; /* share of elements within 1 % of the side of the diagonal */
    u64 partial_products; /* of the product with itself; 0 where it has none */
};

void matrix_describe(struct matrix_facts *f, const struct matrix *m);
void matrix_facts_text(const struct matrix_facts *f, struct text *out);
/* Elements in squares, as characters from ' ' (none) to '@' (the fullest). */
void matrix_picture(const struct matrix *m, u32 side, struct text *out);

#endif
