/* Model `gpu`: a chip file becomes the machine of gpu/gpu.h, with its policies found by name. */
#ifndef CHIP_GPU_MODEL_H
#define CHIP_GPU_MODEL_H

#include "gpu/gpu.h"

/* NULL: a policy does not exist, with the nearest name. */
struct gpu *chip_gpu_build(struct sim *sim, const struct gpu_config *c, struct err *err);
/* A screenful: cycles, where they went, hit rates, bandwidths, what bounds it. */
void gpu_summary(const struct gpu *g, struct text *out);

/* What stood in the way most, in words; t is of the run or of one kernel. */
const char *gpu_bound_by(const struct gpu *g, const struct gpu_numbers *t);

#endif
