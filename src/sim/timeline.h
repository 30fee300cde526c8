/*
 * What happened when, as a file for the Perfetto viewer (ui.perfetto.dev).
 *
 * Written in Perfetto's JSON trace form as the run goes; a NULL timeline costs
 * one test. Times are instants of the simulated machine in femtoseconds.
 */
#ifndef SIM_TIMELINE_H
#define SIM_TIMELINE_H

#include "base/err.h"
#include "base/types.h"

struct timeline;
typedef u32 track_id;

struct timeline *timeline_open(const char *path, const char *machine, struct err *err);
/* False if anything could not be written; frees the timeline either way. */
bool timeline_close(struct timeline *t, struct err *err);
/* Before a fork: nothing is left that the child could write once more. NULL does nothing. */
void timeline_flush(struct timeline *t);

/* A horizontal lane; lanes of one group are shown together. */
track_id timeline_track(struct timeline *t, const char *group, const char *name);
/* With one more thing to say about it, shown when it is selected; detail NULL: nothing. */
void timeline_span_with(struct timeline *t, track_id track, const char *name, u64 from_fs,
                        u64 to_fs, const char *detail, const char *text);
void timeline_span(struct timeline *t, track_id track, const char *name, u64 from_fs, u64 to_fs);
void timeline_mark(struct timeline *t, track_id track, const char *name, u64 at_fs);
/* A counter, from this instant on. Counters belong to the group of the track. */
void timeline_level(struct timeline *t, track_id track, const char *name, u64 at_fs, u64 value);
void timeline_amount(struct timeline *t, track_id track, const char *name, u64 at_fs, double value);

#endif
