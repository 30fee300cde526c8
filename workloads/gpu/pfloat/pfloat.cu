// particle filter that follows an object through noisy frames, f64
//
// Memory: a particle writes down which pixels lie in a disk around it, one particle after the other
// in memory, and then reads them all: 32 lines per access, and lines that were written have gone
// from L1. One thread adds up all weights in order, alone. Then every thread walks the cumulated
// weights from the start until it has passed its own number: the same lines on all SMs at about the
// same time. Used by: the cooperative-caching study (pfloat: particlefilter_float of Rodinia).
// Published: 128 x 128 pixels, 10 frames, 1000 particles; size small has 128 x 128 pixels, 3
// frames, 2048 particles.
#include "device.h"
#include "exponential.h"

#define BLOCK 128
#define RADIUS 4
#define PIXELS 64 // room: a disk of that radius has 49

// Moves each particle by the object's speed and some noise, and weighs it by how much the disk
// around it looks like the object (bright) rather than the background (dark). Which pixels those
// are goes through memory: pixel_at has room for PIXELS of each particle.
extern "C" __global__ void pfloat_weigh(const u8 *frame, u32 width, u32 height, const double *noise,
                                        u32 *pixel_at, double *x, double *y, double *weight,
                                        u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    x[i] = x[i] + 1 + 5 * noise[2 * i];
    y[i] = y[i] - 2 + 2 * noise[2 * i + 1];
    int cx = (int)__builtin_rint(x[i]), cy = (int)__builtin_rint(y[i]), sum = 0;
    u32 *mine = pixel_at + i * PIXELS, pixels = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++) {
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            if (dx * dx + dy * dy > RADIUS * RADIUS)
                continue;
            u32 px = (u32)(cx + dx), py = (u32)(cy + dy); // beyond an edge: very large
            mine[pixels++] = px < width && py < height ? py * width + px : 0;
        }
    }
    for (u32 n = 0; n < pixels; n++) {
        int value = frame[mine[n]];
        sum += (value - 100) * (value - 100) - (value - 228) * (value - 228);
    }
    weight[i] = exponential((double)sum / (50.0 * (int)pixels) / 40);
}

// Cumulated weights, by one thread, so that their order is that of the particles.
extern "C" __global__ void pfloat_cumulate(const double *weight, double *cumulated, u32 count)
{
    double sum = 0;
    if (threadIdx.x != 0)
        return;
    for (u32 i = 0; i < count; i++) {
        sum += weight[i];
        cumulated[i] = sum;
    }
}

// Particle i becomes the first one whose cumulated weight reaches (i + start) / count of the sum.
extern "C" __global__ void pfloat_resample(const double *cumulated, const double *x,
                                           const double *y, double *new_x, double *new_y,
                                           double start, u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    double wanted = (i + start) / count * cumulated[count - 1];
    u32 at = 0;
    while (at + 1 < count && cumulated[at] < wanted)
        at++;
    new_x[i] = x[at];
    new_y[i] = y[at];
}
