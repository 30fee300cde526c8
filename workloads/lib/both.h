/*
 * For headers that a kernel and its host share: a function marked BOTH is the same operations in
 * the same order on the CPU and on the GPU, so that both give the same bits.
 */
#ifndef WORKLOADS_BOTH_H
#define WORKLOADS_BOTH_H

#if defined __CUDA__ || defined __NVCC__
#include "device.h"
#define BOTH static inline __device__
#else
#include "types.h"

#include <math.h>
#define BOTH static inline
#endif

#endif
