/*
 * Stands for stream-triad, one of the five streaming programs that the study leaves unnamed:
 * STREAM's triad, a = b + s c, over arrays that no cache holds. To meet: streaming. Arguments:
 * elements of each array, sums of each element.
 */
#include "common.h"

#define MOST 4000072u /* arrays begin in different sets of a cache */

static double a[MOST], b[MOST], c[MOST];

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, MOST, MOST), work = argument(argc, argv, 2, 1, 1000);
    for (u32 i = 0; i < n; i++) {
        b[i] = i;
        c[i] = 1;
    }
    for (double s = 3;; s += 1) {
        for (u32 i = 0; i < n; i++) {
            double x = c[i];
            for (u32 w = 0; w < work; w++)
                x *= s;
            a[i] = b[i] + x;
        }
        KEEP(a);
    }
}
