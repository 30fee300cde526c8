/* What people look at first of a fabric. */
#ifndef VIEWS_FABRIC_MEASURES_H
#define VIEWS_FABRIC_MEASURES_H

#include "views/measure.h"

extern const struct capacity fabric_capacities[];
extern const struct measure fabric_measures[], fabric_facts[];
extern const struct cycle_stack fabric_cycle_stack;

void fabric_capacity_values(const void *config, double *out);

#endif
