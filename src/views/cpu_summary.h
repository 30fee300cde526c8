/* A CPU run on one screen. */
#ifndef VIEWS_CPU_SUMMARY_H
#define VIEWS_CPU_SUMMARY_H

#include "base/text.h"
#include "cpu/cluster.h"

/* Instructions, where the slots went, caches, what bounds it. */
void cpu_summary(const struct cpu_cluster *c, struct text *out);
/* What stood in the way most, in words. classes: cycles of back ends by rate by what they were
 * charged to; NULL: the back ends are out of order, and slots say it. */
const char *cpu_bound_by(const struct core_counts *n, const u64 *classes);
/* The same of all cores. */
const char *cpu_cluster_bound_by(const struct cpu_cluster *c);

#endif
