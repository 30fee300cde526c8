/* What a sweep shows while it runs: a table on a terminal, a line per run otherwise. */
#ifndef CLI_SWEEP_PROGRESS_H
#define CLI_SWEEP_PROGRESS_H

#include "campaign/sweep.h"

struct sweep_screen {
    bool quiet, terminal;
    u32 lines; /* drawn last time, to be drawn over */
};

void sweep_screen_init(struct sweep_screen *screen, bool quiet);
/* The watcher that draws on it. */
struct sweep_watcher sweep_screen_watcher(struct sweep_screen *screen);
/* Takes the table away. */
void sweep_screen_end(struct sweep_screen *screen);

#endif
