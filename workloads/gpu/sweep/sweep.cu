// wavefront sweeps of discrete ordinates: diagonal planes of a cube, one launch each
//
// Memory: a cell's 32 angles lie side by side, one per lane; a cell reads those of its three
// upstream neighbours, which the launch before has written. Planes are small at the corners and
// large in the middle: many launches that do not fill the chip.
// Used by: the study of several sockets (SNAP); the diamond-free step scheme, from the equations
// (Baker and Koch: NSE 1998).
#include "upstream.h"

// The cells of one diagonal plane; backwards: from the opposite corner.
extern "C" __global__ void sweep_plane(const u32 *cells, u32 count, const float *source,
                                       const float *absorb, float *psi, u32 side, u32 backwards)
{
    u32 i = blockIdx.x * blockDim.y + threadIdx.y, angle = threadIdx.x;
    if (i < count)
        psi[cells[i] * ANGLES + angle] =
            flux_at(source, absorb, psi, cells[i], angle, side, backwards);
}

// The scalar flux: a cell's angles added up.
extern "C" __global__ void sweep_flux(const float *psi, float *flux, u32 cells)
{
    u32 cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells)
        return;
    float sum = flux[cell];
    for (u32 a = 0; a < ANGLES; a++)
        sum += psi[cell * ANGLES + a];
    flux[cell] = sum;
}
