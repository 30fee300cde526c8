/*
 * Stands for smithwa (SPEC OMP; HPCS SSCA 1): local alignment of a long sequence with a short one,
 * each thread a part of the long one with the overlap that an alignment may need.
 * Arguments: length of the long sequence, of the short one.
 */
#include "hpc.h"

#define LONG 200000u
#define SHORT 512u

static u8 text[LONG], pattern[SHORT];
static int best_in[64];

static int scan(const u8 *t, u32 count, u32 m)
{
    int column[SHORT + 1] = {0}, gap[SHORT + 1] = {0}, best = 0;
    for (u32 i = 0; i < count; i++) {
        int diagonal = 0, down = -100000;
        u8 letter = t[i];
        for (u32 j = 1; j <= m; j++) {
            int left = column[j];
            int h = diagonal + (pattern[j - 1] == letter ? 5 : -3);
            gap[j] = gap[j] - 1 > left - 8 ? gap[j] - 1 : left - 8;
            down = down - 1 > column[j - 1] - 8 ? down - 1 : column[j - 1] - 8;
            if (h < gap[j])
                h = gap[j];
            if (h < down)
                h = down;
            if (h < 0)
                h = 0;
            if (h > best)
                best = h;
            column[j] = h;
            diagonal = left;
        }
    }
    return best;
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 14000, LONG), m = argument(argc, argv, 2, 128, SHORT);
    u32 at = n / 3;
    int best = 0;
#pragma omp parallel reduction(max : best)
    {
        u32 threads = (u32)omp_get_num_threads(), self = (u32)omp_get_thread_num();
#pragma omp for
        for (u32 i = 0; i < n; i++)
            text[i] = (u8)(20 * unit_at(i));
#pragma omp for
        for (u32 j = 0; j < m; j++)
            pattern[j] = text[at + j];
        u32 first = n / threads * self, end = self + 1 == threads ? n : n / threads * (self + 1);
        end = end + m < n ? end + m : n;
        best_in[self] = scan(text + first, end - first, m);
        best = best_in[self];
    }
    return answer(best, 5. * m, 5. * m); /* the pattern is in it */
}
