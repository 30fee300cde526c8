/*
 * A kernel's record as the results database has it: a row of its table of kernels, in which
 * scheduler_slots.issued of the record is the column scheduler_slots_issued.
 */
#ifndef CAMPAIGN_KERNEL_VALUES_H
#define CAMPAIGN_KERNEL_VALUES_H

#include "base/types.h"

struct kernel_values {
    const char *const *columns;
    const double *values;
    u32 count;
};

/* A member of the record, "scheduler_slots.issued" or "scheduler_slots.*" (the sum of all its
 * elements); NAN: it has none of that name. */
double kernel_value(const struct kernel_values *k, const char *field);

#endif
