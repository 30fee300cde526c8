/*
 * The fields that all policies have, whatever question they answer.
 *
 * A question is a header owned by the component that asks it (gpu/sm/warp_policy.h,
 * cache/replacement.h, ...). Its struct of operations begins with POLICY_HEAD, so that one registry
 * (policy/registry.h) finds, lists, configures and loads the policies of all questions.
 */
#ifndef SIM_POLICY_H
#define SIM_POLICY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/types.h"
#include "config/param.h"
#include "sim/policy_host.h"
#include "stats/def.h"

/* Increases when any of these headers changes; plug-ins built for another version are refused. */
#define POLICY_VERSION 7u

#define POLICY_HEAD                                                                                \
    u32 version;                /* POLICY_VERSION */                                               \
    const char *name;           /* as written in a chip file */                                    \
    const char *source;         /* where the mechanism was published */                            \
    const struct param *params; /* of the config struct; NULL: none */                             \
    param_check *check;         /* of them together; may be NULL */                                \
    size_t config_bytes;                                                                           \
    size_t state_bytes;           /* of zeros, for each instance */                                \
    const struct stat_def *stats; /* of a struct inside the state; NULL: none */                   \
    size_t stats_offset

struct policy_ops {
    POLICY_HEAD;
};

/* A policy found by name, with its parameters. */
struct policy_choice {
    const struct policy_ops *ops;
    const void *config;
};

struct stats;
/* Adds the policy's statistics, if any, as node `name` below node `of`. */
void policy_add_statistics(const struct policy_ops *p, const void *state, struct stats *s, u32 of,
                           const char *name);

/* Ends the file of a policy: POLICY(replacement, lru) = {...}. The same file is built in or, with
 * -DHEDDLE_PLUGIN, a shared object. */
#ifdef HEDDLE_PLUGIN
#define POLICY(kind, id)                                                                           \
    extern const struct kind##_ops heddle_##kind;                                                  \
    const struct kind##_ops heddle_##kind
#else
#define POLICY(kind, id)                                                                           \
    extern const struct kind##_ops kind##_##id;                                                    \
    const struct kind##_ops kind##_##id
#endif

#endif
