// compressible flow (Euler equations) by finite volumes on an unstructured grid
//
// Memory: an element reads its own 5 variables, 4 neighbour numbers and 4 normals coalesced, and
// gathers 5 variables of each neighbour: up to 32 lines per load, which other SMs read as well. The
// variables are several times L2; the gathers are bound by the networks and L2, not by DRAM.
// Elements at the rim diverge. Seven kernels per iteration: step factors, then fluxes and update in
// each of three Runge-Kutta stages.
// Used by: the bandwidth and cooperative-caching studies (Rodinia's cfd, 200000 elements; here from
// the finite-volume method). Small has half of the elements, the variables being 2.6 times L2,
// and a numbering whose neighbours lie some 128 elements apart.
#include "device.h"

#include "euler.h"

#define BLOCK 192
#define STAGES 3

// Variable v of element e is variables[v * count + e], and so on for all arrays.
static __device__ struct flow load_flow(const float *variables, u32 element, u32 count)
{
    struct flow u;
    for (u32 v = 0; v < VARIABLES; v++)
        u.of[v] = variables[v * count + element];
    return u;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    cfd_step_factor(const float *variables, const float *volumes, float *factors, u32 count)
{
    u32 element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= count)
        return;
    struct flow u = load_flow(variables, element, count);
    factors[element] = step_over_volume(&u, volumes[element]);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    cfd_flux(const float *variables, const int *neighbours, const float *normals, struct flow far,
             float *fluxes, u32 count)
{
    u32 element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= count)
        return;
    struct flow u = load_flow(variables, element, count), sum = {{0, 0, 0, 0, 0}};
    struct gas g = gas_of(&u);
    for (u32 face = 0; face < FACES; face++) {
        int neighbour = neighbours[face * count + element];
        float normal[3];
        for (u32 k = 0; k < 3; k++)
            normal[k] = normals[(3 * face + k) * count + element];
        if (neighbour >= 0) {
            struct flow other = load_flow(variables, (u32)neighbour, count);
            add_face(&sum, &u, &g, &other, normal);
        } else if (neighbour == WALL) {
            add_wall(&sum, &g, normal);
        } else {
            add_face(&sum, &u, &g, &far, normal);
        }
    }
    for (u32 v = 0; v < VARIABLES; v++)
        fluxes[v * count + element] = sum.of[v];
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    cfd_time_step(const float *old, const float *factors, const float *fluxes, float *variables,
                  u32 stage, u32 count)
{
    u32 element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= count)
        return;
    float factor = factors[element] / (float)(STAGES - stage);
    for (u32 v = 0; v < VARIABLES; v++) {
        u32 i = v * count + element;
        variables[i] = old[i] + factor * fluxes[i];
    }
}
