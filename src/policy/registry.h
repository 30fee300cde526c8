/*
 * All questions and their answers: built-in policies, one line each, and those of plugins that were
 * loaded. A question's header belongs to the component that asks it; its answers are files in the
 * folder of its name.
 */
#ifndef POLICY_REGISTRY_H
#define POLICY_REGISTRY_H

#include "base/err.h"
#include "sim/policy.h"

#define REPLACEMENT_POLICIES(X) X(drrip) X(fifo) X(lru) X(plru) X(random) X(tadip)
#define LLC_POLICIES(X)                                                                            \
    X(gpar) X(pipp) X(racr) X(shared) X(split) X(tap_rrip) X(tap_ucp) X(tc) X(ucp)
#define BRANCH_PREDICTORS(X) X(bimodal) X(gshare) X(perceptron) X(tage) X(tournament)
#define BLOCK_POLICIES(X)                                                                          \
    X(breadth_first) X(depth_first) X(ordered) X(random_stop) X(round_robin) X(rut)
#define DRAM_SCHEDULERS(X) X(fcfs) X(fr_fcfs)
#define DVFS_POLICIES(X) X(dyfr) X(fixed)
#define HOME_POLICIES(X) X(file) X(first_touch) X(interleaved) X(round_robin)
#define INDIRECT_PREDICTORS(X) X(btb) X(ittage) X(target_cache)
#define NOC_POLICIES(X) X(damq) X(fvcp) X(order) X(shared) X(split)
#define PREFETCHERS(X) X(next_line) X(none) X(pair) X(stride)
#define WARP_POLICIES(X)                                                                           \
    X(apcm_like)                                                                                   \
    X(ccws)                                                                                        \
    X(fixed)                                                                                       \
    X(gto)                                                                                         \
    X(gtrr)                                                                                        \
    X(lrr)                                                                                         \
    X(oldest)                                                                                      \
    X(pcal)                                                                                        \
    X(poise)                                                                                       \
    X(random_restart)                                                                              \
    X(static_best)                                                                                 \
    X(swl)

enum question_id {
    QUESTION_BLOCK,
    QUESTION_BRANCH,
    QUESTION_DRAM,
    QUESTION_DVFS,
    QUESTION_HOME,
    QUESTION_INDIRECT,
    QUESTION_LLC,
    QUESTION_NOC,
    QUESTION_PREFETCH,
    QUESTION_REPLACEMENT,
    QUESTION_WARP,
    QUESTION_COUNT
};

struct question {
    const char *name;                             /* its folder */
    const char *asks, *header;                    /* in words; where it is defined */
    const char *symbol;                           /* of a plugin's policy */
    const struct policy_ops *const *built_in;     /* ends with NULL */
    bool (*is_whole)(const struct policy_ops *p); /* has the functions it cannot do without */
    const char *needs;                            /* those, for a sentence */
};

extern const struct question questions[QUESTION_COUNT];

/* By number, built-in ones first; NULL: there are no more. */
const struct policy_ops *policy_at(enum question_id q, u32 index);
/* In names, - and _ are one letter. */
const struct policy_ops *policy_find(enum question_id q, const char *name);
/* How much of a text is this name, so compared, from its start; 0: the text begins otherwise. */
size_t policy_name_length(const char *name, const char *text);
/* The same; NULL: none, with the sentence. `what`: the parameter that names it. */
const struct policy_ops *policy_named(enum question_id q, const char *name, const char *what,
                                      struct src_pos at, struct err *err);
/* Finds a policy and its parameters in a block as policy_params describe it (NULL: defaults, from
 * the arena). `what`: for the sentence when there is none. */
bool policy_choose(enum question_id q, const char *name, const char *what, const void *block,
                   struct arena *arena, struct policy_choice *out, struct err *err);

/* The parameters of all policies that have some, for config_schema.parts:
 * policy.QUESTION.NAME.PARAMETER. */
const struct param *policy_params(size_t *bytes);
/* The path below which a policy's parameters are written. */
const char *policy_path(enum question_id q, const char *name, struct arena *arena);

/* Adds the policy of a shared object (docs/howto/policies.md) for the life of the process; to be
 * done before a chip is read. */
bool policy_load_plugin(const char *path, struct err *err);
/* The file that a policy was loaded from; NULL: it is built in, or not known. */
const char *policy_plugin_file(enum question_id q, const char *name);
/* Those that HEDDLE_PLUGIN names, separated by colons. */
bool policy_load_plugins(struct err *err);

#endif
