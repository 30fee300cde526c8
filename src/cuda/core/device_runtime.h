/* What kernels ask of CUDA's device runtime: ptx/device_call.h has the calls. */
#ifndef CUDA_CORE_DEVICE_RUNTIME_H
#define CUDA_CORE_DEVICE_RUNTIME_H

#include "cuda/core/stream.h"

struct device_call;

/* A thread of the kernel that `op` launched calls. */
void cu_device_call(struct cu_op *op, struct device_call *call);

#endif
