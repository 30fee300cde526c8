/* What the model `gpu` declares for people: chip/measure.h. */
#ifndef CHIP_GPU_MEASURES_H
#define CHIP_GPU_MEASURES_H

#include "chip/measure.h"

extern const struct capacity gpu_capacities[];
void gpu_capacity_values(const void *config, double *out);
extern const struct measure gpu_measures[]; /* of a run */
extern const struct measure gpu_facts[];    /* of a kernel or a program: what `heddle why` cites */
extern const struct cycle_stack gpu_cycle_stack;

#endif
