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

#define DECLARE_BLOCK(id) extern const struct block_policy_ops block_policy_##id;
BLOCK_POLICIES(DECLARE_BLOCK)
#define DECLARE_BRANCH(id) extern const struct branch_predictor_ops branch_predictor_##id;
BRANCH_PREDICTORS(DECLARE_BRANCH)
#define DECLARE_DRAM(id) extern const struct dram_scheduler_ops dram_scheduler_##id;
DRAM_SCHEDULERS(DECLARE_DRAM)
#define DECLARE_DVFS(id) extern const struct dvfs_policy_ops dvfs_policy_##id;
DVFS_POLICIES(DECLARE_DVFS)
#define DECLARE_HOME(id) extern const struct home_ops home_##id;
HOME_POLICIES(DECLARE_HOME)
#define DECLARE_INDIRECT(id) extern const struct indirect_predictor_ops indirect_predictor_##id;
INDIRECT_PREDICTORS(DECLARE_INDIRECT)
#define DECLARE_NOC(id) extern const struct noc_policy_ops noc_policy_##id;
NOC_POLICIES(DECLARE_NOC)
#define DECLARE_PREFETCHER(id) extern const struct prefetcher_ops prefetcher_##id;
PREFETCHERS(DECLARE_PREFETCHER)
#define DECLARE_LLC(id) extern const struct llc_policy_ops llc_policy_##id;
LLC_POLICIES(DECLARE_LLC)
#define DECLARE_REPLACEMENT(id) extern const struct replacement_ops replacement_##id;
REPLACEMENT_POLICIES(DECLARE_REPLACEMENT)
#define DECLARE_WARP(id) extern const struct warp_policy_ops warp_policy_##id;
WARP_POLICIES(DECLARE_WARP)

#define LIST_BLOCK(id) (const struct policy_ops *)&block_policy_##id,
static const struct policy_ops *const block_policies[] = {BLOCK_POLICIES(LIST_BLOCK) NULL};
#define LIST_BRANCH(id) (const struct policy_ops *)&branch_predictor_##id,
static const struct policy_ops *const branch_predictors[] = {BRANCH_PREDICTORS(LIST_BRANCH) NULL};
#define LIST_DRAM(id) (const struct policy_ops *)&dram_scheduler_##id,
static const struct policy_ops *const dram_policies[] = {DRAM_SCHEDULERS(LIST_DRAM) NULL};
#define LIST_DVFS(id) (const struct policy_ops *)&dvfs_policy_##id,
static const struct policy_ops *const dvfs_policies[] = {DVFS_POLICIES(LIST_DVFS) NULL};
#define LIST_HOME(id) (const struct policy_ops *)&home_##id,
static const struct policy_ops *const home_policies[] = {HOME_POLICIES(LIST_HOME) NULL};
#define LIST_INDIRECT(id) (const struct policy_ops *)&indirect_predictor_##id,
static const struct policy_ops *const indirect_predictors[] = {INDIRECT_PREDICTORS(LIST_INDIRECT)
                                                                   NULL};
#define LIST_NOC(id) (const struct policy_ops *)&noc_policy_##id,
static const struct policy_ops *const noc_policies[] = {NOC_POLICIES(LIST_NOC) NULL};
#define LIST_PREFETCHER(id) (const struct policy_ops *)&prefetcher_##id,
static const struct policy_ops *const prefetchers[] = {PREFETCHERS(LIST_PREFETCHER) NULL};
#define LIST_LLC(id) (const struct policy_ops *)&llc_policy_##id,
static const struct policy_ops *const llc_policies[] = {LLC_POLICIES(LIST_LLC) NULL};
#define LIST_REPLACEMENT(id) (const struct policy_ops *)&replacement_##id,
static const struct policy_ops *const replacement_policies[] = {
    REPLACEMENT_POLICIES(LIST_REPLACEMENT) NULL};
#define LIST_WARP(id) (const struct policy_ops *)&warp_policy_##id,
static const struct policy_ops *const warp_policies[] = {WARP_POLICIES(LIST_WARP) NULL};

static bool block_is_whole(const struct policy_ops *p)
{
    return ((const struct block_policy_ops *)p)->choose_sm != NULL;
}

static bool branch_is_whole(const struct policy_ops *p)
{
    const struct branch_predictor_ops *b = (const struct branch_predictor_ops *)p;
    return b->storage_bits && b->predict && b->train;
}

static bool dvfs_is_whole(const struct policy_ops *p)
{
    const struct dvfs_policy_ops *d = (const struct dvfs_policy_ops *)p;
    return !d->core == !d->memory;
}

static bool home_is_whole(const struct policy_ops *p)
{
    return ((const struct home_ops *)p)->find != NULL;
}

static bool indirect_is_whole(const struct policy_ops *p)
{
    const struct indirect_predictor_ops *i = (const struct indirect_predictor_ops *)p;
    return i->storage_bits && !i->predict == !i->train;
}

static bool prefetcher_is_whole(const struct policy_ops *p)
{
    (void)p; /* one without access() fetches nothing */
    return true;
}

static bool dram_is_whole(const struct policy_ops *p)
{
    const struct dram_scheduler_ops *s = (const struct dram_scheduler_ops *)p;
    return s->choose_column && s->choose_row && !s->added == !s->opened;
}

/* Without decide() nothing is ever decided. */
static bool llc_is_whole(const struct policy_ops *p)
{
    const struct llc_policy_ops *l = (const struct llc_policy_ops *)p;
    return l->decide && !l->observe == !l->monitor_bytes;
}

/* A central policy hears of its plans' effect. */
static bool noc_is_whole(const struct policy_ops *p)
{
    const struct noc_policy_ops *n = (const struct noc_policy_ops *)p;
    return !n->is_central || (n->decide && n->gathered);
}

static bool replacement_is_whole(const struct policy_ops *p)
{
    return ((const struct replacement_ops *)p)->victim != NULL;
}

static bool warp_is_whole(const struct policy_ops *p)
{
    return ((const struct warp_policy_ops *)p)->pick != NULL;
}

/* clang-format off */
const struct question questions[QUESTION_COUNT] = {
    [QUESTION_BLOCK] = {"block", "which SM gets the next thread block, and which blocks are stopped and continued", "gpu/dispatch/block_policy.h", "heddle_block_policy",
                        block_policies, block_is_whole, "choose_sm()"},
    [QUESTION_BRANCH] = {"branch", "the direction of a conditional branch", "cpu/branch_predictor.h", "heddle_branch_predictor",
                         branch_predictors, branch_is_whole, "storage_bits(), predict() and train()"},
    [QUESTION_HOME] = {"home", "which socket holds a page", "mem/page_placement.h",
                       "heddle_home", home_policies, home_is_whole, "find()"},
    [QUESTION_DRAM] = {"dram_scheduler", "which request of a DRAM channel is served next", "dram/scheduler.h",
                       "heddle_dram_scheduler", dram_policies, dram_is_whole, "choose_column() and choose_row()"},
    [QUESTION_DVFS] = {"dvfs", "the frequencies of cores, GPU and memory", "dvfs/dvfs_policy.h", "heddle_dvfs_policy",
                       dvfs_policies, dvfs_is_whole, "core() and memory(), or neither"},
    [QUESTION_INDIRECT] = {"indirect", "the target of an indirect jump or call", "cpu/indirect_predictor.h", "heddle_indirect_predictor",
                           indirect_predictors, indirect_is_whole, "storage_bits(), and predict() with train() or neither"},
    [QUESTION_PREFETCH] = {"prefetch", "which lines a private cache prefetches", "cpu/prefetcher.h", "heddle_prefetcher",
                           prefetchers, prefetcher_is_whole, "its functions"},
    [QUESTION_LLC] = {"llc", "which ways of the shared cache each program may use, and how many are on", "l2/llc_policy.h",
                      "heddle_llc_policy", llc_policies, llc_is_whole, "decide(), and observe() with monitor_bytes() or neither"},
    [QUESTION_NOC] = {"noc", "which virtual channels packets of CPU and GPU may use, and in which order they go", "net/mesh/noc_policy.h",
                      "heddle_noc_policy", noc_policies, noc_is_whole, "decide() and gathered(), if it is central"},
    [QUESTION_REPLACEMENT] = {"replacement", "which line of a full set is evicted", "cache/replacement.h", "heddle_replacement",
                              replacement_policies, replacement_is_whole, "victim()"},
    [QUESTION_WARP] = {"warp", "which warp issues next, and which warps may use the L1", "gpu/sm/warp_policy.h", "heddle_warp_policy",
                       warp_policies, warp_is_whole, "pick()"},
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
