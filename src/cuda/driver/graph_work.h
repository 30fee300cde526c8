/* Work from the driver's descriptions of kernel and copy nodes (driver/graph.c). */
#ifndef CUDA_DRIVER_GRAPH_WORK_H
#define CUDA_DRIVER_GRAPH_WORK_H

#include "cuda/core/work.h"

CUresult driver_kernel_work(const CUDA_KERNEL_NODE_PARAMS *p, struct cu_work *work);
CUresult driver_copy_work(const CUDA_MEMCPY3D *copy, struct cu_work *work);

#endif
