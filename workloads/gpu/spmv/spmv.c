/*
 * Host of spmv: a sparse matrix times a vector (see spmv.cu for its memory behaviour and use).
 *
 * A row's products are added in the kernel's order with its fused multiply-adds; every element is
 * compared exactly.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define BLOCK 192
#define GROUP 32

struct element {
    u32 column;
    float value;
};

static const struct host_choice choices[] = {
    {"rows", "of the square matrix", .sizes = {2000, 150000, 1000000}},
    {"band", "columns around the diagonal that most elements are in", .sizes = {200, 8000, 200000}},
    {"times", "the product is made", .sizes = {1, 1, 10}},
    {0},
};

/* A column in the row's band, or anywhere for one element in eight. */
static u32 column_of(struct random r, u64 n, u32 row, u32 rows, u32 band)
{
    if (random_below(r, 2 * n, 8) == 0)
        return random_below(r, 2 * n + 1, rows);
    return (row + rows - band / 2 + random_below(r, 2 * n + 1, band)) % rows;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "spmv", choices, argc, argv);
    u32 rows = host_measure(&h, "rows"), band = host_measure(&h, "band");
    u32 groups = blocks_for(rows, GROUP), times = host_measure(&h, "times");
    band = band < rows ? band : rows;
    struct random r = random_stream(h.seed, "elements"), v = random_stream(h.seed, "values");
    u32 *lengths = host_random_u32(&h, "lengths", rows, 24);
    u32 *first = HOST_ARRAY(&h, u32, groups + 1);
    for (u32 i = 0; i < rows; i++) { /* first[g + 1]: the longest row of group g */
        lengths[i] += 4;
        if (i % 64 == 7)
            lengths[i] *= 3;
        u32 *longest = &first[i / GROUP + 1];
        *longest = lengths[i] > *longest ? lengths[i] : *longest;
    }
    for (u32 g = 0; g < groups; g++)
        first[g + 1] = first[g] + first[g + 1] * GROUP;
    struct element *elements = HOST_ARRAY(&h, struct element, first[groups]);
    float *x = host_random_f32(&h, "x", rows, -1, 1), *y = HOST_ARRAY(&h, float, rows);
    for (u32 i = 0; i < rows; i++) {
        for (u32 k = 0; k < lengths[i]; k++) {
            u32 at = first[i / GROUP] + i % GROUP + k * GROUP;
            elements[at] = (struct element){column_of(r, at, i, rows, band), random_unit(v, at)};
            y[i] = fmaf(elements[at].value, x[elements[at].column], y[i]);
        }
    }
    CUdeviceptr device_elements = host_upload(&h, elements, first[groups] * sizeof *elements);
    CUdeviceptr device_first = host_upload(&h, first, (groups + 1) * sizeof(u32));
    CUdeviceptr device_lengths = host_upload(&h, lengths, rows * sizeof(u32));
    CUdeviceptr device_x = host_upload(&h, x, rows * sizeof(float));
    CUdeviceptr device_y = host_device_alloc(&h, rows * sizeof(float));
    for (u32 i = 0; i < times; i++)
        host_launch(
            &h, host_kernel(&h, "spmv"), DIM1(blocks_for(rows, BLOCK)), DIM1(BLOCK), 0,
            ARGS(&device_elements, &device_first, &device_lengths, &device_x, &device_y, &rows));
    host_check_f32(&h, "y", device_y, y, rows);
    return host_finish(&h);
}
