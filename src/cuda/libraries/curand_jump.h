/* The start of each thread of a generator, far apart in one long sequence. */
#ifndef CUDA_LIBRARIES_CURAND_JUMP_H
#define CUDA_LIBRARIES_CURAND_JUMP_H

#include "base/types.h"

#define CURAND_STATE_WORDS 6
#define CURAND_XORWOW_THREADS 4096u
#define CURAND_MRG_THREADS 81920u

/* All states for a seed, after `taken` numbers of the whole, which threads gave in turns. */
void curand_xorwow_states(u32 *states, u64 seed, u64 taken);
void curand_mrg_states(u32 *states, u64 seed, u64 taken);

#endif
