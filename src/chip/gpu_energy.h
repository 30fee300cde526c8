/* Energy in a GPU's result file and summary: power/energy.h has the numbers. */
#ifndef CHIP_GPU_ENERGY_H
#define CHIP_GPU_ENERGY_H

#include "base/text.h"
#include "gpu/gpu.h"

#include <jansson.h>

/* Each event: count, energy, source. After energy_settle. */
json_t *gpu_energy_json(const struct gpu *g);
/* Of one kernel, from what was counted between its start and its end. */
json_t *gpu_kernel_energy_json(const struct gpu *g, const struct gpu_totals *t);
/* One line. After energy_settle. */
void gpu_energy_summary(const struct gpu *g, struct text *out);

#endif
