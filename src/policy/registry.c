#include "policy/registry.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE_REPLACEMENT(name) extern const struct replacement_ops replacement_##name;
REPLACEMENT_POLICIES(DECLARE_REPLACEMENT)
#define DECLARE_WARP(name) extern const struct warp_policy_ops warp_policy_##name;
WARP_POLICIES(DECLARE_WARP)

#define REPLACEMENT(name) &replacement_##name,
const struct replacement_ops *const replacement_policies[] = {REPLACEMENT_POLICIES(REPLACEMENT)
                                                                  NULL};
#define WARP(name) &warp_policy_##name,
static const struct warp_policy_ops *const built_in[] = {WARP_POLICIES(WARP)};

#define MOST_PLUGINS 32u

/* The code of a plugin is the process's, so this is too. */
static const struct warp_policy_ops *plugins[MOST_PLUGINS];
static u32 plugin_count;

const struct replacement_ops *replacement_find(const char *name)
{
    for (const struct replacement_ops *const *p = replacement_policies; *p; p++) {
        if (strcmp((*p)->name, name) == 0)
            return *p;
    }
    return NULL;
}

const struct warp_policy_ops *warp_policy_at(u32 index)
{
    if (index < ARRAY_LEN(built_in))
        return built_in[index];
    index -= (u32)ARRAY_LEN(built_in);
    return index < plugin_count ? plugins[index] : NULL;
}

const struct warp_policy_ops *warp_policy_find(const char *name)
{
    const struct warp_policy_ops *p;
    for (u32 i = 0; (p = warp_policy_at(i)); i++) {
        if (strcmp(p->name, name) == 0)
            return p;
    }
    return NULL;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static size_t padded(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

const struct param *policy_params(size_t *bytes)
{
    static struct param groups[ARRAY_LEN(built_in) + MOST_PLUGINS + 1];
    const struct warp_policy_ops *p;
    u32 count = 0;
    size_t used = 0;
    for (u32 i = 0; (p = warp_policy_at(i)); i++) {
        if (!p->params)
            continue;
        groups[count++] = (struct param){.name = p->name,
                                         .type = PARAM_GROUP,
                                         .offset = (u32)used,
                                         .group = p->params,
                                         .check = p->check,
                                         .meaning = p->source};
        used += padded(p->config_bytes);
    }
    groups[count] = (struct param)P_END;
    *bytes = used;
    return groups;
}

const void *policy_config(const struct warp_policy_ops *ops, const void *block)
{
    size_t bytes;
    for (const struct param *g = policy_params(&bytes); g->type != PARAM_END; g++) {
        if (strcmp(g->name, ops->name) == 0)
            return (const u8 *)block + g->offset;
    }
    return NULL;
}

/* ---- plugins --------------------------------------------------------------------------------- */

#define PLUGIN_SYMBOL "heddle_warp_policy"

static bool check_plugin(const struct warp_policy_ops *p, struct src_pos at, struct err *err)
{
    if (p->version != WARP_POLICY_VERSION)
        return err_at(err, at,
                      "the policy is built for version %u of gpu/warp_policy.h, expected %u",
                      p->version, WARP_POLICY_VERSION);
    if (!p->name || !*p->name || !p->source || !p->pick)
        return err_at(err, at, "a policy needs a name, a source and pick()");
    if (warp_policy_find(p->name))
        return err_at(err, at, "there is a warp policy %s already, expected another name", p->name);
    if (plugin_count == MOST_PLUGINS)
        return err_at(err, at, "more than %u plugins", MOST_PLUGINS);
    return true;
}

bool policy_load_plugin(const char *path, struct err *err)
{
    struct src_pos at = {path, 0, 0};
    /* without a slash the loader would search the system's libraries */
    char local[4096];
    snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *object = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        return err_at(err, at, "the plugin cannot be loaded: %s", dlerror());
    const struct warp_policy_ops *p = dlsym(object, PLUGIN_SYMBOL);
    bool ok = p ? check_plugin(p, at, err)
                : err_at(err, at,
                         "the plugin has no policy, expected one made with WARP_POLICY and built "
                         "with -DHEDDLE_PLUGIN");
    if (ok)
        plugins[plugin_count++] = p;
    else
        dlclose(object);
    return ok;
}

bool policy_load_plugins(struct err *err)
{
    const char *list = getenv("HEDDLE_PLUGIN");
    while (list && *list) {
        char path[4096];
        size_t n = strcspn(list, ":");
        snprintf(path, sizeof path, "%.*s", (int)n, list);
        if (n && !policy_load_plugin(path, err))
            return false;
        list += n + (list[n] == ':');
    }
    return true;
}
