/*
 * Stands for bwaves (410.bwaves): a solver for blast waves with blocks of 5 x 5.
 *
 * A matrix-vector product with five blocks for each cell of a large grid and the vectors of a
 * bi-conjugate gradient method. To meet: streaming, L2 MPKI 19.0.
 * Arguments: cells along a short edge, layers, sweeps inside a block.
 */
#include "common.h"

#define MOST (1u << 17)
#define N 5u

static double block[MOST][N][N], p[MOST][N], v[MOST][N], r[MOST][N];

int main(int argc, char **argv)
{
    u32 edge = argument(argc, argv, 1, 8, 64), layers = argument(argc, argv, 2, 1000, MOST);
    u32 sweeps = argument(argc, argv, 3, 1, 100), plane = edge * edge, cells = plane * layers;
    if (cells > MOST)
        return 1;
    for (u32 i = 0; i < cells; i++) {
        for (u32 k = 0; k < N; k++) {
            p[i][k] = random_unit();
            for (u32 l = 0; l < N; l++)
                block[i][k][l] = random_unit() - 0.5;
        }
    }
    for (double alpha = 1e-3;;) {
        double dot = 0;
        for (u32 i = plane; i < cells - plane; i++) {
            const u32 around[4] = {i - 1, i + 1, i - plane, i + plane};
            double sum[N] = {0};
            for (u32 s = 0; s < sweeps; s++) {
#pragma GCC unroll 5
                for (u32 k = 0; k < N; k++) {
#pragma GCC unroll 5
                    for (u32 l = 0; l < N; l++)
                        sum[k] += block[i][k][l] * p[i][l];
                }
            }
            for (u32 a = 0; a < 4; a++) {
#pragma GCC unroll 5
                for (u32 k = 0; k < N; k++)
                    sum[k] -= 0.1 * p[around[a]][k];
            }
            for (u32 k = 0; k < N; k++) {
                v[i][k] = sum[k];
                r[i][k] -= alpha * sum[k];
                dot += sum[k] * r[i][k];
            }
        }
        alpha = dot > 1 ? 1e-3 / dot : 1e-3;
    }
}
