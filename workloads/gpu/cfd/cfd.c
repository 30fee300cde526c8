/*
 * Host of cfd: compressible flow on an unstructured grid (see cfd.cu for its memory behaviour and
 * use).
 *
 * The CPU and the kernels share the arithmetic of a face (euler.h), do it in the same order and
 * fuse nothing; divisions and roots are rounded correctly on both. Every variable of every element
 * is compared exactly after the last iteration, and so are the last fluxes.
 *
 * The grid: tetrahedra whose neighbours are those of the atoms of a diamond crystal, two per cell
 * of a box, numbered at random within a window as a mesh generator leaves them. The first and last
 * cells in x border on the undisturbed flow, those in y and z on walls.
 */
#include "euler.h"
#include "host.h"
#include "random.h"

#include <string.h>

#define BLOCK 192
#define STAGES 3
#define WINDOW 128 /* elements */

struct grid {
    u32 size[3]; /* cells */
    u32 count;   /* elements */
    int *neighbours;
    float *normals, *volumes;
};

/* number[e] for the elements in order of their cells. */
static u32 *shuffled_numbers(struct host *h, u32 count)
{
    struct random r = random_stream(h->seed, "numbers");
    u32 *number = HOST_ARRAY(h, u32, count);
    for (u32 e = 0; e < count; e++) {
        u32 start = e / WINDOW * WINDOW, other = start + random_below(r, e, e - start + 1);
        number[e] = number[other];
        number[other] = e;
    }
    return number;
}

/* Element `odd` (0 or 1) of a cell. Its face 0 is to the other element of the cell, face 1 + axis
 * to the cell before (even) or behind (odd) it. */
static void make_element(struct host *h, struct grid *g, const u32 *number, const u32 *at, u32 odd)
{
    static const float directions[FACES][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    struct random sizes = random_stream(h->seed, "faces");
    u32 step[3] = {1, g->size[0], g->size[0] * g->size[1]};
    u32 cell = at[0] + at[1] * step[1] + at[2] * step[2], element = number[2 * cell + odd];
    for (u32 face = 0; face < FACES; face++) {
        u32 axis = face - 1, even_cell = cell;
        int neighbour = (int)number[2 * cell + !odd];
        if (face > 0 && at[axis] == (odd ? g->size[axis] - 1 : 0)) {
            neighbour = axis == 0 ? FAR : WALL;
        } else if (face > 0) {
            u32 there = odd ? cell + step[axis] : cell - step[axis];
            neighbour = (int)number[2 * there + !odd];
            even_cell = odd ? there : cell;
        }
        float size =
            (odd ? -1.0f : 1.0f) * (0.9f + 0.2f * random_unit(sizes, 4 * even_cell + face));
        g->neighbours[face * g->count + element] = neighbour;
        for (u32 k = 0; k < 3; k++)
            g->normals[(3 * face + k) * g->count + element] = size * directions[face][k];
    }
}

static struct grid make_grid(struct host *h)
{
    struct grid g;
    g.size[0] = host_measure(h, "width");
    g.size[1] = host_measure(h, "height");
    g.size[2] = host_measure(h, "depth");
    g.count = 2 * g.size[0] * g.size[1] * g.size[2];
    g.neighbours = HOST_ARRAY(h, int, (size_t)FACES *g.count);
    g.normals = HOST_ARRAY(h, float, (size_t)3 * FACES * g.count);
    g.volumes = HOST_ARRAY(h, float, g.count);
    struct random volumes = random_stream(h->seed, "volumes");
    for (u32 e = 0; e < g.count; e++)
        g.volumes[e] = 8 + 4 * random_unit(volumes, e);
    u32 *number = shuffled_numbers(h, g.count);
    for (u32 z = 0; z < g.size[2]; z++) {
        for (u32 y = 0; y < g.size[1]; y++) {
            for (u32 x = 0; x < g.size[0]; x++) {
                make_element(h, &g, number, (u32[]){x, y, z}, 0);
                make_element(h, &g, number, (u32[]){x, y, z}, 1);
            }
        }
    }
    return g;
}

static struct flow load_flow(const float *variables, u32 element, u32 count)
{
    struct flow u;
    for (u32 v = 0; v < VARIABLES; v++)
        u.of[v] = variables[v * count + element];
    return u;
}

static struct flow flux(const struct grid *g, const float *variables, const struct flow *far, u32 e)
{
    struct flow u = load_flow(variables, e, g->count), sum = {{0}};
    struct gas gas = gas_of(&u);
    for (u32 face = 0; face < FACES; face++) {
        int neighbour = g->neighbours[face * g->count + e];
        float normal[3];
        for (u32 k = 0; k < 3; k++)
            normal[k] = g->normals[(3 * face + k) * g->count + e];
        struct flow other = neighbour >= 0 ? load_flow(variables, (u32)neighbour, g->count) : *far;
        if (neighbour == WALL)
            add_wall(&sum, &gas, normal);
        else
            add_face(&sum, &u, &gas, &other, normal);
    }
    return sum;
}

/* One iteration on the CPU; `fluxes` is left as the last stage has it. */
static void iterate(struct host *h, const struct grid *g, const struct flow *far, float *variables,
                    float *fluxes)
{
    float *old = HOST_ARRAY(h, float, (size_t)VARIABLES * g->count);
    float *factors = HOST_ARRAY(h, float, g->count);
    memcpy(old, variables, (size_t)VARIABLES * g->count * sizeof(float));
    for (u32 e = 0; e < g->count; e++) {
        struct flow u = load_flow(variables, e, g->count);
        factors[e] = step_over_volume(&u, g->volumes[e]);
    }
    for (u32 stage = 0; stage < STAGES; stage++) {
        for (u32 e = 0; e < g->count; e++) {
            struct flow sum = flux(g, variables, far, e);
            for (u32 v = 0; v < VARIABLES; v++)
                fluxes[v * g->count + e] = sum.of[v];
        }
        for (u32 i = 0; i < VARIABLES * g->count; i++)
            variables[i] = old[i] + factors[i % g->count] / (float)(STAGES - stage) * fluxes[i];
    }
}

static const struct host_choice choices[] = {
    {"width", "of the grid in pairs of elements", .sizes = {12, 32, 96}},
    {"height", "of the grid", .sizes = {10, 40, 96}},
    {"depth", "of the grid", .sizes = {10, 40, 108}},
    {"iterations", "of three steps each", .sizes = {1, 1, 4}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "cfd", choices, argc, argv);
    struct grid g = make_grid(&h);
    u32 iterations = host_measure(&h, "iterations"), count = g.count;
    size_t total = (size_t)VARIABLES * count, bytes = total * sizeof(float);

    /* Mach 1.2 along x where sound has speed 1; disturbed by up to 2 %. */
    struct flow far = {{1.4f, 1.4f * 1.2f, 0, 0, 1 / (GAMMA - 1) + 0.5f * 1.4f * 1.44f}};
    struct random r = random_stream(h.seed, "flow");
    float *variables = HOST_ARRAY(&h, float, total), *fluxes = HOST_ARRAY(&h, float, total);
    for (u32 i = 0; i < VARIABLES * count; i++)
        variables[i] = far.of[i / count] * (0.98f + 0.04f * random_unit(r, i));

    CUdeviceptr device_variables = host_upload(&h, variables, bytes);
    CUdeviceptr old = host_device_alloc(&h, bytes), device_fluxes = host_device_alloc(&h, bytes);
    CUdeviceptr neighbours = host_upload(&h, g.neighbours, (size_t)FACES * count * sizeof(int));
    CUdeviceptr normals = host_upload(&h, g.normals, (size_t)3 * FACES * count * sizeof(float));
    CUdeviceptr volumes = host_upload(&h, g.volumes, count * sizeof(float));
    CUdeviceptr factors = host_device_alloc(&h, count * sizeof(float));
    CUfunction step_factor = host_kernel(&h, "cfd_step_factor");
    CUfunction add_fluxes = host_kernel(&h, "cfd_flux"), advance = host_kernel(&h, "cfd_time_step");

    struct dim grid = DIM1(blocks_for(count, BLOCK)), block = DIM1(BLOCK);
    for (u32 i = 0; i < iterations; i++) {
        CU(&h, cuMemcpyDtoD, (old, device_variables, bytes));
        host_launch(&h, step_factor, grid, block, 0,
                    ARGS(&device_variables, &volumes, &factors, &count));
        for (u32 stage = 0; stage < STAGES; stage++) {
            host_launch(
                &h, add_fluxes, grid, block, 0,
                ARGS(&device_variables, &neighbours, &normals, &far, &device_fluxes, &count));
            host_launch(&h, advance, grid, block, 0,
                        ARGS(&old, &factors, &device_fluxes, &device_variables, &stage, &count));
        }
        iterate(&h, &g, &far, variables, fluxes);
    }

    float *got = HOST_ARRAY(&h, float, total);
    host_download(&h, got, device_fluxes, bytes);
    host_compare_f32(&h, "fluxes", got, fluxes, total);
    host_download(&h, got, device_variables, bytes);
    host_compare_f32(&h, "variables", got, variables, total);
    return host_finish(&h);
}
