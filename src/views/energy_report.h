/* Energy in a result file and in a summary: power/energy.h has the numbers. */
#ifndef VIEWS_ENERGY_REPORT_H
#define VIEWS_ENERGY_REPORT_H

#include "base/text.h"
#include "power/core_cost.h"
#include "power/energy.h"

#include <jansson.h>

/* Each event: count, energy, source. After energy_settle. */
json_t *energy_json(const struct energy_meter *m);
/* One line. After energy_settle. */
void energy_summary(const struct energy_meter *m, struct text *out);
/* The same of CPU cores, with their area. After core_cost_count. */
void core_cost_summary(const struct core_cost_counts *c, struct text *out);

/* 0.0031 J as "3.1 mJ". */
void energy_put_joules(struct text *out, double joules);
/* ", NAME SHARE %" for those parts that took most of a total, the first after another sign; of at
 * most ENERGY_MOST_PARTS. */
#define ENERGY_MOST_PARTS 32u
void energy_put_shares(struct text *out, char before, const char *const *names, const u64 *parts,
                       u32 count, double total);

#endif
