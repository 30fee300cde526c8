// distance of every record to a query point, for its nearest neighbours
//
// Memory: one coalesced pass, 8 bytes read and 4 written per record, no reuse, one square root:
// bound by DRAM bandwidth. One launch; the host picks the nearest, as the published program does.
// Used by: the bandwidth study (nn of Rodinia). Published: the number of records is not given; size
// small has 10^6, many times what L2 holds.
#include "device.h"

struct place {
    float latitude, longitude;
};

extern "C" __global__ void nn_distances(const struct place *records, float *distance, u32 count,
                                        float latitude, float longitude)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float north = latitude - records[i].latitude, east = longitude - records[i].longitude;
    distance[i] = sqrtf(fmaf(north, north, east * east));
}
