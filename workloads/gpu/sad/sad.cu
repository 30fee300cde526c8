// sums of absolute differences for motion estimation: all block shapes, all search positions
//
// Memory: the 4 x 4 blocks read 16 pixels of the reference frame per search position, overlapping
// windows that stay in L1 and L2; the larger blocks only add what the kernel before wrote, two
// positions of 16 bits at a time. The sums are ninety times the frames: written once,
// coalesced, part of them read once more. Arithmetic first, then the traffic of the sums. Three
// kernels.
// Used by: the bandwidth and cooperative-caching studies (Parboil's sad, two frames of 176 x 144
// pixels; here from H.264's block shapes). Small is the published size.
#include "device.h"

typedef unsigned short u16;

#define RANGE 16             // search positions: -16 to 16 in x and y
#define SPAN (2 * RANGE + 1) // along one axis
#define POSITIONS (SPAN * SPAN)
#define PITCH 1120 // sums from a block to the next: POSITIONS, rounded up to whole sectors
#define BLOCK 128

static __device__ u32 distance(int a, int b)
{
    int d = a - b;
    return (u32)(d < 0 ? -d : d);
}

// Grid: the 4 x 4 blocks of the frame. The reference frame has a margin of RANGE pixels all around.
extern "C" __global__ void __launch_bounds__(BLOCK)
    sad_4x4(const u16 *current, const u16 *reference, u16 *sads, u32 width)
{
    __shared__ int pixels[4][4];
    u32 x = blockIdx.x * 4, y = blockIdx.y * 4, pitch = width + 2 * RANGE;
    if (threadIdx.x < 16) {
        u32 row = threadIdx.x / 4, column = threadIdx.x % 4;
        pixels[row][column] = current[(y + row) * width + x + column];
    }
    __syncthreads();
    u16 *out = sads + (blockIdx.y * gridDim.x + blockIdx.x) * PITCH;
    for (u32 p = threadIdx.x; p < POSITIONS; p += BLOCK) {
        const u16 *from = reference + (y + p / SPAN) * pitch + x + p % SPAN;
        u32 sum = 0;
        for (u32 row = 0; row < 4; row++) {
            for (u32 column = 0; column < 4; column++)
                sum += distance(pixels[row][column], from[row * pitch + column]);
        }
        out[p] = (u16)sum;
    }
}

// From the quarters of a square to its halves (upper, lower, left, right) and the whole. A sum of
// up to 16 x 16 differences fits 16 bits, so one addition serves two positions.
static __device__ void join(const u32 *quarter, u32 right, u32 down, u32 *shapes)
{
    for (u32 p = threadIdx.x; p < PITCH / 2; p += BLOCK) {
        u32 a = quarter[p], b = quarter[p + right], c = quarter[p + down];
        u32 d = quarter[p + right + down];
        shapes[p] = a + b;
        shapes[p + PITCH / 2] = c + d;
        shapes[p + PITCH] = a + c;
        shapes[p + 3 * PITCH / 2] = b + d;
        shapes[p + 2 * PITCH] = (a + b) + (c + d);
    }
}

// Grid: the 8 x 8 blocks of the frame. Five shapes of each: 8 x 4 twice, 4 x 8 twice, 8 x 8.
extern "C" __global__ void __launch_bounds__(BLOCK) sad_8x8(const u32 *sads_4x4, u32 *sads_8x8)
{
    u32 row_pitch = 2 * gridDim.x * (PITCH / 2); // of 4 x 4 blocks
    const u32 *quarter = sads_4x4 + 2 * blockIdx.y * row_pitch + 2 * blockIdx.x * (PITCH / 2);
    join(quarter, PITCH / 2, row_pitch,
         sads_8x8 + (blockIdx.y * gridDim.x + blockIdx.x) * 5 * (PITCH / 2));
}

// Grid: the macroblocks. Five shapes of each: 16 x 8 twice, 8 x 16 twice, 16 x 16.
extern "C" __global__ void __launch_bounds__(BLOCK) sad_16x16(const u32 *sads_8x8, u32 *sads_16x16)
{
    u32 square = 5 * (PITCH / 2), row_pitch = 2 * gridDim.x * square; // of 8 x 8 blocks
    const u32 *quarter = sads_8x8 + 2 * blockIdx.y * row_pitch + 2 * blockIdx.x * square;
    join(quarter + 2 * PITCH, square, row_pitch,
         sads_16x16 + (blockIdx.y * gridDim.x + blockIdx.x) * square);
}
