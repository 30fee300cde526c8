/*
 * A run for the Perfetto viewer (ui.perfetto.dev), in the JSON form of trace events.
 *
 * From a result alone: kernels, and what --series sampled as counters. With the
 * file that `heddle run --timeline` wrote during the same run also blocks, states
 * of SMs and levels of queues. Times are simulated and in whole nanoseconds, which
 * is what the viewer keeps; both ends of a span are rounded, so spans that touch
 * still do. Events come in order of their times, a span before those inside it.
 */
#ifndef REPORT_PERFETTO_H
#define REPORT_PERFETTO_H

#include "base/text.h"
#include "report/result.h"

#define TIMELINE_FILE "a file that `heddle run --timeline FILE` wrote"

/* timeline_file, timeline: both NULL where there is none. `events` becomes their number. */
bool perfetto_make(const struct result *r, const char *timeline_file, const json_t *timeline,
                   struct text *out, u32 *events, struct err *err);

#endif
