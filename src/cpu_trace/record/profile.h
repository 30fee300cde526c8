/* Which blocks a program executes, interval by interval, without a trace: for choosing windows. */
#ifndef CPU_TRACE_RECORD_PROFILE_H
#define CPU_TRACE_RECORD_PROFILE_H

#include "cpu_trace/points.h"
#include "cpu_trace/record/guest.h"

/* To the program's end; the profile is as points_profile_init left it. Instructions are counted as
 * `skip` counts them: of all threads, in the order in which they come. */
bool cpu_profile(const struct guest_request *request, struct points_profile *out, struct err *err);

#endif
