/*
 * Stands for lbm (470.lbm): a lattice-Boltzmann method with 19 directions.
 *
 * Each cell's distributions are relaxed towards a linear equilibrium and sent to its neighbours in
 * a second lattice; both together are nearly as large as an LLC. To meet: cache-friendly, L2
 * MPKI 34.2. Arguments: cells along an edge, layers, terms of a relaxation.
 */
#include "common.h"

#include <stddef.h>

#define DIRECTIONS 19u
#define MOST (1u << 16)

static double lattice[2][MOST][DIRECTIONS];

/* sum + sign * value, where the sign is known when it is compiled. */
static inline double added(double sum, int sign, double value)
{
    return sign > 0 ? sum + value : sign < 0 ? sum - value : sum;
}

int main(int argc, char **argv)
{
    static const int x[DIRECTIONS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
    static const int y[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
    static const int z[DIRECTIONS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
    u32 edge = argument(argc, argv, 1, 32, 128), layers = argument(argc, argv, 2, 40, 1000);
    u32 terms = argument(argc, argv, 3, 0, 100), plane = edge * edge, cells = plane * layers;
    if (cells > MOST)
        return 1;
    for (u32 i = 0; i < cells; i++) {
        for (u32 d = 0; d < DIRECTIONS; d++)
            lattice[0][i][d] = lattice[1][i][d] = 1.0 / DIRECTIONS + 0.001 * random_unit();
    }
    ptrdiff_t to[DIRECTIONS]; /* where a cell's value for a direction goes */
    for (u32 d = 0; d < DIRECTIONS; d++)
        to[d] = (x[d] + y[d] * (int)edge + z[d] * (int)plane) * (int)DIRECTIONS + (int)d;
    u32 margin = plane + edge + 1;
    for (u32 now = 0;; now = !now) {
        double(*from)[DIRECTIONS] = lattice[now], (*into)[DIRECTIONS] = lattice[!now];
        for (u32 i = margin; i < cells - margin; i++) {
            const double *f = from[i];
            double *next = into[i], density = 0, ux = 0, uy = 0, uz = 0;
#pragma GCC unroll 19
            for (u32 d = 0; d < DIRECTIONS; d++) {
                density += f[d];
                ux = added(ux, x[d], f[d]);
                uy = added(uy, y[d], f[d]);
                uz = added(uz, z[d], f[d]);
            }
            for (u32 t = 0; t < terms; t++)
                density = 0.5 * (density + 1 / density);
#pragma GCC unroll 19
            for (u32 d = 0; d < DIRECTIONS; d++) {
                double along = added(added(added(0, x[d], ux), y[d], uy), z[d], uz);
                double rest = (density + 3 * along) * (1.0 / DIRECTIONS);
                next[to[d]] = f[d] + 0.6 * (rest - f[d]);
            }
        }
    }
}
