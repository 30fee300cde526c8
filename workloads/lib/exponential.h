/*
 * e^x for x from -700 to 700, to about 12 digits: the same operations in the same order on the CPU
 * and in a kernel, so that both give the same bits. Include device.h or math.h before it.
 */
#ifndef WORKLOADS_EXPONENTIAL_H
#define WORKLOADS_EXPONENTIAL_H

#if defined __CUDA__ || defined __NVCC__
#define EXPONENTIAL static __device__ double
#else
#define EXPONENTIAL static double
#endif

EXPONENTIAL exponential(double x)
{
    double n = __builtin_rint(x * 1.4426950408889634);
    double r = fma(n, -0x1.62e42fefa38p-1, x); /* ln 2 in two parts */
    r = fma(n, -0x1.ef35793c7673p-45, r);
    double sum = 1.0 / 3628800;
    sum = fma(sum, r, 1.0 / 362880);
    sum = fma(sum, r, 1.0 / 40320);
    sum = fma(sum, r, 1.0 / 5040);
    sum = fma(sum, r, 1.0 / 720);
    sum = fma(sum, r, 1.0 / 120);
    sum = fma(sum, r, 1.0 / 24);
    sum = fma(sum, r, 1.0 / 6);
    sum = fma(sum, r, 0.5);
    sum = fma(sum, r, 1.0);
    sum = fma(sum, r, 1.0);
    union {
        long long bits;
        double value;
    } scale = {((long long)n + 1023) << 52};
    return sum * scale.value;
}

#endif
