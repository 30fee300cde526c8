// beating of heart muscle cells: ordinary differential equations, one cell per thread
//
// Memory: every cell has its variables, parameters and rates of change in memory, one cell after
// the other, and reads and writes them all in every step of time: a warp's accesses touch as many
// lines as it has threads, and a write drops its line from L1. There are only as many threads as
// cells, so nothing hides the latency. No two SMs have lines in common, but for borders. Used by:
// the cooperative-caching study (myocyte of Rodinia). Published: 100 instances of a model of 91
// equations; here of the 8 of Luo and Rudy (1991), with rates in memory as there. Size small has
// 512 cells and 200 steps.
#include "device.h"
#include "device_math.h"

#define CELL DEVICE_CALL
#include "equations.h"

#define BLOCK 32

// Rates of change of every cell, left in memory for myocyte_step.
extern "C" __global__ void __launch_bounds__(BLOCK)
    myocyte_rates(const float *variables, const float *parameters, float *changes, u32 cells)
{
    u32 cell = blockIdx.x * BLOCK + threadIdx.x;
    if (cell < cells)
        cell_rates(variables + cell * VARIABLES, parameters + cell * PARAMETERS,
                   changes + cell * VARIABLES);
}

// A step of time by Euler's method.
extern "C" __global__ void __launch_bounds__(BLOCK)
    myocyte_step(float *variables, const float *changes, float step, u32 cells)
{
    u32 cell = blockIdx.x * BLOCK + threadIdx.x;
    if (cell >= cells)
        return;
    for (u32 i = 0; i < VARIABLES; i++) {
        float *v = &variables[cell * VARIABLES + i];
        *v = fmaf(changes[cell * VARIABLES + i], step, *v);
    }
}
