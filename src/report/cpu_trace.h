/* Statistics of CPU traces as JSON and as a page. */
#ifndef REPORT_CPU_TRACE_H
#define REPORT_CPU_TRACE_H

#include "base/text.h"
#include "cpu_trace/statistics.h"

#include <jansson.h>

#define CPU_TRACE_FORMAT "heddle-cpu-trace-1"

/* Of one trace. */
json_t *cpu_statistics_json(const char *name, const struct cpu_statistics *s);
/* Of several, an array of the above. */
json_t *cpu_traces_json(json_t *traces);
void page_cpu_traces_make(const json_t *data, struct text *out);

#endif
