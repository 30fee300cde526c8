/* A launch without timing that is watched: a long one can say how far it is, and be ended. */
#ifndef PTX_LAUNCH_POLL_H
#define PTX_LAUNCH_POLL_H

#include "ptx/launch.h"

/* Called every half million warp instructions or so, 10 ms, with the number of blocks that have
 * ended, those before the first included. It may end the process. */
struct launch_poll {
    void *context;
    void (*poll)(void *context, u64 ended_blocks);
};

/* launch_run with somebody who watches; NULL: nobody. */
bool launch_run_polled(const struct launch *l, const struct launch_poll *poll,
                       struct launch_counts *counts, enum launch_fault *fault, struct err *err);

#endif
