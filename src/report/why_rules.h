/*
 * The table of rules of `heddle why`: which bound holds when, and the facts it stands on.
 */
#ifndef REPORT_WHY_RULES_H
#define REPORT_WHY_RULES_H

#include "report/why.h"

/* What a rule looks at: one kernel or the program, and what memory costs it. */
struct why_view {
    const struct why *why;
    const struct why_row *row;
    struct why_costs costs;
};

struct why_rule {
    const char *id;
    bool (*holds)(const struct why_view *v);
    const char *bound;
    const char *facts[MOST_CITED + 1];
};

/* What a programmer can do something about, whatever the bound is. */
struct remark_rule {
    const char *fact; /* NULL: the end */
    double limit;
    bool is_above;
    const char *advice;
};

/* What is said of the programs of a model. */
struct why_words {
    /* The first that holds names the bound; the last always does. */
    const struct why_rule *rules;
    const struct remark_rule *remarks;
    const char *private;   /* the last level that a core has for itself */
    const char *ladder[3]; /* what-ifs: DRAM, contention, all below; NULL: not tried */
};

extern const struct why_words why_gpu_words, why_cpu_words;
const struct why_words *why_words_of(const struct why *why);

/* A fact of the row, 0 where there is none. */
double why_fact(const struct why_view *v, const char *id);

#endif
