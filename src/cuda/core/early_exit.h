/*
 * The end of the process from inside a CUDA call, from any thread and with any
 * lock held.
 *
 * exit() would run the program's own exit handlers and destructors, which may
 * call CUDA or wait for a thread that is inside a call: it may never return. So
 * an early end writes out what open files hold and goes. No other thread's lock can hold it up for
 * longer than half a second.
 */
#ifndef CUDA_CORE_EARLY_EXIT_H
#define CUDA_CORE_EARLY_EXIT_H

#include "cuda/core/export.h"

CU_SHARED _Noreturn void cu_leave(int code);

#endif
