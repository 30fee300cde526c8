/*
 * Host of backprop: a training step of a network's first layer (see backprop.cu for its memory
 * behaviour and use).
 *
 * The CPU does the kernels' operations in the kernels' order, nothing fused, and adds terms in the
 * same tree, so every partial sum, weight and change is compared exactly. The rest of the network
 * (16 hidden units, one output) is the host's, as in the original.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define TILE 16
#define HIDDEN 16
#define PITCH (HIDDEN + 1)
#define RATE 0.3
#define MOMENTUM 0.3
#define TARGET 0.1f

static float *make_values(struct host *h, const char *name, size_t count)
{
    struct random r = random_stream(h->seed, name);
    float *values = HOST_ARRAY(h, float, count);
    for (size_t i = 0; i < count; i++)
        values[i] = random_unit(r, i) - 0.5f;
    return values;
}

static float squash(float x)
{
    return 1 / (1 + expf(-x));
}

/* The errors of the hidden units, from the partial sums of `blocks` blocks. Unit u is at u + 1. */
static void find_delta(const float *partial, u32 blocks, const float *weights,
                       const float *to_output, float *delta)
{
    float hidden[PITCH], sum = to_output[0];
    for (u32 u = 1; u < PITCH; u++) {
        float x = weights[u]; /* the bias */
        for (size_t b = 0; b < blocks; b++)
            x += partial[b * HIDDEN + u - 1];
        hidden[u] = squash(x);
        sum += to_output[u] * hidden[u];
    }
    float output = squash(sum);
    float error = output * (1 - output) * (TARGET - output);
    for (u32 u = 1; u < PITCH; u++)
        delta[u] = hidden[u] * (1 - hidden[u]) * error * to_output[u];
}

static void forward(const float *input, const float *weights, float *partial, u32 blocks)
{
    for (size_t b = 0; b < blocks; b++) {
        for (u32 u = 0; u < HIDDEN; u++) {
            float term[TILE];
            for (size_t t = 0; t < TILE; t++) {
                size_t i = b * TILE + t + 1;
                term[t] = weights[i * PITCH + u + 1] * input[i];
            }
            for (u32 apart = 1; apart < TILE; apart *= 2) {
                for (u32 t = 0; t < TILE; t += 2 * apart)
                    term[t] += term[t + apart];
            }
            partial[b * HIDDEN + u] = term[0];
        }
    }
}

static void adjust(const float *input, const float *delta, float *weights, float *change,
                   u32 inputs)
{
    for (size_t i = 1; i <= inputs; i++) {
        for (size_t u = 1; u < PITCH; u++) {
            size_t at = i * PITCH + u;
            double move = RATE * delta[u] * input[i] + MOMENTUM * change[at];
            weights[at] = (float)(weights[at] + move);
            change[at] = (float)move;
        }
    }
}

static const struct host_choice choices[] = {
    {"inputs", "of the network, a multiple of 16", .sizes = {1600, 65536, 4194304}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "backprop", choices, argc, argv);
    u32 inputs = host_multiple(&h, "inputs", TILE), blocks = inputs / TILE;
    size_t count = ((size_t)inputs + 1) * PITCH, partials = (size_t)blocks * HIDDEN;

    float *input = make_values(&h, "input", (size_t)inputs + 1);
    float *weights = make_values(&h, "weights", count), *change = make_values(&h, "change", count);
    float *to_output = make_values(&h, "output", PITCH), delta[PITCH] = {0};
    CUdeviceptr device_input = host_upload(&h, input, (inputs + 1) * sizeof(float));
    CUdeviceptr device_weights = host_upload(&h, weights, count * sizeof(float));
    CUdeviceptr device_change = host_upload(&h, change, count * sizeof(float));
    CUdeviceptr device_partial = host_device_alloc(&h, partials * sizeof(float));

    struct dim block = DIM2(HIDDEN, TILE);
    host_launch(&h, host_kernel(&h, "backprop_forward"), DIM1(blocks), block, 0,
                ARGS(&device_input, &device_weights, &device_partial));
    float *got = HOST_ARRAY(&h, float, count), *partial = HOST_ARRAY(&h, float, partials);
    host_download(&h, got, device_partial, partials * sizeof(float));
    forward(input, weights, partial, blocks);
    host_compare_f32(&h, "partial", got, partial, partials);

    find_delta(got, blocks, weights, to_output, delta);
    CUdeviceptr device_delta = host_upload(&h, delta, sizeof delta);
    double rate = RATE, momentum = MOMENTUM;
    host_launch(
        &h, host_kernel(&h, "backprop_adjust"), DIM1(blocks), block, 0,
        ARGS(&device_input, &device_delta, &device_weights, &device_change, &rate, &momentum));
    adjust(input, delta, weights, change, inputs);
    host_download(&h, got, device_weights, count * sizeof(float));
    host_compare_f32(&h, "weights", got, weights, count);
    host_download(&h, got, device_change, count * sizeof(float));
    host_compare_f32(&h, "change", got, change, count);
    return host_finish(&h);
}
