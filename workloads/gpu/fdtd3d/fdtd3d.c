/*
 * Host of fdtd3d: finite differences on a 3D grid (see fdtd3d.cu for its memory behaviour and use).
 *
 * The CPU adds in the same order: every point, border included, is compared exactly.
 */
#include "host.h"

#include <math.h>
#include <string.h>

#define RADIUS 4

static const struct host_choice choices[] = {
    {"side", "of a plane of the grid", .sizes = {40, 128, 376}},
    {"depth", "planes of the grid", .sizes = {6, 64, 376}},
    {"steps", "in time", .sizes = {2, 2, 5}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "fdtd3d", choices, argc, argv);
    u32 side = host_measure(&h, "side"), depth = host_measure(&h, "depth");
    u32 row = side + 2 * RADIUS, steps = host_measure(&h, "steps");
    size_t plane = (size_t)row * row, count = plane * (depth + 2 * RADIUS);
    size_t bytes = count * sizeof(float), constant_bytes;
    float *taps = host_random_f32(&h, "taps", RADIUS + 1, 0, 0.04f);
    float *grid[2] = {host_random_f32(&h, "grid", count, 0, 1), HOST_ARRAY(&h, float, count)};
    memcpy(grid[1], grid[0], bytes);
    CUdeviceptr constant,
        device[2] = {host_upload(&h, grid[0], bytes), host_upload(&h, grid[1], bytes)};
    CU(&h, cuModuleGetGlobal, (&constant, &constant_bytes, h.module, "taps"));
    CU(&h, cuMemcpyHtoD, (constant, taps, (RADIUS + 1) * sizeof(float)));
    for (u32 s = 0; s < steps; s++) {
        const float *from = grid[s % 2];
        float *to = grid[1 - s % 2];
        host_launch(&h, host_kernel(&h, "fdtd3d"), DIM2(blocks_for(side, 32), blocks_for(side, 8)),
                    DIM2(32, 8), 0, ARGS(&device[s % 2], &device[1 - s % 2], &side, &side, &depth));
        for (u32 i = 0; i < side * side * depth; i++) {
            u32 z = i / (side * side);
            size_t at = (z + RADIUS) * plane + (i / side % side + RADIUS) * row + i % side + RADIUS;
            float sum = taps[0] * from[at];
            for (u32 k = 1; k <= RADIUS; k++) {
                float around = from[at - k] + from[at + k];
                around += from[at - k * row] + from[at + k * row];
                around += from[at - k * plane] + from[at + k * plane];
                sum = fmaf(taps[k], around, sum);
            }
            to[at] = sum;
        }
    }
    host_check_f32(&h, "grid", device[steps % 2], grid[steps % 2], count);
    return host_finish(&h);
}
