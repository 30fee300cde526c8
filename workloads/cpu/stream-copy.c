/*
 * Stands for stream-copy, one of the five streaming programs that the study leaves unnamed: a copy
 * of an array that no cache holds. To meet: streaming. Arguments: elements, sums of each element.
 */
#include "common.h"

#define MOST ((8u << 20) + 20488u) /* arrays begin in different sets of a cache */

static u64 from[MOST], to[MOST];

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, MOST, MOST), work = argument(argc, argv, 2, 1, 1000);
    for (u32 i = 0; i < n; i++)
        from[i] = i;
    for (;;) {
        for (u32 i = 0; i < n; i++) {
            u64 x = from[i];
            for (u32 w = 0; w < work; w++)
                x += x >> 3;
            to[i] = x;
        }
        KEEP(to);
    }
}
