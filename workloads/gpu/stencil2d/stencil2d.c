/*
 * Host of stencil2d: Jacobi iterations on a grid (see stencil2d.cu for its memory behaviour and
 * use).
 *
 * The CPU does the kernel's operations in the kernel's order with the kernel's one fused
 * multiply-add (programs here are compiled without contraction), so every point, border included,
 * is compared exactly after the last iteration.
 */
#include "host.h"
#include "random.h"

#include <math.h>
#include <string.h>

#define BLOCK_X 32
#define BLOCK_Y 8
#define CENTRE 0.6f
#define SIDE 0.1f

static void step(const float *from, float *to, u32 width, u32 height)
{
    for (u32 y = 1; y < height - 1; y++) {
        for (u32 x = 1; x < width - 1; x++) {
            size_t i = (size_t)y * width + x;
            float sum = from[i - width] + from[i + width];
            sum = sum + from[i - 1];
            sum = sum + from[i + 1];
            to[i] = fmaf(SIDE, sum, CENTRE * from[i]);
        }
    }
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "stencil2d", NULL, argc, argv);
    u32 width = host_pick(&h, 150, 700, 8000), height = host_pick(&h, 100, 500, 6000);
    u32 iterations = host_pick(&h, 4, 12, 20);
    size_t count = (size_t)width * height, bytes = count * sizeof(float);

    struct random r = random_stream(h.seed, "grid");
    float *grid[2] = {HOST_ARRAY(&h, float, count), HOST_ARRAY(&h, float, count)};
    for (size_t i = 0; i < count; i++)
        grid[0][i] = random_unit(r, i);
    memcpy(grid[1], grid[0], bytes); /* the border is in both */
    CUdeviceptr device[2] = {host_upload(&h, grid[0], bytes), host_upload(&h, grid[1], bytes)};

    CUfunction kernel = host_kernel(&h, "stencil2d_step");
    float centre = CENTRE, side = SIDE;
    for (u32 i = 0; i < iterations; i++) {
        host_launch(&h, kernel, DIM2(blocks_for(width, BLOCK_X), blocks_for(height, BLOCK_Y)),
                    DIM2(BLOCK_X, BLOCK_Y), 0,
                    ARGS(&device[i % 2], &device[(i + 1) % 2], &width, &height, &centre, &side));
        step(grid[i % 2], grid[(i + 1) % 2], width, height);
    }

    float *got = HOST_ARRAY(&h, float, count);
    host_download(&h, got, device[iterations % 2], bytes);
    host_compare_f32(&h, "grid", got, grid[iterations % 2], count);
    return host_finish(&h);
}
