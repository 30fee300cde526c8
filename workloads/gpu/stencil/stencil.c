/*
 * Host of stencil: Jacobi iterations on a 3D grid (see stencil.cu for its memory behaviour and
 * use).
 *
 * The CPU does the kernel's operations in the kernel's order, nothing fused, so every point, border
 * included, is compared exactly after the last iteration.
 */
#include "host.h"
#include "random.h"

#include <string.h>

#define TILE_X 64
#define TILE_Y 4
#define CENTRE (1 / 6.0f)
#define SIDE (1 / 36.0f)

static void step(const float *from, float *to, u32 width, u32 height, u32 depth)
{
    size_t plane = (size_t)width * height;
    for (size_t z = 1; z < depth - 1; z++) {
        for (size_t y = 1; y < height - 1; y++) {
            for (size_t x = 1; x < width - 1; x++) {
                size_t i = z * plane + y * width + x;
                float sum = from[i - 1] + from[i + 1] + from[i - width] + from[i + width];
                to[i] = SIDE * (sum + from[i - plane] + from[i + plane]) - CENTRE * from[i];
            }
        }
    }
}

static const struct host_choice choices[] = {
    {"width", "of the grid", .sizes = {64, 256, 512}},
    {"height", "of the grid", .sizes = {36, 256, 512}},
    {"depth", "of the grid, at least 2", .sizes = {10, 34, 256}},
    {"iterations", "one launch each", .sizes = {2, 2, 10}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "stencil", choices, argc, argv);
    u32 width = host_measure(&h, "width"), height = host_measure(&h, "height");
    u32 depth = host_measure(&h, "depth"), iterations = host_measure(&h, "iterations");
    if (width < 2 || height < 2 || depth < 2)
        host_fail(&h, "%u x %u x %u points, expected at least 2 each way", width, height, depth);
    size_t count = (size_t)width * height * depth, bytes = count * sizeof(float);

    struct random r = random_stream(h.seed, "grid");
    float *grid[2] = {HOST_ARRAY(&h, float, count), HOST_ARRAY(&h, float, count)};
    for (size_t i = 0; i < count; i++)
        grid[0][i] = random_unit(r, i);
    memcpy(grid[1], grid[0], bytes); /* the border is in both */
    CUdeviceptr device[2] = {host_upload(&h, grid[0], bytes), host_upload(&h, grid[1], bytes)};

    CUfunction kernel = host_kernel(&h, "stencil_step");
    float centre = CENTRE, side = SIDE;
    for (u32 i = 0; i < iterations; i++) {
        host_launch(
            &h, kernel, DIM2(blocks_for(width, TILE_X), blocks_for(height, TILE_Y)),
            DIM2(TILE_X, TILE_Y), 0,
            ARGS(&device[i % 2], &device[(i + 1) % 2], &width, &height, &depth, &centre, &side));
        step(grid[i % 2], grid[(i + 1) % 2], width, height, depth);
    }

    float *got = HOST_ARRAY(&h, float, count);
    host_download(&h, got, device[iterations % 2], bytes);
    host_compare_f32(&h, "grid", got, grid[iterations % 2], count);
    return host_finish(&h);
}
