/*
 * Host of sobelfilter: edges of an image (see sobelfilter.cu for its memory behaviour and use).
 *
 * Whole numbers: every pixel is compared exactly.
 */
#include "host.h"
#include "random.h"

#include <stdlib.h>

static const struct host_choice choices[] = {
    {"width", "of the image, a multiple of 4", .sizes = {128, 1024, 16384}},
    {"height", "of the image", .sizes = {32, 1536, 8192}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "sobelfilter", choices, argc, argv);
    u32 width = host_multiple(&h, "width", 4), height = host_measure(&h, "height"), row = width + 2;
    struct random r = random_stream(h.seed, "image");
    size_t count = (size_t)row * (height + 2);
    u8 *image = HOST_ARRAY(&h, u8, count), *out = HOST_ARRAY(&h, u8, (size_t)width * height);
    for (size_t i = 0; i < count; i++)
        image[i] = (u8)random_u64(r, i);
    CUdeviceptr in = host_upload(&h, image, count);
    CUdeviceptr device_out = host_device_alloc(&h, (size_t)width * height);
    host_launch(&h, host_kernel(&h, "sobelfilter"), DIM2(blocks_for(width, 64), height), DIM1(64),
                0, ARGS(&in, &device_out, &width, &height));
    static const int weights[3] = {1, 2, 1};
    for (u32 y = 0; y < height; y++) {
        for (u32 x = 0; x < width; x++) {
            const u8 *at = image + (size_t)y * row + x;
            int across = 0, along = 0;
            for (u32 k = 0; k < 3; k++) {
                across += weights[k] * (at[k * row + 2] - at[k * row]);
                along += weights[k] * (at[2 * row + k] - at[k]);
            }
            int edge = (abs(across) + abs(along)) / 2;
            out[(size_t)y * width + x] = (u8)(edge < 255 ? edge : 255);
        }
    }
    host_check_u32(&h, "out", device_out, (u32 *)(void *)out, (size_t)width * height / 4);
    return host_finish(&h);
}
