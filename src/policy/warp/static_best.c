/*
 * The best tuple of each kernel, found beforehand over the whole grid and kept
 * while the kernel runs (Poise spec 3). The file says which:
 *
 *     kernels:
 *       bfs_kernel: {n: 5, p: 5}
 *       bfs_kernel#7: {n: 8, p: 1}     # launch 7 of the run, from 0: before the name alone
 *       "*": {n: 24, p: 24}            # all others; without it (W,W), and a warning
 */
#include "config/yaml.h"
#include "base/units.h"
#include "policy/warp/tuple.h"

#include <stdio.h>
#include <string.h>

struct static_best_config {
    const char *file;
};

struct best_row {
    const char *kernel;
    u32 n, p;
};

/* One for the chip. */
struct best_table {
    struct best_row *rows;
    u32 count;
    bool has_warned;
};

struct static_best {
    struct tuple tuple;
    u64 kernels, unlisted;
};

/* clang-format off */
static const struct param static_best_params[] = {
    P_FILE(static_best_config, file, "", "the best tuples, by kernel", "HPCA 2019: found offline"),
    P_END,
};

static const struct stat_def static_best_stats[] = {
    TUPLE_STATS(static_best),
    S_COUNT(static_best, kernels, "kernels", "kernels that ran on this SM"),
    S_COUNT(static_best, unlisted, "kernels", "kernels missing from the file, run at (W,W)"),
    S_END,
};
/* clang-format on */

static bool read_count(const struct yaml_node *n, const char *key, u32 *out, struct err *err)
{
    const struct yaml_node *v = n->kind == YAML_MAP ? yaml_child(n, key) : NULL;
    u64 number = 0;
    if (!v || n->child_count != 2)
        return err_at(err, n->at, "the tuple of %s is not {n: WARPS, p: WARPS}", n->key);
    if (v->kind != YAML_SCALAR || quantity_u64(v->text, "", &number) != QUANTITY_OK || number < 1 ||
        number > MOST_SM_WARPS)
        return err_found(err, v->at, key,
                         v->kind == YAML_SCALAR ? v->text : yaml_kind_name(v->kind), "1 to %d",
                         MOST_SM_WARPS);
    *out = (u32)number;
    return true;
}

static bool read_table(struct best_table *t, struct arena *arena, const char *path, struct err *err)
{
    const struct yaml_node *root = yaml_read_file(arena, path, err);
    const struct yaml_node *kernels =
        root && root->kind == YAML_MAP ? yaml_child(root, "kernels") : NULL;
    if (!root)
        return false;
    if (!kernels || kernels->kind != YAML_MAP)
        return err_at(err, root->at, "the file has no `kernels:`, expected a map of tuples");
    t->rows = ARENA_ARRAY(arena, struct best_row, kernels->child_count + 1);
    for (u32 i = 0; i < kernels->child_count; i++) {
        const struct yaml_node *n = &kernels->children[i];
        struct best_row *r = &t->rows[t->count++];
        r->kernel = n->key;
        if (!read_count(n, "n", &r->n, err) || !read_count(n, "p", &r->p, err))
            return false;
        if (r->p > r->n)
            return err_at(err, n->at, "p is %u, expected at most n = %u", r->p, r->n);
    }
    return true;
}

static const struct best_row *find_row(const struct best_table *t, const char *name)
{
    for (u32 i = 0; i < t->count; i++) {
        if (strcmp(t->rows[i].kernel, name) == 0)
            return &t->rows[i];
    }
    return NULL;
}

static void static_best_kernel(struct warp_policy *p, const struct warp_kernel *k)
{
    struct static_best *s = p->state;
    struct best_table *t = p->shared;
    char launch[512];
    snprintf(launch, sizeof launch, "%s#%llu", k->name, (unsigned long long)k->number);
    const char *const names[] = {launch, k->name, "*"};
    const struct best_row *row = NULL;
    for (u32 i = 0; !row && i < ARRAY_LEN(names); i++)
        row = find_row(t, names[i]);
    s->kernels++;
    s->unlisted += !row;
    if (!row && !t->has_warned) {
        const struct static_best_config *c = p->config;
        t->has_warned = true;
        p->host->warn(p,
                      "%s has no tuple for kernel %s, nor for \"*\": such kernels run at (W,W), "
                      "counted as `unlisted`",
                      c->file, k->name);
    }
    tuple_kernel(p, &s->tuple, k, row ? row->n : k->limit, row ? row->p : k->limit);
}

/* All SMs use the table of the first. */
static bool static_best_init(struct warp_policy *p, struct arena *arena, struct err *err)
{
    const struct static_best_config *c = p->config;
    if (!*c->file)
        return p->host->refuse(p, err,
                               "policy.warp.static_best.file is empty, expected a file of tuples");
    return p->view->sm != 0 || read_table(p->shared, arena, c->file, err);
}

WARP_POLICY(static_best) = {
    TUPLE_OPS,
    .name = "static_best",
    .source = "Dublish, Nagarajan, Topham: Poise, HPCA 2019",
    .params = static_best_params,
    .config_bytes = sizeof(struct static_best_config),
    .state_bytes = sizeof(struct static_best),
    .shared_bytes = sizeof(struct best_table),
    .stats = static_best_stats,
    .init = static_best_init,
    .kernel = static_best_kernel,
};
