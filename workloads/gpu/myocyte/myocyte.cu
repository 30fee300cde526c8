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

// All steps of time by Euler's method. The rates of change go through memory, as in the original;
// the barriers keep them there.
extern "C" __global__ void __launch_bounds__(BLOCK)
    myocyte_run(float *variables, const float *parameters, float *changes, float step, u32 steps,
                u32 cells)
{
    u32 cell = blockIdx.x * BLOCK + threadIdx.x;
    float *mine = variables + cell * VARIABLES, *change = changes + cell * VARIABLES;
    for (u32 n = 0; n < steps; n++) {
        if (cell < cells)
            cell_rates(mine, parameters + cell * PARAMETERS, change);
        __syncthreads();
        for (u32 i = 0; cell < cells && i < VARIABLES; i++)
            mine[i] = fmaf(change[i], step, mine[i]);
        __syncthreads();
    }
}
