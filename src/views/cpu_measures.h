/* What the model `cpu` declares for people: views/measure.h. */
#ifndef VIEWS_CPU_MEASURES_H
#define VIEWS_CPU_MEASURES_H

#include "views/measure.h"

extern const struct capacity cpu_capacities[];
void cpu_capacity_values(const void *config, double *out);
extern const struct measure cpu_measures[]; /* of a run */
extern const struct measure cpu_facts[];    /* of a program: what `heddle why` cites */
extern const struct cycle_stack cpu_cycle_stack;

#endif
