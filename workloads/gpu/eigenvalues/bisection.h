/* Eigenvalues of a symmetric tridiagonal matrix by counting signs: shared by kernel and host. */
#ifndef EIGENVALUES_BISECTION_H
#define EIGENVALUES_BISECTION_H

#include "both.h"

/* How many are below x (Barth, Martin, Wilkinson 1967); squares: of the elements beside the
 * diagonal, squares[0] = 0. */
BOTH u32 count_below(const float *diagonal, const float *squares, u32 n, float x)
{
    u32 count = 0;
    float q = 1;
    for (u32 i = 0; i < n; i++) {
        q = diagonal[i] - x - squares[i] / q;
        if (q > -1e-20f && q < 1e-20f)
            q = -1e-20f;
        count += q < 0;
    }
    return count;
}

#endif
