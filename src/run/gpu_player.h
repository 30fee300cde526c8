/*
 * What runs on a GPU without a CUDA program: a file of synthetic kernels, SASS
 * traces in Accel-Sim's format, or a recording of an earlier run. Which of them a
 * file is, its name and first bytes say. Played by run/mix_runner.h.
 */
#ifndef RUN_GPU_PLAYER_H
#define RUN_GPU_PLAYER_H

#include "base/err.h"

#define GPU_WORKLOAD_AHEAD 64 /* kernels of a program that are under way at once */

/* Can it be used, as far as that shows before it runs? */
bool gpu_workload_check(const char *path, struct err *err);

#endif
