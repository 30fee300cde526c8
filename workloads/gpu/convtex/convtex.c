/*
 * Host of convtex: separable convolution of an image through textures (see convtex.cu for its
 * memory behaviour and use).
 *
 * The CPU adds the taps in the same order with fused multiply-adds: rows and result are compared
 * exactly.
 */
#include "separable.h"

enum { TEXTURE, GLOBAL };

static const struct host_choice choices[] = {
    {"width", "of the image", .sizes = {80, 512, 3072}},
    {"height", "of the image", .sizes = {40, 400, 1651}},
    {"reads", "of pixels: through the texture cache, or plain loads",
     .words = {"texture", "global", NULL}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "convtex", choices, argc, argv);
    u32 width = host_measure(&h, "width"), height = host_measure(&h, "height");
    bool textured = host_chosen(&h, "reads") == TEXTURE;
    size_t count = (size_t)width * height, bytes = count * sizeof(float);
    float *taps = separable_taps(&h), *image = host_random_f32(&h, "image", count, 0, 1);
    float *rows = HOST_ARRAY(&h, float, count), *out = HOST_ARRAY(&h, float, count);
    CUdeviceptr in = host_upload(&h, image, bytes), device_rows = host_device_alloc(&h, bytes);
    CUdeviceptr device_out = host_device_alloc(&h, bytes);
    CUtexObject textures[2] = {0, 0};
    if (textured) {
        textures[0] = host_texture(&h, in, bytes);
        textures[1] = host_texture(&h, device_rows, bytes);
    }
    struct dim grid = DIM2(blocks_for(width, 16), blocks_for(height, 12)), block = DIM2(16, 12);
    host_launch(&h, host_kernel(&h, textured ? "convtex_rows" : "convtex_rows_global"), grid, block,
                0, ARGS(textured ? (void *)&textures[0] : &in, &device_rows, &width, &height));
    host_launch(&h, host_kernel(&h, textured ? "convtex_columns" : "convtex_columns_global"), grid,
                block, 0,
                ARGS(textured ? (void *)&textures[1] : &device_rows, &device_out, &width, &height));
    separable_filter(image, rows, out, width, height, taps);
    host_check_f32(&h, "rows", device_rows, rows, count);
    host_check_f32(&h, "out", device_out, out, count);
    for (u32 i = 0; textured && i < 2; i++)
        CU(&h, cuTexObjectDestroy, (textures[i]));
    return host_finish(&h);
}
