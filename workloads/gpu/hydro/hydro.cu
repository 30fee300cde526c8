// hydrodynamics on an unstructured mesh that moves with the gas
//
// Memory: elements gather the positions of their four nodes through an index, nodes gather forces
// from the elements around them through another; three kernels per step, each array read and
// written once. With --mesh unstructured elements and nodes are numbered at random and every gather
// is a line of its own; otherwise neighbours lie near each other. Bound by DRAM bandwidth and
// gathers. Used by: the study of several sockets (Lulesh, and Lulesh on unstructured meshes); a
// staggered-grid Lagrangian scheme in two dimensions, from the equations.
#include "element.h"

DEVICE_CALL void gather(const u32 *corners, const struct vector *position, u32 element,
                        struct vector *c)
{
    for (u32 k = 0; k < 4; k++)
        c[k] = position[corners[4 * element + k]];
}

extern "C" __global__ void hydro_force(const u32 *corners, const struct vector *position,
                                       const float *mass, const float *energy,
                                       struct vector *forces, u32 elements)
{
    u32 e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= elements)
        return;
    struct vector c[4];
    gather(corners, position, e, c);
    float pressure = pressure_of(mass[e], energy[e], area_of(c));
    for (u32 k = 0; k < 4; k++)
        forces[4 * e + k] = force_on(c, k, pressure);
}

// around[first[n]] and on: the corners of elements that are node n. Nodes of the border have an
// infinite mass.
extern "C" __global__ void hydro_move(const u32 *first, const u32 *around,
                                      const struct vector *forces, const float *inverse_mass,
                                      struct vector *velocity, struct vector *position, float dt,
                                      u32 nodes)
{
    u32 n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= nodes)
        return;
    struct vector sum = {0, 0};
    for (u32 i = first[n]; i < first[n + 1]; i++)
        sum = moved(sum, forces[around[i]], 1);
    velocity[n] = moved(velocity[n], sum, dt * inverse_mass[n]);
    position[n] = moved(position[n], velocity[n], dt);
}

// The work that the pressure did in a step.
extern "C" __global__ void hydro_energy(const u32 *corners, const struct vector *position,
                                        const float *mass, float *energy, float *area, u32 elements)
{
    u32 e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= elements)
        return;
    struct vector c[4];
    gather(corners, position, e, c);
    float before = area[e], now = area_of(c);
    energy[e] -= pressure_of(mass[e], energy[e], before) * (now - before) / mass[e];
    area[e] = now;
}
