/*
 * What runs on a GPU without a CUDA program: a file of synthetic kernels, SASS
 * traces in Accel-Sim's format, or a recording of an earlier run. Which of them a
 * file is, its name and first bytes say.
 */
#ifndef CHIP_GPU_WORKLOAD_H
#define CHIP_GPU_WORKLOAD_H

#include "chip/run.h"

#define GPU_WORKLOAD_AHEAD 64 /* kernels of a program that are under way at once */

/* Runs all kernels of the file run->workload on run->machine, and lets the machine drain.
 * err is filled when the file cannot be used. */
enum engine_end gpu_workload_run(struct run *run, struct err *err);

/* Can it be used, as far as that shows before it runs? */
bool gpu_workload_check(const char *path, struct err *err);

#endif
