#include "config/config.h"

#include "config/yaml.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_CHAIN 16

/* One file of the base chain. */
struct layer {
    const char *path, *identity; /* as written, and without links and detours */
    struct yaml_node *root;
};

struct loader {
    struct config *config;
    const struct config_request *request;
    struct err *err;
    struct layer chain[LONGEST_CHAIN]; /* leaf first */
    u32 chain_length;
};

/* Keys of a chip file that are not parameters. */
static const char *const header_keys[] = {"base", "model", "about"};

static bool is_header_key(const char *key)
{
    for (size_t i = 0; i < ARRAY_LEN(header_keys); i++) {
        if (strcmp(key, header_keys[i]) == 0)
            return true;
    }
    return false;
}

static bool is_path(const char *chip)
{
    size_t n = strlen(chip);
    return strchr(chip, '/') || (n > 5 && strcmp(chip + n - 5, ".yaml") == 0);
}

static const char *chip_name_of(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = arena_strdup(arena, slash ? slash + 1 : path);
    size_t n = strlen(name);
    if (n > 5 && strcmp(name + n - 5, ".yaml") == 0)
        name[n - 5] = '\0';
    return name;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

u32 config_list(const char *const *folders, struct arena *arena, const char ***names)
{
    const char **found = NULL;
    u32 count = 0;
    for (; folders && *folders; folders++) {
        DIR *d = opendir(*folders);
        for (struct dirent *e; d && (e = readdir(d));) {
            size_t n = strlen(e->d_name);
            if (n <= 5 || e->d_name[0] == '.' || strcmp(e->d_name + n - 5, ".yaml") != 0)
                continue;
            found = xrealloc(found, (count + 1) * sizeof *found);
            found[count++] = chip_name_of(arena, e->d_name);
        }
        if (d)
            closedir(d);
    }
    if (count)
        qsort(found, count, sizeof *found, compare_names);
    u32 kept = 0; /* the same name in two folders is one chip: the first folder's */
    for (u32 i = 0; i < count; i++) {
        if (kept == 0 || strcmp(found[kept - 1], found[i]) != 0)
            found[kept++] = found[i];
    }
    *names = ARENA_ARRAY(arena, const char *, kept + 1);
    if (kept)
        memcpy(*names, found, kept * sizeof *found);
    free(found);
    return kept;
}

/* The file of a chip: a path as it is (a base: relative to the file that names
 * it), a name in that file's folder and then in the search folders. */
static const char *locate(struct loader *l, const char *chip, const char *from, struct src_pos at)
{
    struct arena *arena = &l->config->arena;
    const char *slash = from ? strrchr(from, '/') : NULL;
    const char *folder = slash  ? arena_printf(arena, "%.*s", (int)(slash - from), from)
                         : from ? "."
                                : NULL;
    if (is_path(chip)) {
        const char *plain = strncmp(chip, "./", 2) == 0 ? chip + 2 : chip;
        if (slash && chip[0] != '/')
            return arena_printf(arena, "%s/%s", folder, plain);
        return arena_strdup(arena, chip);
    }
    const char *candidates[] = {folder, NULL};
    const char *const *lists[] = {candidates, l->request->folders};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        for (const char *const *f = lists[i]; f && *f; f++) {
            const char *path = arena_printf(arena, "%s/%s.yaml", *f, chip);
            if (access(path, R_OK) == 0)
                return path;
        }
    }
    const char **names;
    u32 count = config_list(l->request->folders, arena, &names);
    err_unknown(l->err, at, "chip", chip, names, count, "heddle list chips");
    return NULL;
}

static const char *header_text(struct loader *l, const struct yaml_node *root, const char *key,
                               struct src_pos *at)
{
    const struct yaml_node *n = yaml_child(root, key);
    if (!n)
        return NULL;
    *at = n->at;
    if (n->kind != YAML_SCALAR || !n->text[0]) {
        err_found(l->err, n->at, key, n->kind == YAML_SCALAR ? "empty" : yaml_kind_name(n->kind),
                  "a name");
        return NULL;
    }
    return n->text;
}

/* Follows base: from the asked chip to the root of its chain. */
static bool read_chain(struct loader *l)
{
    const char *chip = l->request->chip, *from = NULL;
    struct src_pos at = {"--chip", 0, 0};
    while (chip) {
        const char *path = locate(l, chip, from, at);
        if (!path)
            return false;
        char *real = realpath(path, NULL);
        const char *identity = arena_strdup(&l->config->arena, real ? real : path);
        free(real);
        for (u32 i = 0; i < l->chain_length; i++) {
            if (strcmp(l->chain[i].identity, identity) == 0)
                return err_at(l->err, at, "base '%s' leads back to %s: the chain is a circle", chip,
                              path);
        }
        if (l->chain_length == LONGEST_CHAIN)
            return err_at(l->err, at, "base '%s' makes the chain longer than %u files", chip,
                          LONGEST_CHAIN);
        if (from && access(path, R_OK) != 0)
            return err_at(l->err, at, "base '%s' cannot be read, expected a chip file at %s", chip,
                          path);
        struct yaml_node *root = yaml_read_file(&l->config->arena, path, l->err);
        if (!root)
            return false;
        if (root->kind != YAML_MAP)
            return err_found(l->err, root->at, "a chip file", yaml_kind_name(root->kind),
                             "a mapping such as `model: NAME`");
        l->chain[l->chain_length++] = (struct layer){path, identity, root};
        chip = header_text(l, root, "base", &at);
        from = path;
        if (l->err->kind != ERR_NONE)
            return false;
    }
    return true;
}

static bool choose_schema(struct loader *l)
{
    const char *names[32], *model = NULL;
    struct src_pos model_at = {0};
    u32 count = 0;
    const struct config_schema *const *schemas = l->request->schemas;
    while (schemas[count] && count < ARRAY_LEN(names)) {
        names[count] = schemas[count]->model;
        count++;
    }
    for (u32 i = l->chain_length; i-- > 0;) {
        struct src_pos at;
        const char *m = header_text(l, l->chain[i].root, "model", &at);
        if (l->err->kind != ERR_NONE)
            return false;
        if (!m)
            continue;
        if (model && strcmp(m, model) != 0)
            return err_found(l->err, at, "model", m, "%s, the model of its base", model);
        model = m;
        model_at = at;
    }
    if (!model) {
        struct src_pos at = {l->chain[l->chain_length - 1].path, 1, 1};
        return err_at(l->err, at, "the file names neither `model:` nor `base:`, expected one");
    }
    for (u32 i = 0; i < count; i++) {
        if (strcmp(names[i], model) == 0) {
            l->config->schema = schemas[i];
            return true;
        }
    }
    return err_unknown(l->err, model_at, "model", model, names, count, "heddle list models");
}

static u32 count_leaves(const struct param *table)
{
    u32 n = 0;
    for (; table->type != PARAM_END; table++)
        n += table->type == PARAM_GROUP ? count_leaves(table->group) : 1;
    return n;
}

static void flatten(struct config *c, const struct param *table, u8 *base, const char *prefix)
{
    for (; table->type != PARAM_END; table++) {
        const char *path =
            arena_printf(&c->arena, "%s%s%s", prefix, *prefix ? "." : "", table->name);
        u8 *field = base + table->offset;
        if (table->type == PARAM_GROUP) {
            flatten(c, table->group, field, path);
            continue;
        }
        c->values[c->value_count] =
            (struct config_value){.path = path, .param = table, .field = field};
        strmap_put(&c->by_path, path, c->value_count++);
        param_set_initial(table, field);
    }
}

static bool unknown_key(struct loader *l, const struct param *table, const char *prefix,
                        const char *key, struct src_pos at)
{
    const char *names[256];
    u32 count = 0;
    for (const struct param *p = table; p->type != PARAM_END && count < 250; p++)
        names[count++] = p->name;
    for (size_t i = 0; !*prefix && i < ARRAY_LEN(header_keys); i++)
        names[count++] = header_keys[i];
    char noun[192];
    if (*prefix)
        snprintf(noun, sizeof noun, "'%s' parameter", prefix);
    else
        snprintf(noun, sizeof noun, "parameter");
    return err_unknown(l->err, at, noun, key, names, count, "heddle list params");
}

static const struct param *find_row(const struct param *table, const char *name, size_t length)
{
    for (; table->type != PARAM_END; table++) {
        if (strlen(table->name) == length && memcmp(table->name, name, length) == 0)
            return table;
    }
    return NULL;
}

static bool set_value(struct loader *l, const char *path, const char *text, struct src_pos at)
{
    u32 i = 0;
    bool known = strmap_get(&l->config->by_path, path, &i);
    struct config_value *v = &l->config->values[known ? i : 0];
    if (!known)
        return err_kind(l->err, ERR_INTERNAL, "parameter %s has no slot", path);
    if (!param_set(v->param, v->field, path, text, at, l->err))
        return false;
    v->origin = at;
    return true;
}

static bool apply_map(struct loader *l, const struct yaml_node *map, const struct param *table,
                      const char *prefix)
{
    for (u32 i = 0; i < map->child_count; i++) {
        const struct yaml_node *n = &map->children[i];
        if (!*prefix && is_header_key(n->key))
            continue;
        const struct param *p = find_row(table, n->key, strlen(n->key));
        if (!p)
            return unknown_key(l, table, prefix, n->key, n->key_at);
        const char *path =
            arena_printf(&l->config->arena, "%s%s%s", prefix, *prefix ? "." : "", n->key);
        if (p->type == PARAM_GROUP) {
            if (n->kind != YAML_MAP)
                return err_found(l->err, n->at, path,
                                 n->kind == YAML_SCALAR && !n->text[0] ? "empty"
                                                                       : yaml_kind_name(n->kind),
                                 "a mapping of parameters");
            if (!apply_map(l, n, p->group, path))
                return false;
            continue;
        }
        if (n->kind != YAML_SCALAR)
            return err_found(l->err, n->at, path, yaml_kind_name(n->kind), "a single value");
        if (!n->text[0] && !n->quoted) {
            char range[112];
            param_range_text(p, range, sizeof range);
            return err_found(l->err, n->at, path, "empty", "%s", range);
        }
        if (!set_value(l, path, n->text, n->at))
            return false;
    }
    return true;
}

/* --set a.b.c=value, one segment at a time so that the message can name the
 * group in which the segment is unknown. */
static bool apply_set(struct loader *l, const char *set)
{
    struct arena *arena = &l->config->arena;
    struct src_pos at = {arena_printf(arena, "--set %s", set), 0, 0};
    const char *equals = strchr(set, '=');
    if (!equals || equals == set)
        return err_at(l->err, at, "an override is 'parameter=value', such as clock_hz=1.4GHz");
    char *path = arena_printf(arena, "%.*s", (int)(equals - set), set);
    const struct param *table = l->config->params, *p = NULL;
    for (char *segment = path; segment;) {
        char *dot = strchr(segment, '.');
        size_t length = dot ? (size_t)(dot - segment) : strlen(segment);
        const char *prefix =
            segment == path ? "" : arena_printf(arena, "%.*s", (int)(segment - path - 1), path);
        p = find_row(table, segment, length);
        if (!p)
            return unknown_key(l, table, prefix, arena_printf(arena, "%.*s", (int)length, segment),
                               at);
        if (dot && p->type != PARAM_GROUP)
            return err_at(l->err, at, "'%.*s' is a single value and has no '%s'", (int)(dot - path),
                          path, dot + 1);
        table = p->group;
        segment = dot ? dot + 1 : NULL;
    }
    assert(p); /* the path has at least one segment */
    if (p->type == PARAM_GROUP)
        return err_at(l->err, at, "'%s' is a group, expected one of its parameters", path);
    return set_value(l, path, arena_strdup(arena, equals + 1), at);
}

static bool run_checks(struct loader *l, const struct param *table, const u8 *base)
{
    for (; table->type != PARAM_END; table++) {
        if (table->type != PARAM_GROUP)
            continue;
        const u8 *group = base + table->offset;
        if (!run_checks(l, table->group, group))
            return false;
        if (table->check && !table->check(group, l->config, l->err))
            return false;
    }
    return true;
}

const struct param *config_params(const struct config_schema *schema, struct arena *arena,
                                  size_t *bytes)
{
    size_t own = (schema->bytes + 15) / 16 * 16, more = 0;
    *bytes = schema->bytes;
    if (!schema->parts)
        return schema->params;
    const struct param *parts = schema->parts(&more);
    u32 count = param_count(schema->params);
    struct param *all = ARENA_ARRAY(arena, struct param, count + 2);
    memcpy(all, schema->params, count * sizeof *all);
    all[count] = (struct param){.name = schema->parts_name,
                                .type = PARAM_GROUP,
                                .offset = (u32)own,
                                .group = parts,
                                .meaning = schema->parts_meaning};
    all[count + 1] = (struct param)P_END;
    *bytes = own + more;
    return all;
}

static bool load(struct loader *l)
{
    struct config *c = l->config;
    if (!read_chain(l) || !choose_schema(l))
        return false;
    assert(l->chain_length > 0);
    c->name = chip_name_of(&c->arena, l->chain[0].path);
    size_t bytes;
    c->params = config_params(c->schema, &c->arena, &bytes);
    c->data = arena_alloc(&c->arena, bytes);
    if (c->schema->parts) {
        const struct param *parts = &c->params[param_count(c->params) - 1];
        *(void **)(void *)((u8 *)c->data + c->schema->parts_offset) = (u8 *)c->data + parts->offset;
    }
    c->values = ARENA_ARRAY(&c->arena, struct config_value, count_leaves(c->params));
    flatten(c, c->params, c->data, "");
    for (u32 i = l->chain_length; i-- > 0;) {
        if (!apply_map(l, l->chain[i].root, c->params, ""))
            return false;
    }
    for (u32 i = 0; i < l->request->set_count; i++) {
        if (!apply_set(l, l->request->sets[i]))
            return false;
    }
    struct src_pos at;
    c->about = header_text(l, l->chain[0].root, "about", &at);
    if (l->err->kind != ERR_NONE)
        return false;
    if (!c->about)
        c->about = "";
    if (!run_checks(l, c->params, c->data))
        return false;
    return !c->schema->check || c->schema->check(c->data, c, l->err);
}

bool config_load(struct config *config, const struct config_request *request, struct err *err)
{
    *config = (struct config){0};
    struct loader l = {.config = config, .request = request, .err = err};
    if (load(&l))
        return true;
    config_fini(config);
    return false;
}

void config_fini(struct config *config)
{
    strmap_fini(&config->by_path);
    arena_fini(&config->arena);
    *config = (struct config){0};
}

struct src_pos config_pos(const struct config *config, const void *field)
{
    for (u32 i = 0; i < config->value_count; i++) {
        const struct config_value *v = &config->values[i];
        if (v->field == field)
            return v->origin.file ? v->origin : (struct src_pos){config->name, 0, 0};
    }
    return (struct src_pos){config->name, 0, 0};
}

bool config_matters(const struct config *config, const struct config_value *v)
{
    const struct config_schema *s = config->schema;
    size_t n = s->parts ? strlen(s->parts_name) : 0;
    if (!n || strncmp(v->path, s->parts_name, n) != 0 || v->path[n] != '.')
        return true;
    return s->part_matters(config->data, v->path + n + 1);
}

const struct config_value *config_find(const struct config *config, const char *path)
{
    u32 i;
    return strmap_get(&config->by_path, path, &i) ? &config->values[i] : NULL;
}
