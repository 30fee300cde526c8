/*
 * Stands for milc (433.milc): lattice QCD, products of SU(3) matrices with vectors.
 *
 * For each site of a large lattice the sum over four directions of a link's matrix times the
 * neighbour's vector, real and imaginary parts. To meet: streaming, L2 MPKI 19.1.
 * Arguments: sites, terms added to each product.
 */
#include "common.h"

#define MOST (1u << 17)

struct complex {
    double re, im;
};
static struct complex link[MOST][4][3][3], source[MOST][3], target[MOST][3];

int main(int argc, char **argv)
{
    static const u32 step[4] = {1, 8, 64, 512};
    u32 sites = argument(argc, argv, 1, 60000, MOST), terms = argument(argc, argv, 2, 0, 100);
    for (u32 i = 0; i < sites; i++) {
        for (u32 k = 0; k < 3; k++) {
            source[i][k] = (struct complex){random_unit(), random_unit()};
            for (u32 d = 0; d < 12; d++)
                link[i][d / 3][d % 3][k] = (struct complex){random_unit(), random_unit()};
        }
    }
    for (;;) {
        for (u32 i = 0; i + 512 < sites; i++) {
            struct complex sum[3] = {{0, 0}};
            for (u32 d = 0; d < 4; d++) {
                const struct complex *v = source[i + step[d]];
#pragma GCC unroll 3
                for (u32 r = 0; r < 3; r++) {
                    const struct complex *a = link[i][d][r];
                    double re = a[0].re * v[0].re - a[0].im * v[0].im;
                    double im = a[0].re * v[0].im + a[0].im * v[0].re;
                    re += a[1].re * v[1].re - a[1].im * v[1].im;
                    im += a[1].re * v[1].im + a[1].im * v[1].re;
                    re += a[2].re * v[2].re - a[2].im * v[2].im;
                    im += a[2].re * v[2].im + a[2].im * v[2].re;
                    for (u32 t = 0; t < terms; t++)
                        re += 1e-3 * im;
                    sum[r].re += re;
                    sum[r].im += im;
                }
            }
            memcpy(target[i], sum, sizeof sum);
        }
        KEEP(target);
    }
}
