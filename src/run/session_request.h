/*
 * What is asked of a session: read once, from the environment in which `heddle run` starts a
 * program (docs/howto/cuda.md lists the variables), and a structure from then on.
 */
#ifndef RUN_SESSION_REQUEST_H
#define RUN_SESSION_REQUEST_H

#include "run/launches.h"
#include "run/run.h"
#include "sampling/sample.h"

struct session_request {
    struct run_request run;
    const char *stats, *record; /* files to write; NULL: not asked for */
    bool quiet;
    bool is_untimed; /* for answers and a recording alone */
    u64 max_instructions;
    struct launches launches; /* that are timed */
    const char *sample;       /* NULL: all of those are; else share of them, sampling/sample.h */
    struct sample_options sampling;
    const char *save, *resume; /* checkpoints; NULL: not asked for */
    u64 save_launch;           /* before which one is saved */
    bool is_child;             /* of a process that has a session of its own */
};

/* Does the environment ask for a chip? */
bool session_is_wanted(void);
bool session_request_read(struct session_request *r, struct arena *arena, struct err *err);
/* The process has been forked: what it writes lies beside its parent's. */
void session_request_fork(struct session_request *r, struct arena *arena);

#endif
