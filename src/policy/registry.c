#include "policy/registry.h"

#include "config/config.h"
#include "cpu/branch_predictor.h"
#include "cpu/indirect_predictor.h"
#include "cpu/prefetcher.h"
#include "dram/scheduler.h"
#include "dvfs/dvfs_policy.h"
#include "gpu/dispatch/block_policy.h"
#include "gpu/sm/warp_policy.h"
#include "mem/page_placement.h"
#include "l2/llc_policy.h"
#include "cache/replacement.h"
#include "net/mesh/noc_policy.h"
#include "policy/plugin_file.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define ANSWER(kind, id) extern const struct kind##_ops kind##_##id;
#define QUESTION(ID, name, kind, header, asks, needs, answers) answers
#include "policy/questions.def"
#undef ANSWER
#undef QUESTION

#define ANSWER(kind, id) (const struct policy_ops *)&kind##_##id,
#define QUESTION(ID, name, kind, header, asks, needs, answers)                                     \
    static const struct policy_ops *const kind##_answers[] = {answers NULL};                       \
    static bool is_whole_##kind(const struct policy_ops *p)                                        \
    {                                                                                              \
        return kind##_is_whole((const struct kind##_ops *)p);                                      \
    }
#include "policy/questions.def"
#undef QUESTION

const struct question questions[QUESTION_COUNT] = {
#define QUESTION(ID, name, kind, header, asks, needs, answers)                                     \
    [QUESTION_##ID] = {name, asks, header, "heddle_" #kind, kind##_answers, is_whole_##kind, needs},
#include "policy/questions.def"
#undef QUESTION
};
/* clang-format on */

#define MOST_PLUGINS 32u

/* The code of a plugin is the process's, so this is too. */
static const struct policy_ops *plugins[QUESTION_COUNT][MOST_PLUGINS];
static char *plugin_files[QUESTION_COUNT][MOST_PLUGINS];
static u32 plugin_count[QUESTION_COUNT];

static u32 built_in_count(enum question_id q)
{
    u32 n = 0;
    while (questions[q].built_in[n])
        n++;
    return n;
}

const struct policy_ops *policy_at(enum question_id q, u32 index)
{
    u32 n = built_in_count(q);
    if (index < n)
        return questions[q].built_in[index];
    return index - n < plugin_count[q] ? plugins[q][index - n] : NULL;
}

size_t policy_name_length(const char *name, const char *text)
{
    size_t i = 0;
    while (name[i] && (name[i] == '-' ? '_' : name[i]) == (text[i] == '-' ? '_' : text[i]))
        i++;
    return name[i] ? 0 : i;
}

const struct policy_ops *policy_find(enum question_id q, const char *name)
{
    const struct policy_ops *p, *alike = NULL;
    for (u32 i = 0; (p = policy_at(q, i)); i++) {
        if (strcmp(p->name, name) == 0)
            return p;
        if (!alike && policy_name_length(p->name, name) == strlen(name))
            alike = p;
    }
    return alike;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static size_t padded(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* A group for each of a question's policies that has parameters; they lie from *used on. */
static u32 list_groups(enum question_id q, struct param *groups, size_t *used)
{
    const struct policy_ops *p;
    u32 count = 0;
    for (u32 i = 0; (p = policy_at(q, i)); i++) {
        if (!p->params)
            continue;
        groups[count++] = (struct param){.name = p->name,
                                         .type = PARAM_GROUP,
                                         .offset = (u32)*used,
                                         .group = p->params,
                                         .check = p->check,
                                         .meaning = p->source};
        *used += padded(p->config_bytes);
    }
    groups[count] = (struct param)P_END;
    return count;
}

#define MOST_GROUPS 96u

const struct param *policy_params(size_t *bytes)
{
    static struct param top[QUESTION_COUNT + 1], below[QUESTION_COUNT][MOST_GROUPS];
    size_t used = 0;
    u32 count = 0;
    for (u32 q = 0; q < QUESTION_COUNT; q++) {
        if (!list_groups((enum question_id)q, below[q], &used))
            continue;
        top[count++] = (struct param){.name = questions[q].name,
                                      .type = PARAM_GROUP,
                                      .group = below[q],
                                      .meaning = questions[q].asks};
        top[count] = (struct param)P_END;
    }
    *bytes = used;
    return top;
}

const char *policy_path(enum question_id q, const char *name, struct arena *arena)
{
    return arena_printf(arena, "policy.%s.%s", questions[q].name, name);
}

static const struct param *group_of(const struct param *groups, const char *name)
{
    for (; groups->type != PARAM_END; groups++) {
        if (strcmp(groups->name, name) == 0)
            return groups;
    }
    return NULL;
}

static const void *config_of(enum question_id q, const struct policy_ops *p, const void *block,
                             struct arena *arena)
{
    if (!p->params)
        return NULL;
    if (block) {
        size_t bytes;
        const struct param *g = group_of(policy_params(&bytes), questions[q].name)->group;
        return (const u8 *)block + group_of(g, p->name)->offset;
    }
    u8 *defaults = arena_alloc(arena, p->config_bytes);
    for (const struct param *row = p->params; row->type != PARAM_END; row++)
        param_set_initial(row, defaults + row->offset);
    return defaults;
}

const struct policy_ops *policy_named(enum question_id q, const char *name, const char *what,
                                      struct src_pos at, struct err *err)
{
    const struct policy_ops *found = policy_find(q, name), *p;
    const char *names[MOST_GROUPS];
    u32 count = 0;
    for (u32 i = 0; !found && (p = policy_at(q, i)) && count < MOST_GROUPS; i++)
        names[count++] = p->name;
    if (!found)
        err_unknown(err, at, what, name, names, count, "heddle list policies");
    return found;
}

bool policy_choose(enum question_id q, const char *name, const char *what, const void *block,
                   struct arena *arena, struct policy_choice *out, struct err *err)
{
    const struct policy_ops *found = policy_named(q, name, what, (struct src_pos){0}, err);
    if (found)
        *out = (struct policy_choice){found, config_of(q, found, block, arena)};
    return found != NULL;
}

/* ---- plugins --------------------------------------------------------------------------------- */

static bool is_a_question(const char *name)
{
    for (u32 q = 0; q < QUESTION_COUNT; q++) {
        if (strcmp(questions[q].name, name) == 0)
            return true;
    }
    return false;
}

static bool check_plugin(enum question_id q, const struct policy_ops *p, struct src_pos at,
                         struct err *err)
{
    if (p->version != POLICY_VERSION)
        return err_at(err, at, "the policy is built for version %u of sim/policy.h, expected %u",
                      p->version, POLICY_VERSION);
    if (!p->name || !*p->name || !p->source || !questions[q].is_whole(p))
        return err_at(err, at, "a policy needs a name, a source and %s", questions[q].needs);
    if (policy_find(q, p->name) || is_a_question(p->name))
        return err_at(err, at, "there is a %s policy %s already, expected another name",
                      questions[q].name, p->name);
    if (plugin_count[q] == MOST_PLUGINS)
        return err_at(err, at, "more than %u plugins", MOST_PLUGINS);
    return true;
}

static const struct policy_host host = {
    .err_at = err_at,
    .err_found = err_found,
    .err_unknown = err_unknown,
    .config_pos = config_pos,
    .arena_alloc = arena_alloc,
    .arena_alloc_aligned = arena_alloc_aligned,
    .rng_init = rng_init,
    .rng_u64 = rng_u64,
    .rng_below = rng_below,
    .rng_unit = rng_unit,
    .rng_at = rng_at,
    .home_page = home_page,
};

bool policy_load_plugin(const char *path, struct err *err)
{
    struct src_pos at = {path, 0, 0};
    if (!plugin_file_check(path, err))
        return false;
    /* without a slash the loader would search the system's libraries */
    char local[4096];
    snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *object = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        return err_at(err, at, "the plugin cannot be loaded: %s", dlerror());
    const struct policy_host **calls = dlsym(object, "heddle_policy_host");
    if (calls)
        *calls = &host;
    u32 found = 0;
    bool ok = true;
    for (u32 q = 0; ok && q < QUESTION_COUNT; q++) {
        const struct policy_ops *p = dlsym(object, questions[q].symbol);
        if (!p)
            continue;
        ok = check_plugin((enum question_id)q, p, at, err);
        if (ok) {
            plugin_files[q][plugin_count[q]] = strdup(path);
            plugins[q][plugin_count[q]++] = p;
        }
        found++;
    }
    if (!found)
        ok = err_at(err, at,
                    "the plugin contains no policy, expected one defined with POLICY and built "
                    "with -DHEDDLE_PLUGIN");
    if (!ok && found < 2)
        dlclose(object);
    return ok;
}

const char *policy_plugin_file(enum question_id q, const char *name)
{
    for (u32 i = 0; i < plugin_count[q]; i++) {
        if (policy_name_length(plugins[q][i]->name, name) == strlen(name))
            return plugin_files[q][i];
    }
    return NULL;
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
