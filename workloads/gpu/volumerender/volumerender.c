/*
 * Host of volumerender: light through a volume (see volumerender.cu for its memory behaviour and
 * use).
 *
 * The CPU marches with the same operations in the same order: every pixel is compared exactly.
 */
#include "host.h"
#include "march.h"

static const struct host_choice choices[] = {
    {"side", "of the volume", .sizes = {16, 32, 256}},
    {"pixels", "of the image in a row", .sizes = {32, 128, 512}},
    {"steps", "along a ray", .sizes = {24, 64, 512}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "volumerender", choices, argc, argv);
    u32 side = host_measure(&h, "side"), pixels = host_measure(&h, "pixels");
    u32 steps = host_measure(&h, "steps"), count = side * side * side;
    if (side < 3)
        host_fail(&h, "--side is %u, expected at least 3", side);
    float *volume = host_random_f32(&h, "volume", count, 0, 1);
    float *image = HOST_ARRAY(&h, float, pixels *pixels);
    CUdeviceptr device_volume = host_upload(&h, volume, count * sizeof(float));
    CUdeviceptr device_image = host_device_alloc(&h, pixels * pixels * sizeof(float));
    host_launch(&h, host_kernel(&h, "volumerender"),
                DIM2(blocks_for(pixels, 16), blocks_for(pixels, 16)), DIM2(16, 16), 0,
                ARGS(&device_volume, &device_image, &side, &pixels, &steps));
    for (u32 i = 0; i < pixels * pixels; i++)
        image[i] = march(volume, side, i % pixels, i / pixels, pixels, steps);
    host_check_f32(&h, "image", device_image, image, (size_t)pixels * pixels);
    return host_finish(&h);
}
