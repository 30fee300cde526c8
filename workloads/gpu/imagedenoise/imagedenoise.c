/*
 * Host of imagedenoise: a weighted mean around every pixel (see imagedenoise.cu for its memory
 * behaviour and use).
 *
 * The CPU does the same operations in the same order, also for the exponential: every pixel is
 * compared exactly.
 */
#include "denoise.h"
#include "host.h"

static const struct host_choice choices[] = {
    {"width", "of the image", .sizes = {32, 256, 1920}},
    {"height", "of the image", .sizes = {16, 120, 1080}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "imagedenoise", choices, argc, argv);
    u32 width = host_measure(&h, "width"), height = host_measure(&h, "height");
    size_t count = (size_t)(width + 2 * RADIUS) * (height + 2 * RADIUS);
    u32 *image = host_random_u32(&h, "image", count, 1u << 24);
    CUdeviceptr in = host_upload(&h, image, count * sizeof(u32));
    CUdeviceptr out = host_device_alloc(&h, (size_t)width * height * sizeof(u32));
    host_launch(&h, host_kernel(&h, "imagedenoise"),
                DIM2(blocks_for(width, 8), blocks_for(height, 8)), DIM2(8, 8), 0,
                ARGS(&in, &out, &width, &height));
    u32 *expected = HOST_ARRAY(&h, u32, (size_t)width * height);
    for (u32 y = 0; y < height; y++) {
        for (u32 x = 0; x < width; x++)
            expected[(size_t)y * width + x] = denoised(image, width, x, y);
    }
    host_check_u32(&h, "out", out, expected, (size_t)width * height);
    return host_finish(&h);
}
