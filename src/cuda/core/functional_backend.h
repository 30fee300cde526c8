/* The backend that executes kernels without timing, and who watches it. */
#ifndef CUDA_CORE_FUNCTIONAL_BACKEND_H
#define CUDA_CORE_FUNCTIONAL_BACKEND_H

#include "cuda/core/backend.h"
#include "ptx/launch_poll.h"

/* From now on; `poll` stays valid. */
void cu_functional_watch(const struct launch_poll *poll);

#endif
