/*
 * Stands for fma3d (SPEC OMP): a crash. Finite elements of several materials move by explicit time
 * steps: strains from the nodes' velocities, stresses by a law of the material, forces back to the
 * nodes. Contacts are found by one thread between two steps.
 * Arguments: elements along an edge, steps, nodes that are looked at for contact.
 */
#include "hpc.h"

#define MOST 32u
#define NODES ((MOST + 1) * (MOST + 1) * (MOST + 1))
#define ELEMENTS (MOST * MOST * MOST)

static double place[NODES][3], speed[NODES][3], mass[NODES];
static double force[8][NODES][3]; /* of each corner's element, so that nobody waits */
static double stress[ELEMENTS][6];
static u32 material[ELEMENTS];
static double wall = -0.5;

static u32 node_at(u32 n, u32 x, u32 y, u32 z)
{
    return (z * (n + 1) + y) * (n + 1) + x;
}

/* Laws of material: elastic, with a yield stress, with damping, a foam. */
static void elastic(double s[6], const double e[6], double dt)
{
    double trace = e[0] + e[1] + e[2];
    for (u32 i = 0; i < 3; i++) {
        s[i] += dt * (60 * trace + 40 * e[i]);
        s[i + 3] += dt * 20 * e[i + 3];
    }
}
static void plastic(double s[6], const double e[6], double dt)
{
    elastic(s, e, dt);
    double p = (s[0] + s[1] + s[2]) / 3, d[3] = {s[0] - p, s[1] - p, s[2] - p};
    double j =
        0.5 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    if (j > 0.01) { /* back to the yield surface (Wilkins 1964) */
        double f = sqrt(0.01 / j);
        for (u32 i = 0; i < 3; i++) {
            s[i] = p + f * d[i];
            s[i + 3] *= f;
        }
    }
}
static void viscous(double s[6], const double e[6], double dt)
{
    elastic(s, e, dt);
    for (u32 i = 0; i < 6; i++)
        s[i] *= 1 - 5 * dt;
}
static void foam(double s[6], const double e[6], double dt)
{
    double trace = e[0] + e[1] + e[2];
    for (u32 i = 0; i < 3; i++)
        s[i] = s[i] < 0 ? s[i] + dt * 20 * trace : s[i] + dt * 80 * e[i];
    for (u32 i = 3; i < 6; i++)
        s[i] += dt * 10 * e[i];
}
typedef void law(double s[6], const double e[6], double dt);
static law *const laws[4] = {elastic, plastic, viscous, foam};

static const int corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                 {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};

static void element(u32 n, u32 x, u32 y, u32 z, double dt)
{
    u32 e = (z * n + y) * n + x, node[8];
    double g[3][3] = {{0}};
    for (u32 c = 0; c < 8; c++) {
        node[c] =
            node_at(n, x + (corner[c][0] > 0), y + (corner[c][1] > 0), z + (corner[c][2] > 0));
#pragma GCC unroll 3
        for (u32 i = 0; i < 3; i++) {
#pragma GCC unroll 3
            for (u32 k = 0; k < 3; k++)
                g[i][k] += 0.25 * n * corner[c][k] * speed[node[c]][i];
        }
    }
    double strain[6] = {g[0][0],           g[1][1],           g[2][2],
                        g[0][1] + g[1][0], g[1][2] + g[2][1], g[2][0] + g[0][2]};
    laws[material[e]](stress[e], strain, dt);
    const double *s = stress[e];
    double area = 0.25 / n / n;
    for (u32 c = 0; c < 8; c++) {
        const int *w = corner[c];
        double *f = force[c][node[c]];
        f[0] = -area * (w[0] * s[0] + w[1] * s[3] + w[2] * s[5]);
        f[1] = -area * (w[0] * s[3] + w[1] * s[1] + w[2] * s[4]);
        f[2] = -area * (w[0] * s[5] + w[1] * s[4] + w[2] * s[2]);
    }
}

/* One thread: nodes that went through the wall come back. */
static void contact(u32 first, u32 count, u32 nodes)
{
    for (u32 k = 0; k < count; k++) {
        u32 i = (first + k) % nodes;
        double depth = wall - place[i][2];
        if (depth > 0) {
            place[i][2] += depth;
            speed[i][2] = fabs(speed[i][2]);
        }
    }
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 14, MOST), steps = argument(argc, argv, 2, 14, 1000);
    u32 looked = argument(argc, argv, 3, 900, NODES), nodes = (n + 1) * (n + 1) * (n + 1);
    double before = 0, after = 0, dt = 0.02 / n;
#pragma omp parallel for reduction(+ : before)
    for (u32 i = 0; i < nodes; i++) {
        place[i][0] = (double)(i % (n + 1)) / n;
        place[i][1] = (double)(i / (n + 1) % (n + 1)) / n;
        place[i][2] = (double)(i / (n + 1) / (n + 1)) / n;
        mass[i] = 1. / nodes;
        speed[i][0] = 0.1 * (unit_at(i) - 0.5);
        before += mass[i] * speed[i][0];
    }
#pragma omp parallel for
    for (u32 e = 0; e < n * n * n; e++)
        material[e] = (u32)(4 * unit_at(e / n));
    for (u32 s = 0; s < steps; s++) {
#pragma omp parallel for
        for (u32 z = 0; z < n; z++) {
            for (u32 y = 0; y < n; y++) {
                for (u32 x = 0; x < n; x++)
                    element(n, x, y, z, dt);
            }
        }
#pragma omp parallel for
        for (u32 i = 0; i < nodes; i++) {
            for (u32 k = 0; k < 3; k++) {
                double f = 0;
#pragma GCC unroll 8
                for (u32 c = 0; c < 8; c++)
                    f += force[c][i][k];
                speed[i][k] += dt * f / mass[i];
                place[i][k] += dt * speed[i][k];
            }
        }
        contact(s * looked, looked, nodes);
    }
#pragma omp parallel for reduction(+ : after)
    for (u32 i = 0; i < nodes; i++)
        after += mass[i] * speed[i][0];
    return answer(fabs(after - before), 0, 1e-9); /* inner forces keep the momentum */
}
