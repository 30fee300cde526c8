/*
 * Host of convsep: separable convolution of an image (see convsep.cu for its memory behaviour and
 * use).
 *
 * The CPU adds the taps in the same order with fused multiply-adds: rows and result are compared
 * exactly.
 */
#include "separable.h"

static const struct host_choice choices[] = {
    {"width", "of the image", .sizes = {100, 640, 3072}},
    {"height", "of the image", .sizes = {40, 480, 4608}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "convsep", choices, argc, argv);
    u32 width = host_measure(&h, "width"), height = host_measure(&h, "height");
    size_t count = (size_t)width * height, bytes = count * sizeof(float);
    float *taps = separable_taps(&h), *image = host_random_f32(&h, "image", count, 0, 1);
    float *rows = HOST_ARRAY(&h, float, count), *out = HOST_ARRAY(&h, float, count);
    CUdeviceptr in = host_upload(&h, image, bytes), device_rows = host_device_alloc(&h, bytes);
    CUdeviceptr device_out = host_device_alloc(&h, bytes);
    host_launch(&h, host_kernel(&h, "convsep_rows"), DIM2(blocks_for(width, 128), height),
                DIM1(128), 0, ARGS(&in, &device_rows, &width, &height));
    host_launch(&h, host_kernel(&h, "convsep_columns"),
                DIM2(blocks_for(width, 16), blocks_for(height, 32)), DIM2(16, 8), 0,
                ARGS(&device_rows, &device_out, &width, &height));
    separable_filter(image, rows, out, width, height, taps);
    host_check_f32(&h, "rows", device_rows, rows, count);
    host_check_f32(&h, "out", device_out, out, count);
    return host_finish(&h);
}
