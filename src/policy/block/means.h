/*
 * The mean use of each kernel that a run before found, for the static scheme: a YAML file with
 * `kernels: {NAME: {mem: SHARE, fpu: SHARE}}`, the shares of one block. "*" is any other kernel.
 */
#ifndef POLICY_BLOCK_MEANS_H
#define POLICY_BLOCK_MEANS_H

#include "base/arena.h"
#include "base/err.h"
#include "gpu/observe/block_use.h"

struct kernel_mean {
    const char *kernel;
    double share[USE_METRICS];
};

struct kernel_means {
    struct kernel_mean *rows;
    u32 count;
};

/* An empty path: no rows, and every mean is 0. */
bool means_read(struct kernel_means *m, const char *path, struct arena *arena, struct err *err);
double means_find(const struct kernel_means *m, const char *kernel, enum block_metric metric);

#endif
