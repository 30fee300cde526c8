/*
 * A loop predictor, beside any other predictor, for loops with a constant number of iterations.
 *
 * An entry is made when the other predictor was wrong. It counts outcomes in one direction until
 * the other comes; after the same count several times in a row it is confident, and only then is it
 * used (hpc-cores spec 2.2; the idea is Intel's, Pentium M 2003).
 */
#ifndef CPU_LOOP_PREDICTOR_H
#define CPU_LOOP_PREDICTOR_H

#include "base/arena.h"

#define LOOP_WAYS 4u
#define LOOP_ENTRY_BITS 64u /* tag 14, rounds 14, round 14, confidence 2, age 8, and to spare */

struct loop_entry {
    u16 tag, rounds, round;
    u8 confidence, age;
    bool direction; /* of the branch while the loop goes on */
    bool is_valid;
};

struct loop_predictor {
    struct loop_entry *entries; /* NULL: there is none */
    u32 sets;
    struct loop_entry *found; /* of the branch that was asked about last; NULL: none */
};

/* entries: a multiple of LOOP_WAYS, or 0. */
void loop_predictor_init(struct loop_predictor *l, struct arena *arena, u32 entries);
/* True: it is sure, and *taken is what it says. */
bool loop_predictor_predict(struct loop_predictor *l, u64 pc, bool *taken);
/* After predict, for the same branch. */
void loop_predictor_train(struct loop_predictor *l, u64 pc, bool taken, bool base_was_wrong);

#endif
