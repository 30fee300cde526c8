/*
 * Stands for cactusADM (436.cactusADM): the Einstein equations by a leapfrog over many arrays.
 *
 * Twelve arrays of metric and curvature, each read with its neighbours and one written, over a
 * large grid that is long in one direction. To meet: streaming. Arguments: cells along a short
 * edge, layers, terms of each right-hand side.
 */
#include "common.h"

#define MOST 400072u /* arrays begin in different sets of a cache */
#define ARRAYS 6u

static double metric[ARRAYS][MOST], curvature[ARRAYS][MOST], lapse[MOST];

int main(int argc, char **argv)
{
    u32 edge = argument(argc, argv, 1, 8, 64), layers = argument(argc, argv, 2, 6000, MOST);
    u32 terms = argument(argc, argv, 3, 3, 100), plane = edge * edge, cells = plane * layers;
    if (cells > MOST)
        return 1;
    for (u32 i = 0; i < cells; i++) {
        lapse[i] = 1;
        for (u32 a = 0; a < ARRAYS; a++) {
            metric[a][i] = 1 + random_unit();
            curvature[a][i] = random_unit();
        }
    }
    for (;;) {
        for (u32 i = plane; i < cells - plane; i++) {
            double trace = 0;
#pragma GCC unroll 6
            for (u32 a = 0; a < ARRAYS; a++)
                trace += curvature[a][i];
#pragma GCC unroll 6
            for (u32 a = 0; a < ARRAYS; a++) {
                const double *g = metric[a] + i;
                double laplace = g[1] + g[-1] + *(g + plane) + *(g - plane) - 4 * g[0];
                double rate = trace;
                for (u32 t = 0; t < terms; t++)
                    rate = 0.5 * rate * g[0] + laplace * lapse[i];
                curvature[a][i] = 0.99 * curvature[a][i] + 1e-4 * rate;
                metric[a][i - plane] -= 1e-4 * curvature[a][i - plane];
            }
        }
    }
}
