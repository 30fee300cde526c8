/*
 * Stands for leslie3d (437.leslie3d): a finite-volume solver of turbulent flow.
 *
 * Fluxes in three directions from several arrays of a grid of a few MB, then an update of the
 * conserved quantities. To meet: cache-friendly, L2 MPKI 19.0.
 * Arguments: cells along an edge of the grid, layers, terms of each flux.
 */
#include "common.h"

#define MOST 160040u /* arrays begin in different sets of a cache */
#define QUANTITIES 5u

static double now[QUANTITIES][MOST], flux[MOST], viscosity[MOST];

int main(int argc, char **argv)
{
    u32 edge = argument(argc, argv, 1, 40, 256), layers = argument(argc, argv, 2, 50, 1000);
    u32 terms = argument(argc, argv, 3, 2, 100), plane = edge * edge, cells = plane * layers;
    if (cells > MOST)
        return 1;
    for (u32 q = 0; q < QUANTITIES; q++) {
        for (u32 i = 0; i < cells; i++)
            now[q][i] = 1 + random_unit();
    }
    for (u32 i = 0; i < cells; i++)
        viscosity[i] = 0.01 * random_unit();
    for (u32 direction = 0;; direction = (direction + 1) % 3) {
        u32 step = direction == 0 ? 1 : direction == 1 ? edge : plane;
        for (u32 q = 0; q < QUANTITIES; q++) {
            double *u = now[q], *v = now[(q + 1) % QUANTITIES];
            for (u32 i = step; i < cells - step; i++) {
                double slope = u[i + step] - u[i - step], sum = 0;
                for (u32 t = 0; t < terms; t++)
                    sum = sum * 0.25 + slope * (v[i] + sum);
                flux[i] = sum - viscosity[i] * slope;
            }
            for (u32 i = step; i < cells - step; i++)
                u[i] -= 1e-4 * (flux[i + step] - flux[i - step]);
        }
    }
}
