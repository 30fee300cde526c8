/* Counts by section: serial, parallel, and their sum. */
#ifndef FRONT_END_SECTION_H
#define FRONT_END_SECTION_H

#include "cpu_trace/statistics.h"

extern const char *const section_names[CPU_SECTIONS];

static inline void section_total(u64 counts[CPU_SECTIONS])
{
    counts[CPU_TOTAL] = counts[CPU_SERIAL] + counts[CPU_PARALLEL];
}

#endif
