/* Direction vectors of Sobol sequences. */
#ifndef CUDA_LIBRARIES_CURAND_SOBOL_H
#define CUDA_LIBRARIES_CURAND_SOBOL_H

#include "base/types.h"

enum { CURAND_SOBOL_DIMENSIONS = 21, CURAND_SOBOL_BITS = 64 };

/* Of a dimension from 0; their upper halves are the vectors of the 32-bit sequence. */
void curand_sobol_vectors(u32 dimension, u64 out[CURAND_SOBOL_BITS]);

#endif
