/*
 * Stands for IS of NPB: integers are sorted into buckets, and counted within each.
 * Arguments: keys, range of a key, rounds.
 */
#include "hpc.h"

#define KEYS 400000u
#define BUCKETS 256u
#define THREADS 64u

static u32 key[KEYS], sorted[KEYS], ranked[KEYS];
static u32 share[THREADS][BUCKETS], begin[BUCKETS + 1];
static u32 counts[1u << 16];

/* Where each thread's part of each bucket begins. */
static void place(u32 threads)
{
    u32 at = 0;
    for (u32 b = 0; b < BUCKETS; b++) {
        begin[b] = at;
        for (u32 t = 0; t < threads; t++) {
            u32 n = share[t][b];
            share[t][b] = at;
            at += n;
        }
    }
    begin[BUCKETS] = at;
}

static void sort(u32 n, u32 range)
{
    u32 width = range / BUCKETS;
#pragma omp parallel
    {
        u32 *own = share[omp_get_thread_num()];
        memset(own, 0, sizeof share[0]);
#pragma omp for
        for (u32 i = 0; i < n; i++)
            own[key[i] / width]++;
#pragma omp master
        place((u32)omp_get_num_threads());
#pragma omp barrier
#pragma omp for
        for (u32 i = 0; i < n; i++)
            sorted[own[key[i] / width]++] = key[i];
#pragma omp for
        for (u32 b = 0; b < BUCKETS; b++) {
            memset(counts + b * width, 0, width * sizeof *counts);
            for (u32 i = begin[b]; i < begin[b + 1]; i++)
                counts[sorted[i]]++;
            u32 at = begin[b];
            for (u32 k = b * width; k < (b + 1) * width; k++) {
                for (u32 c = 0; c < counts[k]; c++)
                    ranked[at++] = k;
            }
        }
    }
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 200000, KEYS), range = argument(argc, argv, 2, 16384, 1u << 16);
    u32 rounds = argument(argc, argv, 3, 4, 1000), wrong = 0;
    double sum = 0, same = 0;
#pragma omp parallel for
    for (u32 i = 0; i < n; i++)
        key[i] = (u32)(0.5 * range * (unit_at(2 * i) + unit_at(2 * i + 1)));
    for (u32 r = 0; r < rounds; r++) {
        key[r % n] = r; /* another input each time, as the original */
        key[(r + rounds) % n] = range - 1 - r;
        sort(n, range);
#pragma omp parallel for reduction(+ : wrong, sum, same)
        for (u32 i = 0; i < n; i++) {
            wrong += i && ranked[i - 1] > ranked[i];
            sum += key[i];
            same += ranked[i];
        }
    }
    return answer(wrong + fabs(sum - same), 0, 0);
}
