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

/* The first that holds names the bound; the last always does. */
extern const struct why_rule why_rules[];

#endif
