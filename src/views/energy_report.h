/* Energy in a result file and in a summary: power/energy.h has the numbers. */
#ifndef VIEWS_ENERGY_REPORT_H
#define VIEWS_ENERGY_REPORT_H

#include "base/text.h"
#include "power/energy.h"

#include <jansson.h>

/* Each event: count, energy, source. After energy_settle. */
json_t *energy_json(const struct energy_meter *m);
/* One line. After energy_settle. */
void energy_summary(const struct energy_meter *m, struct text *out);

#endif
