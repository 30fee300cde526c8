/* The built-in answers to each question, one line each. */
#ifndef POLICY_REGISTRY_H
#define POLICY_REGISTRY_H

#include "gpu/warp_policy.h"
#include "mem/replacement.h"

#define REPLACEMENT_POLICIES(X) X(fifo) X(lru) X(plru) X(random)
#define WARP_POLICIES(X) X(gto) X(lrr) X(oldest)

extern const struct replacement_ops *const replacement_policies[]; /* ends with NULL */
const struct replacement_ops *replacement_find(const char *name);

extern const struct warp_policy_ops *const warp_policies[]; /* ends with NULL */
const struct warp_policy_ops *warp_policy_find(const char *name);

#endif
