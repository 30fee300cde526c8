// reconstruction of a volume from X-ray projections, voxel by voxel
//
// Memory: a voxel gathers four pixels of every projection of a launch; neighbours gather near each
// other, so rows of the detector are reused in L1 and L2; the volume is read and written once per
// launch. Gathers with much address arithmetic.
// Used by: the study of several sockets (RabbitCT); from the algorithm (Feldkamp, Davis, Kress
// 1984, the back-projection alone).
#include "project.h"

#define MOST_VIEWS 16

__constant__ struct view views[MOST_VIEWS];

extern "C" __global__ void rabbitct(const float *images, float *volume, u32 side, u32 width,
                                    u32 height, u32 count)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    u32 z = blockIdx.z, at = (z * side + y) * side + x;
    if (x >= side || y >= side)
        return;
    float sum = volume[at];
    for (u32 v = 0; v < count; v++)
        sum = add_view(images + v * width * height, &views[v], width, height, (float)x, (float)y,
                       (float)z, sum);
    volume[at] = sum;
}
