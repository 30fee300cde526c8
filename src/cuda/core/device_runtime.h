/* What kernels ask of CUDA's device runtime: isa/device_call.h has the calls. */
#ifndef FRONT_CUDA_DEVICE_RUNTIME_H
#define FRONT_CUDA_DEVICE_RUNTIME_H

#include "front/cuda/stream.h"

struct device_call;

/* A thread of the kernel that `op` launched calls. */
void cu_device_call(struct cu_op *op, struct device_call *call);

#endif
