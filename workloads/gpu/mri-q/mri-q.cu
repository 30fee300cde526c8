// the matrix Q of a non-Cartesian MRI reconstruction: sums of sines and cosines over k-space
//
// Memory: all threads read the same k-space sample at the same time, from constant memory, which
// takes a chunk of samples per launch; a thread reads its voxel's coordinates and sums once per
// launch. Bound by arithmetic: one sine and one cosine of the special function unit per sample and
// voxel. Hardly any traffic.
// Used by: the cooperative-caching study (Parboil's mri-q, 64 x 64 x 64 voxels; here from the sum's
// definition, Stone et al.: JPDC 2008). Small has 48 x 48 x 48 voxels and 112 samples.
#include "device.h"
#include "device_math.h"

#define CHUNK 1024
#define TWO_PI 6.2831853f

struct sample {
    float x, y, z, weight;
};

__constant__ struct sample samples[CHUNK];

// The weight of a sample: |phi|^2.
extern "C" __global__ void mriq_weights(const float *real, const float *imaginary, float *weights,
                                        u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        weights[i] = fmaf(real[i], real[i], imaginary[i] * imaginary[i]);
}

// Adds the `count` samples in constant memory to every voxel: weight x e^(2 pi i k.r).
extern "C" __global__ void mriq_add(const float *x, const float *y, const float *z, float *q_real,
                                    float *q_imaginary, u32 count, u32 voxels)
{
    u32 voxel = blockIdx.x * blockDim.x + threadIdx.x;
    if (voxel >= voxels)
        return;
    float at_x = x[voxel], at_y = y[voxel], at_z = z[voxel];
    float real = q_real[voxel], imaginary = q_imaginary[voxel];
    for (u32 i = 0; i < count; i++) {
        struct sample k = samples[i];
        float turns = fmaf(k.z, at_z, fmaf(k.y, at_y, k.x * at_x));
        // Less the whole turns (exactly): the unit's error is bounded from -pi to pi.
        float angle = TWO_PI * (turns - rintf(turns));
        real = fmaf(k.weight, __cosf(angle), real);
        imaginary = fmaf(k.weight, __sinf(angle), imaginary);
    }
    q_real[voxel] = real;
    q_imaginary[voxel] = imaginary;
}
