/*
 * The properties of the simulated device.
 *
 * One number per CUDA device attribute, plus the few facts that have no
 * attribute. The built-in device is an H200 (values read from one); a session
 * puts its chip in its place before the program's first call.
 */
#ifndef CUDA_CORE_DEVICE_H
#define CUDA_CORE_DEVICE_H

#include "base/types.h"
#include "cuda/core/export.h"

#define CUDA_ATTRIBUTES 148

struct cuda_device_props {
    char name[256];
    u8 uuid[16];
    u64 memory_bytes;
    int attribute[CUDA_ATTRIBUTES]; /* by CUdevice_attribute */
    u32 register_unit;              /* registers are given to a warp in multiples of this */
    u32 shared_unit;                /* bytes of shared memory likewise, to a block */
    u32 sub_cores;                  /* parts of an SM that share its registers evenly */
    u32 max_registers;              /* per thread */
    u64 stack_limit_max;            /* largest cudaLimitStackSize */
    u32 sockets;                    /* that are this device; 0 or 1: it is one chip */
};

struct cuda_device_props cu_device_h200(void);
/* From now on the process has this device; what a block may have is held to what an SM has. */
void cu_device_use(const struct cuda_device_props *p);
struct cuda_device_props cu_device(void);
/* 90 for compute capability 9.0 */
u32 cu_device_arch(const struct cuda_device_props *p);

#endif
