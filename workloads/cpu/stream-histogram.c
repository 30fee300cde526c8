/*
 * Stands for stream-histogram, one of the five streaming programs that the study leaves unnamed:
 * counts of the values of a large array. To meet: streaming. Arguments: words.
 */
#include "common.h"

#define MOST (8u << 20)

static u64 values[MOST];
static u32 bins[256];

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, MOST, MOST);
    for (u32 i = 0; i < n; i++)
        values[i] = random_u64();
    for (;;) {
        for (u32 i = 0; i < n; i++)
            bins[values[i] >> 56]++;
        KEEP(bins);
    }
}
