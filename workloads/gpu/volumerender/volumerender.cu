// volume rendering: rays march through a cube of densities, front to back
//
// Memory: eight values per step, of which neighbouring rays and steps share most; the volume is
// small and stays in L1 and L2. Arithmetic between. Rays end where light no longer comes through:
// divergence.
// Used by: the study of shared caches (volumerender, type A); from the algorithm (Levoy: CG&A
// 1988).
#include "march.h"

extern "C" __global__ void volumerender(const float *volume, float *image, u32 side, u32 pixels,
                                        u32 steps)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < pixels && y < pixels)
        image[y * pixels + x] = march(volume, side, x, y, pixels, steps);
}
