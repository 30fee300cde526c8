/*
 * A convolution layer with 3 x 3 filters, and the CPU's result: for the hosts of conv_gemm and
 * conv_direct. Products are fused with the sum, in ascending order of channel, row and column.
 */
#ifndef WORKLOADS_LAYER_H
#define WORKLOADS_LAYER_H

#include "host.h"

#include <math.h>

struct layer {
    u32 images, channels, filters, width, height; /* of the result; the image has a border of 1 */
    u32 pixels;                                   /* of all images */
    float *image, *weights;
    CUdeviceptr device_image, device_weights, out; /* out[filter][image][y][x] */
};

#define LAYER_CHOICES                                                                              \
    {"images", "in a batch", .sizes = {1, 4, 8}},                                                  \
        {"channels", "of an image", .sizes = {6, 32, 64}},                                         \
        {"filters", "a multiple of 64", .sizes = {64, 128, 256}},                                  \
    {                                                                                              \
        "side", "of an image, a multiple of 16", .sizes = { 16, 32, 64 }                           \
    }

static inline void layer_init(struct layer *l, struct host *h)
{
    u32 side = host_multiple(h, "side", 16);
    *l = (struct layer){.images = host_measure(h, "images"),
                        .channels = host_measure(h, "channels"),
                        .filters = host_multiple(h, "filters", 64),
                        .width = side,
                        .height = side};
    l->pixels = l->images * side * side;
    size_t count = (size_t)l->images * l->channels * (side + 2) * (side + 2);
    size_t taps = (size_t)l->filters * l->channels * 9;
    l->image = host_random_f32(h, "image", count, -1, 1);
    l->weights = host_random_f32(h, "weights", taps, -1, 1);
    l->device_image = host_upload(h, l->image, count * sizeof(float));
    l->device_weights = host_upload(h, l->weights, taps * sizeof(float));
    l->out = host_device_alloc(h, (size_t)l->filters * l->pixels * sizeof(float));
}

static inline void layer_add(const struct layer *l, u32 filter, u32 image, u32 channel, float *out)
{
    u32 row = l->width + 2;
    const float *w = &l->weights[((size_t)filter * l->channels + channel) * 9];
    const float *plane = &l->image[((size_t)image * l->channels + channel) * row * (l->height + 2)];
    for (u32 y = 0; y < l->height; y++) {
        for (u32 x = 0; x < l->width; x++) {
            float sum = out[y * l->width + x];
            for (u32 k = 0; k < 9; k++)
                sum = fmaf(w[k], plane[(y + k / 3) * row + x + k % 3], sum);
            out[y * l->width + x] = sum;
        }
    }
}

static inline void layer_check(const struct layer *l, struct host *h)
{
    size_t count = (size_t)l->filters * l->pixels;
    float *out = HOST_ARRAY(h, float, count);
    for (u32 f = 0; f < l->filters; f++) {
        for (u32 i = 0; i < l->images; i++) {
            for (u32 c = 0; c < l->channels; c++)
                layer_add(l, f, i, c, out + ((size_t)f * l->images + i) * l->width * l->height);
        }
    }
    host_check_f32(h, "out", l->out, out, count);
}

#endif
