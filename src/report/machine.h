/*
 * What a run's chip can do at most, from the configuration in its result file.
 *
 * The parameter tables of the model read the values back, so presets and units
 * mean here what they meant in the run.
 */
#ifndef REPORT_MACHINE_H
#define REPORT_MACHINE_H

#include "machine/model.h"
#include "report/result.h"

/* The model of a run; NULL: a version of heddle that has others wrote the file. */
const struct model *machine_model(const struct result *r);
/* Where the cycles of its machine go, in the words of its chip. NULL: the model does not say. */
const struct cycle_stack *machine_stack(const struct result *r);
void machine_of(const struct result *r, struct capacities *chip);

/* Where the tables say a parameter comes from, its unit and meaning; NULL: not known. */
struct param;
const struct param *machine_param(const char *model, const char *path);

#endif
