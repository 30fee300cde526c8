/*
 * Stands for stream-saxpy, one of the five streaming programs that the study leaves unnamed:
 * y = a x + y over arrays that no cache holds. To meet: streaming.
 * Arguments: elements of each array.
 */
#include "common.h"

#define MOST (8u << 20)

static float x[MOST], y[MOST];

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, MOST, MOST);
    for (u32 i = 0; i < n; i++)
        x[i] = (float)i;
    for (float a = 1;; a = 1 - a) {
        for (u32 i = 0; i < n; i++)
            y[i] += a * x[i];
        KEEP(y);
    }
}
