/* What kernels did with their regions, in a GPU's result file and summary. */
#ifndef VIEWS_GPU_REGIONS_H
#define VIEWS_GPU_REGIONS_H

#include "base/text.h"
#include "gpu/gpu.h"

#include <jansson.h>

/* An object for each kernel that ended, in that order. */
json_t *gpu_regions_json(const struct gpu *g);
/* A table for each kernel, launches of one name together; nothing if regions were not counted. */
void gpu_regions_summary(const struct gpu *g, struct text *out);

#endif
