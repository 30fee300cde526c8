/*
 * Host of lbm: flow in a driven cavity (see lbm.cu for its memory behaviour and use).
 *
 * The CPU does the kernel's operations in the kernel's order; adding or leaving out a product with
 * zero changes no value. Every direction of every cell is compared exactly after the last step,
 * with the margins into which the outer walls push.
 */
#include "host.h"
#include "random.h"

#include <string.h>

#define DIRECTIONS 19
#define OMEGA 1.2f
#define LID 0.05f
#define ALIGN 32 /* floats: rows start at a line */

enum { FLUID, WALL, DRIVEN };

static const int c[DIRECTIONS][3] = {
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
};

struct box {
    u32 width, height, depth; /* cells, walls included */
    u32 pitch, plane;         /* from a row and a plane to the next */
    u32 margin, stride;       /* before and after the cells; from a direction to the next */
    u8 *kind;
};

static u32 aligned(u32 count)
{
    return (count + ALIGN - 1) / ALIGN * ALIGN;
}

/* Walls all around; the layer below the top moves. */
static struct box make_box(struct host *h)
{
    struct box b;
    b.width = host_measure(h, "width");
    b.height = host_measure(h, "height");
    b.depth = host_measure(h, "depth");
    b.pitch = aligned(b.width + 1); /* a cell that is not one at the end of each row */
    b.plane = b.pitch * b.height;
    b.margin = aligned(b.plane + b.pitch + 1);
    b.stride = b.plane * b.depth + 2 * b.margin;
    b.kind = HOST_ARRAY(h, u8, (size_t)b.plane * b.depth);
    for (u32 z = 0; z < b.depth; z++) {
        for (u32 y = 0; y < b.height; y++) {
            for (u32 x = 0; x < b.width; x++) {
                bool rim = x == 0 || y == 0 || z == 0 || x == b.width - 1 || y == b.height - 1 ||
                           z == b.depth - 1;
                b.kind[z * b.plane + y * b.pitch + x] = rim                 ? WALL
                                                        : y == b.height - 2 ? DRIVEN
                                                                            : FLUID;
            }
        }
    }
    return b;
}

static float weight(u32 d)
{
    return d == 0 ? 1.0f / 3 : d < 7 ? 1.0f / 18 : 1.0f / 36;
}

static void collide(float *f, bool driven)
{
    float density = f[0], u[3] = {0};
    for (u32 d = 1; d < DIRECTIONS; d++) {
        density += f[d];
        for (u32 k = 0; k < 3; k++)
            u[k] += (float)c[d][k] * f[d];
    }
    for (u32 k = 0; k < 3; k++)
        u[k] = driven ? (k == 0 ? LID : 0) : u[k] / density;
    float rest = 1 - 1.5f * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (u32 d = 0; d < DIRECTIONS; d++) {
        float along = 0;
        for (u32 k = 0; k < 3; k++)
            along += (float)c[d][k] * u[k];
        float equilibrium = weight(d) * density * (rest + along * (3 + 4.5f * along));
        f[d] = f[d] - OMEGA * (f[d] - equilibrium);
    }
}

static void step_cell(const struct box *b, const float *from, float *to, size_t cell)
{
    float f[DIRECTIONS];
    for (u32 d = 0; d < DIRECTIONS; d++)
        f[d] = from[(size_t)d * b->stride + b->margin + cell];
    bool wall = b->kind[cell] == WALL;
    if (!wall)
        collide(f, b->kind[cell] == DRIVEN);
    for (u32 d = 0; d < DIRECTIONS; d++) {
        i64 shift = c[d][0] + c[d][1] * (i64)b->pitch + c[d][2] * (i64)b->plane;
        i64 at = (i64)((size_t)d * b->stride + b->margin + cell) + shift;
        to[at] = f[wall && d > 0 ? ((d - 1) ^ 1) + 1 : d]; /* a wall sends it back */
    }
}

static void step(const struct box *b, const float *from, float *to)
{
    for (u32 z = 0; z < b->depth; z++) {
        for (u32 y = 0; y < b->height; y++) {
            for (u32 x = 0; x < b->width; x++)
                step_cell(b, from, to, (size_t)z * b->plane + y * b->pitch + x);
        }
    }
}

static const struct host_choice choices[] = {
    {"width", "of the box", .sizes = {30, 120, 120}},
    {"height", "of the box", .sizes = {10, 38, 120}},
    {"depth", "of the box", .sizes = {8, 40, 150}},
    {"steps", "one launch each", .sizes = {3, 2, 20}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "lbm", choices, argc, argv);
    struct box b = make_box(&h);
    u32 steps = host_measure(&h, "steps");
    size_t count = (size_t)DIRECTIONS * b.stride, bytes = count * sizeof(float);

    /* At rest, but for a disturbance of the density by up to 5 %. */
    struct random r = random_stream(h.seed, "density");
    float *state[2] = {HOST_ARRAY(&h, float, count), HOST_ARRAY(&h, float, count)};
    for (size_t i = 0; i < count; i++)
        state[0][i] = weight((u32)(i / b.stride)) * (0.95f + 0.1f * random_unit(r, i % b.stride));
    memcpy(state[1], state[0], bytes);
    CUdeviceptr kind = host_upload(&h, b.kind, (size_t)b.plane * b.depth);
    CUdeviceptr device[2] = {host_upload(&h, state[0], bytes), host_upload(&h, state[1], bytes)};

    CUfunction kernel = host_kernel(&h, "lbm_step");
    for (u32 i = 0; i < steps; i++) {
        CUdeviceptr from = device[i % 2] + b.margin * sizeof(float);
        CUdeviceptr to = device[(i + 1) % 2] + b.margin * sizeof(float);
        host_launch(&h, kernel, DIM2(b.height, b.depth), DIM1(b.width), 0,
                    ARGS(&from, &to, &kind, &b.stride, &b.pitch, &b.plane));
        step(&b, state[i % 2], state[(i + 1) % 2]);
    }

    float *got = HOST_ARRAY(&h, float, count);
    host_download(&h, got, device[steps % 2], bytes);
    host_compare_f32(&h, "state", got, state[steps % 2], count);
    return host_finish(&h);
}
