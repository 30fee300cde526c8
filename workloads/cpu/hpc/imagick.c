/*
 * Stands for imagick (SPEC OMP): an image is blurred, sharpened and brought to other levels; every
 * filter has a kernel of constant size.
 * Arguments: pixels along an edge, rounds.
 */
#include "hpc.h"

#define MOST 256u
#define EDGE 4u
#define TAPS 9u

static float image[MOST + 2 * EDGE][MOST + 2 * EDGE][3], other[MOST + 2 * EDGE][MOST + 2 * EDGE][3];
static float gauss[TAPS][TAPS];

typedef float picture[MOST + 2 * EDGE][MOST + 2 * EDGE][3];

static void convolve(picture to, picture from, u32 n, float sharpen)
{
#pragma omp parallel for
    for (u32 y = 0; y < n; y++) {
        for (u32 x = 0; x < n; x++) {
            float sum[3] = {0};
            for (u32 b = 0; b < TAPS; b++) {
                for (u32 a = 0; a < TAPS; a++) {
                    const float *pixel = from[y + b][x + a];
                    sum[0] += gauss[b][a] * pixel[0];
                    sum[1] += gauss[b][a] * pixel[1];
                    sum[2] += gauss[b][a] * pixel[2];
                }
            }
            const float *own = from[y + EDGE][x + EDGE];
            float *out = to[y + EDGE][x + EDGE];
            out[0] = sum[0] + sharpen * (own[0] - sum[0]);
            out[1] = sum[1] + sharpen * (own[1] - sum[1]);
            out[2] = sum[2] + sharpen * (own[2] - sum[2]);
        }
    }
}

static void border(picture p, u32 n)
{
#pragma omp parallel for
    for (u32 i = 0; i < n; i++) {
        for (u32 e = 0; e < EDGE; e++) {
            memcpy(p[i + EDGE][e], p[i + EDGE][EDGE], sizeof p[0][0]);
            memcpy(p[i + EDGE][n + EDGE + e], p[i + EDGE][n + EDGE - 1], sizeof p[0][0]);
            memcpy(p[e][i + EDGE], p[EDGE][i + EDGE], sizeof p[0][0]);
            memcpy(p[n + EDGE + e][i + EDGE], p[n + EDGE - 1][i + EDGE], sizeof p[0][0]);
        }
    }
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 72, MOST), rounds = argument(argc, argv, 2, 4, 100);
    double before = 0, after = 0;
#pragma omp parallel for
    for (u32 b = 0; b < TAPS; b++) {
        for (u32 a = 0; a < TAPS; a++)
            gauss[b][a] = 1.f / (TAPS * TAPS);
    }
#pragma omp parallel for reduction(+ : before)
    for (u32 y = 0; y < n; y++) {
        for (u32 x = 0; x < n; x++) {
            for (u32 c = 0; c < 3; c++) {
                image[y + EDGE][x + EDGE][c] = (float)unit_at(((u64)y * n + x) * 3 + c);
                before += image[y + EDGE][x + EDGE][c];
            }
        }
    }
    for (u32 r = 0; r < rounds; r++) {
        border(image, n);
        convolve(other, image, n, 0);
        border(other, n);
        convolve(image, other, n, 1.5f);
    }
#pragma omp parallel for reduction(+ : after)
    for (u32 y = 0; y < n; y++) {
        for (u32 x = 0; x < n; x++) {
            for (u32 c = 0; c < 3; c++)
                after += image[y + EDGE][x + EDGE][c];
        }
    }
    return answer(after / before, 0.97, 1.03); /* filters keep the brightness */
}
