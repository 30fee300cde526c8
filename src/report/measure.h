/* Measures of a run (views/measure.h), from its result file. */
#ifndef REPORT_MEASURE_H
#define REPORT_MEASURE_H

#include "report/machine.h"

double result_measure(const struct result *r, const struct measure *m,
                      const struct capacities *chip);
double measure_peak(const struct measure *m, const struct capacities *chip); /* NAN: none */
/* "83.3 %", "306.8 cycles", "25.9 GB/s" */
void measure_text(const struct measure *m, double value, char *out, size_t size);

#endif
