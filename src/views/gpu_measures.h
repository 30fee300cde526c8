/* What the model `gpu` declares for people: views/measure.h. */
#ifndef VIEWS_GPU_MEASURES_H
#define VIEWS_GPU_MEASURES_H

#include "views/measure.h"

extern const struct capacity gpu_capacities[];
void gpu_capacity_values(const void *config, double *out);
extern const struct measure gpu_measures[]; /* of a run */
extern const struct measure gpu_facts[];    /* of a kernel or a program: what `heddle why` cites */
extern const struct cycle_stack gpu_cycle_stack;

#endif
