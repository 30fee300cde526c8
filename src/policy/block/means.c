#include "policy/block/means.h"

#include "config/yaml.h"

#include <stdlib.h>
#include <string.h>

static bool read_share(const struct yaml_node *n, const char *key, double *out, struct err *err)
{
    const struct yaml_node *v = n->kind == YAML_MAP ? yaml_child(n, key) : NULL;
    char *end = NULL;
    if (!v || n->child_count != USE_METRICS || v->kind != YAML_SCALAR)
        return err_at(err, n->at, "the mean of %s is not {mem: SHARE, fpu: SHARE}", n->key);
    *out = strtod(v->text, &end);
    if (end == v->text || *end || !(*out >= 0 && *out <= 1))
        return err_found(err, v->at, key, v->text, "0 to 1");
    return true;
}

bool means_read(struct kernel_means *m, const char *path, struct arena *arena, struct err *err)
{
    *m = (struct kernel_means){0};
    if (!*path)
        return true;
    const struct yaml_node *root = yaml_read_file(arena, path, err);
    const struct yaml_node *kernels =
        root && root->kind == YAML_MAP ? yaml_child(root, "kernels") : NULL;
    if (!root)
        return false;
    if (!kernels || kernels->kind != YAML_MAP)
        return err_at(err, root->at, "the file has no `kernels:`, expected a map of shares");
    m->rows = ARENA_ARRAY(arena, struct kernel_mean, kernels->child_count + 1);
    for (u32 i = 0; i < kernels->child_count; i++) {
        const struct yaml_node *n = &kernels->children[i];
        struct kernel_mean *r = &m->rows[m->count++];
        r->kernel = n->key;
        if (!read_share(n, "mem", &r->share[USE_MEMORY], err) ||
            !read_share(n, "fpu", &r->share[USE_FPU], err))
            return false;
    }
    return true;
}

double means_find(const struct kernel_means *m, const char *kernel, enum block_metric metric)
{
    double any = 0;
    for (u32 i = 0; i < m->count; i++) {
        if (strcmp(m->rows[i].kernel, kernel) == 0)
            return m->rows[i].share[metric];
        if (strcmp(m->rows[i].kernel, "*") == 0)
            any = m->rows[i].share[metric];
    }
    return any;
}
