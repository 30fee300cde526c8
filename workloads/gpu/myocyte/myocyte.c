/*
 * Host of myocyte: heart muscle cells over time (see myocyte.cu for its memory behaviour and use).
 *
 * The CPU compiles the kernel's equations, with exponentials and logarithms of their own, and does
 * the same correctly rounded operations in the same order: every variable of every cell is compared
 * exactly at the end.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define CELL static inline
#include "equations.h"

#define BLOCK 32
#define STEP 0.01f /* ms */

static void make_cells(struct host *h, u32 cells, float *variables, float *parameters)
{
    static const float rest[VARIABLES] = {-84,    0.0017f, 0.98f,   0.99f,
                                          0.003f, 0.99f,   0.0056f, 2e-4f};
    static const float usual[PARAMETERS] = {40, 23, 0.09f, 0.282f, 0.0183f, 0.03921f};
    struct random r = random_stream(h->seed, "cells");
    for (u32 c = 0; c < cells; c++) {
        for (u32 i = 0; i < VARIABLES; i++)
            variables[c * VARIABLES + i] = rest[i];
        for (u32 i = 0; i < PARAMETERS; i++) /* cells differ by a tenth */
            parameters[c * PARAMETERS + i] =
                usual[i] * (0.95f + 0.1f * random_unit(r, c * (u64)PARAMETERS + i));
    }
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "myocyte", NULL, argc, argv);
    u32 cells = host_pick(&h, 64, 512, 16384), steps = host_pick(&h, 4, 200, 400);
    size_t numbers = (size_t)cells * VARIABLES;
    float *variables = HOST_ARRAY(&h, float, numbers), step = STEP;
    float *parameters = HOST_ARRAY(&h, float, (size_t)cells *PARAMETERS);
    make_cells(&h, cells, variables, parameters);
    CUdeviceptr device_variables = host_upload(&h, variables, numbers * sizeof(float));
    CUdeviceptr device_parameters =
        host_upload(&h, parameters, (size_t)cells * PARAMETERS * sizeof(float));
    CUdeviceptr changes = host_device_alloc(&h, numbers * sizeof(float));
    host_launch(&h, host_kernel(&h, "myocyte_run"), DIM1(blocks_for(cells, BLOCK)), DIM1(BLOCK), 0,
                ARGS(&device_variables, &device_parameters, &changes, &step, &steps, &cells));
    for (u32 c = 0; c < cells; c++) {
        float *y = variables + (size_t)c * VARIABLES, change[VARIABLES];
        for (u32 n = 0; n < steps; n++) {
            cell_rates(y, parameters + (size_t)c * PARAMETERS, change);
            for (u32 i = 0; i < VARIABLES; i++)
                y[i] = fmaf(change[i], STEP, y[i]);
        }
    }
    float *got = HOST_ARRAY(&h, float, numbers);
    host_download(&h, got, device_variables, numbers * sizeof(float));
    host_compare_f32(&h, "variables", got, variables, numbers);
    return host_finish(&h);
}
