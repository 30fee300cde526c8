/* Kernel launches: checked, with their arguments collected. */
#ifndef CUDA_CORE_LAUNCH_H
#define CUDA_CORE_LAUNCH_H

#include "cuda/core/core.h"
#include "cuda/core/stream.h"

struct cu_launch {
    CUfunction function;
    u32 grid[3], block[3];
    u32 cluster[3]; /* 0: as the kernel was compiled */
    u64 shared_bytes;
    bool cooperative;
    CUevent events[2]; /* to record behind the launch, or NULL: of its attributes */
    u32 event_flags[2];
    void **params; /* one pointer per argument, or */
    void **extra;  /* a buffer: CU_LAUNCH_PARAM_* */
};

/* Checks and takes copies of the arguments; work->kernel is then ready to be submitted. */
CU_SHARED CUresult cu_launch_make(const struct cu_launch *l, struct cu_work *work);
CU_SHARED CUresult cu_launch(const struct cu_launch *l, CUstream stream);
/* Attributes of cuLaunchKernelEx. */
CU_SHARED CUresult cu_launch_attributes(struct cu_launch *l, const CUlaunchAttribute *attributes,
                                        u32 count);
/* Blocks of a cluster of the launch, by its attributes or by its kernel: at least 1, and no more
 * than the kernel allows. */
CU_SHARED CUresult cu_launch_cluster_blocks(const struct cu_launch *l, u32 *blocks);
/* Are the dimensions within what the device allows? */
CU_SHARED bool cu_launch_fits(const u32 grid[3], const u32 block[3]);

/* Fills op->launch for the backend. */
void cu_launch_prepare(struct cu_op *op);
/* Reports the fault and poisons the context. */
void cu_launch_failed(CUcontext context, enum launch_fault fault, const struct err *err);

#endif
