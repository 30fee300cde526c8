/*
 * Stands for md (SPEC OMP): molecular dynamics of ions in the crust of a star, all pairs with a
 * screened Coulomb force; what two kinds of ions do to each other is a function of the pair.
 * Arguments: ions, steps.
 */
#include "hpc.h"

#define MOST 4096u

static double at[MOST][3], speed[MOST][3], force[MOST][3];
static u8 kind[MOST];

typedef double strength(double square);
static double carbon(double square)
{
    double one = 1 / square;
    return 36 * one * (1 - 0.1 * square * one);
}
static double oxygen(double square)
{
    double one = 1 / (square + 0.01);
    return 64 * one * one;
}
static double unlike(double square)
{
    double one = 1 / (square + 0.005);
    return 48 * one * sqrt(one);
}
static strength *const strengths[2][2] = {{carbon, unlike}, {unlike, oxygen}};

static double period(double d)
{
    return d - (d > 0.5) + (d < -0.5);
}

static void forces(u32 n)
{
#pragma omp parallel for
    for (u32 i = 0; i < n; i++) {
        double f[3] = {0};
        for (u32 j = 0; j < n; j++) {
            double dx = period(at[i][0] - at[j][0]), dy = period(at[i][1] - at[j][1]),
                   dz = period(at[i][2] - at[j][2]), square = dx * dx + dy * dy + dz * dz;
            if ((square > 0.1) | (i == j))
                continue;
            double g = strengths[kind[i]][kind[j]](square);
            f[0] += g * dx;
            f[1] += g * dy;
            f[2] += g * dz;
        }
        memcpy(force[i], f, sizeof f);
    }
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 600, MOST), steps = argument(argc, argv, 2, 4, 100);
    double momentum = 0, moved = 0;
#pragma omp parallel for
    for (u32 i = 0; i < n; i++) {
        for (u32 k = 0; k < 3; k++)
            at[i][k] = unit_at(3 * i + k);
        kind[i] = (u8)(2 * unit_at(~(u64)i));
    }
    for (u32 s = 0; s < steps; s++) {
        forces(n);
#pragma omp parallel for reduction(+ : momentum, moved)
        for (u32 i = 0; i < n; i++) {
            for (u32 k = 0; k < 3; k++) {
                speed[i][k] += 1e-6 * force[i][k];
                at[i][k] += 1e-3 * speed[i][k];
                momentum += speed[i][k];
                moved += fabs(speed[i][k]);
            }
        }
    }
    return answer(fabs(momentum) / moved, 0, 1e-9);
}
