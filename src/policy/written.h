/* A policy as a text with its parameters: NAME,PARAMETER=VALUE,... */
#ifndef POLICY_WRITTEN_H
#define POLICY_WRITTEN_H

#include "policy/registry.h"

/* Several of one name may have other parameters: those of the chip file (policy.QUESTION.NAME) do
 * not count here. `what`: the parameter that has the text, for messages. */
bool policy_written(enum question_id q, const char *text, const char *what, struct src_pos at,
                    struct arena *arena, struct policy_choice *out, struct err *err);

#endif
