/*
 * Host of conv_gemm: a convolution layer as a matrix product (see conv_gemm.cu for its memory
 * behaviour and use).
 *
 * The CPU adds in the kernel's order with its fused multiply-adds; every element is compared
 * exactly.
 */
#include "layer.h"

static const struct host_choice choices[] = {LAYER_CHOICES, {0}};

int main(int argc, char **argv)
{
    struct host h;
    struct layer l;
    host_init(&h, "conv_gemm", choices, argc, argv);
    layer_init(&l, &h);
    host_launch(&h, host_kernel(&h, "conv_gemm"), DIM2(l.pixels / 64, l.filters / 64), DIM2(16, 16),
                0,
                ARGS(&l.device_image, &l.device_weights, &l.out, &l.channels, &l.width, &l.height,
                     &l.pixels));
    layer_check(&l, &h);
    return host_finish(&h);
}
