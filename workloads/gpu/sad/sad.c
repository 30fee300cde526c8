/*
 * Host of sad: sums of absolute differences for motion estimation (see sad.cu for its memory
 * behaviour and use).
 *
 * Whole numbers below 2^16. The CPU sums the pixels of every shape directly, without the smaller
 * shapes; all sums of all shapes at all positions are compared exactly.
 */
#include "host.h"
#include "random.h"

typedef uint16_t u16;

#define RANGE 16
#define SPAN (2 * RANGE + 1)
#define PITCH 1120
#define BLOCK 128
#define SHAPES 5 /* upper, lower, left and right half of a square, and all of it */

struct frames {
    u32 width, height; /* of the current frame; the reference has a margin of RANGE all around */
    u16 *current, *reference;
};

static struct frames make_frames(struct host *h)
{
    struct frames f;
    f.width = host_multiple(h, "width", 16);
    f.height = host_multiple(h, "height", 16);
    u32 pitch = f.width + 2 * RANGE;
    size_t reference_count = (size_t)pitch * (f.height + 2 * RANGE);
    f.current = HOST_ARRAY(h, u16, (size_t)f.width * f.height);
    f.reference = HOST_ARRAY(h, u16, reference_count);
    struct random pixels = random_stream(h->seed, "pixels"),
                  noise = random_stream(h->seed, "noise");
    for (size_t i = 0; i < reference_count; i++)
        f.reference[i] = (u16)random_below(pixels, i, 250);
    /* The picture moved by 5 pixels in x and 3 in y. */
    for (u32 y = 0; y < f.height; y++) {
        for (u32 x = 0; x < f.width; x++) {
            size_t i = (size_t)y * f.width + x, from = (size_t)(y + RANGE + 3) * pitch;
            f.current[i] = (u16)(f.reference[from + x + RANGE + 5] + random_below(noise, i, 6));
        }
    }
    return f;
}

/* The w x h pixels at (x, y) of the current frame, at one search position. */
static u32 differences(const struct frames *f, u32 x, u32 y, u32 w, u32 h, u32 position)
{
    u32 pitch = f->width + 2 * RANGE, sum = 0;
    for (u32 row = y; row < y + h; row++) {
        const u16 *now = f->current + (size_t)row * f->width + x;
        const u16 *then = f->reference + (size_t)(row + position / SPAN) * pitch + x;
        then += position % SPAN;
        for (u32 i = 0; i < w; i++)
            sum += now[i] > then[i] ? (u32)(now[i] - then[i]) : (u32)(then[i] - now[i]);
    }
    return sum;
}

struct shape {
    u32 x, y, width, height;
};

/* The given shapes of every square of the frame, at every position. */
static void check(struct host *h, const struct frames *f, const char *name, CUdeviceptr sads,
                  u32 square, const struct shape *shapes, u32 shape_count)
{
    u32 across = f->width / square, squares = across * (f->height / square);
    size_t count = (size_t)squares * shape_count * PITCH;
    u16 *sums = HOST_ARRAY(h, u16, count);
    u32 *got = HOST_ARRAY(h, u32, count), *expected = HOST_ARRAY(h, u32, count);
    host_download(h, sums, sads, count * sizeof(u16));
    for (size_t i = 0; i < count; i++) {
        u32 position = (u32)(i % PITCH), at = (u32)(i / PITCH / shape_count);
        const struct shape *s = &shapes[i / PITCH % shape_count];
        got[i] = sums[i];
        if (position < SPAN * SPAN)
            expected[i] = differences(f, at % across * square + s->x, at / across * square + s->y,
                                      s->width, s->height, position);
    }
    host_compare_u32(h, name, got, expected, count);
}

static const struct host_choice choices[] = {
    {"width", "of a frame, a multiple of 16", .sizes = {48, 176, 704}},
    {"height", "of a frame, a multiple of 16", .sizes = {32, 144, 576}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "sad", choices, argc, argv);
    struct frames f = make_frames(&h);
    size_t pixels = (size_t)f.width * f.height;
    size_t reference_pixels = (size_t)(f.width + 2 * RANGE) * (f.height + 2 * RANGE);
    CUdeviceptr current = host_upload(&h, f.current, pixels * sizeof(u16));
    CUdeviceptr reference = host_upload(&h, f.reference, reference_pixels * sizeof(u16));

    /* Positions that are only there to round up count as zero. */
    size_t bytes = pixels / 16 * PITCH * sizeof(u16);
    CUdeviceptr sads_4x4 = host_device_alloc(&h, bytes);
    CUdeviceptr sads_8x8 = host_device_alloc(&h, bytes / 4 * SHAPES);
    CUdeviceptr sads_16x16 = host_device_alloc(&h, bytes / 16 * SHAPES);
    CU(&h, cuMemsetD8, (sads_4x4, 0, bytes));

    struct dim block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "sad_4x4"), DIM2(f.width / 4, f.height / 4), block, 0,
                ARGS(&current, &reference, &sads_4x4, &f.width));
    host_launch(&h, host_kernel(&h, "sad_8x8"), DIM2(f.width / 8, f.height / 8), block, 0,
                ARGS(&sads_4x4, &sads_8x8));
    host_launch(&h, host_kernel(&h, "sad_16x16"), DIM2(f.width / 16, f.height / 16), block, 0,
                ARGS(&sads_8x8, &sads_16x16));

    static const struct shape blocks_4[] = {{0, 0, 4, 4}};
    static const struct shape shapes_8[SHAPES] = {
        {0, 0, 8, 4}, {0, 4, 8, 4}, {0, 0, 4, 8}, {4, 0, 4, 8}, {0, 0, 8, 8}};
    static const struct shape shapes_16[SHAPES] = {
        {0, 0, 16, 8}, {0, 8, 16, 8}, {0, 0, 8, 16}, {8, 0, 8, 16}, {0, 0, 16, 16}};
    check(&h, &f, "sads_4x4", sads_4x4, 4, blocks_4, 1);
    check(&h, &f, "sads_8x8", sads_8x8, 8, shapes_8, SHAPES);
    check(&h, &f, "sads_16x16", sads_16x16, 16, shapes_16, SHAPES);
    return host_finish(&h);
}
