/*
 * Host of fft: Fourier transforms of a batch (see fft.cu for its memory behaviour and use).
 *
 * Roots of unity come from the host, sums and products are the same here and there: every number is
 * compared exactly. That it is the transform is checked with one of its coefficients, by the
 * definition in f64.
 */
#include "butterfly.h"
#include "host.h"

#define BLOCK 128

static const struct host_choice choices[] = {
    {"log2", "of the length of a transform", .sizes = {8, 12, 20}},
    {"batch", "transforms at once", .sizes = {4, 64, 64}},
    {0},
};

/* Coefficient 1 of the first one; the bound is far above rounding and far below a mistake. */
static void check_definition(struct host *h, const struct complex *in, const struct complex *out,
                             u32 n)
{
    double re = 0, im = 0;
    for (u32 i = 0; i < n; i++) {
        double angle = -2 * 3.14159265358979323846 * i / n, c = cos(angle), s = sin(angle);
        re += (double)in[i].re * c - (double)in[i].im * s;
        im += (double)in[i].re * s + (double)in[i].im * c;
    }
    float expected[2] = {(float)re, (float)im};
    host_compare_f32_within(h, "coefficient", &out[1].re, expected, 2, 1e-5 * n, 0);
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "fft", choices, argc, argv);
    u32 n = 1u << host_measure(&h, "log2"), batch = host_measure(&h, "batch"),
        pairs = n / 2 * batch;
    size_t count = (size_t)n * batch, bytes = count * sizeof(struct complex);
    struct complex *data[2] = {
        (struct complex *)(void *)host_random_f32(&h, "data", 2 * count, -1, 1),
        HOST_ARRAY(&h, struct complex, count)};
    struct complex *root = HOST_ARRAY(&h, struct complex, n),
                   *first = HOST_ARRAY(&h, struct complex, n);
    for (u32 k = 0; k < n; k++) {
        double angle = -2 * 3.14159265358979323846 * k / n;
        root[k] = (struct complex){(float)cos(angle), (float)sin(angle)};
        first[k] = data[0][k];
    }
    CUdeviceptr device[2] = {host_upload(&h, data[0], bytes), host_device_alloc(&h, bytes)};
    CUdeviceptr device_root = host_upload(&h, root, n * sizeof *root);
    u32 at = 0;
    for (u32 run = 1; run < n; run *= 2, at = 1 - at) {
        host_launch(&h, host_kernel(&h, "fft"), DIM1(blocks_for(pairs, BLOCK)), DIM1(BLOCK), 0,
                    ARGS(&device[at], &device[1 - at], &device_root, &n, &run, &pairs));
        for (u32 i = 0; i < pairs; i++) {
            size_t start = (size_t)(i / (n / 2)) * n;
            butterfly(data[at] + start, data[1 - at] + start, root, n, run, i % (n / 2));
        }
    }
    host_check_f32(&h, "data", device[at], &data[at][0].re, 2 * count);
    check_definition(&h, first, data[at], n);
    return host_finish(&h);
}
