// Coulomb potential with a cutoff on a 3D lattice, atoms sorted into bins
//
// Memory: all threads of a block go through the same bins around their cube of lattice points; the
// list of these bins is in constant memory, their atoms come through shared memory, 4 bins at a
// time. Neighbouring blocks read the same bins, so SMs hold the same lines. Four points per thread
// use each atom: bound by arithmetic (FMA, and one reciprocal root per pair within the cutoff),
// which diverges at the cutoff; memory hardly matters.
// Used by: the cooperative-caching study (Parboil's cutcp, 96604 atoms, cutoff 12 Angstrom; here
// from the definition). Small has a cutoff of one bin, 4 Angstrom, and 392 bins with some 2500
// atoms.
#include "device.h"
#include "device_math.h"

#define POINTS 8     // lattice points of a bin and of a block along each axis
#define SPACING 0.5f // Angstrom between lattice points
#define SLOTS 8      // atoms of a bin, those of charge 0 being none
#define BATCH 4      // bins in shared memory: one float for each thread
#define BLOCK (BATCH * SLOTS * 4)
#define EACH (POINTS * POINTS * POINTS / BLOCK) // points of a thread, one above the other
#define MOST_BINS 343                           // within three bins

struct atom {
    float x, y, z, charge;
};

// How far the bins around a block's lie from its own, `bin_count` of them.
__constant__ int around[MOST_BINS];

// Block: 8 x 8 x 2 threads; grid: as many blocks as bins. The bins have a rim of `rim` bins around
// these, so that no block needs to ask where the lattice ends.
extern "C" __global__ void __launch_bounds__(BLOCK)
    cutcp_potential(const struct atom *bins, float *potential, u32 bin_count, u32 rim,
                    float cutoff2)
{
    __shared__ struct atom atoms[BATCH * SLOTS];
    u32 thread = (threadIdx.z * POINTS + threadIdx.y) * POINTS + threadIdx.x;
    u32 across = gridDim.x + 2 * rim, up = gridDim.y + 2 * rim;
    u32 home = ((blockIdx.z + rim) * up + blockIdx.y + rim) * across + blockIdx.x + rim;
    u32 px = blockIdx.x * POINTS + threadIdx.x, py = blockIdx.y * POINTS + threadIdx.y;
    u32 pz = blockIdx.z * POINTS + threadIdx.z * EACH;
    float x = (float)px * SPACING, y = (float)py * SPACING, z = (float)pz * SPACING;
    float inverse = 1 / cutoff2, sum[EACH] = {0};
    for (u32 b = 0; b < bin_count; b += BATCH) {
        u32 next = b + thread / (SLOTS * 4);
        float value = 0;
        if (next < bin_count) {
            const struct atom *bin = bins + (home + (u32)around[next]) * SLOTS;
            value = ((const float *)bin)[thread % (SLOTS * 4)];
        }
        __syncthreads();
        ((float *)atoms)[thread] = value;
        __syncthreads();
        for (u32 i = 0; i < BATCH * SLOTS; i++) {
            struct atom a = atoms[i];
            if (a.charge == 0)
                continue;
            float dx = a.x - x, dy = a.y - y;
            float flat = fmaf(dx, dx, dy * dy);
#pragma unroll
            for (u32 k = 0; k < EACH; k++) {
                float dz = a.z - (z + (float)k * SPACING);
                float square = fmaf(dz, dz, flat);
                if (square < cutoff2) { // the potential goes to zero at the cutoff
                    float fade = 1 - square * inverse;
                    sum[k] = fmaf(a.charge * rsqrtf(square), fade * fade, sum[k]);
                }
            }
        }
    }
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
        u32 plane = (pz + k) * (gridDim.y * POINTS);
        potential[(plane + py) * (gridDim.x * POINTS) + px] = sum[k];
    }
}
