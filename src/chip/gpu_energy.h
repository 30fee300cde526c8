/* Energy in a GPU's result file and summary: power/energy.h has the numbers. */
#ifndef CHIP_GPU_ENERGY_H
#define CHIP_GPU_ENERGY_H

#include "base/text.h"
#include "power/energy.h"

#include <jansson.h>

/* Each event: count, energy, source. After energy_settle. */
json_t *gpu_energy_json(const struct gpu *g);
/* Of one kernel, from what was counted between its start and its end. */
void gpu_kernel_energy(const struct gpu *g, const struct gpu_numbers *t, struct energy_counts *out);
/* One line. After energy_settle. */
void gpu_energy_summary(const struct gpu *g, struct text *out);

#endif
