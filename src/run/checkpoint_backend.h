/*
 * Backends (cuda/core/backend.h) that save and resume a program: each stands before the one that
 * runs its kernels.
 *
 * Saving goes with execution without timing. When the launch with the given number is about to
 * start, the checkpoint is written and the process ends. Resuming, earlier launches are not
 * executed: what the host saw of them comes from the checkpoint. Until then work is carried out at
 * once and one launch at a time, as without timing, so that it comes in the same order.
 */
#ifndef RUN_CHECKPOINT_BACKEND_H
#define RUN_CHECKPOINT_BACKEND_H

#include "cuda/core/backend.h"

struct save_request {
    const char *path, *workload;
    u64 launch;
};

/* `inner` must finish a kernel before start() returns. NULL: the file cannot be written. */
const struct cuda_backend *save_backend(const struct cuda_backend *inner,
                                        const struct save_request *r, struct err *err);
/* The program has ended by itself. False: before that launch. */
bool save_end(struct err *err);

struct resume_request {
    const char *path, *workload;
};

/* NULL: the checkpoint cannot be used. *launch: the first that is executed. */
const struct cuda_backend *resume_backend(const struct cuda_backend *inner,
                                          const struct resume_request *r, u64 *launch,
                                          struct err *err);
bool resume_end(struct err *err);

#endif
