/*
 * A recorded run, to be timed again: see recorder.h for what a replay repeats
 * and what it cannot.
 *
 * The run is a list of events. The replay launches a kernel at each
 * launch, runs the machine at each end until that kernel has ended, and lets
 * each copy take its time; with the timing of the recorded run, all happens in
 * the same cycle.
 *
 * A recording is used by one thread; several may open the same file. Blocks of a
 * kernel begin in any order and several at a time; beginning one reads it from
 * the file, a step allocates nothing.
 */
#ifndef SOURCE_RECORDING_RECORDING_H
#define SOURCE_RECORDING_RECORDING_H

#include "source/recording/format.h"

struct arena;
struct recording;

struct record_event {
    enum record_event_kind kind;
    u32 launch; /* EVENT_LAUNCH, EVENT_DONE: counted from 0 */
    u64 bytes;  /* EVENT_COPY; EVENT_COPY_TO: of the copy before */
    u64 to;     /* EVENT_COPY_TO */
};

/* Reads what the file says of itself. NULL: no recording, or damaged; see err. */
struct recording *recording_open(const char *path, struct err *err);
void recording_close(struct recording *r);

const char *recording_heddle_version(const struct recording *r);
u32 recording_launch_count(const struct recording *r);
u32 recording_event_count(const struct recording *r);
struct record_event recording_event(const struct recording *r, u32 index);

/* The kernel of a launch, in the arena, which must live as long as its blocks run; so must the
 * recording. A damaged block fails at its first step, or where it makes no sense. */
bool recording_kernel(struct recording *r, u32 launch, struct arena *arena, struct grid_source *out,
                      struct err *err);

#endif
