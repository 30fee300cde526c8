/*
 * Stands for GemsFDTD (459.GemsFDTD): Maxwell's equations by finite differences in time.
 *
 * Three electric and three magnetic arrays of a large grid that is long in one direction, updated
 * in turn from each other's curls. To meet: streaming, L2 MPKI 13.6. Arguments: cells along a short
 * edge, layers, terms of each update.
 */
#include "common.h"

#define MOST 1000072u /* arrays begin in different sets of a cache */

static double e[3][MOST], h[3][MOST];

static void update(double *restrict to, const double *b, const double *c, int step_b, int step_c,
                   u32 from, u32 end, u32 terms)
{
    for (u32 i = from; i < end; i++) {
        double curl = (c[i] - c[(int)i - step_b]) - (b[i] - b[(int)i - step_c]), sum = 0;
        for (u32 t = 0; t < terms; t++)
            sum = 0.3 * sum + curl;
        to[i] = 0.999 * to[i] + 1e-3 * sum;
    }
}

int main(int argc, char **argv)
{
    u32 edge = argument(argc, argv, 1, 16, 64), layers = argument(argc, argv, 2, 3000, MOST);
    u32 terms = argument(argc, argv, 3, 4, 100), plane = edge * edge, cells = plane * layers;
    if (cells > MOST)
        return 1;
    for (u32 i = 0; i < cells; i++)
        e[0][i] = h[1][i] = random_unit();
    const int step[3] = {1, (int)edge, (int)plane};
    for (;;) {
        for (u32 d = 0; d < 3; d++) {
            u32 p = (d + 1) % 3, q = (d + 2) % 3;
            update(e[d], h[p], h[q], step[p], step[q], plane, cells - plane, terms);
        }
        for (u32 d = 0; d < 3; d++) {
            u32 p = (d + 1) % 3, q = (d + 2) % 3;
            update(h[d], e[p], e[q], -step[p], -step[q], plane, cells - plane, terms);
        }
    }
}
