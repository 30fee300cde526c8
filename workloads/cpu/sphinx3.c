/*
 * Stands for sphinx3 (482.sphinx3): scores of speech frames against an acoustic model.
 *
 * Gaussian mixtures with means and variances of 32 dimensions; for each frame the active senones
 * are scored, and the best ones of their mixtures are kept. To meet: cache-friendly. Arguments:
 * senones, mixtures of each, part of the senones that is active in a frame (percent).
 */
#include "common.h"

#define DIMENSIONS 32u
#define MOST (1u << 16)

static float mean[MOST][DIMENSIONS], precision[MOST][DIMENSIONS], weight[MOST];
static float score[MOST];

int main(int argc, char **argv)
{
    u32 senones = argument(argc, argv, 1, 2000, MOST);
    u32 mixtures = argument(argc, argv, 2, 8, MOST / senones);
    u32 active = argument(argc, argv, 3, 60, 100);
    float frame[DIMENSIONS];
    for (u32 i = 0; i < senones * mixtures; i++) {
        for (u32 d = 0; d < DIMENSIONS; d++) {
            mean[i][d] = (float)random_unit();
            precision[i][d] = (float)(1 + random_unit());
        }
        weight[i] = (float)random_unit();
    }
    for (u32 t = 0;; t++) {
        for (u32 d = 0; d < DIMENSIONS; d++)
            frame[d] = (float)random_unit();
        for (u32 s = 0; s < senones; s++) {
            if (random_below(100) >= active)
                continue;
            float best = -1e30f;
            for (u32 g = s * mixtures; g < (s + 1) * mixtures; g++) {
                float sum = weight[g];
                for (u32 d = 0; d < DIMENSIONS; d++) {
                    float x = frame[d] - mean[g][d];
                    sum -= x * x * precision[g][d];
                }
                best = sum > best ? sum : best;
            }
            score[s] = best;
        }
        KEEP(score);
    }
}
