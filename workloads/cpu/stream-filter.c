/*
 * Stands for stream-filter, one of the five streaming programs that the study leaves unnamed: a
 * filter of five points over a large picture. To meet: streaming. Arguments: width, height.
 */
#include "common.h"

#define MOST (4u << 20)

static double from[MOST], to[MOST];

int main(int argc, char **argv)
{
    u32 width = argument(argc, argv, 1, 1000, 8192);
    u32 height = argument(argc, argv, 2, 4000, MOST / width);
    for (u32 i = 0; i < width * height; i++)
        from[i] = i & 255;
    for (;;) {
        for (u32 y = 1; y + 1 < height; y++) {
            const double *up = from + (size_t)(y - 1) * width, *row = up + width;
            const double *down = row + width;
            double *out = to + (size_t)y * width;
            for (u32 x = 1; x + 1 < width; x++)
                out[x] = 0.2 * (up[x] + row[x - 1] + row[x] + row[x + 1] + down[x]);
        }
        KEEP(to);
    }
}
