/*
 * Host of bicubic: an image enlarged (see bicubic.cu for its memory behaviour and use).
 *
 * The CPU does the same operations in the same order: every pixel is compared exactly.
 */
#include "host.h"
#include "spline.h"

static const struct host_choice choices[] = {
    {"side", "of the image in pixels", .sizes = {48, 512, 2048}},
    {"times", "as large, in tenths", .sizes = {13, 13, 30}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "bicubic", choices, argc, argv);
    u32 side = host_measure(&h, "side"), tenths = host_measure(&h, "times");
    u32 out_side = side * tenths / 10;
    float times = (float)tenths / 10, *image = host_random_f32(&h, "image", side * side, 0, 1);
    float *out = HOST_ARRAY(&h, float, (size_t)out_side *out_side);
    CUdeviceptr device_image = host_upload(&h, image, (size_t)side * side * sizeof(float));
    CUdeviceptr device_out = host_device_alloc(&h, (size_t)out_side * out_side * sizeof(float));
    host_launch(&h, host_kernel(&h, "bicubic"),
                DIM2(blocks_for(out_side, 16), blocks_for(out_side, 4)), DIM2(16, 4), 0,
                ARGS(&device_image, &device_out, &side, &side, &out_side, &out_side, &times));
    for (u32 y = 0; y < out_side; y++) {
        for (u32 x = 0; x < out_side; x++)
            out[(size_t)y * out_side + x] = spline_at(image, side, side, x, y, times);
    }
    host_check_f32(&h, "out", device_out, out, (size_t)out_side * out_side);
    return host_finish(&h);
}
