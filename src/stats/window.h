/*
 * The part of a run that counts: what every statistic grew by since the window began.
 *
 * When the window begins, counts, arrays and histograms of the whole tree are noted. When the run
 * is over they become the difference, where they lie: a counter read afterwards, through the tree
 * or directly, is that of the window. Levels stay as they are. Laws are of whole runs and are
 * checked before.
 */
#ifndef STATS_WINDOW_H
#define STATS_WINDOW_H

#include "stats/tree.h"

struct stats_window {
    u64 *numbers; /* NULL: it has not begun */
    size_t count;
};

/* All statistics have been brought up to the present. The tree grows no more. */
void stats_window_begin(struct stats_window *w, const struct stats *s);
/* Once, when nothing counts any more. */
void stats_window_end(struct stats_window *w, const struct stats *s);

#endif
