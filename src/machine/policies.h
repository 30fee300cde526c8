/*
 * For each question, the parameter of a chip that names the policy. `--policy WORD=NAME` and the
 * checks of a chip file use this table. Each model lists its own.
 */
#ifndef MACHINE_POLICIES_H
#define MACHINE_POLICIES_H

#include "config/config.h"
#include "policy/registry.h"

struct policy_use {
    const char *word;  /* of --policy: [PART.]QUESTION */
    const char *old;   /* what it was called before; NULL: the same */
    const char *path;  /* of the parameter */
    const char *stats; /* where its statistics are in a result */
    enum question_id question;
    size_t offset; /* of the const char * with the name, in the model's configuration */
};

#define POLICY_USES_END                                                                            \
    {                                                                                              \
        .question = QUESTION_COUNT                                                                 \
    }

/* The use with this word, or with this old one, in any model; NULL: none has it. In words, - and _
 * are one letter. */
const struct policy_use *policy_use_find(const char *word);
/* The use that a parameter is of, in any model; NULL: it chooses no policy. */
const struct policy_use *policy_use_of_param(const char *path);
/* All words but the old ones, ends with NULL. */
const char *const *policy_use_words(void);
/* The name that a configuration has for a use. */
static inline const char *policy_use_name(const struct policy_use *u, const void *config)
{
    return *(const char *const *)(const void *)((const u8 *)config + u->offset);
}
/* Are the policies there that a configuration names? */
bool policy_uses_check(const struct policy_use *uses, const void *data, const struct config *config,
                       struct err *err);
/* Finds them, each with its parameters, in the order of the uses. */
bool policy_uses_choose(const struct policy_use *uses, const void *config, const void *parameters,
                        struct arena *arena, struct policy_choice *const *to, struct err *err);
/* Is the policy chosen whose parameters are below `part` of `policy`: NAME or QUESTION.NAME...? */
bool policy_use_matters(const struct policy_use *uses, const void *config, const char *part);

#endif
