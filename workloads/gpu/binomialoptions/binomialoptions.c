/*
 * Host of binomialoptions: prices of options by binomial trees (see binomialoptions.cu for its
 * memory behaviour and use).
 *
 * A value comes from two of the step before by the same operations here and there: every price is
 * compared exactly.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define MOST_OPTIONS 1024

static const struct host_choice choices[] = {
    {"options", "to price", .sizes = {4, 64, MOST_OPTIONS}},
    {"steps", "of a tree, a multiple of 16", .sizes = {144, 400, 2048}},
    {0},
};

struct option {
    float up, down;
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "binomialoptions", choices, argc, argv);
    u32 count = host_measure(&h, "options"), steps = host_multiple(&h, "steps", 16);
    struct random r = random_stream(h.seed, "options");
    struct option *options = HOST_ARRAY(&h, struct option, count);
    float *values = HOST_ARRAY(&h, float, (size_t)count *(steps + 1));
    for (u32 i = 0; i < count; i++) {
        double stock = 20 + 30 * (double)random_unit(r, 4 * i);
        double strike = 20 + 30 * (double)random_unit(r, 4 * i + 1);
        double years = 1 + 4 * (double)random_unit(r, 4 * i + 2), dt = years / steps;
        double spread = 0.2 * sqrt(dt), grow = exp(0.02 * dt);
        double chance = (grow - exp(-spread)) / (exp(spread) - exp(-spread));
        options[i] = (struct option){(float)(chance / grow), (float)((1 - chance) / grow)};
        for (u32 k = 0; k <= steps; k++) {
            double worth = stock * exp(spread * (2.0 * k - steps)) - strike;
            values[(size_t)i * (steps + 1) + k] = worth > 0 ? (float)worth : 0;
        }
    }
    CUdeviceptr constant,
        device_values = host_upload(&h, values, (size_t)count * (steps + 1) * sizeof(float));
    CUdeviceptr prices = host_device_alloc(&h, count * sizeof(float));
    size_t bytes;
    CU(&h, cuModuleGetGlobal, (&constant, &bytes, h.module, "options"));
    CU(&h, cuMemcpyHtoD, (constant, options, count * sizeof *options));
    host_launch(&h, host_kernel(&h, "binomialoptions"), DIM1(count), DIM1(128), 0,
                ARGS(&device_values, &prices, &steps));
    float *expected = HOST_ARRAY(&h, float, count);
    for (u32 i = 0; i < count; i++) {
        float *row = values + (size_t)i * (steps + 1);
        for (u32 left = steps; left > 0; left--) {
            for (u32 k = 0; k < left; k++)
                row[k] = fmaf(options[i].up, row[k + 1], options[i].down * row[k]);
        }
        expected[i] = row[0];
    }
    host_check_f32(&h, "prices", prices, expected, count);
    return host_finish(&h);
}
