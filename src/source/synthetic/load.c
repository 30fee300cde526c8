#include "source/synthetic/load.h"

#include "config/yaml.h"

#include <stdio.h>
#include <string.h>

/* Loops are laid out in memory, at some ten times their size. */
#define MOST_CODE_BYTES ((u64)16 << 20)
#define MOST_PHASES 64u
#define MOST_KERNELS 1024u

/* clang-format off */
const struct param synthetic_file_params[] = {
    P_STRING(synthetic_list, about, "", "one line about the file", "assumed"),
    P_U64(synthetic_list, seed, 1, 0, UINT64_MAX, "", "seed of all random choices", "assumed"),
    P_END,
};
/* clang-format on */

/* A mapping may fill several structs, and have keys that are read elsewhere. */
struct target {
    const struct param *table;
    void *base;
};

struct map_reader {
    struct target targets[2];
    u32 target_count;
    const char *list_key; /* NULL: none */
    const char *prefix;   /* of groups, with its dot */
    struct arena *arena;
    struct err *err;
};

static const struct param *find_row(const struct map_reader *r, const char *key, void **field)
{
    for (u32 i = 0; i < r->target_count; i++) {
        for (const struct param *p = r->targets[i].table; p->type != PARAM_END; p++) {
            if (strcmp(p->name, key) == 0) {
                *field = (u8 *)r->targets[i].base + p->offset;
                return p;
            }
        }
    }
    return NULL;
}

static bool unknown_key(const struct map_reader *r, const struct yaml_node *n)
{
    const char *names[64];
    u32 count = 0;
    for (u32 i = 0; i < r->target_count; i++) {
        for (const struct param *p = r->targets[i].table; p->type != PARAM_END; p++)
            names[count++] = p->name;
    }
    if (r->list_key)
        names[count++] = r->list_key;
    char noun[96];
    snprintf(noun, sizeof noun, "%s%sparameter", r->prefix, *r->prefix ? " " : "");
    return err_unknown(r->err, n->key_at, noun, n->key, names, count, "heddle list params");
}

static bool read_map(const struct map_reader *r, const struct yaml_node *map);

static bool read_group(const struct map_reader *r, const struct param *p, void *field,
                       const struct yaml_node *n)
{
    struct map_reader inner = {.targets = {{p->group, field}},
                               .target_count = 1,
                               .prefix = p->name,
                               .arena = r->arena,
                               .err = r->err};
    return read_map(&inner, n);
}

static bool read_value(const struct map_reader *r, const struct yaml_node *n)
{
    void *field;
    const struct param *p = find_row(r, n->key, &field);
    if (!p)
        return unknown_key(r, n);
    if (p->type == PARAM_GROUP)
        return read_group(r, p, field, n);
    const char *path = arena_printf(r->arena, "%s%s%s", r->prefix, *r->prefix ? "." : "", n->key);
    if (n->kind != YAML_SCALAR)
        return err_found(r->err, n->at, path, yaml_kind_name(n->kind), "a single value");
    return param_set(p, field, path, n->text, n->at, r->err);
}

static bool read_map(const struct map_reader *r, const struct yaml_node *map)
{
    if (map->kind != YAML_MAP)
        return err_found(r->err, map->at, *r->prefix ? r->prefix : "this",
                         yaml_kind_name(map->kind), "a mapping of parameters");
    for (u32 i = 0; i < map->child_count; i++) {
        const struct yaml_node *n = &map->children[i];
        if (r->list_key && strcmp(n->key, r->list_key) == 0)
            continue;
        if (!read_value(r, n))
            return false;
    }
    return true;
}

/* A list with something in it, or NULL where the mapping has none. */
static bool find_list(const struct yaml_node *map, const char *key, u32 most,
                      const struct yaml_node **list, struct err *err)
{
    *list = yaml_child(map, key);
    if (!*list)
        return true;
    if ((*list)->kind != YAML_LIST || (*list)->child_count == 0)
        return err_found(err, (*list)->at, key,
                         (*list)->kind == YAML_LIST ? "empty" : yaml_kind_name((*list)->kind),
                         "a list");
    if ((*list)->child_count > most)
        return err_at(err, (*list)->at, "%s has %u entries, expected at most %u", key,
                      (*list)->child_count, most);
    return true;
}

static bool read_phases(struct synthetic_kernel *k, const struct synthetic_phase *common,
                        const struct yaml_node *kernel_node, struct arena *arena, struct err *err)
{
    const struct yaml_node *list;
    if (!find_list(kernel_node, "phases", MOST_PHASES, &list, err))
        return false;
    k->phase_count = list ? list->child_count : 1;
    struct synthetic_phase *phases = ARENA_ARRAY(arena, struct synthetic_phase, k->phase_count);
    k->phases = phases;
    for (u32 i = 0; i < k->phase_count; i++) {
        const struct yaml_node *node = list ? &list->children[i] : kernel_node;
        struct map_reader r = {.targets = {{synthetic_phase_params, &phases[i]}},
                               .target_count = 1,
                               .prefix = "",
                               .arena = arena,
                               .err = err};
        phases[i] = *common;
        if (list && !read_map(&r, node))
            return false;
        if (!synthetic_phase_check(&phases[i], k->shared_bytes, node->at, err))
            return false;
    }
    return true;
}

static bool read_kernel(struct synthetic_kernel *k, const struct yaml_node *node,
                        struct arena *arena, struct err *err)
{
    struct synthetic_phase common = synthetic_phase_initial();
    struct map_reader r = {
        .targets = {{synthetic_kernel_params, k}, {synthetic_phase_params, &common}},
        .target_count = 2,
        .list_key = "phases",
        .prefix = "",
        .arena = arena,
        .err = err};
    *k = synthetic_kernel_initial();
    return read_map(&r, node) && read_phases(k, &common, node, arena, err);
}

static bool check_code(const struct synthetic_list *list, struct src_pos at, struct err *err)
{
    u64 bytes = 0;
    for (u32 i = 0; i < list->count; i++) {
        for (u32 k = 0; k < list->kernels[i].phase_count; k++)
            bytes += list->kernels[i].phases[k].code_bytes;
    }
    if (bytes > MOST_CODE_BYTES)
        return err_at(err, at, "code_bytes of all loops are %llu, expected at most %llu",
                      (unsigned long long)bytes, (unsigned long long)MOST_CODE_BYTES);
    return true;
}

static bool read_file(struct synthetic_list *list, const struct yaml_node *root,
                      struct arena *arena, struct err *err)
{
    const struct yaml_node *kernels;
    struct map_reader r = {.targets = {{synthetic_file_params, list}},
                           .target_count = 1,
                           .list_key = "kernels",
                           .prefix = "",
                           .arena = arena,
                           .err = err};
    *list = (struct synthetic_list){.about = "", .seed = 1};
    if (!read_map(&r, root) || !find_list(root, "kernels", MOST_KERNELS, &kernels, err))
        return false;
    if (!kernels)
        return err_at(err, root->at, "the file has no `kernels:`, expected a list of them");
    list->kernels = ARENA_ARRAY(arena, struct synthetic_kernel, kernels->child_count);
    for (u32 i = 0; i < kernels->child_count; i++) {
        if (!read_kernel(&list->kernels[i], &kernels->children[i], arena, err))
            return false;
    }
    list->count = kernels->child_count;
    if (!check_code(list, kernels->at, err))
        return false;
    list->grids = ARENA_ARRAY(arena, struct grid_source, list->count);
    for (u32 i = 0; i < list->count; i++)
        list->grids[i] = synthetic_source(&list->kernels[i], list->seed, arena);
    return true;
}

bool synthetic_load_text(struct synthetic_list *list, const char *name, const char *text,
                         size_t length, struct arena *arena, struct err *err)
{
    struct yaml_node *root = yaml_read_text(arena, name, text, length, err);
    return root && read_file(list, root, arena, err);
}

bool synthetic_load(struct synthetic_list *list, const char *path, struct arena *arena,
                    struct err *err)
{
    struct yaml_node *root = yaml_read_file(arena, path, err);
    return root && read_file(list, root, arena, err);
}
