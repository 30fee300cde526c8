/*
 * What a policy in a shared object may call of heddle.
 *
 * A plugin is linked with nothing. heddle hands it this table when it is loaded; built with
 * -DHEDDLE_PLUGIN, the functions below (and those at the end of a question's header) are the
 * plugin's own and go through the table, so that one source is a built-in policy and a plugin.
 */
#ifndef SIM_POLICY_HOST_H
#define SIM_POLICY_HOST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/types.h"

struct config;
struct home;

struct policy_host {
    bool (*err_at)(struct err *err, struct src_pos at, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
    bool (*err_found)(struct err *err, struct src_pos at, const char *subject, const char *found,
                      const char *expected_fmt, ...) __attribute__((format(printf, 5, 6)));
    bool (*err_unknown)(struct err *err, struct src_pos at, const char *noun, const char *found,
                        const char *const *names, size_t count, const char *where);
    struct src_pos (*config_pos)(const struct config *config, const void *field);
    void *(*arena_alloc)(struct arena *a, size_t bytes);
    void *(*arena_alloc_aligned)(struct arena *a, size_t bytes, size_t align);
    void (*rng_init)(struct rng *r, u64 seed, const char *stream);
    u64 (*rng_u64)(struct rng *r);
    u64 (*rng_below)(struct rng *r, u64 bound);
    double (*rng_unit)(struct rng *r);
    u64 (*rng_at)(u64 key, u64 n);
    u32 (*home_page)(struct home *h, u64 address, u32 first);
};

#ifdef HEDDLE_PLUGIN
#include <stdarg.h>
#include <stdio.h>

/* Weak: a plugin of several files has each once. */
#define PLUGIN_OWN __attribute__((weak, visibility("hidden")))

struct src_pos config_pos(const struct config *config, const void *field);

/* Set when the plugin is loaded, before anything else of it is used. */
extern const struct policy_host *heddle_policy_host;
__attribute__((weak)) const struct policy_host *heddle_policy_host;

PLUGIN_OWN bool err_at(struct err *err, struct src_pos at, const char *fmt, ...)
{
    char text[sizeof err->what];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return heddle_policy_host->err_at(err, at, "%s", text);
}

PLUGIN_OWN bool err_found(struct err *err, struct src_pos at, const char *subject,
                          const char *found, const char *expected_fmt, ...)
{
    char text[sizeof err->expected];
    va_list args;
    va_start(args, expected_fmt);
    vsnprintf(text, sizeof text, expected_fmt, args);
    va_end(args);
    return heddle_policy_host->err_found(err, at, subject, found, "%s", text);
}

PLUGIN_OWN bool err_unknown(struct err *err, struct src_pos at, const char *noun, const char *found,
                            const char *const *names, size_t count, const char *where)
{
    return heddle_policy_host->err_unknown(err, at, noun, found, names, count, where);
}

PLUGIN_OWN struct src_pos config_pos(const struct config *config, const void *field)
{
    return heddle_policy_host->config_pos(config, field);
}

PLUGIN_OWN void *arena_alloc(struct arena *a, size_t bytes)
{
    return heddle_policy_host->arena_alloc(a, bytes);
}

PLUGIN_OWN void *arena_alloc_aligned(struct arena *a, size_t bytes, size_t align)
{
    return heddle_policy_host->arena_alloc_aligned(a, bytes, align);
}

PLUGIN_OWN void rng_init(struct rng *r, u64 seed, const char *stream)
{
    heddle_policy_host->rng_init(r, seed, stream);
}

PLUGIN_OWN u64 rng_u64(struct rng *r)
{
    return heddle_policy_host->rng_u64(r);
}

PLUGIN_OWN u64 rng_below(struct rng *r, u64 bound)
{
    return heddle_policy_host->rng_below(r, bound);
}

PLUGIN_OWN double rng_unit(struct rng *r)
{
    return heddle_policy_host->rng_unit(r);
}

PLUGIN_OWN u64 rng_at(u64 key, u64 n)
{
    return heddle_policy_host->rng_at(key, n);
}
#endif

#endif
