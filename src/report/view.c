#include "report/view.h"

#include "base/arena.h"

#include <stdio.h>
#include <string.h>

static json_t *clusters_of(const struct result *r)
{
    return json_object_get(r->root, "clusters");
}

u32 result_view_count(const struct result *r)
{
    return (u32)json_array_size(clusters_of(r));
}

const char *result_view_name(const struct result *r, u32 index)
{
    return json_text_at(json_array_get(clusters_of(r), index), "name");
}

/* What follows "NAME." in a name; NULL: it does not begin so. */
static const char *behind(const char *name, const char *cluster)
{
    size_t n = strlen(cluster);
    return strncmp(name, cluster, n) == 0 && name[n] == '.' ? name + n + 1 : NULL;
}

/* A machine calls the cache that its clusters share llc; their models may have another name. */
static const char *shared_name(const struct result *r, u32 index, const char *name,
                               struct arena *arena)
{
    const char *cache = json_text_at(json_array_get(clusters_of(r), index), "cache");
    bool is_cache = strncmp(name, "llc", 3) == 0 && (!name[3] || strchr(".0123456789", name[3]));
    return is_cache && *cache ? arena_printf(arena, "%s%s", cache, name + 3) : name;
}

/* As the cluster calls it; NULL: it is another cluster's. */
static const char *own_name(const struct result *r, u32 index, const char *name,
                            struct arena *arena)
{
    for (u32 i = 0; i < result_view_count(r); i++) {
        const char *rest = behind(name, result_view_name(r, i));
        if (rest)
            return i == index ? rest : NULL;
    }
    return shared_name(r, index, name, arena);
}

/* The parameters of a cluster lie below a list: "gpus.big.sm.count". */
static const char *own_path(const struct result *r, u32 index, const char *path,
                            struct arena *arena)
{
    const char *dot = strchr(path, '.');
    for (u32 i = 0; dot && i < result_view_count(r); i++) {
        const char *rest = behind(dot + 1, result_view_name(r, i));
        if (rest)
            return i == index ? rest : NULL;
    }
    return shared_name(r, index, path, arena);
}

/* The members whose names are the cluster's or shared. */
static json_t *members(const struct result *r, u32 index, json_t *object,
                       const char *(*name_of)(const struct result *, u32, const char *,
                                              struct arena *))
{
    struct arena arena = {0};
    json_t *out = json_object(), *value;
    const char *key;
    json_object_foreach(object, key, value)
    {
        const char *name = name_of(r, index, key, &arena);
        if (name)
            json_object_set(out, name, value);
    }
    arena_fini(&arena);
    return out;
}

/* Its clock is the first. */
static json_t *about_run(const struct result *r, u32 index)
{
    json_t *run = json_copy(json_object_get(r->root, "run"));
    json_t *cycles = json_object_get(run, "cycles"),
           *cluster = json_array_get(clusters_of(r), index);
    json_t *own = members(r, index, cycles, own_name), *ordered = json_object();
    const char *clock = json_text_at(cluster, "clock");
    json_object_set(ordered, clock, json_object_get(own, clock));
    json_object_update(ordered, own);
    char chip[256];
    snprintf(chip, sizeof chip, "%s: %s", json_text_at(run, "chip"), result_view_name(r, index));
    json_object_set_new(run, "cycles", ordered);
    json_object_set_new(run, "chip", json_string(chip));
    json_object_set_new(run, "cluster", json_string(result_view_name(r, index)));
    json_object_set(run, "model", json_object_get(cluster, "model"));
    json_decref(own);
    return run;
}

static json_t *of_cluster(const json_t *list, const char *name)
{
    json_t *out = json_array(), *row;
    size_t i;
    json_array_foreach(list, i, row)
    {
        if (strcmp(json_text_at(row, "cluster"), name) != 0)
            continue;
        json_t *own = json_copy(row);
        json_object_set_new(own, "place", json_integer((json_int_t)i)); /* in the whole list */
        json_array_append_new(out, own);
    }
    return out;
}

static json_t *about_series(const struct result *r, u32 index)
{
    json_t *series = json_copy(json_object_get(r->root, "series"));
    json_object_set_new(series, "columns",
                        members(r, index, json_object_get(series, "columns"), own_name));
    return series;
}

void result_view(struct result *out, const struct result *r, u32 index)
{
    static const char *const sections[] = {"definitions", "totals", "units"};
    static const char *const lists[] = {"kernels", "applications"};
    json_t *root = json_copy(r->root), *cluster = json_array_get(clusters_of(r), index);
    json_object_update(root, cluster); /* what there is to say of it alone */
    json_object_del(root, "clusters");
    json_object_set_new(root, "run", about_run(r, index));
    json_object_set_new(root, "config",
                        members(r, index, json_object_get(r->root, "config"), own_path));
    for (size_t i = 0; i < ARRAY_LEN(sections); i++)
        json_object_set_new(root, sections[i],
                            members(r, index, json_object_get(r->root, sections[i]), own_name));
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        const json_t *list = json_object_get(r->root, lists[i]);
        if (list)
            json_object_set_new(root, lists[i], of_cluster(list, result_view_name(r, index)));
    }
    if (json_object_get(root, "series"))
        json_object_set_new(root, "series", about_series(r, index));
    *out = (struct result){.file = r->file, .root = root};
}
