/*
 * Stands for LULESH (ExMatEx): shock hydrodynamics on a grid of hexahedra (Sedov's blast). Volumes
 * and their gradients, stress and hourglass forces at eight nodes of each element, an equation of
 * state, and one thread that looks for the shortest time step and the largest changes.
 * Arguments: elements along an edge, steps, elements that one thread looks at in a step.
 */
#include "library.h"

#define MOST 24u
#define NODES ((MOST + 1) * (MOST + 1) * (MOST + 1))
#define ELEMENTS (MOST * MOST * MOST)

static double at[NODES][3], speed[NODES][3], mass[NODES], force[8][NODES][3];
static double volume[ELEMENTS], reference[ELEMENTS], pressure[ELEMENTS], energy[ELEMENTS],
    viscosity[ELEMENTS], sound[ELEMENTS];

#define UNROLL3 _Pragma("GCC unroll 3")

static u32 node_at(u32 n, u32 x, u32 y, u32 z)
{
    return (z * (n + 1) + y) * (n + 1) + x;
}

static void corners(u32 n, u32 x, u32 y, u32 z, u32 node[8])
{
    for (u32 c = 0; c < 8; c++)
        node[c] = node_at(n, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
}

/* Six faces, two triangles each: the volume and its gradient at every corner. */
static const u8 triangle[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5},
                                   {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                   {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};

static inline __attribute__((always_inline)) double volume_of(const double p[8][3],
                                                              double grad[8][3])
{
    double v = 0;
    for (u32 t = 0; t < 12; t++) {
        const double *a = p[triangle[t][0]], *b = p[triangle[t][1]], *c = p[triangle[t][2]];
        double n[3] = {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2],
                       b[0] * c[1] - b[1] * c[0]};
        v += a[0] * n[0] + a[1] * n[1] + a[2] * n[2];
        double m[3] = {c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2],
                       c[0] * a[1] - c[1] * a[0]};
        double o[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                       a[0] * b[1] - a[1] * b[0]};
        UNROLL3 for (u32 k = 0; k < 3; k++)
        {
            grad[triangle[t][0]][k] += n[k] / 6;
            grad[triangle[t][1]][k] += m[k] / 6;
            grad[triangle[t][2]][k] += o[k] / 6;
        }
    }
    return v / 6;
}

static const double mode[4][8] = {{1, 1, -1, -1, -1, -1, 1, 1},
                                  {1, -1, 1, -1, -1, 1, -1, 1},
                                  {1, -1, -1, 1, 1, -1, -1, 1},
                                  {-1, 1, 1, -1, 1, -1, -1, 1}};

/* Motions that change no volume are damped (Flanagan and Belytschko 1981). */
static inline __attribute__((always_inline)) void hourglass(const u32 node[8], double damping,
                                                            double f[8][3])
{
    for (u32 m = 0; m < 4; m++) {
        double h[3] = {0};
        for (u32 c = 0; c < 8; c++) {
            UNROLL3 for (u32 k = 0; k < 3; k++) h[k] += mode[m][c] * speed[node[c]][k];
        }
        for (u32 c = 0; c < 8; c++) {
            UNROLL3 for (u32 k = 0; k < 3; k++) f[c][k] -= damping * mode[m][c] * h[k];
        }
    }
}

static void element_forces(u32 n, u32 e)
{
    u32 node[8];
    double p[8][3], grad[8][3] = {{0}}, f[8][3];
    corners(n, e % n, e / n % n, e / n / n, node);
    for (u32 c = 0; c < 8; c++) {
        UNROLL3 for (u32 k = 0; k < 3; k++) p[c][k] = at[node[c]][k];
    }
    volume_of(p, grad);
    double s = pressure[e] + viscosity[e];
    for (u32 c = 0; c < 8; c++) {
        UNROLL3 for (u32 k = 0; k < 3; k++) f[c][k] = s * grad[c][k];
    }
    hourglass(node, 1e-3 * sound[e] / n, f);
    for (u32 c = 0; c < 8; c++) {
        UNROLL3 for (u32 k = 0; k < 3; k++) force[c][node[c]][k] = f[c][k];
    }
}

/* New volumes, the work done, and an ideal gas. */
static void element_state(u32 n, u32 e)
{
    u32 node[8];
    double p[8][3], grad[8][3] = {{0}}, rate = 0;
    corners(n, e % n, e / n % n, e / n / n, node);
    for (u32 c = 0; c < 8; c++) {
        UNROLL3 for (u32 k = 0; k < 3; k++) p[c][k] = at[node[c]][k];
    }
    double v = volume_of(p, grad), density = reference[e] / v, change = v - volume[e];
    for (u32 c = 0; c < 8; c++) {
        UNROLL3 for (u32 k = 0; k < 3; k++) rate += grad[c][k] * speed[node[c]][k];
    }
    rate /= v;
    viscosity[e] = rate < 0 ? density * (0.1 * rate * rate / n / n - 0.3 * sound[e] * rate / n) : 0;
    energy[e] -= (pressure[e] + viscosity[e]) * change / reference[e];
    if (energy[e] < 0)
        energy[e] = 0;
    pressure[e] = 0.4 * density * energy[e];
    sound[e] = sqrt(1.4 * 0.4 * energy[e] + 1e-12);
    volume[e] = v;
}

/* One thread: the shortest time that sound needs through an element. */
static double time_step(u32 n, u32 first, u32 looked)
{
    double shortest = 1e-3;
    for (u32 i = 0; i < looked; i++) {
        u32 e = (first + i) % (n * n * n);
        double length = volume[e] * n * n, t = length / (sound[e] + 1e-9);
        if (t < shortest)
            shortest = t;
        if (volume[e] <= 0)
            return 0;
        if (viscosity[e] > 1e9 || energy[e] > 1e12)
            return 0;
    }
    return 0.1 * shortest;
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 12, MOST), steps = argument(argc, argv, 2, 10, 1000);
    u32 looked = argument(argc, argv, 3, 1500, 1000000), nodes = (n + 1) * (n + 1) * (n + 1);
    double sum[3] = {library_survey()}, moved = 0;
#pragma omp parallel for
    for (u32 i = 0; i < nodes; i++) {
        at[i][0] = (double)(i % (n + 1)) / n;
        at[i][1] = (double)(i / (n + 1) % (n + 1)) / n;
        at[i][2] = (double)(i / (n + 1) / (n + 1)) / n;
        mass[i] = 1. / nodes;
    }
#pragma omp parallel for
    for (u32 e = 0; e < n * n * n; e++) {
        volume[e] = reference[e] = 1. / n / n / n;
        energy[e] = e == n * n * n / 2 + n * n / 2 + n / 2 ? 10 : 0.01;
        pressure[e] = 0.4 * energy[e];
        sound[e] = sqrt(0.56 * energy[e]);
    }
    for (u32 s = 0; s < steps; s++) {
        double dt = time_step(n, s * looked, looked);
        if (dt <= 0)
            return answer(dt, 1, 1);
#pragma omp parallel for
        for (u32 e = 0; e < n * n * n; e++)
            element_forces(n, e);
#pragma omp parallel for
        for (u32 i = 0; i < nodes; i++) {
            UNROLL3 for (u32 k = 0; k < 3; k++)
            {
                double f = 0;
                for (u32 c = 0; c < 8; c++)
                    f += force[c][i][k];
                speed[i][k] += dt * f / mass[i];
                at[i][k] += dt * speed[i][k];
            }
        }
#pragma omp parallel for
        for (u32 e = 0; e < n * n * n; e++)
            element_state(n, e);
    }
#pragma omp parallel for reduction(+ : sum[:3], moved)
    for (u32 i = 0; i < nodes; i++) {
        for (u32 k = 0; k < 3; k++) {
            sum[k] += speed[i][k];
            moved += fabs(speed[i][k]);
        }
    }
    /* pressure's gradients of a closed element add up to nothing */
    return answer((fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2])) / moved, 0, 1e-6);
}
