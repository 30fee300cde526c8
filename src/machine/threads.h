/*
 * The number of host threads of a run.
 *
 * HEDDLE_THREADS in the environment says so; `--threads` sets it, so that programs that heddle
 * starts find it, too. Without it a run takes what pays: a thread for every SHARDS_PER_THREAD
 * shards of the chip, as far as cores of the host are free. The number changes no result.
 */
#ifndef MACHINE_THREADS_H
#define MACHINE_THREADS_H

#include "base/err.h"
#include "base/log.h"
#include "sim/engine.h"

#define THREADS_VARIABLE "HEDDLE_THREADS"
#define MOST_THREADS 256u

/* Cores that this process may use. */
u32 host_cores(void);
/* Runs that are started from here on, so many at once, share the cores; unless the number of
 * threads was given. */
void threads_divide(u32 jobs);
/* Before engine_start, with the machine built. False: the variable is not a number. A number that
 * cannot be is one warning. */
bool threads_choose(struct engine *e, const struct log *log, struct err *err);

#endif
