/*
 * Stands for wrf (481.wrf): columns of a weather model.
 *
 * Advection of several fields by winds over a grid of a few MB, and for each column a tridiagonal
 * solve up and down, as vertical diffusion has it. To meet: cache-friendly.
 * Arguments: columns along an edge, levels, terms of advection.
 */
#include "common.h"

#define MOST 160040u /* arrays begin in different sets of a cache */
#define FIELDS 4u
#define MOST_LEVELS 64u

static double field[FIELDS][MOST], east[MOST], north[MOST];

int main(int argc, char **argv)
{
    u32 edge = argument(argc, argv, 1, 64, 256);
    u32 levels = argument(argc, argv, 2, 28, MOST_LEVELS), terms = argument(argc, argv, 3, 2, 100);
    u32 row = edge * levels, cells = row * edge;
    if (cells > MOST)
        return 1;
    for (u32 i = 0; i < cells; i++) {
        east[i] = random_unit() - 0.5;
        north[i] = random_unit() - 0.5;
        for (u32 f = 0; f < FIELDS; f++)
            field[f][i] = random_unit();
    }
    for (;;) {
        for (u32 f = 0; f < FIELDS; f++) {
            double *q = field[f];
            for (u32 i = row; i < cells - row; i++) {
                double x = q[i + levels] - q[i - levels], y = q[i + row] - q[i - row], sum = 0;
                for (u32 t = 0; t < terms; t++)
                    sum = sum * 0.5 + east[i] * x + north[i] * y;
                q[i] -= 1e-3 * sum;
            }
            for (u32 c = 0; c < edge * edge; c++) {
                double *column = q + (size_t)c * levels, lower[MOST_LEVELS];
                lower[0] = 0.25;
                for (u32 k = 1; k < levels; k++) {
                    lower[k] = 0.25 / (1.5 - 0.25 * lower[k - 1]);
                    column[k] = (column[k] + 0.25 * column[k - 1]) * lower[k] * 4;
                }
                for (u32 k = levels - 1; k-- > 0;)
                    column[k] = 0.8 * column[k] + 0.2 * lower[k] * column[k + 1];
            }
        }
    }
}
