/* Matrices made from a few numbers and a seed: the same on every machine. */
#ifndef MATRIX_GENERATE_H
#define MATRIX_GENERATE_H

#include "matrix/matrix.h"

/* Distinct places, all as likely. */
void matrix_uniform(struct matrix *m, u32 n, u64 nnz, u64 seed);
/* Graph500's recursive model (A 0.57, B and C 0.19), duplicates and the diagonal left out and
 * topped up; sides that are no power of two are halved to ceil and floor. */
void matrix_rmat(struct matrix *m, u32 n, u64 nnz, u64 seed);
/* Each node of a box and those at most one step away in each direction: a band around the diagonal.
 */
void matrix_mesh(struct matrix *m, u32 x, u32 y, u32 z, u64 seed);
/* Each node of a rectangle and its up to four neighbours; each edge stays with a probability. */
void matrix_grid(struct matrix *m, u32 width, u32 height, double keep, u64 seed);

#endif
