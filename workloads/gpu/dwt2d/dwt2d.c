/*
 * Host of dwt2d: wavelet transform of a colour image (see dwt2d.cu for its memory behaviour and
 * use).
 *
 * Whole numbers; every coefficient of the three colours is compared exactly. A level's bands lie in
 * the quarters of the plane: averages at the upper left, which the next level divides again.
 */
#include "host.h"
#include "random.h"

#define SPLIT_BLOCK 256
#define WINDOW 8
#define COLOURS 3

/* A horizontal and a vertical gradient, circles, and noise. */
static u8 *make_pixels(struct host *h, u32 columns, u32 rows)
{
    struct random r = random_stream(h->seed, "pixels");
    size_t count = (size_t)columns * rows;
    u8 *pixels = HOST_ARRAY(h, u8, COLOURS * count);
    for (u32 y = 0; y < rows; y++) {
        for (u32 x = 0; x < columns; x++) {
            size_t i = (size_t)y * columns + x;
            u32 shade[COLOURS] = {x * 200 / columns, y * 200 / rows, (x * x + y * y) / 512 % 200};
            for (u32 c = 0; c < COLOURS; c++)
                pixels[COLOURS * i + c] = (u8)(shade[c] + random_below(r, COLOURS * i + c, 56));
        }
    }
    return pixels;
}

/* One row or column: `count` values (even) that lie `apart`; averages first, then details. */
static void lift(int *values, size_t apart, u32 count, int *scratch)
{
    int *average = scratch, *detail = scratch + count / 2;
    for (u32 i = 0; i < count / 2; i++) {
        int next = values[(2 * i + 2 < count ? 2 * i + 2 : 2 * i) * apart];
        detail[i] = values[(2 * i + 1) * apart] - ((values[2 * i * apart] + next) >> 1);
    }
    for (u32 i = 0; i < count / 2; i++)
        average[i] = values[2 * i * apart] + ((detail[i > 0 ? i - 1 : 0] + detail[i] + 2) >> 2);
    for (u32 i = 0; i < count; i++)
        values[i * apart] = scratch[i];
}

static void transform(struct host *h, int *plane, u32 columns, u32 rows, u32 levels)
{
    int *scratch = HOST_ARRAY(h, int, columns > rows ? columns : rows);
    for (u32 level = 0; level < levels; level++) {
        for (u32 y = 0; y < rows >> level; y++)
            lift(plane + (size_t)y * columns, 1, columns >> level, scratch);
        for (u32 x = 0; x < columns >> level; x++)
            lift(plane + x, columns, rows >> level, scratch);
    }
}

/* Narrower stripes for narrower images, so that enough blocks remain. */
static u32 stripe_width(u32 columns)
{
    return columns >= 960 ? 192 : columns >= 480 ? 128 : 64;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "dwt2d", NULL, argc, argv);
    u32 columns = host_pick(&h, 256, 1024, 4096), rows = host_pick(&h, 192, 1024, 3072);
    u32 levels = host_pick(&h, 2, 3, 5), count = columns * rows;
    u32 blocks_down = host_pick(&h, 4, 4, 32); /* at most, below each other */
    size_t bytes = count * sizeof(int);

    u8 *pixels = make_pixels(&h, columns, rows);
    CUdeviceptr device_pixels = host_upload(&h, pixels, COLOURS * (size_t)count);
    CUdeviceptr plane[COLOURS], bands[COLOURS], low[2];
    for (u32 c = 0; c < COLOURS; c++) {
        plane[c] = host_device_alloc(&h, bytes);
        bands[c] = host_device_alloc(&h, bytes);
    }
    for (u32 i = 0; i < 2; i++)
        low[i] = host_device_alloc(&h, bytes / 4);

    host_launch(&h, host_kernel(&h, "dwt2d_split"), DIM1(blocks_for(count, SPLIT_BLOCK)),
                DIM1(SPLIT_BLOCK), 0,
                ARGS(&device_pixels, &plane[0], &plane[1], &plane[2], &count));
    CUfunction kernel = host_kernel(&h, "dwt2d_level");
    for (u32 c = 0; c < COLOURS; c++) {
        CUdeviceptr from = plane[c];
        for (u32 level = 0; level < levels; level++) {
            bool last = level == levels - 1;
            CUdeviceptr to = last ? bands[c] : low[level % 2];
            u32 w = columns >> level, height = rows >> level, width = stripe_width(w);
            u32 low_pitch = last ? columns : w / 2;
            u32 windows = blocks_for(height, blocks_down * WINDOW);
            host_launch(
                &h, kernel, DIM2(blocks_for(w, width), blocks_for(height, windows * WINDOW)),
                DIM1(width), 0,
                ARGS(&from, &w, &to, &low_pitch, &bands[c], &columns, &w, &height, &windows));
            from = to;
        }
    }

    int *got = HOST_ARRAY(&h, int, count), *expected = HOST_ARRAY(&h, int, count);
    static const char *const names[COLOURS] = {"red", "green", "blue"};
    for (u32 c = 0; c < COLOURS; c++) {
        for (size_t i = 0; i < count; i++)
            expected[i] = pixels[COLOURS * i + c] - 128;
        transform(&h, expected, columns, rows, levels);
        host_download(&h, got, bands[c], bytes);
        host_compare_u32(&h, names[c], (u32 *)got, (u32 *)expected, count);
    }
    return host_finish(&h);
}
