// speckle-reducing anisotropic diffusion of an image, one small kernel per step
//
// The method of Yu and Acton (IEEE Trans. Image Processing, 2002): every iteration takes the
// image's mean and variance, from them a diffusion coefficient per pixel, then one diffusion step.
// Memory: the image is stored by columns, one thread per pixel. The neighbours' places come from
// four index arrays, so each of their reads waits for another read. Derivatives and coefficients
// go through DRAM between kernels: ten arrays, read and written coalesced, with reuse only between
// neighbouring columns. The sums take several launches with ever fewer blocks. Bound by bandwidth.
// Used by: the bandwidth and cooperative-caching studies (Rodinia's srad, version 1, 512 x 512;
// here from the algorithm), also that of region-based power. Small has the published image and
// fewer iterations.
#include "device.h"

#define BLOCK 512

// Brightness 0 to 255 becomes e^(brightness / 255). The power series to x^9 (below 2^-21 of the
// value left out), because the CPU can do the same to the last bit.
extern "C" __global__ void sradv1_extract(float *image, u32 pixels)
{
    u32 i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= pixels)
        return;
    float x = image[i] / 255, sum = 1;
    for (u32 term = 9; term > 0; term--)
        sum = fmaf(x / (float)term, sum, 1);
    image[i] = sum;
}

// The terms of both sums.
extern "C" __global__ void sradv1_prepare(const float *image, float *sums, float *squares,
                                          u32 pixels)
{
    u32 i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= pixels)
        return;
    sums[i] = image[i];
    squares[i] = image[i] * image[i];
}

// Of the values 0, stride, 2 x stride, ... (`count` of them) a block adds BLOCK, in place: pairs,
// pairs of pairs and so on. The result is where the block's first value was.
extern "C" __global__ void __launch_bounds__(BLOCK)
    sradv1_reduce(float *sums, float *squares, u32 count, u32 stride)
{
    __shared__ float sum[BLOCK], square[BLOCK];
    u32 t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    sum[t] = i < count ? sums[i * stride] : 0;
    square[t] = i < count ? squares[i * stride] : 0;
    for (u32 apart = 1; apart < BLOCK; apart *= 2) {
        __syncthreads();
        if (t % (2 * apart) == 0) {
            sum[t] += sum[t + apart];
            square[t] += square[t + apart];
        }
    }
    if (t == 0) {
        sums[i * stride] = sum[0];
        squares[i * stride] = square[0];
    }
}

// The derivatives towards the four neighbours, and the diffusion coefficient: 1 where the image is
// as rough as speckle (q0), towards 0 at an edge.
extern "C" __global__ void sradv1_srad(const u32 *north, const u32 *south, const u32 *west,
                                       const u32 *east, float *d_north, float *d_south,
                                       float *d_west, float *d_east, float *coefficient,
                                       const float *image, u32 rows, u32 pixels, float q0)
{
    u32 i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= pixels)
        return;
    u32 row = i % rows, column = i / rows;
    float here = image[i];
    float dn = image[north[row] + rows * column] - here;
    float ds = image[south[row] + rows * column] - here;
    float dw = image[row + rows * west[column]] - here;
    float de = image[row + rows * east[column]] - here;
    float gradient = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
    float laplacian = (dn + ds + dw + de) / here;
    float rise = 0.5f * gradient - 0.0625f * (laplacian * laplacian);
    float level = 1 + 0.25f * laplacian;
    float q = rise / (level * level);
    float c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
    d_north[i] = dn;
    d_south[i] = ds;
    d_west[i] = dw;
    d_east[i] = de;
    coefficient[i] = c < 0 ? 0 : c > 1 ? 1 : c;
}

// One diffusion step by the divergence of coefficient x derivative.
extern "C" __global__ void sradv1_srad2(const u32 *south, const u32 *east, const float *d_north,
                                        const float *d_south, const float *d_west,
                                        const float *d_east, const float *coefficient, float *image,
                                        u32 rows, u32 pixels, float lambda)
{
    u32 i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= pixels)
        return;
    u32 row = i % rows, column = i / rows;
    float here = coefficient[i], below = coefficient[south[row] + rows * column];
    float beside = coefficient[row + rows * east[column]];
    float divergence =
        here * d_north[i] + below * d_south[i] + here * d_west[i] + beside * d_east[i];
    image[i] = image[i] + 0.25f * lambda * divergence;
}

// The inverse of extract: 255 x log(image), from log x = 2 atanh((x - 1) / (x + 1)), whose series
// to the 19th power leaves out less than 2^-23 for x from 1 to e.
extern "C" __global__ void sradv1_compress(float *image, u32 pixels)
{
    u32 i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= pixels)
        return;
    float x = (image[i] - 1) / (image[i] + 1), square = x * x, sum = 0;
    for (u32 power = 19; power > 2; power -= 2)
        sum = fmaf(square, sum, 1.0f / (float)power);
    image[i] = 255 * 2 * x * fmaf(square, sum, 1);
}
