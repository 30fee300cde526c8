/*
 * Stands for gamess (416.gamess) and tonto (465.tonto): two-electron integrals of quantum
 * chemistry.
 *
 * Integrals over four s-type Gaussians with the Boys function by a series, screened, and added to a
 * Fock matrix with a density; some go to a large buffer, as they would go to a file, few of gamess
 * and more of tonto. To meet: compute, L2 MPKI 0.08 (gamess). Arguments: basis functions, one of
 * how many integrals is written.
 */
#include "common.h"

#include <math.h>

#define MOST_BASIS 128u
#define BUFFER (1u << 20)

static struct gaussian {
    double exponent, x, y, z;
} basis[MOST_BASIS];
static struct integral {
    double value, exchange, spread;
    u8 i, j, k, l;
    u32 unused;
} buffer[BUFFER];
static double fock[MOST_BASIS][MOST_BASIS], density[MOST_BASIS][MOST_BASIS];

/* F0(t), by its series or its limit. */
static double boys(double t)
{
    if (t > 20)
        return 0.5 * sqrt(3.14159265358979 / t);
    double term = 1, sum = 1;
    for (u32 k = 1; k < 40 && term > 1e-7; k++) {
        term *= 2 * t / (2 * k + 1);
        sum += term;
    }
    return exp(-t) * sum;
}

static double apart(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/* The product of two Gaussians: its exponent, centre and factor. */
static double product(const struct gaussian *a, const struct gaussian *b, double *at, double *p)
{
    const double from[3] = {a->x, a->y, a->z}, to[3] = {b->x, b->y, b->z};
    *p = a->exponent + b->exponent;
    for (u32 d = 0; d < 3; d++)
        at[d] = (a->exponent * from[d] + b->exponent * to[d]) / *p;
    return exp(-a->exponent * b->exponent / *p * apart(from, to));
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 24, MOST_BASIS), every = argument(argc, argv, 2, 3, 1000000);
    u64 count = 0;
    u32 written = 0;
    for (u32 i = 0; i < n; i++) {
        basis[i] = (struct gaussian){0.2 + 2 * random_unit(), 3 * random_unit(), 3 * random_unit(),
                                     3 * random_unit()};
        for (u32 j = 0; j < n; j++)
            density[i][j] = random_unit();
    }
    for (;;) {
        for (u32 ij = 0; ij < n * n; ij++) {
            u32 i = ij / n, j = ij % n;
            double at[3], p, s = product(&basis[i], &basis[j], at, &p);
            if (s < 1e-6)
                continue;
            for (u32 kl = 0; kl <= ij; kl++) {
                u32 k = kl / n, l = kl % n;
                double to[3], q, t = product(&basis[k], &basis[l], to, &q);
                double v = s * t * 34.98683 / (p * q * sqrt(p + q)) *
                           boys(p * q / (p + q) * apart(at, to));
                fock[i][j] += v * density[k][l];
                fock[i][k] -= 0.5 * v * density[j][l];
                if (++count % every == 0) {
                    buffer[written] =
                        (struct integral){v, v * s, p + q, (u8)i, (u8)j, (u8)k, (u8)l, 0};
                    written = (written + 1) % BUFFER;
                }
            }
        }
        KEEP(fock);
        KEEP(buffer);
    }
}
