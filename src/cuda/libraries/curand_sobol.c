/*
 * Direction vectors of Sobol sequences, from primitive polynomials and initial numbers of S. Joe
 * and F. Y. Kuo (SIAM J. Sci. Comput. 30, 2008), the set that cuRAND calls JOEKUO6.
 */
#include "cuda/libraries/curand_sobol.h"

/* Dimension 2 on: the degree of the polynomial, the bits of its inner coefficients, and as many
 * initial numbers. */
static const struct {
    u8 degree, inner, initial[7];
} published[CURAND_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

void curand_sobol_vectors(u32 dimension, u64 out[CURAND_SOBOL_BITS])
{
    if (dimension == 0) {
        for (u32 i = 0; i < CURAND_SOBOL_BITS; i++)
            out[i] = (u64)1 << (CURAND_SOBOL_BITS - 1 - i);
        return;
    }
    u32 degree = published[dimension - 1].degree, inner = published[dimension - 1].inner;
    for (u32 i = 0; i < CURAND_SOBOL_BITS; i++) {
        if (i < degree) {
            out[i] = (u64)published[dimension - 1].initial[i] << (CURAND_SOBOL_BITS - 1 - i);
            continue;
        }
        out[i] = out[i - degree] ^ out[i - degree] >> degree;
        for (u32 k = 1; k < degree; k++) {
            if (inner >> (degree - 1 - k) & 1)
                out[i] ^= out[i - k];
        }
    }
}
