/*
 * Which functions other shared libraries may call.
 *
 * libcuda.so.1 holds the state of the simulated device; libcudart.so.* use it
 * through the functions named cu_*, so that a program may mix both interfaces.
 * Everything else is hidden (see libcuda.map).
 */
#ifndef CUDA_CORE_EXPORT_H
#define CUDA_CORE_EXPORT_H

#pragma GCC visibility push(default)
#include <cuda/cuda.h>
#pragma GCC visibility pop

#define CU_SHARED __attribute__((visibility("default")))

#endif
