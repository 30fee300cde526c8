/*
 * Which launches of a kernel are timed, decided before each is executed.
 *
 * The launches of one kernel and shape, in order, are divided into runs; of each run one launch is
 * drawn with equal chances. Runs are 1 launch long at first, and twice as long after every second
 * one, up to a longest run; while what was measured varies too much they shrink again. So a few
 * launches tell everything about a regular kernel, an irregular one is looked at more often, and
 * every launch has a known chance, whenever it comes.
 */
#ifndef SAMPLING_DESIGN_H
#define SAMPLING_DESIGN_H

#include "base/rng.h"

#define DESIGN_TRANSIENT                                                                           \
    4u /* first launches, which find code and data in no cache: each for itself */
#define DESIGN_CERTAIN 4u /* runs of one launch before they grow */

struct design {
    struct rng rng;
    u32 longest;
    u32 length, position, drawn; /* of the run that is under way */
    u32 certain;                 /* launches in it that were timed without being drawn */
    u32 runs;                    /* of this length that have ended; of 1: all so far */
};

void design_init(struct design *d, u32 longest, u64 seed, u64 identity);
/* The next launch: is it drawn? */
bool design_draws(struct design *d);
/* The launch that design_draws left out is timed all the same. */
void design_adds(struct design *d);
/* After each launch: the number of launches that the drawn one stands for, once its run has ended;
 * 0: it has not. */
u32 design_stands_for(const struct design *d);
/* A run has ended, the next one begins: no shorter if what was measured is steady. */
void design_next(struct design *d, bool is_steady);
/* The same at the end of the program; 0: none was drawn. */
u32 design_last(const struct design *d);

#endif
