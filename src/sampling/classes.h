/*
 * Classes of launches that are expected to take equally long: same kernel, same shape, close
 * signatures.
 *
 * A launch joins the nearest class whose first launch is as close as the tolerances say, or begins
 * a new one (leader clustering: one pass, no number of classes to choose).
 */
#ifndef SAMPLING_CLASSES_H
#define SAMPLING_CLASSES_H

#include "ptx/exec/signature.h"

/* Largest differences within a class. */
#define CLASS_SIZE 0.25     /* of warp instructions, by their ratio less 1 */
#define CLASS_FOOTPRINT 0.5 /* of sectors touched, the same; the estimate is within 7 % */
#define CLASS_VECTOR 0.1    /* of projected shares of instructions; at most 2 */
#define CLASS_MIX 0.05      /* of a unit's share of the instructions */
#define CLASS_LANES 2.0     /* of 32 */
#define CLASS_SECTORS 0.25  /* of sectors of an access, by their ratio less 1 */

#define MOST_CLASSES 64u /* of a kernel and shape; what comes then joins the nearest */

/* The largest difference of two signatures, each in its tolerance: alike up to 1. */
double signature_distance(const struct signature *a, const struct signature *b);

struct launch_class {
    bool is_alone; /* nobody joins it */
    struct signature leader;
    u64 population, sampled;
    double size;                 /* warp instructions of all its launches */
    double ratio, ratio_squares; /* sums of the first value by instruction, of those timed */
    u32 attempts;                /* launches that were timed in the hope of one of this class */
};

struct launch_classes {
    struct launch_class *classes;
    u32 count, room;
};

/* The class of a launch, which is counted there; is_first: it gets one of its own. */
u32 classes_add(struct launch_classes *c, const struct signature *s, bool is_first);
void classes_fini(struct launch_classes *c);

#endif
