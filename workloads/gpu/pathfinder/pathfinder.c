/*
 * Host of pathfinder: costs of the cheapest paths down a grid (see pathfinder.cu for its memory
 * behaviour and use).
 *
 * Whole numbers; the total of every cell of the last row is compared exactly.
 */
#include "host.h"
#include "random.h"

#include <string.h>

#define BLOCK 256
#define STEPS_PER_LAUNCH 20

static void add_row(const u32 *cost, const u32 *from, u32 *to, u32 columns)
{
    for (u32 x = 0; x < columns; x++) {
        u32 least = from[x];
        if (x > 0 && from[x - 1] < least)
            least = from[x - 1];
        if (x < columns - 1 && from[x + 1] < least)
            least = from[x + 1];
        to[x] = least + cost[x];
    }
}

static const struct host_choice choices[] = {
    {"columns", "of the grid", .sizes = {3000, 100000, 1000000}},
    {"rows", "of the grid", .sizes = {31, 61, 500}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "pathfinder", choices, argc, argv);
    u32 columns = host_measure(&h, "columns"), rows = host_measure(&h, "rows");
    size_t count = (size_t)columns * rows, row_bytes = columns * sizeof(u32);

    struct random r = random_stream(h.seed, "cost");
    u32 *cost = HOST_ARRAY(&h, u32, count);
    for (size_t i = 0; i < count; i++)
        cost[i] = random_below(r, i, 10);
    u32 *best[2] = {HOST_ARRAY(&h, u32, columns), HOST_ARRAY(&h, u32, columns)};
    memcpy(best[0], cost, row_bytes); /* a path to row 0 has only that row's cell */
    CUdeviceptr device_cost = host_upload(&h, cost, count * sizeof(u32));
    CUdeviceptr from = host_upload(&h, best[0], row_bytes), to = host_device_alloc(&h, row_bytes);

    CUfunction kernel = host_kernel(&h, "pathfinder_rows");
    for (u32 row = 1; row < rows; row += STEPS_PER_LAUNCH) {
        u32 steps = rows - row < STEPS_PER_LAUNCH ? rows - row : STEPS_PER_LAUNCH;
        host_launch(&h, kernel, DIM1(blocks_for(columns, BLOCK - 2 * steps)), DIM1(BLOCK), 0,
                    ARGS(&device_cost, &from, &to, &columns, &row, &steps));
        CUdeviceptr last = from;
        from = to;
        to = last;
    }
    for (u32 row = 1; row < rows; row++)
        add_row(cost + (size_t)row * columns, best[(row + 1) % 2], best[row % 2], columns);

    u32 *got = HOST_ARRAY(&h, u32, columns);
    host_download(&h, got, from, row_bytes);
    host_compare_u32(&h, "best", got, best[(rows - 1) % 2], columns);
    return host_finish(&h);
}
