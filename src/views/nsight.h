/*
 * A kernel's numbers under the names that Nsight Compute has for them, and as columns of the tables
 * in silicon/.
 */
#ifndef VIEWS_NSIGHT_H
#define VIEWS_NSIGHT_H

#include "gpu/gpu.h"

#include <jansson.h>

struct nsight_name {
    const char *metric; /* as `ncu --metrics` and the page "raw" have it */
    const char *column; /* of kernels-SIZE.csv: silicon/scripts/metrics.txt */
    const char *detail; /* its words on the page "details"; NULL: it is not there */
};

extern const struct nsight_name nsight_names[]; /* ends with a NULL metric */

/* Percent of the warps that an SM can hold: over the cycles in which it had one, and as its blocks
 * would fill it. */
double kernel_occupancy(const struct gpu *g, const struct kernel_record *r);
double kernel_occupancy_limit(const struct gpu *g, const struct kernel_record *r);
/* What heddle counts of them. */
json_t *nsight_json(const struct gpu *g, const struct kernel_record *r);

#endif
