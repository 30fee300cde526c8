// speckle-reducing anisotropic diffusion of an image, two tiled kernels per iteration
//
// The method of Yu and Acton (IEEE Trans. Image Processing, 2002); the host takes mean and variance
// of a uniform region between iterations.
// Memory: blocks of 16 x 16 keep their tile and its border in shared memory, so each pixel is read
// about once per kernel, in runs of 64 bytes: half a line, the other half being a neighbouring
// block's. Four derivatives and the coefficient go through DRAM between the kernels: six arrays per
// iteration, hardly any reuse in L1, whose sets all rows of a tile share when the image's width is
// a large power of two. Divisions, doubles and barriers in between. Bound by the way from L1 to
// DRAM. Used by: the bandwidth and cooperative-caching studies (Rodinia's srad, version 2, 2048 x
// 2048; here from the algorithm), also those of Poise (as a program its mechanism must not slow),
// of region-based power and of context switches. Small has 1024 x 640 pixels: the rows of a tile
// still lie a multiple of 4 KB apart, and the arrays are 20 times L2.
#include "device.h"

#define TILE 16

// Both kernels: `columns` and `rows` are multiples of TILE, one thread per pixel; at the image's
// border a pixel is its own neighbour. Products with constants are in double, as the constants of
// the published program make them.

// The derivatives towards the four neighbours, and the diffusion coefficient: 1 where the image is
// as rough as the speckle of the region (q0), towards 0 at an edge.
extern "C" __global__ void __launch_bounds__(TILE *TILE)
    sradv2_coefficients(const float *image, float *d_north, float *d_south, float *d_west,
                        float *d_east, float *coefficient, u32 columns, u32 rows, float q0)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    u32 tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    u32 x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    u32 i = y * columns + x;
    tile[ty][tx] = image[i];
    if (ty == 1)
        tile[0][tx] = image[y > 0 ? i - columns : i];
    if (ty == TILE)
        tile[TILE + 1][tx] = image[y < rows - 1 ? i + columns : i];
    if (tx == 1)
        tile[ty][0] = image[x > 0 ? i - 1 : i];
    if (tx == TILE)
        tile[ty][TILE + 1] = image[x < columns - 1 ? i + 1 : i];
    __syncthreads();

    float here = tile[ty][tx];
    float dn = tile[ty - 1][tx] - here, ds = tile[ty + 1][tx] - here;
    float dw = tile[ty][tx - 1] - here, de = tile[ty][tx + 1] - here;
    float gradient = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
    float laplacian = (dn + ds + dw + de) / here;
    float rise = (float)(0.5 * gradient - 0.0625 * (laplacian * laplacian));
    float level = (float)(1 + 0.25 * laplacian);
    float q = rise / (level * level);
    float excess = (q - q0) / (q0 * (1 + q0));
    float c = (float)(1.0 / (1.0 + excess));
    d_north[i] = dn;
    d_south[i] = ds;
    d_west[i] = dw;
    d_east[i] = de;
    coefficient[i] = c < 0 ? 0 : c > 1 ? 1 : c;
}

// One diffusion step by the divergence of coefficient x derivative.
extern "C" __global__ void __launch_bounds__(TILE *TILE)
    sradv2_diffuse(float *image, const float *d_north, const float *d_south, const float *d_west,
                   const float *d_east, const float *coefficient, u32 columns, u32 rows,
                   float lambda)
{
    __shared__ float tile[TILE + 1][TILE + 1];
    u32 tx = threadIdx.x, ty = threadIdx.y;
    u32 x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    u32 i = y * columns + x;
    tile[ty][tx] = coefficient[i];
    if (ty == TILE - 1)
        tile[TILE][tx] = coefficient[y < rows - 1 ? i + columns : i];
    if (tx == TILE - 1)
        tile[ty][TILE] = coefficient[x < columns - 1 ? i + 1 : i];
    __syncthreads();

    float here = tile[ty][tx], below = tile[ty + 1][tx], beside = tile[ty][tx + 1];
    float divergence =
        here * d_north[i] + below * d_south[i] + here * d_west[i] + beside * d_east[i];
    image[i] = (float)(image[i] + 0.25 * lambda * divergence);
}
