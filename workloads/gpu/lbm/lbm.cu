// lattice-Boltzmann flow in a driven cavity: D3Q19, f32, collide and push
//
// Memory: 19 coalesced loads and 19 stores per cell from one buffer to the other, each direction an
// array of its own; stores to the x neighbours are shifted by one element, so they touch two lines
// and write neither whole. Nothing is read twice within a step and both buffers are far larger
// than L2: bound by DRAM. One kernel per time step, one block per row of cells.
// Used by: the bandwidth and cooperative-caching studies (Parboil's lbm, 120 x 120 x 150 cells;
// here from Qian, d'Humieres, Lallemand: Europhysics Letters 1992). Small keeps the rows of 120
// cells and takes fewer of them: still 40 times L2.
#include "device.h"

#define DIRECTIONS 19
#define OMEGA 1.2f // relaxation rate
#define LID 0.05f  // speed of the driven layer, in cells per step

enum { FLUID, WALL, DRIVEN };

// Direction 0 rests; the others come in opposite pairs (1, 2), (3, 4), ...
static __device__ const int cx[DIRECTIONS] = {0,  1, -1, 0, 0,  0, 0, 1, -1, 1,
                                              -1, 1, -1, 1, -1, 0, 0, 0, 0};
static __device__ const int cy[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0,  1, -1, -1,
                                              1, 0, 0, 0, 0,  1, -1, 1, -1};
static __device__ const int cz[DIRECTIONS] = {0, 0, 0,  0,  0, 1, -1, 0,  0, 0,
                                              0, 1, -1, -1, 1, 1, -1, -1, 1};

static __device__ u32 opposite(u32 d)
{
    return d == 0 ? 0 : ((d - 1) ^ 1) + 1;
}

static __device__ float weight(u32 d)
{
    return d == 0 ? 1.0f / 3 : d < 7 ? 1.0f / 18 : 1.0f / 36;
}

// sum + c x value without the multiplication
static __device__ float add_signed(float sum, int c, float value)
{
    return c > 0 ? sum + value : c < 0 ? sum - value : sum;
}

// Relaxes f towards the equilibrium of its own density and velocity.
static __device__ void collide(float *f, bool driven)
{
    float density = f[0], x = -0.0f, y = -0.0f, z = -0.0f; // -0 + f is f: no instruction
#pragma unroll
    for (u32 d = 1; d < DIRECTIONS; d++) {
        density += f[d];
        x = add_signed(x, cx[d], f[d]);
        y = add_signed(y, cy[d], f[d]);
        z = add_signed(z, cz[d], f[d]);
    }
    x = driven ? LID : x / density;
    y = driven ? 0 : y / density;
    z = driven ? 0 : z / density;
    float rest = 1 - 1.5f * (x * x + y * y + z * z);
#pragma unroll
    for (u32 d = 0; d < DIRECTIONS; d++) {
        float along = add_signed(add_signed(add_signed(-0.0f, cx[d], x), cy[d], y), cz[d], z);
        float equilibrium = weight(d) * density * (rest + along * (3 + 4.5f * along));
        f[d] = f[d] - OMEGA * (f[d] - equilibrium);
    }
}

// One thread per cell, one block per row (grid: rows x planes). `from` and `to` have an array of
// `stride` floats for each direction, in which neighbours lie `pitch` and `plane` apart. A wall
// sends back what arrived. What walls at the rim push outwards lands in cells of the same direction
// that nobody else writes, and never comes back into the flow.
extern "C" __global__ void lbm_step(const float *from, float *to, const u8 *kind, u32 stride,
                                    u32 pitch, u32 plane)
{
    u32 cell = blockIdx.y * plane + blockIdx.x * pitch + threadIdx.x;
    float f[DIRECTIONS];
#pragma unroll
    for (u32 d = 0; d < DIRECTIONS; d++)
        f[d] = from[d * stride + cell];
    u8 what = kind[cell];
    if (what == WALL) {
#pragma unroll
        for (u32 d = 0; d < DIRECTIONS; d++) {
            int step = cx[d] + cy[d] * (int)pitch + cz[d] * (int)plane;
            to[(int)(d * stride + cell) + step] = f[opposite(d)];
        }
        return;
    }
    collide(f, what == DRIVEN);
#pragma unroll
    for (u32 d = 0; d < DIRECTIONS; d++) {
        int step = cx[d] + cy[d] * (int)pitch + cz[d] * (int)plane;
        to[(int)(d * stride + cell) + step] = f[d];
    }
}
