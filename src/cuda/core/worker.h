/*
 * A thread that carries out queued work while the host makes no call.
 *
 * Queued work is carried out by the thread that waits for it (stream.h). A host that
 * waits without a CUDA call, on a condition variable that a host function will
 * signal or on a word in memory that a kernel will write, gets it from a thread of
 * its own. That thread steps in when the host is quiet: no call comes, and every
 * other thread of the process sleeps, or they have computed for a while. Then
 * everything that can be done is done, until a host function has been called:
 * what the host makes of it comes first.
 *
 * So a program whose next call comes soon sees the same order of work on every run,
 * whatever the wall clock says; the time a host spends between two calls is no
 * simulated time.
 */
#ifndef CUDA_CORE_WORKER_H
#define CUDA_CORE_WORKER_H

#include "base/types.h"

/* Work was queued: from now on there is a worker to do it, if the host could notice. */
void cu_worker_expect(void);
/* Is this the only thread that can act for the host: no other thread but heddle's own, so many
 * besides the worker? */
bool cu_host_is_alone(u32 own_threads);

#endif
