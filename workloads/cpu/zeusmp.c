/*
 * Stands for zeusmp (434.zeusmp): magnetohydrodynamics of an astrophysical flow.
 *
 * Source terms, transport and the induction equation over density, energy, three velocities and
 * three fields of a large grid that is long in one direction. To meet: streaming. Arguments: cells
 * along a short edge, layers, terms of each step.
 */
#include "common.h"

#define MOST 1000072u /* arrays begin in different sets of a cache */

static double density[MOST], energy[MOST], velocity[3][MOST], field[3][MOST];

int main(int argc, char **argv)
{
    u32 edge = argument(argc, argv, 1, 16, 64), layers = argument(argc, argv, 2, 3000, MOST);
    u32 terms = argument(argc, argv, 3, 2, 100), plane = edge * edge, cells = plane * layers;
    if (cells > MOST)
        return 1;
    for (u32 i = 0; i < cells; i++) {
        density[i] = 1 + random_unit();
        energy[i] = 1 + random_unit();
        for (u32 d = 0; d < 3; d++)
            velocity[d][i] = field[d][i] = random_unit() - 0.5;
    }
    for (u32 d = 0;; d = (d + 1) % 3) {
        u32 step = d == 0 ? 1 : d == 1 ? edge : plane, e = (d + 1) % 3;
        for (u32 i = step; i < cells - step; i++) {
            double pressure = 0.4 * (energy[i] - energy[i - step]), bend = 0;
            for (u32 t = 0; t < terms; t++)
                bend = 0.5 * bend + field[d][i] * field[d][i] + field[e][i] * field[e][i + step];
            velocity[d][i] -= 1e-3 * (pressure + bend) / density[i];
        }
        for (u32 i = step; i < cells - step; i++) {
            double flow = velocity[d][i] * (density[i] - density[i - step]);
            double emf = velocity[d][i] * field[e][i] - velocity[e][i] * field[d][i];
            for (u32 t = 0; t < terms; t++)
                flow = 0.5 * flow + velocity[d][i] * energy[i] * emf;
            density[i] -= 1e-4 * flow;
            energy[i] -= 1e-4 * flow;
            field[e][i] += 1e-4 * emf;
        }
    }
}
