// convolution layer of a network as a matrix product whose second factor is never stored
//
// Memory: a block makes 64 filters x 64 pixels: tiles of weights, and of the image's windows as
// they would stand in a matrix, go through shared memory; a thread has 4 x 4 sums in registers. All
// blocks of a row of tiles read the same weights, windows overlap: reuse in L1 and L2. Bound by
// arithmetic.
// Used by: the study of several sockets (AlexNet, GoogLeNet and OverFeat layers as implicit matrix
// products, Chetlur et al. 2014); from the algorithm.
#include "device.h"

#define TILE 64
#define DEPTH 16
#define SIDE 16 // threads each way, with 4 x 4 results each

// The image has `channels` planes of (height + 2) x (width + 2), filters are 3 x 3; pixels of all
// images and filters are multiples of 64, channels x 9 of 16 or the rest is padded with zeros.
extern "C" __global__ void __launch_bounds__(SIDE *SIDE)
    conv_gemm(const float *image, const float *weights, float *out, u32 channels, u32 width,
              u32 height, u32 pixels)
{
    __shared__ float left[DEPTH][TILE], right[DEPTH][TILE];
    u32 t = threadIdx.y * SIDE + threadIdx.x, depth = channels * 9;
    u32 filter = blockIdx.y * TILE, pixel = blockIdx.x * TILE;
    u32 plane = (width + 2) * (height + 2);
    float sums[4][4] = {};
    for (u32 k = 0; k < depth; k += DEPTH) {
        for (u32 i = t; i < DEPTH * TILE; i += SIDE * SIDE) {
            u32 row = k + i / TILE, column = i % TILE, p = pixel + column;
            bool inside = row < depth;
            left[i / TILE][column] = inside ? weights[(filter + column) * depth + row] : 0;
            u32 of = p / (width * height), y = p / width % height + row % 9 / 3;
            u32 at = (of * channels + row / 9) * plane + y * (width + 2) + p % width + row % 3;
            right[i / TILE][column] = inside ? image[at] : 0;
        }
        __syncthreads();
        for (u32 i = 0; i < DEPTH; i++) {
            for (u32 a = 0; a < 4; a++) {
                for (u32 b = 0; b < 4; b++)
                    sums[a][b] = fmaf(left[i][threadIdx.y + a * SIDE],
                                      right[i][threadIdx.x + b * SIDE], sums[a][b]);
            }
        }
        __syncthreads();
    }
    for (u32 a = 0; a < 4; a++) {
        for (u32 b = 0; b < 4; b++)
            out[(filter + threadIdx.y + a * SIDE) * pixels + pixel + threadIdx.x + b * SIDE] =
                sums[a][b];
    }
}
