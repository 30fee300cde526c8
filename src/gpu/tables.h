/* The statistics of a GPU's parts, as tables. */
#ifndef GPU_TABLES_H
#define GPU_TABLES_H

#include "stats/def.h"

extern const struct stat_def gpu_stats[], sm_stats[], l1_stats[], l1_bypass_stats[],
    ro_cache_stats[], sample_stats[];

#endif
