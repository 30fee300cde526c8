/*
 * The backend that runs kernels and keeps the time.
 *
 * The queue (stream.h) starts a kernel when its stream and its events allow,
 * and then asks for one that has finished; several may be under way. The
 * functional backend finishes a kernel before start() returns. A timing backend
 * takes its place through cu_core_set_backend() and nothing else changes.
 */
#ifndef CUDA_CORE_BACKEND_H
#define CUDA_CORE_BACKEND_H

#include "cuda/core/export.h"
#include "ptx/launch.h"

struct cu_copy;

struct cuda_backend {
    void *self;
    /* Work waits until its result is requested, so that kernels of different streams can
     * overlap; otherwise a call that submits work also carries it out. */
    bool is_lazy;
    u32 most_kernels; /* started and not yet finished; 0: no limit */
    /* The launch stays valid until finish() has returned its ticket. */
    void (*start)(void *self, const struct launch *launch, u64 ticket);
    /* Runs until a started kernel ends and returns its ticket; false through *ok: it faulted. 0:
     * none has ended yet, but other threads have waited for the lock for a while, or a kernel has
     * launched something. */
    u64 (*finish)(void *self, bool *ok, enum launch_fault *fault, struct err *err);
    /* Carries out a copy in the place of cu_copy_run(). NULL: copies need no notification. */
    void (*copy)(void *self, const struct cu_copy *copy);
    /* A copy or fill was carried out; `to` is where in device memory, 0: elsewhere. */
    void (*copied)(void *self, u64 to, u64 bytes);
    u64 (*now_ns)(void *self); /* never the same twice */
    /* A kernel has launched something: finish() returns 0 soon, so that it can start. NULL: it
     * starts when that kernel has ended. */
    void (*device_work)(void *self);
    /* The process is about to end early: what there is of results is written. May be NULL. */
    void (*ends)(void *self);
};

const struct cuda_backend *cu_functional_backend(void);

#endif
