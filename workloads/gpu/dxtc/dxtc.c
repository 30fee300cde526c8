/*
 * Host of dxtc: compression of an image (see dxtc.cu for its memory behaviour and use).
 *
 * The CPU tries the same cuts with the same operations and takes the first of the best: both words
 * of every tile are compared exactly.
 */
#include "cluster.h"
#include "host.h"

#include <string.h>

#define MOST_CUTS 969

static const struct host_choice choices[] = {
    {"side", "of the image in pixels, a multiple of 4", .sizes = {16, 128, 512}},
    {0},
};

static void compress(const u32 *image, u32 width, u32 x, u32 y, const u32 *cuts, u32 count,
                     u32 *out)
{
    struct colour pixels[PIXELS], sums[PIXELS + 1], axis = {1, 2, 1};
    u32 order[PIXELS], best = 0, bits = 0;
    for (u32 t = 0; t < PIXELS; t++)
        pixels[t] = colour_of(image[(y + t / 4) * width + x + t % 4]);
    for (u32 t = 0; t < PIXELS; t++) {
        u32 place = 0;
        for (u32 i = 0; i < PIXELS; i++) {
            float mine = dot(pixels[t], axis), other = dot(pixels[i], axis);
            place += other < mine || (other == mine && i < t);
        }
        order[place] = t;
    }
    memset(&sums[0], 0, sizeof sums[0]);
    for (u32 i = 0; i < PIXELS; i++)
        sums[i + 1] = mixed(pixels[order[i]], 1, sums[i], 1);
    float least = 1e30f;
    for (u32 i = 0; i < count; i++) {
        float error = ends_of(sums, cuts[i]).error;
        if (error < least) {
            least = error;
            best = i;
        }
    }
    struct ends e = ends_of(sums, cuts[best]);
    for (u32 t = 0; t < PIXELS; t++)
        bits |= nearest(e, pixels[t]) << (2 * t);
    out[0] = packed(e.a) | packed(e.b) << 16;
    out[1] = bits;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "dxtc", choices, argc, argv);
    u32 side = host_multiple(&h, "side", 4), tiles = side / 4, count = 0, cuts[MOST_CUTS];
    for (u32 i = 0; i <= PIXELS; i++) {
        for (u32 j = i; j <= PIXELS; j++) {
            for (u32 k = j; k <= PIXELS; k++)
                cuts[count++] = i | j << 8 | k << 16;
        }
    }
    u32 *image = host_random_u32(&h, "image", (size_t)side * side, 64);
    for (u32 i = 0; i < side * side; i++) /* a gradient with noise */
        image[i] = (image[i] + i % side * 127 / side) | (image[i] + i / side * 127 / side) << 8 |
                   (image[i] * 2) << 16;
    CUdeviceptr device_image = host_upload(&h, image, (size_t)side * side * sizeof(u32));
    CUdeviceptr device_cuts = host_upload(&h, cuts, count * sizeof(u32));
    CUdeviceptr out = host_device_alloc(&h, 2 * tiles * tiles * sizeof(u32));
    host_launch(&h, host_kernel(&h, "dxtc"), DIM2(tiles, tiles), DIM1(64), 0,
                ARGS(&device_image, &device_cuts, &out, &side, &count));
    u32 *expected = HOST_ARRAY(&h, u32, 2 * tiles * tiles);
    for (u32 i = 0; i < tiles * tiles; i++)
        compress(image, side, i % tiles * 4, i / tiles * 4, cuts, count, &expected[2 * i]);
    host_check_u32(&h, "tiles", out, expected, 2 * (size_t)tiles * tiles);
    return host_finish(&h);
}
