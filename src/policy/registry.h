/*
 * All questions and their answers: built-in policies (policy/questions.def), and those of plugins
 * that were loaded. A question's header belongs to the component that asks it; its answers are
 * files in a folder of its own.
 */
#ifndef POLICY_REGISTRY_H
#define POLICY_REGISTRY_H

#include "base/err.h"
#include "sim/policy.h"

enum question_id {
#define QUESTION(ID, name, kind, header, asks, needs, answers) QUESTION_##ID,
#include "policy/questions.def"
#undef QUESTION
    QUESTION_COUNT
};

struct question {
    const char *name;                             /* of its parameters, and in listings */
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
