/*
 * What every policy says of itself, whatever question it answers.
 *
 * A question is a header owned by the component that asks it (gpu/sm/warp_policy.h,
 * cache/replacement.h,
 * ...); its table of operations begins with these fields, so that one registry (policy/registry.h)
 * finds, lists, configures and loads the answers to all of them.
 */
#ifndef SIM_POLICY_H
#define SIM_POLICY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/types.h"
#include "config/param.h"
#include "sim/policy_host.h"
#include "stats/def.h"

/* Changes with any of the questions' headers: a plugin built against another is refused. */
#define POLICY_VERSION 7u

#define POLICY_HEAD                                                                                \
    u32 version;                /* POLICY_VERSION */                                               \
    const char *name;           /* as written in a chip file */                                    \
    const char *source;         /* where the mechanism was published */                            \
    const struct param *params; /* of its configuration; NULL: none */                             \
    param_check *check;         /* of them together; may be NULL */                                \
    size_t config_bytes;                                                                           \
    size_t state_bytes;           /* of zeros, for each instance */                                \
    const struct stat_def *stats; /* of a struct inside the state; NULL: none */                   \
    size_t stats_offset

struct policy_ops {
    POLICY_HEAD;
};

/* A policy that was found by name, with its parameters. */
struct policy_choice {
    const struct policy_ops *ops;
    const void *config;
};

struct stats;
/* What a policy counts, if anything, as node `name` below another. */
void policy_add_statistics(const struct policy_ops *p, const void *state, struct stats *s, u32 of,
                           const char *name);

/* What a policy's file ends with, for question `kind`: POLICY(replacement, lru) = {...}; the same
 * file is built in, or built with -DHEDDLE_PLUGIN as a shared object. */
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
