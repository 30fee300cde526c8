/*
 * The fast approximations of CUDA C++ that device.h does not have: one instruction of the special
 * function unit each. Names and meanings are CUDA's; the bounds are those of the PTX manual.
 */
#ifndef WORKLOADS_DEVICE_MATH_H
#define WORKLOADS_DEVICE_MATH_H

#include "device.h"

#ifndef __NVCC__

/* Relative error below 2^-22. */
DEVICE_CALL float rsqrtf(float x)
{
    return __nvvm_rsqrt_approx_f(x);
}

/* Absolute error below 2^-20 from -pi to pi. */
DEVICE_CALL float __sinf(float x)
{
    return __nvvm_sin_approx_f(x);
}
DEVICE_CALL float __cosf(float x)
{
    return __nvvm_cos_approx_f(x);
}

/* To the nearest whole number, halves to the even one. */
DEVICE_CALL float rintf(float x)
{
    return __builtin_rintf(x);
}

#endif /* __NVCC__ */

#endif
