/*
 * Launches that failed or were refused.
 *
 * Many programs never check errors and would end with code 0 and an empty
 * result. A failure counts as noticed once the program has fetched an error with
 * cudaGetLastError or cudaPeekAtLastError. The status that a call returns does not
 * count, because heddle cannot tell whether the program looks at it.
 */
#ifndef CUDA_CORE_FAILURES_H
#define CUDA_CORE_FAILURES_H

#include "cuda/core/core.h"

/* A kernel that ran has failed; those of its context that wait will never run. */
void cu_failure_of_kernel(CUcontext context, const struct err *err);
/* What a launch gives back: passed on, and counted if it is an error. `said` is what
 * cu_failures_said() gave before: a later sentence on stderr is the reason. */
CU_SHARED CUresult cu_failure_of_launch(CUresult status, u64 said);
CU_SHARED u64 cu_failures_said(void);
CU_SHARED void cu_failures_noticed(void);
/* At the end: says how many launches failed, if the program did not notice, and returns the exit
 * code that replaces a 0 of the program; 0: nothing to replace. */
int cu_failures_end(void);

#endif
