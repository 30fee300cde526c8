/*
 * Host of hpgmg: V-cycles over cubes of cells (see hpgmg.cu for its memory behaviour and use).
 *
 * The CPU does the kernels' operations in their order: the solution is compared exactly after every
 * cycle.
 */
#include "host.h"
#include "point.h"

#define BLOCK 128
#define COARSEST 2

static const struct host_choice choices[] = {
    {"side", "of the cube of cells, a power of two", .sizes = {16, 64, 256}},
    {"cycles", "over all levels", .sizes = {2, 2, 10}},
    {0},
};

struct level {
    u32 side, count;
    float *b, *x, *next;
    CUdeviceptr device_b, device_x, device_next;
};

static void make_level(struct level *l, struct host *h, u32 side)
{
    *l = (struct level){.side = side, .count = side * side * side};
    l->b = host_random_f32(h, "b", l->count, -1, 1);
    l->x = HOST_ARRAY(h, float, l->count);
    l->next = HOST_ARRAY(h, float, l->count);
    l->device_b = host_upload(h, l->b, l->count * sizeof(float));
    l->device_x = host_zeros(h, l->count * sizeof(float));
    l->device_next = host_zeros(h, l->count * sizeof(float));
}

static void launch(struct host *h, const char *kernel, u32 count, void **args)
{
    host_launch(h, host_kernel(h, kernel), DIM1(blocks_for(count, BLOCK)), DIM1(BLOCK), 0, args);
}

static void smooth(struct level *l, struct host *h, u32 times)
{
    for (u32 t = 0; t < times; t++) {
        launch(h, "hpgmg_smooth", l->count,
               ARGS(&l->device_b, &l->device_x, &l->device_next, &l->side));
        for (u32 i = 0; i < l->count; i++)
            l->next[i] = point_smoothed(l->b, l->x, i, l->side);
        float *x = l->x;
        CUdeviceptr device_x = l->device_x;
        l->x = l->next, l->next = x;
        l->device_x = l->device_next, l->device_next = device_x;
    }
}

static void cycle(struct level *l, struct host *h)
{
    smooth(l, h, 2);
    if (l->side > COARSEST) {
        struct level *c = l + 1;
        launch(h, "hpgmg_residual", l->count,
               ARGS(&l->device_b, &l->device_x, &l->device_next, &l->side));
        launch(h, "hpgmg_restrict", c->count,
               ARGS(&l->device_next, &c->device_b, &c->device_x, &c->side));
        for (u32 i = 0; i < l->count; i++)
            l->next[i] = point_residual(l->b, l->x, i, l->side);
        for (u32 i = 0; i < c->count; i++) {
            float sum = 0;
            for (u32 k = 0; k < 8; k++)
                sum += l->next[child(finer(i, c->side), k, c->side)];
            c->b[i] = 0.5f * sum;
            c->x[i] = 0;
        }
        cycle(c, h);
        launch(h, "hpgmg_prolong", c->count, ARGS(&c->device_x, &l->device_x, &c->side));
        for (u32 i = 0; i < c->count; i++) {
            for (u32 k = 0; k < 8; k++)
                l->x[child(finer(i, c->side), k, c->side)] += c->x[i];
        }
    }
    smooth(l, h, 2);
}

int main(int argc, char **argv)
{
    struct host h;
    struct level levels[16];
    host_init(&h, "hpgmg", choices, argc, argv);
    u32 side = host_measure(&h, "side"), count = 0;
    if (side < COARSEST || side & (side - 1))
        host_fail(&h, "--side is %u, expected a power of two", side);
    for (; side >= COARSEST; side /= 2)
        make_level(&levels[count++], &h, side);
    for (u32 i = 0, cycles = host_measure(&h, "cycles"); i < cycles; i++) {
        cycle(levels, &h);
        host_check_f32(&h, "x", levels[0].device_x, levels[0].x, levels[0].count);
    }
    return host_finish(&h);
}
