/*
 * The numbers that a person compares first: hit rates, latencies, bandwidths.
 *
 * One row each, computed from a result's totals; the page and the comparison
 * show the same rows. A value is NAN where the run has no such statistic.
 */
#ifndef REPORT_MEASURE_H
#define REPORT_MEASURE_H

#include "report/machine.h"

enum measure_group {
    MEASURE_HITS,
    MEASURE_LATENCY,
    MEASURE_QUEUES,
    MEASURE_BANDWIDTH,
    MEASURE_WORK,
    MEASURE_GROUPS,
};
extern const char *const measure_group_names[MEASURE_GROUPS];

#define MEASURE_TERMS 5

enum measure_scale {
    SCALE_ONE,
    SCALE_FS_TO_CYCLES, /* femtoseconds in core cycles */
    SCALE_L2_PORT,      /* cycles of an L2 data port in bytes */
};

/* The sum of `over` by the sum of `under`, each name a statistic of the totals or "@cycles" (of the
 * cores), "@seconds", "@l2_cycles" and "@dram_cycles" (of all banks or channels together). */
struct measure {
    const char *id, *label;
    const char *unit; /* "ratio": shown as a percentage */
    enum measure_group group;
    const char *over[MEASURE_TERMS + 1];
    const char *under[MEASURE_TERMS + 1]; /* empty: the sum itself */
    enum measure_scale scale;
    u32 peak; /* offset of a double in struct machine; 0: none */
};

extern const struct measure measures[]; /* ends with a NULL id */
const struct measure *measure_find(const char *id);

double measure_value(const struct measure *m, const struct result *r, const struct machine *chip);
double measure_peak(const struct measure *m, const struct machine *chip); /* NAN: none */
/* "83.3 %", "306.8 cycles", "25.9 GB/s" */
void measure_text(const struct measure *m, double value, char *out, size_t size);

#endif
