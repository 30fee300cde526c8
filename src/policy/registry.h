/*
 * The answers to each question: the built-in ones, one line each, and those of
 * plugins that were loaded.
 */
#ifndef POLICY_REGISTRY_H
#define POLICY_REGISTRY_H

#include "base/err.h"
#include "gpu/warp_policy.h"
#include "mem/replacement.h"

#define REPLACEMENT_POLICIES(X) X(fifo) X(lru) X(plru) X(random)
#define WARP_POLICIES(X)                                                                           \
    X(apcm_like)                                                                                   \
    X(ccws)                                                                                        \
    X(fixed)                                                                                       \
    X(gto)                                                                                         \
    X(lrr)                                                                                         \
    X(oldest)                                                                                      \
    X(pcal)                                                                                        \
    X(poise)                                                                                       \
    X(random_restart)                                                                              \
    X(static_best)                                                                                 \
    X(swl)

extern const struct replacement_ops *const replacement_policies[]; /* ends with NULL */
const struct replacement_ops *replacement_find(const char *name);

/* By number, built-in ones first; NULL: there are no more. */
const struct warp_policy_ops *warp_policy_at(u32 index);
const struct warp_policy_ops *warp_policy_find(const char *name);

/* The parameters of all policies that have some: a group each, for config_schema.parts. */
const struct param *policy_params(size_t *bytes);
/* A policy's own parameters inside a block that policy_params describe; NULL: it has none. */
const void *policy_config(const struct warp_policy_ops *ops, const void *block);

/* Adds the policy of a shared object (docs/warp-policies.md) for the life of the process; to be
 * done before a chip is read. */
bool policy_load_plugin(const char *path, struct err *err);
/* Those that HEDDLE_PLUGIN names, separated by colons. */
bool policy_load_plugins(struct err *err);

#endif
