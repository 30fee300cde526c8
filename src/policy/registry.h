/* The built-in answers to each question, one line each. */
#ifndef POLICY_REGISTRY_H
#define POLICY_REGISTRY_H

#include "mem/replacement.h"

#define REPLACEMENT_POLICIES(X) X(fifo) X(lru) X(plru) X(random)

extern const struct replacement_ops *const replacement_policies[]; /* ends with NULL */
const struct replacement_ops *replacement_find(const char *name);

#endif
