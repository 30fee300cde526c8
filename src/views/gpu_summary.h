/* A GPU run on one screen, and what bounds it. */
#ifndef VIEWS_GPU_SUMMARY_H
#define VIEWS_GPU_SUMMARY_H

#include "base/text.h"
#include "views/gpu_bound.h"
#include "views/gpu_doubts.h"
#include "gpu/gpu.h"

/* A screenful: cycles, where they went, hit rates, bandwidths, what bounds it. */
void gpu_summary(const struct gpu *g, struct text *out);
/* What stood in the way most, in words; t is of the run or of one kernel. */
static inline const char *gpu_bound_by(const struct gpu *g, const struct gpu_counters *t)
{
    return gpu_bound_words[gpu_bound(g->config, gpu_peak_dram(g), gpu_mean_hz(g), t)];
}

#endif
