/*
 * Stands for nab (SPEC OMP): molecular dynamics of a nucleic acid: every pair of atoms with
 * electrostatics, the generalized Born term and van der Waals forces, shared out; bonds and the
 * matrices that turn residues are one thread's work.
 * Arguments: atoms, steps.
 */
#include "hpc.h"

#define MOST 4096u

static double at[MOST][3], charge[MOST], born[MOST], force[MOST][3];

static double pairs(u32 n)
{
    double energy = 0;
#pragma omp parallel for schedule(static, 4) reduction(+ : energy)
    for (u32 i = 0; i < n; i++) {
        double f[3] = {0};
        for (u32 j = 0; j < n; j++) {
            double dx = at[i][0] - at[j][0], dy = at[i][1] - at[j][1], dz = at[i][2] - at[j][2];
            double square = dx * dx + dy * dy + dz * dz;
            if (j == i || square > 20)
                continue;
            double one = 1 / square, r = sqrt(square), qq = charge[i] * charge[j];
            double six = one * one * one * 0.01, screened = 1 / sqrt(square + born[i] * born[j]);
            double g = qq * one / r - 0.8 * qq * screened * screened * screened +
                       12 * six * (six - 0.5) * one;
            energy += 0.5 * (qq / r - 0.8 * qq * screened + six * (six - 1));
            f[0] += g * dx;
            f[1] += g * dy;
            f[2] += g * dz;
        }
        force[i][0] = f[0];
        force[i][1] = f[1];
        force[i][2] = f[2];
    }
    return energy;
}

/* One thread: the strand is turned, a residue of atoms at a time, by a product of matrices. */
static void turn(u32 n, double angle)
{
    double m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double c = cos(angle), s = sin(angle), r[3][3] = {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
    for (u32 i = 0; i < n; i++) {
        if (i % 8 == 0) {
            double p[3][3];
#pragma GCC unroll 3
            for (u32 a = 0; a < 3; a++) {
#pragma GCC unroll 3
                for (u32 b = 0; b < 3; b++)
                    p[a][b] = m[a][0] * r[0][b] + m[a][1] * r[1][b] + m[a][2] * r[2][b];
            }
            memcpy(m, p, sizeof m);
        }
        double x = at[i][0], y = at[i][1], z = at[i][2];
        at[i][0] = m[0][0] * x + m[0][1] * y + m[0][2] * z;
        at[i][1] = m[1][0] * x + m[1][1] * y + m[1][2] * z;
        at[i][2] = m[2][0] * x + m[2][1] * y + m[2][2] * z;
        double g[3], k = 0.01;
        u32 j = i ? i - 1 : 0;
        g[0] = at[i][0] - at[j][0];
        g[1] = at[i][1] - at[j][1];
        g[2] = at[i][2] - at[j][2];
        force[i][0] -= k * g[0];
        force[i][1] -= k * g[1];
        force[i][2] -= k * g[2];
        force[j][0] += k * g[0];
        force[j][1] += k * g[1];
        force[j][2] += k * g[2];
    }
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 700, MOST), steps = argument(argc, argv, 2, 4, 100);
    double sum[3] = {0}, size = 0;
#pragma omp parallel for
    for (u32 i = 0; i < n; i++) {
        at[i][0] = cos(0.6 * i) * 3 + 0.2 * unit_at(3 * i);
        at[i][1] = sin(0.6 * i) * 3 + 0.2 * unit_at(3 * i + 1);
        at[i][2] = 0.02 * i + 2 * unit_at(3 * i + 2);
        charge[i] = i % 2 ? 0.3 : -0.3;
        born[i] = 1 + unit_at(i);
    }
    for (u32 s = 0; s < steps; s++) {
        double energy = pairs(n);
        KEEP(energy);
#pragma omp parallel for reduction(+ : sum[:3], size)
        for (u32 i = 0; i < n; i++) {
            for (u32 k = 0; k < 3; k++) {
                sum[k] += force[i][k];
                size += fabs(force[i][k]);
            }
        }
        turn(n, 0.001);
    }
    return answer((fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2])) / size, 0,
                  1e-6); /* pairs pull each other equally */
}
