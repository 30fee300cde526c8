/*
 * A policy of the reader's own as one more column of a study: its runs are those of a set with the
 * policy in place of that set's, and every value, check, table and figure that speaks of the set
 * gets a twin that speaks of the policy. Nothing of the study itself changes, and twins of checks
 * are shown, not judged.
 */
#ifndef STUDY_STUDY_OWN_H
#define STUDY_STUDY_OWN_H

#include "study/study.h"

struct study_own {
    const char *param, *policy;  /* of the chip: what asks, and the answer */
    const char *asked;           /* as it was given, for sentences */
    const char *const *settings; /* PARAM=VALUE of the policy itself */
    u32 setting_count;
    const char *like; /* set whose place it takes; NULL: the first that chooses one for `param` */
};

/* After study_read, before study_check. */
bool study_add_own(struct study *study, const struct study_own *own, struct arena *arena,
                   struct err *err);

/* A formula that speaks of one set of runs, about another; words that are in `from` become those
 * in `to`. */
struct study_renaming {
    const char *set, *own_set;
    const char *stats; /* below which a policy's own statistics are; NULL: it has none */
    const char *const *from, *const *to;
    u32 count;
};
/* NULL: it speaks of neither the set nor any of the words, or asks what only that set's chip has.
 */
const char *study_formula_about(const struct study_renaming *r, const char *formula,
                                struct arena *arena);

#endif
