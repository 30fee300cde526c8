/*
 * A thread as a front end sees it: stretches of code that are fetched in sequence, and branches, in
 * program order and a batch at a time.
 *
 * A stretch ends at a taken branch, where addresses break, and where a parallel region begins or
 * ends. Which section something belongs to is enum cpu_section (cpu_trace/statistics.h).
 */
#ifndef FRONT_END_BATCH_H
#define FRONT_END_BATCH_H

#include "cpu_trace/instruction.h"
#include "cpu_trace/statistics.h"

#define BATCH_EVENTS 4096u

struct fetch_stretch {
    u64 first, end; /* bytes [first, end) */
    u8 section;
};

struct branch_event {
    u64 pc, target;
    u8 kind; /* enum cpu_branch */
    u8 section;
    bool taken;
};

struct front_batch {
    u32 stretch_count, branch_count;
    struct fetch_stretch stretches[BATCH_EVENTS];
    struct branch_event branches[BATCH_EVENTS];
};

#endif
