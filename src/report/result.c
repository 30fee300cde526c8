#include "report/result.h"

#include "machine/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA "heddle.run/1"

static bool refuse(const struct result *r, struct err *err, const char *key, const char *expected)
{
    return err_at(err, (struct src_pos){r->file, 0, 0}, "\"%s\" is not %s, expected %s", key,
                  expected, RESULT_FILE);
}

/* Every member of an object is of one type; null where `nulls` allows it. */
static bool all_members(const json_t *object, bool (*is)(const json_t *))
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (!is(value))
            return false;
    }
    return true;
}

static bool is_number(const json_t *v)
{
    return json_is_number(v);
}

static bool is_number_or_null(const json_t *v)
{
    return json_is_number(v) || json_is_null(v);
}

static bool is_list_of_numbers(const json_t *v)
{
    if (!json_is_array(v))
        return false;
    for (size_t i = 0; i < json_array_size(v); i++) {
        if (!is_number_or_null(json_array_get(v, i)))
            return false;
    }
    return true;
}

/* A number, an array by label, or a histogram with its two lists. */
static bool is_statistic(const json_t *v)
{
    if (!json_is_object(v))
        return is_number_or_null(v);
    const char *key;
    json_t *part;
    json_object_foreach((json_t *)(uintptr_t)v, key, part)
    {
        if (!is_number_or_null(part) && !is_list_of_numbers(part))
            return false;
    }
    return true;
}

static bool is_unit(const json_t *v)
{
    return json_is_object(v) && all_members(v, is_statistic);
}

static bool is_setting(const json_t *v)
{
    return json_is_string(json_object_get(v, "value")) &&
           json_is_string(json_object_get(v, "from"));
}

static bool is_definition(const json_t *v)
{
    return json_is_string(json_object_get(v, "kind")) &&
           json_is_string(json_object_get(v, "unit")) &&
           json_is_string(json_object_get(v, "meaning"));
}

static bool is_kernel_definition(const json_t *v)
{
    return json_is_string(json_object_get(v, "unit")) &&
           json_is_string(json_object_get(v, "meaning"));
}

/* `stack`: where its cycles went, by the model; NULL: the model does not say. */
static bool is_kernel(const json_t *v, const struct cycle_stack *stack)
{
    const json_t *slots = stack ? json_object_get(v, stack->field) : NULL;
    return json_is_string(json_object_get(v, "name")) &&
           json_is_number(json_object_get(v, "cycles")) &&
           (!stack || (json_is_object(slots) && all_members(slots, is_number)));
}

struct section {
    const char *key;
    bool (*member)(const json_t *);
};

static bool check_sections(const struct result *r, struct err *err)
{
    static const struct section sections[] = {
        {"config", is_setting},
        {"definitions", is_definition},
        {"totals", is_statistic},
        {"units", is_unit},
    };
    for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
        const json_t *v = json_object_get(r->root, sections[i].key);
        if (!json_is_object(v) || !all_members(v, sections[i].member))
            return refuse(r, err, sections[i].key, "an object of the known form");
    }
    return true;
}

static bool check_run(const struct result *r, struct err *err)
{
    static const char *const strings[] = {"chip", "model", "workload", "end", "heddle_version"};
    const json_t *run = json_object_get(r->root, "run");
    if (!json_is_object(run))
        return refuse(r, err, "run", "an object");
    for (size_t i = 0; i < ARRAY_LEN(strings); i++) {
        if (!json_is_string(json_object_get(run, strings[i])))
            return refuse(r, err, strings[i], "a string in \"run\"");
    }
    const json_t *cycles = json_object_get(run, "cycles");
    if (!json_is_object(cycles) || !json_object_size(cycles) || !all_members(cycles, is_number))
        return refuse(r, err, "cycles", "the cycles of each clock in \"run\"");
    if (!json_is_number(json_object_get(run, "simulated_fs")))
        return refuse(r, err, "simulated_fs", "a number in \"run\"");
    return true;
}

static bool check_kernels(const struct result *r, struct err *err)
{
    const json_t *kernels = json_object_get(r->root, "kernels");
    const json_t *definitions = json_object_get(r->root, "kernel_definitions");
    const struct model *model = model_named(result_about(r, "model"));
    bool good = !kernels || json_is_array(kernels);
    for (size_t i = 0; good && i < json_array_size(kernels); i++)
        good = is_kernel(json_array_get(kernels, i), model ? model->stack : NULL);
    if (definitions &&
        !(json_is_object(definitions) && all_members(definitions, is_kernel_definition)))
        return refuse(r, err, "kernel_definitions", "an object of the known form");
    return good || refuse(r, err, "kernels", "a list of kernels");
}

static bool check_series(const struct result *r, struct err *err)
{
    const json_t *series = json_object_get(r->root, "series");
    if (!series)
        return true;
    const json_t *cycle = json_object_get(series, "cycle");
    json_t *columns = json_object_get(series, "columns");
    bool good = is_list_of_numbers(cycle) && json_is_object(columns);
    const char *key;
    json_t *column;
    json_object_foreach(columns, key, column)
    {
        good =
            good && is_list_of_numbers(column) && json_array_size(column) == json_array_size(cycle);
    }
    return good || refuse(r, err, "series", "columns as long as \"cycle\"");
}

static bool is_cluster(const json_t *v)
{
    static const char *const strings[] = {"name", "model", "clock", "work"};
    for (size_t i = 0; i < ARRAY_LEN(strings); i++) {
        if (!json_is_string(json_object_get(v, strings[i])))
            return false;
    }
    return true;
}

/* Each has its clock, and each kernel is of one of them. */
static bool check_clusters(const struct result *r, struct err *err)
{
    const json_t *list = json_object_get(r->root, "clusters"), *row;
    const json_t *cycles = json_object_get(json_object_get(r->root, "run"), "cycles");
    bool good = !list || (json_is_array(list) && json_array_size(list));
    size_t i;
    json_array_foreach(list, i, row)
    {
        char clock[256];
        good = good && is_cluster(row);
        snprintf(clock, sizeof clock, "%s.%s", json_text_at(row, "name"),
                 json_text_at(row, "clock"));
        good = good && json_is_number(json_object_get(cycles, clock));
    }
    return good || refuse(r, err, "clusters", "a list of clusters with their clocks");
}

static bool check(const struct result *r, struct err *err)
{
    const json_t *schema = json_object_get(r->root, "schema");
    if (!json_is_string(schema))
        return refuse(r, err, "schema", "there");
    if (strcmp(json_string_value(schema), SCHEMA) != 0)
        return err_found(err, (struct src_pos){r->file, 0, 0}, "schema", json_string_value(schema),
                         SCHEMA);
    return check_run(r, err) && check_sections(r, err) && check_kernels(r, err) &&
           check_series(r, err) && check_clusters(r, err);
}

bool result_take(struct result *r, const char *file, json_t *root, struct err *err)
{
    *r = (struct result){.file = file, .root = root};
    bool ok = root && check(r, err);
    if (!ok)
        result_fini(r);
    return ok;
}

bool result_parse(struct result *r, const char *file, const char *bytes, size_t size,
                  struct err *err)
{
    return result_take(r, file, json_parse(file, bytes, size, RESULT_FILE, err), err);
}

bool result_read(struct result *r, const char *file, struct err *err)
{
    return result_take(r, file, json_read(file, RESULT_FILE, err), err);
}

void result_fini(struct result *r)
{
    json_decref(r->root);
    *r = (struct result){0};
}

static const json_t *about(const struct result *r)
{
    return json_object_get(r->root, "run");
}

const char *result_about(const struct result *r, const char *key)
{
    return json_text_at(about(r), key);
}

double result_cycles(const struct result *r)
{
    json_t *cycles = json_object_get(about(r), "cycles");
    return json_number_value(json_object_iter_value(json_object_iter(cycles)));
}

double result_seconds(const struct result *r)
{
    return json_number_at(about(r), "simulated_fs") / 1e15;
}

const char *result_config(const struct result *r, const char *path)
{
    const json_t *row = json_object_get(json_object_get(r->root, "config"), path);
    return json_string_value(json_object_get(row, "value"));
}

double result_total(const struct result *r, const char *name)
{
    const json_t *totals = json_object_get(r->root, "totals");
    const char *colon = strchr(name, ':');
    if (!colon)
        return json_number_at(totals, name);
    char array[128];
    snprintf(array, sizeof array, "%.*s", (int)(colon - name), name);
    json_t *elements = json_object_get(totals, array), *value;
    if (strcmp(colon, ":*") != 0 || !json_object_size(elements))
        return json_number_at(elements, colon + 1);
    const char *label;
    double sum = 0;
    json_object_foreach(elements, label, value)
    {
        sum += json_number_at(elements, label);
    }
    return sum;
}

json_t *result_kernels(const struct result *r)
{
    return json_object_get(r->root, "kernels");
}
