/* Counts by section: serial, parallel, and their sum. */
#ifndef FRONT_END_SECTION_H
#define FRONT_END_SECTION_H

#include "cpu_trace/statistics.h"
#include "stats/def.h"

extern const char *const section_names[CPU_SECTIONS];

static inline void section_total(u64 counts[CPU_SECTIONS])
{
    counts[CPU_TOTAL] = counts[CPU_SERIAL] + counts[CPU_PARALLEL];
}

/* Of a structure whose misses are by section: rates without a value where a section has no
 * instructions. */
/* clang-format off */
#define SECTION_MPKI \
    S_FORMULA(mpki, "1000 * misses[total] / trace.instructions[total]", "misses", "misses per 1,000 instructions (MPKI)"), \
    S_FORMULA(serial_mpki, "1000 * misses[serial] / trace.instructions[serial]", "misses", "misses per 1,000 instructions of serial code"), \
    S_FORMULA(parallel_mpki, "1000 * misses[parallel] / trace.instructions[parallel]", "misses", "misses per 1,000 instructions of parallel regions")
/* clang-format on */

#endif
