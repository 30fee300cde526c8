/* A row of a sparse matrix: shared by the kernels and the host. */
#ifndef AMG_ROWS_H
#define AMG_ROWS_H

#include "both.h"

#define DAMPING 0.7f
#define MEMBERS 8 /* of an aggregate */

struct rows {
    const u32 *first, *columns; /* without the diagonal */
    const float *values, *diagonal;
};

BOTH float row_residual(const struct rows *a, u32 i, const float *b, const float *x)
{
    float sum = fmaf(-a->diagonal[i], x[i], b[i]);
    for (u32 k = a->first[i]; k < a->first[i + 1]; k++)
        sum = fmaf(-a->values[k], x[a->columns[k]], sum);
    return sum;
}

#endif
