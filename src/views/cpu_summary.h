/* A CPU run on one screen. */
#ifndef VIEWS_CPU_SUMMARY_H
#define VIEWS_CPU_SUMMARY_H

#include "base/text.h"
#include "cpu/cluster.h"

/* Instructions, where the slots went, caches, what bounds it. */
void cpu_summary(const struct cpu_cluster *c, struct text *out);
/* What stood in the way most, in words. */
const char *cpu_bound_by(const struct core_counts *n);

#endif
