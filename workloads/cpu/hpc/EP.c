/*
 * Stands for EP of NPB: pairs of pseudo-random numbers, of which those in the unit circle become
 * normal deviates by the polar method and are counted in square rings. Nothing is shared.
 * Arguments: thousands of pairs.
 */
#include "hpc.h"

#define RINGS 10u
#define CHUNK 1000u

int main(int argc, char **argv)
{
    u32 chunks = argument(argc, argv, 1, 400, 100000);
    u64 ring[RINGS] = {0}, inside = 0;
    double sx = 0, sy = 0, squares = 0;
#pragma omp parallel for reduction(+ : ring[:RINGS], inside, sx, sy, squares)
    for (u32 c = 0; c < chunks; c++) {
        double numbers[2 * CHUNK];
        u64 state = c * 0x9e3779b97f4a7c15u + 271828183u;
        for (u32 i = 0; i < 2 * CHUNK; i++) { /* linear congruence, as the original */
            state = state * 6364136223846793005u + 1442695040888963407u;
            numbers[i] = (double)(state >> 11) * 0x1p-52 - 1;
        }
        for (u32 i = 0; i < CHUNK; i++) {
            double x = numbers[2 * i], y = numbers[2 * i + 1], t = x * x + y * y;
            if (t > 1)
                continue;
            double f = sqrt(-2 * log(t) / t), gx = x * f, gy = y * f;
            ring[(u32)fmax(fabs(gx), fabs(gy))]++;
            inside++;
            sx += gx;
            sy += gy;
            squares += gx * gx + gy * gy;
        }
    }
    double share = (double)inside / (1000. * chunks), variance = squares / (2. * (double)inside);
    KEEP(ring);
    if (fabs(share - 0.785398) > 0.01 || fabs(sx + sy) > 0.02 * (double)inside)
        return answer(share, 0.775, 0.796);
    return answer(variance, 0.98, 1.02);
}
