/*
 * Host of cell: a cellular automaton in three dimensions (see cell.cu for its memory behaviour and
 * use).
 *
 * Whole numbers: every cell is compared exactly after the last generation.
 */
#include "host.h"
#include "random.h"

static const struct host_choice choices[] = {
    {"side", "of the cube, a multiple of 8", .sizes = {16, 48, 256}},
    {"generations", "one launch each", .sizes = {3, 4, 10}},
    {0},
};

static void step(const u8 *from, u8 *to, u32 side)
{
    for (u32 i = 0; i < side * side * side; i++) {
        u32 x = i % side, y = i / side % side, z = i / side / side, neighbours = 0;
        for (u32 k = 0; k < 27; k++) {
            u32 nx = x + k % 3 - 1, ny = y + k / 3 % 3 - 1, nz = z + k / 9 - 1;
            if (k != 13 && nx < side && ny < side && nz < side)
                neighbours += from[(nz * side + ny) * side + nx];
        }
        to[i] = from[i] ? neighbours >= 5 && neighbours <= 7 : neighbours == 6;
    }
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "cell", choices, argc, argv);
    u32 side = host_multiple(&h, "side", 8), count = side * side * side;
    struct random r = random_stream(h.seed, "cells");
    u8 *cells[2] = {HOST_ARRAY(&h, u8, count), HOST_ARRAY(&h, u8, count)};
    for (u32 i = 0; i < count; i++)
        cells[0][i] = random_below(r, i, 4) == 0;
    CUdeviceptr device[2] = {host_upload(&h, cells[0], count), host_device_alloc(&h, count)};
    u32 generations = host_measure(&h, "generations");
    for (u32 g = 0; g < generations; g++) {
        host_launch(&h, host_kernel(&h, "cell"), DIM3(side / 8, side / 8, side / 8), DIM3(8, 8, 8),
                    0, ARGS(&device[g % 2], &device[1 - g % 2], &side));
        step(cells[g % 2], cells[1 - g % 2], side);
    }
    host_check_u32(&h, "cells", device[generations % 2], (u32 *)(void *)cells[generations % 2],
                   count / 4); /* four cells at a time */
    return host_finish(&h);
}
