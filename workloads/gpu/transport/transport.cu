// Monte-Carlo transport of particles through a cube, with tallies of what happens where
//
// Memory: a particle reads the cell it is in and counts there by an atomic: cells in the middle are
// hot, others random. Lives are of different lengths; a thread whose particle has ended takes the
// next one, so that lanes stay together. Much arithmetic (logarithms, directions) between few
// accesses.
// Used by: the study of several sockets (MCB); from the algorithm.
#include "flight.h"

// density: of a collision, relative to the densest; absorb: of being absorbed then.
extern "C" __global__ void transport(const float *density, const float *absorb, u32 *collisions,
                                     u32 *absorbed, u32 *left, u32 side, u32 seed, u32 count)
{
    u32 number = blockIdx.x * blockDim.x + threadIdx.x, flights = 0, cell;
    struct particle p = particle_at(number, seed, side);
    while (number < count) {
        bool ended = false;
        if (!fly(&p, side, &cell)) {
            atomicAdd(left, 1u);
            ended = true;
        } else if (mix_unit(p.random++) < density[cell]) {
            atomicAdd(&collisions[cell], 1u);
            ended = mix_unit(p.random++) < absorb[cell];
            if (ended)
                atomicAdd(&absorbed[cell], 1u);
            else
                turn(&p);
        }
        if (ended || ++flights == MOST_FLIGHTS) {
            number += gridDim.x * blockDim.x;
            p = particle_at(number, seed, side);
            flights = 0;
        }
    }
}
