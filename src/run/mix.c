#include "run/mix.h"

#include "base/file.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/model.h"
#include "config/yaml.h"
#include "cpu_trace/stream.h"
#include "cpu_trace/suite.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const struct program_kind program_kinds[] = {
    {.key = "workload",
     .meaning = "a bundled program",
     .agents = AGENT_SM,
     .is_workload = true,
     .is_recorded = true},
    {.key = "program", .meaning = "a CUDA executable", .agents = AGENT_SM, .is_recorded = true},
    {.key = "replay", .meaning = "a recording", .agents = AGENT_SM},
    {.key = "trace", .meaning = "SASS traces", .agents = AGENT_SM},
    {.key = "synthetic", .meaning = "a file of synthetic kernels", .agents = AGENT_SM},
    {.key = "cpu", .meaning = "a CPU trace or synthetic CPU kernel", .agents = AGENT_CPU},
    {.key = NULL},
};

static const char *agent_key(u8 kind)
{
    return kind == AGENT_CPU ? "cores" : "sms";
}

const char *agent_words(u8 kind)
{
    return kind == AGENT_CPU ? "cores" : "SMs";
}

struct reader {
    struct mix *mix;
    const char *const *names;
    u32 name_count;
    struct arena *arena;
    struct err *err;
};

static bool is_value(const struct yaml_node *n)
{
    return n->kind == YAML_SCALAR && (n->text[0] || n->quoted);
}

static bool wrong_kind(struct reader *r, const struct yaml_node *n, const char *what,
                       const char *expected)
{
    bool is_empty = n->kind == YAML_SCALAR ? !n->text[0] : !n->child_count;
    const char *found = is_empty ? "empty" : yaml_kind_name(n->kind);
    return err_found(r->err, n->at, what, found, "%s", expected);
}

/* ---- the keys of an application ---- */

static bool read_name(struct reader *r, const struct yaml_node *n, struct application *a)
{
    for (u32 i = 0; i < r->mix->count; i++) {
        if (strcmp(r->mix->applications[i].name, n->text) == 0)
            return err_at(r->err, n->at,
                          "two applications have the name %s, expected different names", n->text);
    }
    a->name = n->text;
    return true;
}

static bool read_size(struct reader *r, const struct yaml_node *n, struct application *a)
{
    static const char *const sizes[] = {"tiny", "small", "large"};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        if (strcmp(sizes[i], n->text) == 0) {
            a->size = n->text;
            return true;
        }
    }
    return err_unknown(r->err, n->at, "size", n->text, sizes, ARRAY_LEN(sizes), NULL);
}

static bool read_place(const struct yaml_node *n, const char *word, struct application *a)
{
    a->place = n->text;
    a->place_word = word;
    a->place_at = n->at;
    return true;
}

static bool read_sms(struct reader *r, const struct yaml_node *n, struct application *a)
{
    (void)r;
    return read_place(n, "sms", a);
}

static bool read_cores(struct reader *r, const struct yaml_node *n, struct application *a)
{
    (void)r;
    return read_place(n, "cores", a);
}

static bool read_on(struct reader *r, const struct yaml_node *n, struct application *a)
{
    (void)r;
    a->on = n->text;
    a->on_at = n->at;
    return true;
}

static bool read_warm(struct reader *r, const struct yaml_node *n, struct application *a)
{
    a->has_warm = true;
    return (quantity_u64(n->text, "", &a->warm) == QUANTITY_OK && a->warm <= UINT64_MAX / 4) ||
           err_found(r->err, n->at, "warm", n->text,
                     "a number of instructions of a CPU program, of launches of a GPU program");
}

static const struct key {
    const char *name;
    bool (*read)(struct reader *r, const struct yaml_node *n, struct application *a);
} keys[] = {{"cores", read_cores}, {"name", read_name}, {"on", read_on},
            {"size", read_size},   {"sms", read_sms},   {"warm", read_warm}};

static bool read_args(struct reader *r, const struct yaml_node *n, struct application *a)
{
    const struct yaml_node *items = n->children;
    a->arg_count = n->child_count;
    if (n->kind != YAML_LIST || !a->arg_count)
        return wrong_kind(r, n, "args", "a list such as [--rows, 8]");
    a->args = ARENA_ARRAY(r->arena, const char *, a->arg_count);
    for (u32 i = 0; i < a->arg_count; i++) {
        if (!is_value(&items[i]))
            return wrong_kind(r, &items[i], "args", "a single value");
        a->args[i] = items[i].text;
    }
    return true;
}

static bool is_of_suite(const char *program)
{
    return strncmp(program, SUITE_PREFIX, strlen(SUITE_PREFIX)) == 0;
}

/* Paths are relative to the file; the name of a program is looked for along PATH. */
static const char *beside_file(struct reader *r, const char *path, bool is_program)
{
    const char *slash = strrchr(r->mix->path, '/');
    if (path[0] == '/' || !slash || (is_program && !strchr(path, '/')))
        return path;
    return arena_printf(r->arena, "%.*s/%s", (int)(slash - r->mix->path), r->mix->path, path);
}

static bool read_program(struct reader *r, const struct yaml_node *n,
                         const struct program_kind *kind, struct application *a)
{
    if (a->kind)
        return err_at(r->err, n->key_at, "an application has both %s and %s, expected one",
                      a->kind->key, n->key);
    a->kind = kind;
    a->program = kind->is_workload || cpu_name_is_no_file(n->text)
                     ? n->text
                     : beside_file(r, n->text, kind->is_recorded);
    a->program_at = n->at;
    return true;
}

static bool read_key(struct reader *r, const struct yaml_node *n, struct application *a)
{
    const char *known[ARRAY_LEN(keys) + 16];
    u32 count = 0;
    if (strcmp(n->key, "args") == 0)
        return read_args(r, n, a);
    known[count++] = "args";
    for (const struct program_kind *k = program_kinds; k->key; k++) {
        known[count++] = k->key;
        if (strcmp(n->key, k->key) == 0)
            return is_value(n) ? read_program(r, n, k, a)
                               : wrong_kind(r, n, n->key, "a single value");
    }
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        known[count++] = keys[i].name;
        if (strcmp(n->key, keys[i].name) == 0)
            return is_value(n) ? keys[i].read(r, n, a) : wrong_kind(r, n, n->key, "a single value");
    }
    return err_unknown(r->err, n->key_at, "key of an application", n->key, known, count,
                       "docs/howto/mixes.md");
}

/* ---- what they say together ---- */

/* It can be opened, and programs on one chip are for one kind of machine. */
static bool check_cpu_program(struct reader *r, struct application *a)
{
    struct cpu_stream s = {0};
    struct cpu_stream_request request = {.name = a->program, .seed = 1};
    if (is_of_suite(a->program) &&
        !suite_check_accepted(a->program, a->program_at, r->arena, r->err))
        return false;
    if (!cpu_name_is_program(a->program))
        return access(a->program, R_OK) == 0
                   ? err_at(r->err, a->program_at, "%s is not a trace of a CPU program", a->program)
                   : err_at(r->err, a->program_at, "cannot read %s: %s", a->program,
                            strerror(errno));
    bool ok = cpu_stream_open(&s, &request, r->err);
    a->threads = s.thread_count ? s.thread_count : 1;
    a->machine = arena_strdup(r->arena, ok && s.machine ? s.machine : "");
    cpu_stream_close(&s);
    for (u32 i = 0; ok && *a->machine && i < r->mix->count; i++) {
        const struct application *b = &r->mix->applications[i];
        if (b->machine && *b->machine && strcmp(a->machine, b->machine) != 0)
            return err_at(r->err, a->program_at,
                          "%s was recorded on %s, %s on %s, expected programs of one architecture",
                          a->program, a->machine, b->program, b->machine);
    }
    return ok;
}

static bool check_program(struct reader *r, struct application *a)
{
    if (a->kind->is_workload) {
        for (u32 i = 0; i < r->name_count; i++) {
            if (strcmp(r->names[i], a->program) == 0)
                return true;
        }
        return err_unknown(r->err, a->program_at, "workload", a->program, r->names, r->name_count,
                           "heddle list workloads");
    }
    if (a->kind->is_recorded)
        return program_find(a->program, r->arena) ||
               err_at(r->err, a->program_at, "program %s does not exist or is not executable",
                      a->program);
    if (a->kind->agents == AGENT_CPU)
        return check_cpu_program(r, a);
    return access(a->program, R_OK) == 0 ||
           err_at(r->err, a->program_at, "cannot read %s: %s", a->program, strerror(errno));
}

/* Its program's name without folder and ending, and a number where that is taken. */
static const char *name_for(struct reader *r, const struct application *a)
{
    const char *program = is_of_suite(a->program) ? suite_label(a->program, r->arena) : a->program;
    const char *slash = strrchr(program, '/'), *base = slash ? slash + 1 : program;
    const char *dot = strrchr(base, '.');
    int length = (int)(dot && dot > base ? dot - base : (long)strlen(base));
    u32 before = 0;
    for (u32 i = 0; i < r->mix->count; i++) {
        const char *name = r->mix->applications[i].name;
        before += strncmp(name, base, (size_t)length) == 0 &&
                  (!name[length] || strncmp(name + length, " (", 2) == 0);
    }
    return before ? arena_printf(r->arena, "%.*s (%u)", length, base, before + 1)
                  : arena_printf(r->arena, "%.*s", length, base);
}

static bool read_application(struct reader *r, const struct yaml_node *n)
{
    struct application *a = &r->mix->applications[r->mix->count];
    *a = (struct application){.at = n->at};
    if (n->kind != YAML_MAP)
        return wrong_kind(r, n, "an application", "a mapping such as {workload: matmul}");
    for (u32 i = 0; i < n->child_count; i++) {
        if (!read_key(r, &n->children[i], a))
            return false;
    }
    if (!a->kind)
        return err_at(r->err, n->at,
                      "an application has no program, expected workload, program, replay, trace, "
                      "synthetic or cpu");
    if (a->size && !a->kind->is_workload)
        return err_at(r->err, n->at, "size applies only to bundled workloads; '%s' is not one",
                      a->program);
    if (a->arg_count && !a->kind->is_recorded)
        return err_at(r->err, n->at, "args apply only to programs; '%s' is not one", a->program);
    if (a->place && strcmp(a->place_word, agent_key(a->kind->agents)) != 0)
        return err_at(r->err, a->place_at, "%s runs on %s, expected %s:", a->program,
                      agent_words(a->kind->agents), agent_key(a->kind->agents));
    if (!check_program(r, a))
        return false;
    if (!a->name)
        a->name = name_for(r, a);
    if (!a->kind->is_recorded)
        a->plays = a->program;
    r->mix->count++;
    return true;
}

static bool read_applications(struct reader *r, const struct yaml_node *n)
{
    if (n->kind != YAML_LIST || !n->child_count)
        return wrong_kind(r, n, "applications", "a list of applications");
    if (n->child_count > MOST_APPLICATIONS)
        return err_at(r->err, n->children[MOST_APPLICATIONS].at,
                      "there are %u applications, expected at most %u", n->child_count,
                      MOST_APPLICATIONS);
    r->mix->applications = ARENA_ARRAY(r->arena, struct application, n->child_count);
    for (u32 i = 0; i < n->child_count; i++) {
        if (!read_application(r, &n->children[i]))
            return false;
    }
    return true;
}

static bool read_about(struct reader *r, const struct yaml_node *n)
{
    (void)r;
    (void)n;
    return true;
}

static bool read_alone(struct reader *r, const struct yaml_node *n)
{
    r->mix->alone = strcmp(n->text ? n->text : "", "true") == 0;
    return r->mix->alone || (n->text && strcmp(n->text, "false") == 0) ||
           err_found(r->err, n->at, "alone", n->text ? n->text : yaml_kind_name(n->kind),
                     "true or false");
}

static bool read_warm_of_all(struct reader *r, const struct yaml_node *n)
{
    return warm_read(&r->mix->warm, n, r->err);
}

static bool read_root(struct reader *r, const struct yaml_node *root)
{
    static const struct {
        const char *name;
        bool (*read)(struct reader *r, const struct yaml_node *n);
    } parts[] = {{"about", read_about},
                 {"alone", read_alone},
                 {"applications", read_applications},
                 {"warm", read_warm_of_all}};
    const char *known[ARRAY_LEN(parts)];
    if (root->kind != YAML_MAP)
        return wrong_kind(r, root, "a mix", "a mapping with applications:");
    for (u32 i = 0; i < root->child_count; i++) {
        const struct yaml_node *n = &root->children[i];
        size_t k = 0;
        while (k < ARRAY_LEN(parts) && strcmp(parts[k].name, n->key) != 0) {
            known[k] = parts[k].name;
            k++;
        }
        if (k == ARRAY_LEN(parts))
            return err_unknown(r->err, n->key_at, "key", n->key, known, ARRAY_LEN(known),
                               "docs/howto/mixes.md");
        if (!parts[k].read(r, n))
            return false;
    }
    mix_warm(r->mix, &r->mix->warm);
    return r->mix->count || err_at(r->err, root->at, "`applications:` is missing, expected a list");
}

void mix_warm(struct mix *mix, const struct warm *warm)
{
    for (u32 i = 0; i < mix->count; i++) {
        struct application *a = &mix->applications[i];
        if (!a->has_warm)
            a->warm = warm_of(warm, a->kind->agents);
        a->is_functional = warm->is_functional;
    }
}

bool mix_read(struct mix *mix, const char *path, const char *const *names, u32 name_count,
              struct arena *arena, struct err *err)
{
    *mix = (struct mix){.path = path};
    const struct yaml_node *root = yaml_read_file(arena, path, err);
    return root && read_root(&(struct reader){mix, names, name_count, arena, err}, root);
}

bool mix_read_text(struct mix *mix, const char *path, const char *text, size_t length,
                   const char *const *names, u32 name_count, struct arena *arena, struct err *err)
{
    *mix = (struct mix){.path = path};
    const struct yaml_node *root = yaml_read_text(arena, path, text, length, err);
    return root && read_root(&(struct reader){mix, names, name_count, arena, err}, root);
}

/* ---- places ---- */

/* "4": so many, after those of the application before; "4-7": those. */
static bool place(struct application *a, u32 count, u32 after, const char *chip, struct err *err)
{
    u64 first = after, last, many = 0;
    const char *dash = strchr(a->place, '-'), *words = agent_words(a->kind->agents);
    char left[16] = "";
    bool ok;
    if (dash) {
        memcpy(left, a->place, min_u64((u64)(dash - a->place), sizeof left - 1));
        ok = quantity_u64(left, "", &first) == QUANTITY_OK &&
             quantity_u64(dash + 1, "", &last) == QUANTITY_OK && first <= last;
    } else {
        ok = quantity_u64(a->place, "", &many) == QUANTITY_OK && many;
        last = first + min_u64(many, UINT32_MAX) - 1;
    }
    if (!ok)
        return err_found(err, a->place_at, a->place_word, a->place,
                         "a number of %s, or a range such as 0-6", words);
    if (last >= count)
        return err_at(err, a->place_at,
                      "application %s runs on %s %llu to %llu, but chip %s has %u", a->name, words,
                      (unsigned long long)first, (unsigned long long)last, chip, count);
    a->first = (u32)first;
    a->end = (u32)last + 1;
    return true;
}

/* Two programs cannot share a core. */
static bool cores_are_free(const struct mix *mix, u32 last, struct err *err)
{
    const struct application *a = &mix->applications[last];
    for (u32 i = 0; i < last; i++) {
        const struct application *b = &mix->applications[i];
        if (strcmp(b->cluster, a->cluster) == 0 && a->first < b->end && b->first < a->end)
            return err_at(err, a->place_at,
                          "applications %s and %s both run on core %u, expected separate cores",
                          b->name, a->name, a->first > b->first ? a->first : b->first);
    }
    return true;
}

static bool has_cores(const struct application *a, struct err *err)
{
    u32 cores = a->end - a->first;
    return a->threads <= cores ||
           err_at(err, a->at, "application %s has %u threads, expected at most its %u core%s",
                  a->name, a->threads, cores, cores == 1 ? "" : "s");
}

/* Programs that say nothing of a place lie one after the other on their cluster; on a CPU each on
 * one core. */
bool mix_place(struct mix *mix, const struct model *model, const struct config *chip,
               struct arena *arena, struct err *err)
{
    for (u32 i = 0; i < mix->count; i++) {
        struct application *a = &mix->applications[i];
        struct cluster_plan on;
        u32 after = 0;
        bool is_cpu = a->kind->agents == AGENT_CPU;
        if (!model_cluster(model, chip, a->on ? a->on : "", a->kind->agents,
                           a->on ? a->on_at : a->at, &on, err))
            return false;
        a->cluster = !a->on && on.is_socket ? "" : arena_strdup(arena, on.name);
        a->end = on.kind->agents(on.config);
        for (u32 k = 0; k < i; k++) {
            if (strcmp(mix->applications[k].cluster, a->cluster) == 0)
                after = mix->applications[k].end;
        }
        if (is_cpu && !a->place)
            read_place(&(struct yaml_node){.text = "1", .at = a->at}, "cores", a);
        if (a->place && strcmp(a->place, "all") != 0 && !place(a, a->end, after, chip->name, err))
            return false;
        if (is_cpu && (!has_cores(a, err) || !cores_are_free(mix, i, err)))
            return false;
    }
    return true;
}
