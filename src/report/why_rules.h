/*
 * The table of rules of `heddle why`: which bound holds when, and the facts it stands on.
 */
#ifndef REPORT_WHY_RULES_H
#define REPORT_WHY_RULES_H

#include "report/why.h"

/* A gain below this confirms nothing: runs differ by a few percent for the order of warps alone
 * (bandwidth-and-ccn spec P1: 3 %). */
#define CONFIRMS 1.05

#define NO_CLAIM (-1)
/* clang-format off */
#define WHY_RULE(id, condition, words, ...) {id, condition, words, {__VA_ARGS__}, .claim = NO_CLAIM
#define WHY_CLAIM(id, what, ...) {id, NULL, NULL, {__VA_ARGS__}, .claim = BOUND_##what
#define BY(...) , .remedies = {__VA_ARGS__}}
#define BY_NOTHING }
/* clang-format on */

/* What a rule looks at: one kernel or the program, what its statistics say, what memory costs it.
 */
struct why_view {
    const struct why *why;
    const struct why_row *row;
    struct why_costs costs;
    int claim; /* enum gpu_bound, or NO_CLAIM */
};

/* A rule without `holds` is about what the statistics say: it holds where they say it and one of
 * its remedies was measured to help. Any other rule does not hold where its remedies were measured
 * and none helps. */
struct why_rule {
    const char *id;
    bool (*holds)(const struct why_view *v);
    const char *bound; /* NULL: the words of the claim */
    const char *facts[MOST_CITED + 1];
    const char *remedies[MOST_MEASURED + 1]; /* what-ifs that the claim stands on */
    int claim;
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
    /* What the statistics of a run say; NULL: such programs have no such claim. */
    int (*claim)(const struct why *why, const struct why_row *row);
    const char *const *claims; /* in words */
};

extern const struct why_words why_gpu_words, why_cpu_words;
const struct why_words *why_words_of(const struct why *why);

/* The condition of the last rule of a table. */
bool why_always(const struct why_view *v);
/* A fact of the row, 0 where there is none. */
double why_fact(const struct why_view *v, const char *id);

#endif
