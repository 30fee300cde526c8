#include "campaign/sweep_file.h"

#include "base/units.h"
#include "config/yaml.h"
#include "run/launches.h"
#include "sampling/sample.h"

#include <stdio.h>
#include <string.h>

#define MOST_SEEDS 100000u

struct reader {
    struct sweep_file *file;
    struct arena *arena;
    struct err *err;
};

/* One row per key of the file: what reads its value. */
struct key {
    const char *name;
    bool (*read)(struct reader *r, const struct yaml_node *n);
};

static const char *kind_of(const struct yaml_node *n)
{
    return n->kind == YAML_SCALAR && !n->text[0] && !n->quoted ? "empty" : yaml_kind_name(n->kind);
}

static bool wrong_kind(struct reader *r, const struct yaml_node *n, const char *what,
                       const char *expected)
{
    return err_found(r->err, n->at, what, kind_of(n), "%s", expected);
}

static bool is_value(const struct yaml_node *n)
{
    return n->kind == YAML_SCALAR && (n->text[0] || n->quoted);
}

static struct sweep_text text_of(const struct yaml_node *n)
{
    return (struct sweep_text){n->text, n->at};
}

static bool read_number(struct reader *r, const struct yaml_node *n, const char *what, u64 lo,
                        u64 hi, u64 *out)
{
    if (is_value(n) && quantity_u64(n->text, "", out) == QUANTITY_OK && *out >= lo && *out <= hi)
        return true;
    return err_found(r->err, n->at, what, is_value(n) ? n->text : kind_of(n),
                     "a whole number from %llu to %llu", (unsigned long long)lo,
                     (unsigned long long)hi);
}

static bool read_flag(struct reader *r, const struct yaml_node *n, bool *out)
{
    *out = is_value(n) && strcmp(n->text, "true") == 0;
    if (*out || (is_value(n) && strcmp(n->text, "false") == 0))
        return true;
    return err_found(r->err, n->at, n->key, is_value(n) ? n->text : kind_of(n), "true or false");
}

/* A list of single values; a single value stands for a list of one. */
static bool read_values(struct reader *r, const struct yaml_node *n, const char *what,
                        struct sweep_text **out, u32 *count)
{
    const struct yaml_node *items = is_value(n) ? n : n->children;
    *count = is_value(n) ? 1 : n->child_count;
    if (n->kind == YAML_MAP || *count == 0)
        return err_found(r->err, n->at, what, n->kind == YAML_MAP ? kind_of(n) : "empty",
                         "a list of values");
    *out = ARENA_ARRAY(r->arena, struct sweep_text, *count);
    for (u32 i = 0; i < *count; i++) {
        if (!is_value(&items[i]))
            return wrong_kind(r, &items[i], what, "a single value");
        (*out)[i] = text_of(&items[i]);
    }
    return true;
}

static bool read_chips(struct reader *r, const struct yaml_node *n)
{
    return read_values(r, n, "chips", &r->file->chips, &r->file->chip_count);
}

static bool read_where(struct reader *r, const struct yaml_node *n)
{
    return read_values(r, n, "where", &r->file->where, &r->file->where_count);
}

/* ---- parameters ---- */

/* A mapping parameter -> values, in file order. */
static bool read_params(struct reader *r, const struct yaml_node *n, const char *what,
                        struct sweep_param **out, u32 *count)
{
    if (n->kind != YAML_MAP || !n->child_count)
        return wrong_kind(r, n, what, "a mapping such as sm.l1.mshrs: VALUE");
    *count = n->child_count;
    *out = ARENA_ARRAY(r->arena, struct sweep_param, *count);
    for (u32 i = 0; i < *count; i++) {
        const struct yaml_node *child = &n->children[i];
        struct sweep_param *p = &(*out)[i];
        p->name = (struct sweep_text){child->key, child->key_at};
        if (child->kind == YAML_MAP)
            return err_at(r->err, child->at,
                          "%s is a mapping, expected values; a parameter in a group is written "
                          "with a dot, such as sm.l1.mshrs",
                          child->key);
        if (!read_values(r, child, child->key, &p->values, &p->value_count))
            return false;
    }
    return true;
}

static bool read_single(struct reader *r, const struct yaml_node *n, struct sweep_param **out,
                        u32 *count)
{
    if (!read_params(r, n, "set", out, count))
        return false;
    for (u32 i = 0; i < *count; i++) {
        if (n->children[i].kind != YAML_SCALAR)
            return err_found(r->err, n->children[i].at, (*out)[i].name.text, "a list",
                             "a single value; lists go under sweep:");
    }
    return true;
}

static bool read_set(struct reader *r, const struct yaml_node *n)
{
    return read_single(r, n, &r->file->set, &r->file->set_count);
}

static void add_axis(struct reader *r, struct sweep_axis axis)
{
    struct sweep_file *f = r->file;
    struct sweep_axis *all = ARENA_ARRAY(r->arena, struct sweep_axis, f->axis_count + 1);
    if (f->axis_count)
        memcpy(all, f->axes, f->axis_count * sizeof *all);
    all[f->axis_count++] = axis;
    f->axes = all;
}

static bool read_sweep(struct reader *r, const struct yaml_node *n)
{
    struct sweep_param *params = NULL;
    u32 count = 0;
    if (!read_params(r, n, "sweep", &params, &count))
        return false;
    for (u32 i = 0; i < count; i++)
        add_axis(r, (struct sweep_axis){&params[i], 1, params[i].value_count});
    return true;
}

static bool read_zip_group(struct reader *r, const struct yaml_node *n)
{
    struct sweep_axis axis = {0};
    if (!read_params(r, n, "zip", &axis.params, &axis.param_count) || !axis.params)
        return false;
    axis.value_count = axis.params[0].value_count;
    for (u32 i = 1; i < axis.param_count; i++) {
        const struct sweep_param *p = &axis.params[i];
        if (p->value_count != axis.value_count)
            return err_at(r->err, p->name.at, "%s has %u values, expected %u as %s beside it has",
                          p->name.text, p->value_count, axis.value_count, axis.params[0].name.text);
    }
    add_axis(r, axis);
    return true;
}

/* A list of groups. */
static bool read_zip(struct reader *r, const struct yaml_node *n)
{
    if (n->kind != YAML_LIST || !n->child_count)
        return wrong_kind(r, n, "zip", "a list of groups such as [{tokens: [1, 2], seed: [3, 4]}]");
    for (u32 i = 0; i < n->child_count; i++) {
        if (!read_zip_group(r, &n->children[i]))
            return false;
    }
    return true;
}

/* ---- workloads ---- */

static bool read_args(struct reader *r, const struct yaml_node *n, struct sweep_workload *w)
{
    struct sweep_text *args;
    if (is_value(n))
        return err_found(r->err, n->at, "args", n->text, "a list such as [--rows, 8]");
    if (!read_values(r, n, "args", &args, &w->arg_count))
        return false;
    w->args = ARENA_ARRAY(r->arena, const char *, w->arg_count);
    for (u32 i = 0; i < w->arg_count; i++)
        w->args[i] = args[i].text;
    return true;
}

static bool read_launches(struct reader *r, const struct yaml_node *n, struct sweep_workload *w)
{
    struct launches unused;
    struct err place = ERR_INIT;
    if (!is_value(n))
        return wrong_kind(r, n, "launches", "how many of the first, or a list such as 20-29");
    w->launches = n->text;
    return launches_read(&unused, n->text, r->arena, &place) ||
           err_found(r->err, n->at, "launches", n->text,
                     "how many of the first, or a list such as 0,4,7-9");
}

static bool read_workload_key(struct reader *r, const struct yaml_node *n, struct sweep_workload *w)
{
    static const char *const keys[] = {"name", "program",  "as",  "size",  "args",
                                       "seed", "launches", "set", "resume"};
    if (strcmp(n->key, "args") == 0)
        return read_args(r, n, w);
    if (strcmp(n->key, "set") == 0)
        return read_single(r, n, &w->set, &w->set_count);
    if (strcmp(n->key, "seed") == 0) {
        w->has_seed = true;
        return read_number(r, n, "seed", 0, INT64_MAX, &w->seed);
    }
    if (strcmp(n->key, "launches") == 0)
        return read_launches(r, n, w);
    if (strcmp(n->key, "resume") == 0) {
        w->resume = text_of(n);
        return is_value(n) ||
               wrong_kind(r, n, "resume", "a checkpoint, which heddle run --save writes");
    }
    bool is_name = strcmp(n->key, "name") == 0, is_program = strcmp(n->key, "program") == 0;
    bool is_as = strcmp(n->key, "as") == 0;
    if (!is_name && !is_program && !is_as && strcmp(n->key, "size") != 0)
        return err_unknown(r->err, n->key_at, "key of a workload", n->key, keys, ARRAY_LEN(keys),
                           NULL);
    if (!is_value(n))
        return wrong_kind(r, n, n->key, "a single value");
    if (!is_name && !is_program) {
        *(is_as ? &w->as : &w->size) = n->text;
        return true;
    }
    if (w->name.text)
        return err_at(r->err, n->key_at, "a workload has both name and program, expected one");
    w->is_program = is_program;
    w->name = text_of(n);
    return true;
}

static bool read_workload(struct reader *r, const struct yaml_node *n, struct sweep_workload *w)
{
    *w = (struct sweep_workload){.size = ""};
    if (is_value(n)) {
        w->name = text_of(n);
        return true;
    }
    if (n->kind != YAML_MAP || !n->child_count)
        return wrong_kind(r, n, "a workload", "a name, or {name, as, size, args, seed, set}");
    for (u32 i = 0; i < n->child_count; i++) {
        if (!read_workload_key(r, &n->children[i], w))
            return false;
    }
    if (!w->name.text)
        return err_at(r->err, n->at, "a workload has no name, expected name: or program:");
    if (w->is_program && yaml_child(n, "size"))
        return err_at(r->err, n->at, "size applies only to bundled workloads; a program has args");
    return true;
}

/* Beside those of the other kind: a key that is read again takes the place of what it said. */
static struct sweep_workload *add_workloads(struct reader *r, u32 count, bool are_mixes)
{
    struct sweep_file *f = r->file;
    struct sweep_workload *all =
        ARENA_ARRAY(r->arena, struct sweep_workload, f->workload_count + count);
    u32 kept = 0;
    for (u32 i = 0; i < f->workload_count; i++) {
        if (f->workloads[i].is_mix != are_mixes)
            all[kept++] = f->workloads[i];
    }
    f->workloads = all;
    f->workload_count = kept + count;
    return all + kept;
}

static bool read_workloads(struct reader *r, const struct yaml_node *n)
{
    const struct yaml_node *items = n->kind == YAML_LIST ? n->children : n;
    u32 count = n->kind == YAML_LIST ? n->child_count : 1;
    if (count == 0)
        return err_found(r->err, n->at, "workloads", "empty", "a list of workloads");
    struct sweep_workload *w = add_workloads(r, count, false);
    for (u32 i = 0; i < count; i++) {
        if (!read_workload(r, &items[i], &w[i]))
            return false;
    }
    return true;
}

static bool read_mixes(struct reader *r, const struct yaml_node *n)
{
    struct sweep_text *files;
    u32 count;
    if (!read_values(r, n, "mixes", &files, &count))
        return false;
    struct sweep_workload *w = add_workloads(r, count, true);
    for (u32 i = 0; i < count; i++)
        w[i] = (struct sweep_workload){.name = files[i], .is_mix = true, .size = ""};
    return true;
}

/* ---- the rest ---- */

/* `repeat: 3` is seeds 1 to 3, a list is the seeds themselves. */
static bool read_repeat(struct reader *r, const struct yaml_node *n)
{
    struct sweep_file *f = r->file;
    u64 count = n->child_count;
    bool is_list = n->kind == YAML_LIST && count > 0;
    if (!is_list && !read_number(r, n, "repeat", 1, MOST_SEEDS, &count))
        return false;
    u64 *seeds = ARENA_ARRAY(r->arena, u64, count);
    f->seed_count = (u32)count;
    f->seeds = seeds;
    for (u32 i = 0; i < f->seed_count; i++) {
        seeds[i] = i + 1;
        if (is_list && !read_number(r, &n->children[i], "repeat", 0, INT64_MAX, &seeds[i]))
            return false;
    }
    return true;
}

static bool read_name(struct reader *r, const struct yaml_node *n)
{
    if (!is_value(n) || !n->text[0])
        return wrong_kind(r, n, "name", "a name");
    r->file->name = n->text;
    return true;
}

static bool read_about(struct reader *r, const struct yaml_node *n)
{
    return is_value(n) || wrong_kind(r, n, "about", "one line");
}

static bool read_record(struct reader *r, const struct yaml_node *n)
{
    return read_flag(r, n, &r->file->record);
}

static bool read_max_cycles(struct reader *r, const struct yaml_node *n)
{
    return read_number(r, n, "max_cycles", 1, UINT64_MAX / 2, &r->file->max_cycles);
}

static bool read_warm(struct reader *r, const struct yaml_node *n)
{
    return warm_read(&r->file->warm, n, r->err);
}

static bool read_sample(struct reader *r, const struct yaml_node *n)
{
    struct sample_options o;
    struct err ignored = ERR_INIT;
    if (!is_value(n) || !sample_read(&o, n->text, &ignored))
        return err_found(r->err, n->at, "sample", is_value(n) ? n->text : kind_of(n),
                         "auto or a share of the launches from 0.01%% to 100%%");
    r->file->sample = n->text;
    return true;
}

static bool read_watchdog(struct reader *r, const struct yaml_node *n)
{
    return read_number(r, n, "watchdog", 0, UINT64_MAX >> 24, &r->file->watchdog);
}

static bool read_timeout(struct reader *r, const struct yaml_node *n)
{
    double *s = &r->file->timeout_s;
    if (is_value(n) && quantity_double(n->text, "s", s) == QUANTITY_OK && *s > 0)
        return true;
    return err_found(r->err, n->at, "timeout", is_value(n) ? n->text : kind_of(n),
                     "a time above zero, such as 600s");
}

static bool read_threads(struct reader *r, const struct yaml_node *n)
{
    return read_number(r, n, "threads", 1, 64, &r->file->threads);
}

static const struct key keys[] = {
    {"name", read_name},         {"about", read_about},         {"chips", read_chips},
    {"set", read_set},           {"workloads", read_workloads}, {"sweep", read_sweep},
    {"zip", read_zip},           {"where", read_where},         {"repeat", read_repeat},
    {"record", read_record},     {"timeout", read_timeout},     {"max_cycles", read_max_cycles},
    {"watchdog", read_watchdog}, {"mixes", read_mixes},         {"warm", read_warm},
    {"sample", read_sample},     {"threads", read_threads},
};

static bool read_key(struct reader *r, const struct yaml_node *n)
{
    const char *names[ARRAY_LEN(keys)];
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        names[i] = keys[i].name;
        if (strcmp(keys[i].name, n->key) == 0)
            return keys[i].read(r, n);
    }
    return err_unknown(r->err, n->key_at, "key", n->key, names, ARRAY_LEN(keys),
                       "docs/howto/sweeps.md");
}

/* A workload's own settings are none of the file's. */
static bool check_own(struct reader *r, const struct sweep_text *seen, u32 count)
{
    for (u32 w = 0; w < r->file->workload_count; w++) {
        const struct sweep_workload *workload = &r->file->workloads[w];
        for (u32 i = 0; i < workload->set_count; i++) {
            struct sweep_text name = workload->set[i].name;
            for (u32 k = 0; k < count; k++) {
                if (strcmp(seen[k].text, name.text) == 0)
                    return err_at(r->err, name.at, "'%s' is given twice, first on line %u",
                                  name.text, seen[k].at.line);
            }
        }
    }
    return true;
}

/* A parameter may be given once: two values for one run have no meaning. */
static bool check_once(struct reader *r)
{
    const struct sweep_file *f = r->file;
    struct sweep_text seen[256];
    u32 count = 0;
    for (u32 a = 0; a <= f->axis_count; a++) {
        const struct sweep_param *params = a ? f->axes[a - 1].params : f->set;
        u32 n = a ? f->axes[a - 1].param_count : f->set_count;
        for (u32 i = 0; i < n; i++) {
            for (u32 k = 0; k < count; k++) {
                if (strcmp(seen[k].text, params[i].name.text) == 0)
                    return err_at(r->err, params[i].name.at,
                                  "'%s' is given twice, first on line %u", params[i].name.text,
                                  seen[k].at.line);
            }
            if (count == ARRAY_LEN(seen))
                return err_at(r->err, params[i].name.at, "more than %zu parameters are given",
                              ARRAY_LEN(seen));
            seen[count++] = params[i].name;
        }
    }
    return check_own(r, seen, count);
}

static const char *name_of_path(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    return arena_printf(arena, "%.*s", (int)(dot && dot > base ? dot - base : (long)strlen(base)),
                        base);
}

void sweep_file_init(struct sweep_file *file, const char *path, const char *name,
                     struct arena *arena)
{
    static const u64 one_seed[] = {1};
    *file = (struct sweep_file){.path = arena_strdup(arena, path),
                                .name = name,
                                .seeds = one_seed,
                                .seed_count = 1,
                                .max_cycles = UINT64_MAX,
                                .watchdog = UINT64_MAX};
}

bool sweep_file_read_key(struct sweep_file *file, const struct yaml_node *node, struct arena *arena,
                         struct err *err)
{
    return read_key(&(struct reader){file, arena, err}, node);
}

bool sweep_file_check(struct sweep_file *file, struct src_pos at, struct arena *arena,
                      struct err *err)
{
    if (!file->chip_count || !file->workload_count)
        return err_at(err, at, "`%s:` is missing, expected a list",
                      file->chip_count ? "workloads" : "chips");
    return check_once(&(struct reader){file, arena, err});
}

bool sweep_read_texts(const struct yaml_node *node, const char *what, struct sweep_text **out,
                      u32 *count, struct arena *arena, struct err *err)
{
    return read_values(&(struct reader){NULL, arena, err}, node, what, out, count);
}

static bool read_root(struct sweep_file *file, const char *path, const struct yaml_node *root,
                      struct arena *arena, struct err *err)
{
    sweep_file_init(file, path, name_of_path(path, arena), arena);
    if (root->kind != YAML_MAP)
        return err_found(err, root->at, "a sweep file", yaml_kind_name(root->kind),
                         "a mapping with chips: and workloads:");
    for (u32 i = 0; i < root->child_count; i++) {
        if (!sweep_file_read_key(file, &root->children[i], arena, err))
            return false;
    }
    return sweep_file_check(file, root->at, arena, err);
}

bool sweep_file_read_text(struct sweep_file *file, const char *path, const char *text,
                          size_t length, struct arena *arena, struct err *err)
{
    struct yaml_node *root = yaml_read_text(arena, path, text, length, err);
    return root && read_root(file, path, root, arena, err);
}

bool sweep_file_read(struct sweep_file *file, const char *path, struct arena *arena,
                     struct err *err)
{
    struct yaml_node *root = yaml_read_file(arena, path, err);
    return root && read_root(file, path, root, arena, err);
}
