#include "config/config.h"

#include "config/chain.h"
#include "config/scale.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_INSTANCES 64u

struct loader {
    struct config *config;
    const struct config_request *request;
    struct err *err;
    struct chain_reader files;
    struct chain chain;
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

static bool choose_schema(struct loader *l)
{
    const char *names[32];
    struct src_pos model_at = {0};
    u32 count = 0;
    const struct config_schema *const *schemas = l->request->schemas;
    while (schemas[count] && count < ARRAY_LEN(names)) {
        names[count] = schemas[count]->model;
        count++;
    }
    const char *model = chain_model(&l->files, &l->chain, &model_at);
    if (!model)
        return false;
    for (u32 i = 0; i < count; i++) {
        if (strcmp(names[i], model) == 0) {
            l->config->schema = schemas[i];
            return true;
        }
    }
    return err_unknown(l->err, model_at, "model", model, names, count, "heddle list models");
}

/* ---- named instances ---- */

static const char *found_kind(const struct yaml_node *n)
{
    return n->kind == YAML_SCALAR && !n->text[0] ? "empty" : yaml_kind_name(n->kind);
}

/* A part of the path of a parameter and of the names of units. */
static bool is_name(const char *s)
{
    bool ok = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z');
    for (; *s; s++)
        ok = ok && ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
                    (*s >= '0' && *s <= '9') || *s == '_' || *s == '-');
    return ok;
}

static bool add_name(struct loader *l, struct named_instances *i, const struct param *p,
                     const struct yaml_node *n)
{
    for (u32 k = 0; k < i->count; k++) {
        if (strcmp(i->names[k], n->key) == 0)
            return true;
    }
    if (!is_name(n->key))
        return err_found(l->err, n->key_at, p->name, n->key,
                         "a name of letters, digits, '_' and '-' that begins with a letter");
    if (i->count == MOST_INSTANCES)
        return err_at(l->err, n->key_at, "there are more than %u %s", MOST_INSTANCES, p->name);
    i->names[i->count++] = n->key;
    return true;
}

/* Finds how many there are, before anything is read into them. */
static bool make_instances(struct loader *l, const struct param *p, struct named_instances *i)
{
    struct arena *arena = &l->config->arena;
    i->names = ARENA_ARRAY(arena, const char *, MOST_INSTANCES);
    for (u32 k = l->chain.length; k-- > 0;) {
        const struct yaml_node *n = yaml_child(l->chain.layers[k].root, p->name);
        if (n && n->kind != YAML_MAP)
            return err_found(l->err, n->at, p->name, found_kind(n),
                             "a mapping of names, such as {left: {}, right: {}}");
        for (u32 c = 0; n && c < n->child_count; c++) {
            if (!add_name(l, i, p, &n->children[c]))
                return false;
        }
    }
    i->items = arena_alloc(arena, i->count ? i->count * p->item_bytes : 1);
    return true;
}

static bool make_all_instances(struct loader *l)
{
    for (const struct param *p = l->config->params; p->type != PARAM_END; p++) {
        void *field = (u8 *)l->config->data + p->offset;
        if (p->type == PARAM_INSTANCES && !make_instances(l, p, field))
            return false;
    }
    return true;
}

/* ---- values ---- */

static bool has_groups(const struct param *p)
{
    return p->type == PARAM_GROUP || p->type == PARAM_INSTANCES;
}

/* The groups of a row: itself, or one per instance; 0: it is a single value. */
static u32 group_count(const struct param *p, const u8 *base)
{
    if (p->type == PARAM_INSTANCES)
        return ((const struct named_instances *)(const void *)(base + p->offset))->count;
    return p->type == PARAM_GROUP;
}

static u8 *group_at(const struct param *p, u8 *base, u32 index)
{
    const struct named_instances *i =
        (const struct named_instances *)(const void *)(base + p->offset);
    return p->type == PARAM_GROUP ? base + p->offset : (u8 *)i->items + index * p->item_bytes;
}

static const char *group_path(struct arena *arena, const struct param *p, const u8 *base,
                              const char *path, u32 index)
{
    const struct named_instances *i =
        (const struct named_instances *)(const void *)(base + p->offset);
    return p->type == PARAM_GROUP ? path : arena_printf(arena, "%s.%s", path, i->names[index]);
}

static u32 count_leaves(const struct param *table, u8 *base)
{
    u32 n = 0;
    for (; table->type != PARAM_END; table++) {
        n += !has_groups(table);
        for (u32 i = 0; i < group_count(table, base); i++)
            n += count_leaves(table->group, group_at(table, base, i));
    }
    return n;
}

static void flatten(struct config *c, const struct param *table, u8 *base, const char *prefix)
{
    for (; table->type != PARAM_END; table++) {
        const char *path =
            arena_printf(&c->arena, "%s%s%s", prefix, *prefix ? "." : "", table->name);
        u8 *field = base + table->offset;
        for (u32 i = 0; i < group_count(table, base); i++)
            flatten(c, table->group, group_at(table, base, i),
                    group_path(&c->arena, table, base, path, i));
        if (has_groups(table))
            continue;
        c->values[c->value_count] =
            (struct config_value){.path = path, .param = table, .field = field};
        strmap_put(&c->by_path, path, c->value_count++);
        param_set_initial(table, field);
    }
}

static const struct param *find_row(const struct param *table, const char *name, size_t length)
{
    for (; table->type != PARAM_END; table++) {
        if (strlen(table->name) == length && memcmp(table->name, name, length) == 0)
            return table;
    }
    return NULL;
}

/* Below the parts, - and _ are one letter. */
static const struct param *find_part(const struct param *table, const char *name, size_t length)
{
    const struct param *row = find_row(table, name, length);
    for (; !row && table->type != PARAM_END; table++) {
        size_t i = 0;
        while (i < length && table->name[i] &&
               (table->name[i] == '-' ? '_' : table->name[i]) == (name[i] == '-' ? '_' : name[i]))
            i++;
        if (i == length && !table->name[i])
            return table;
    }
    return row;
}

static const struct param *plain_parts(const struct config_schema *s, const struct param *parts)
{
    return s->parts_plain ? find_row(parts, s->parts_plain, strlen(s->parts_plain)) : NULL;
}

/* The path as tables have it: older spellings of what is below the parts are understood. */
static const char *table_path(const struct config *c, const char *path, struct arena *arena)
{
    const struct config_schema *s = c->schema;
    size_t n = s->parts ? strlen(s->parts_name) : 0;
    if (!n || strncmp(path, s->parts_name, n) != 0 || path[n] != '.')
        return path;
    const struct param *table = c->params[param_count(c->params) - 1].group;
    const char *out = s->parts_name, *at = path + n;
    for (bool is_first = true; table && *at; is_first = false) {
        size_t length = strcspn(at + 1, ".");
        const struct param *row = find_part(table, at + 1, length);
        const struct param *plain = is_first && !row ? plain_parts(s, table) : NULL;
        if (plain && (row = find_part(plain->group, at + 1, length)))
            out = arena_printf(arena, "%s.%s", out, plain->name);
        if (!row)
            break;
        out = arena_printf(arena, "%s.%s", out, row->name);
        at += 1 + length;
        table = row->group;
    }
    return arena_printf(arena, "%s%s", out, at);
}

/* The models whose chips have a parameter or group, such as "cpu or machine"; "": none. */
static void models_with(const struct loader *l, const char *key, char *out, size_t size)
{
    *out = '\0';
    for (const struct config_schema *const *s = l->request->schemas; *s; s++) {
        size_t n = strlen(out);
        if (find_row((*s)->params, key, strlen(key)))
            snprintf(out + n, size - n, "%s%s", n ? " or " : "", (*s)->model);
    }
}

static bool unknown_key(struct loader *l, const struct param *table, const char *prefix,
                        const char *key, struct src_pos at)
{
    char models[128];
    models_with(l, key, models, sizeof models);
    if (!*prefix && *models)
        return err_at(l->err, at, "a chip of model %s has no %s, expected one of model %s",
                      l->config->schema->model, key, models);
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
                      const char *prefix, bool is_partial);

static bool is_map(struct loader *l, const struct yaml_node *n, const char *path)
{
    return n->kind == YAML_MAP ||
           err_found(l->err, n->at, path, found_kind(n), "a mapping of parameters");
}

/* `base: CHIP` of an instance: what that chip's files say of the parameters that it has. */
static bool apply_base(struct loader *l, const struct yaml_node *map, const struct param *p,
                       const char *path)
{
    struct src_pos at, model_at;
    const char *chip = chain_header(&l->files, map, "base", &at);
    if (!chip)
        return l->err->kind == ERR_NONE;
    struct chain *chain = ARENA_NEW(&l->config->arena, struct chain);
    if (!chain_read(&l->files, chip, map->at.file, at, chain))
        return false;
    const char *model = chain_model(&l->files, chain, &model_at);
    if (!model)
        return false;
    if (!p->base_model || strcmp(model, p->base_model) != 0)
        return err_at(l->err, at, "'%s' is a chip of model %s, %s expects one of model %s", chip,
                      model, path, p->base_model ? p->base_model : "none");
    for (u32 i = chain->length; i-- > 0;) {
        if (!apply_map(l, chain->layers[i].root, p->group, path, true))
            return false;
    }
    return true;
}

static bool apply_instances(struct loader *l, const struct yaml_node *map, const struct param *p,
                            const char *prefix)
{
    for (u32 i = 0; i < map->child_count; i++) {
        const struct yaml_node *n = &map->children[i];
        const char *path = arena_printf(&l->config->arena, "%s.%s", prefix, n->key);
        if (!is_map(l, n, path) || !apply_base(l, n, p, path) ||
            !apply_map(l, n, p->group, path, false))
            return false;
    }
    return true;
}

static bool apply_value(struct loader *l, const struct yaml_node *n, const struct param *p,
                        const char *path)
{
    if (n->kind != YAML_SCALAR)
        return err_found(l->err, n->at, path, yaml_kind_name(n->kind), "a single value");
    if (!n->text[0] && !n->quoted) {
        char range[112];
        param_range_text(p, range, sizeof range);
        return err_found(l->err, n->at, path, "empty", "%s", range);
    }
    return set_value(l, path, n->text, n->at);
}

/* A row below the parts that is written in an older way; *path becomes the one of today. */
static const struct param *find_old(struct loader *l, const struct param *table, const char *prefix,
                                    const char *key, const char **path)
{
    const struct config_schema *s = l->config->schema;
    size_t n = s->parts ? strlen(s->parts_name) : 0;
    if (!n || strncmp(prefix, s->parts_name, n) != 0 || (prefix[n] && prefix[n] != '.'))
        return NULL;
    const struct param *row = find_part(table, key, strlen(key));
    if (!row && !prefix[n] && plain_parts(s, table))
        row = find_part(plain_parts(s, table)->group, key, strlen(key));
    if (row)
        *path = table_path(l->config, *path, &l->config->arena);
    return row;
}

/* A mapping at the top of a file or of an instance has headers, too; of another chip's file only
 * what the table knows is taken. */
static bool apply_map(struct loader *l, const struct yaml_node *map, const struct param *table,
                      const char *prefix, bool is_partial)
{
    bool is_top = !*prefix || is_partial || yaml_child(map, "base");
    for (u32 i = 0; i < map->child_count; i++) {
        const struct yaml_node *n = &map->children[i];
        if (is_top && is_header_key(n->key))
            continue;
        const struct param *p = find_row(table, n->key, strlen(n->key));
        const char *path =
            arena_printf(&l->config->arena, "%s%s%s", prefix, *prefix ? "." : "", n->key);
        if (!p && !is_partial)
            p = find_old(l, table, prefix, n->key, &path);
        if (!p && is_partial)
            continue;
        if (!p)
            return unknown_key(l, table, prefix, n->key, n->key_at);
        bool ok = !has_groups(p)           ? apply_value(l, n, p, path)
                  : !is_map(l, n, path)    ? false
                  : p->type == PARAM_GROUP ? apply_map(l, n, p->group, path, false)
                                           : apply_instances(l, n, p, path);
        if (!ok)
            return false;
    }
    return true;
}

static bool check_instance(struct loader *l, const struct param *p, const char *name,
                           struct src_pos at)
{
    const struct named_instances *i =
        (const struct named_instances *)(const void *)((const u8 *)l->config->data + p->offset);
    for (u32 k = 0; k < i->count; k++) {
        if (strcmp(i->names[k], name) == 0)
            return true;
    }
    return err_unknown(l->err, at, p->name, name, i->names, i->count, NULL);
}

/* --set a.b.c=value, one segment at a time so that the message can name the
 * group in which the segment is unknown. */
static bool apply_set_to(struct loader *l, const char *set, struct src_pos at)
{
    struct arena *arena = &l->config->arena;
    const char *equals = strchr(set, '=');
    const char *given = arena_printf(arena, "%.*s", (int)(equals - set), set);
    char *path = arena_strdup(arena, table_path(l->config, given, arena));
    const struct param *table = l->config->params, *p = NULL, *of = NULL;
    for (char *segment = path; segment;) {
        char *dot = strchr(segment, '.');
        size_t length = dot ? (size_t)(dot - segment) : strlen(segment);
        const char *prefix =
            segment == path ? "" : arena_printf(arena, "%.*s", (int)(segment - path - 1), path);
        const char *word = arena_printf(arena, "%.*s", (int)length, segment);
        segment = dot ? dot + 1 : NULL;
        if (of) { /* the name of an instance */
            if (!check_instance(l, of, word, at))
                return false;
            of = NULL;
            continue;
        }
        p = find_row(table, word, length);
        if (!p)
            return unknown_key(l, table, prefix, word, at);
        of = p->type == PARAM_INSTANCES ? p : NULL;
        if (dot && !has_groups(p))
            return err_at(l->err, at, "'%.*s' is a single value and has no '%s'", (int)(dot - path),
                          path, dot + 1);
        table = p->group;
    }
    assert(p); /* the path has at least one segment */
    if (has_groups(p))
        return err_at(l->err, at, "'%s' is a group, expected one of its parameters", path);
    return set_value(l, path, arena_strdup(arena, equals + 1), at);
}

/* Instances have the parameter that the machine itself has not: without a name it is that of all.
 */
static const struct param *instances_with(const struct config *c, const char *name, size_t length)
{
    for (const struct param *p = c->params; p->type != PARAM_END; p++) {
        if (p->type == PARAM_INSTANCES && find_row(p->group, name, length))
            return p;
    }
    return NULL;
}

static bool apply_set(struct loader *l, const char *set, const char *origin)
{
    struct config *c = l->config;
    struct src_pos at = {
        origin ? arena_strdup(&c->arena, origin) : arena_printf(&c->arena, "--set %s", set), 0, 0};
    size_t first = strcspn(set, ".=");
    if (!strchr(set, '=') || set[0] == '=')
        return err_at(l->err, at, "an override is 'parameter=value', such as clock_hz=1.4GHz");
    const struct param *p = find_row(c->params, set, first) ? NULL : instances_with(c, set, first);
    if (!p)
        return apply_set_to(l, set, at);
    const struct named_instances *i =
        (const struct named_instances *)(const void *)((const u8 *)c->data + p->offset);
    for (u32 k = 0; k < i->count; k++) {
        if (!apply_set_to(l, arena_printf(&c->arena, "%s.%s.%s", p->name, i->names[k], set), at))
            return false;
    }
    return true;
}

static bool run_checks(struct loader *l, const struct param *table, u8 *base)
{
    for (; table->type != PARAM_END; table++) {
        for (u32 i = 0; i < group_count(table, base); i++) {
            u8 *group = group_at(table, base, i);
            if (!run_checks(l, table->group, group))
                return false;
            if (table->check && !table->check(group, l->config, l->err))
                return false;
        }
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
    struct src_pos asked = {"--chip", 0, 0};
    if (!chain_read(&l->files, l->request->chip, NULL, asked, &l->chain) || !choose_schema(l))
        return false;
    assert(l->chain.length > 0);
    c->name = chip_name_of(&c->arena, l->chain.layers[0].path);
    size_t bytes;
    c->params = config_params(c->schema, &c->arena, &bytes);
    c->data = arena_alloc(&c->arena, bytes);
    if (c->schema->parts) {
        const struct param *parts = &c->params[param_count(c->params) - 1];
        *(void **)(void *)((u8 *)c->data + c->schema->parts_offset) = (u8 *)c->data + parts->offset;
    }
    if (!make_all_instances(l))
        return false;
    c->values = ARENA_ARRAY(&c->arena, struct config_value, count_leaves(c->params, c->data));
    flatten(c, c->params, c->data, "");
    for (u32 i = l->chain.length; i-- > 0;) {
        if (!apply_map(l, l->chain.layers[i].root, c->params, "", false))
            return false;
    }
    for (u32 i = 0; i < l->request->set_count; i++) {
        const char *const *origins = l->request->set_origins;
        if (!apply_set(l, l->request->sets[i], origins ? origins[i] : NULL))
            return false;
    }
    struct src_pos at;
    c->about = chain_header(&l->files, l->chain.layers[0].root, "about", &at);
    if (l->err->kind != ERR_NONE)
        return false;
    if (!c->about)
        c->about = "";
    if (!config_scale(c, l->err))
        return false;
    if (c->schema->complete)
        c->schema->complete(c->data);
    if (!run_checks(l, c->params, c->data))
        return false;
    return !c->schema->check || c->schema->check(c->data, c, l->err);
}

bool config_load(struct config *config, const struct config_request *request, struct err *err)
{
    *config = (struct config){0};
    struct loader l = {.config = config,
                       .request = request,
                       .err = err,
                       .files = {&config->arena, request->folders, err}};
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
    struct arena scratch = {0};
    bool is_known = strmap_get(&config->by_path, path, &i) ||
                    strmap_get(&config->by_path, table_path(config, path, &scratch), &i);
    arena_fini(&scratch);
    if (is_known)
        return &config->values[i];
    const struct param *p = instances_with(config, path, strcspn(path, "."));
    const struct named_instances *all =
        p ? (const struct named_instances *)(const void *)((const u8 *)config->data + p->offset)
          : NULL;
    if (!all || !all->count)
        return NULL;
    char *first = xrealloc(NULL, strlen(p->name) + strlen(all->names[0]) + strlen(path) + 3);
    sprintf(first, "%s.%s.%s", p->name, all->names[0], path);
    bool known = strmap_get(&config->by_path, first, &i);
    free(first);
    return known ? &config->values[i] : NULL;
}
