#include "cpu_trace/suite.h"

#include "base/csv.h"
#include "base/file.h"
#include "base/place.h"
#include "base/units.h"
#include "cpu_trace/window.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what stands for what ---- */

enum { NAME, CLASS, STAND_IN, COMMAND, INPUT, PACKAGE, SKIP, MPKI, PKC, COLUMNS };

static const char *const columns[COLUMNS] = {"program", "class", "stand_in", "command", "input",
                                             "package", "skip",  "mpki",     "pkc"};

static bool read_number(const struct csv *csv, const struct csv_row *row, const char *text,
                        double *out, struct err *err)
{
    *out = 0;
    return !text[0] || quantity_double(text, "", out) == QUANTITY_OK ||
           err_found(err, (struct src_pos){csv->path, row->line, 0}, "a field", text, "a number");
}

static bool read_row(const struct csv *csv, const struct csv_row *row, const u32 *at,
                     struct suite_program *p, struct err *err)
{
    double skip;
    *p = (struct suite_program){
        .name = row->fields[at[NAME]],
        .class = row->fields[at[CLASS]],
        .stand_in = row->fields[at[STAND_IN]],
        .command = row->fields[at[COMMAND]],
        .input = row->fields[at[INPUT]],
        .package = row->fields[at[PACKAGE]],
    };
    bool ok = read_number(csv, row, row->fields[at[SKIP]], &skip, err) &&
              read_number(csv, row, row->fields[at[MPKI]], &p->mpki, err) &&
              read_number(csv, row, row->fields[at[PKC]], &p->pkc, err);
    p->skip = ok ? (u64)skip : 0;
    return ok;
}

/* As the XDG base directory specification says. */
static const char *cache_folder(struct arena *arena)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    return xdg && xdg[0] == '/' ? arena_printf(arena, "%s/heddle/suite", xdg)
                                : arena_printf(arena, "%s/.cache/heddle/suite", home ? home : "");
}

static void find_folders(struct suite *s, struct arena *arena)
{
    char places[MOST_PLACES][PATH_MAX];
    *s = (struct suite){.folder = "workloads/cpu", .cache = cache_folder(arena)};
    if (place_find("workloads/cpu", places))
        s->folder = arena_strdup(arena, places[0]);
}

bool suite_read(struct suite *s, struct arena *arena, struct err *err)
{
    struct csv csv;
    u32 at[COLUMNS];
    find_folders(s, arena);
    const char *path = arena_printf(arena, "%s/programs.csv", s->folder);
    if (!csv_read_file(&csv, path, arena, err))
        return false;
    for (u32 c = 0; c < COLUMNS; c++) {
        at[c] = csv_column(&csv, columns[c]);
        if (at[c] == UINT32_MAX)
            return err_at(err, (struct src_pos){path, csv.head.line, 0}, "there is no column %s",
                          columns[c]);
    }
    s->programs = ARENA_ARRAY(arena, struct suite_program, csv.count ? csv.count : 1);
    for (u32 i = 0; i < csv.count; i++) {
        if (!read_row(&csv, &csv.rows[i], at, &s->programs[s->count++], err))
            return false;
    }
    return true;
}

const struct suite_program *suite_find(const struct suite *s, const char *name, struct err *err)
{
    struct arena arena = {0};
    const char **names = ARENA_ARRAY(&arena, const char *, s->count + 1);
    for (u32 i = 0; i < s->count; i++) {
        names[i] = s->programs[i].name;
        if (strcmp(names[i], name) == 0) {
            arena_fini(&arena);
            return &s->programs[i];
        }
    }
    err_unknown(err, (struct src_pos){0}, "program of the suite", name, names, s->count,
                "heddle trace suite --list");
    arena_fini(&arena);
    return NULL;
}

bool suite_is_kernel(const struct suite_program *p)
{
    return strncmp(p->command, "./", 2) == 0;
}

/* ---- traces in the cache: NAME.csv says which file is the trace of NAME ---- */

static const char *const trace_columns[] = {"file", "recipe", "contents", "instructions"};

bool suite_trace_read(const struct suite *s, const char *name, struct suite_trace *t,
                      struct arena *arena)
{
    struct csv csv;
    struct err ignored = ERR_INIT;
    const char *value[ARRAY_LEN(trace_columns)];
    const char *path = arena_printf(arena, "%s/%s.csv", s->cache, name);
    if (access(path, R_OK) != 0 || !csv_read_file(&csv, path, arena, &ignored) || csv.count != 1)
        return false;
    for (size_t c = 0; c < ARRAY_LEN(trace_columns); c++) {
        u32 at = csv_column(&csv, trace_columns[c]);
        if (at == UINT32_MAX)
            return false;
        value[c] = csv.rows[0].fields[at];
    }
    *t = (struct suite_trace){.path = arena_printf(arena, "%s/%s", s->cache, value[0]),
                              .recipe = value[1],
                              .contents = value[2],
                              .instructions = strtoull(value[3], NULL, 10)};
    return access(t->path, R_OK) == 0;
}

bool suite_trace_write(const struct suite *s, const char *name, const struct suite_trace *t,
                       struct arena *arena, struct err *err)
{
    struct text text = {0};
    const char *slash = strrchr(t->path, '/');
    text_printf(&text, "file,recipe,contents,instructions\n%s,%s,%s,%llu\n",
                slash ? slash + 1 : t->path, t->recipe, t->contents,
                (unsigned long long)t->instructions);
    bool ok = file_write(arena_printf(arena, "%s/%s.csv", s->cache, name), &text, err);
    text_fini(&text);
    return ok;
}

/* ---- names ---- */

/* Without prefix and window. */
static const char *bare_name(const char *name, struct arena *arena)
{
    struct cpu_window w;
    char *rest;
    const char *bare = name + strlen(SUITE_PREFIX);
    if (cpu_window_parse(bare, &w, &rest)) {
        bare = arena_strdup(arena, rest);
        free(rest);
    }
    return bare;
}

static bool find_trace(const char *name, struct suite *s, struct suite_trace *t, struct src_pos at,
                       struct arena *arena, struct err *err)
{
    if (!suite_read(s, arena, err) || !suite_find(s, name, err))
        return false;
    if (suite_trace_read(s, name, t, arena))
        return true;
    err_at(err, at, "%s has not been recorded here, expected `heddle trace suite %s` before", name,
           name);
    return false;
}

const char *suite_path(const char *name, struct src_pos at, struct arena *arena, struct err *err)
{
    struct suite s;
    struct suite_trace t;
    return find_trace(bare_name(name, arena), &s, &t, at, arena, err) ? t.path : NULL;
}

const char *suite_contents(const char *name, struct src_pos at, struct arena *arena,
                           struct err *err)
{
    struct suite s;
    struct suite_trace t;
    return find_trace(bare_name(name, arena), &s, &t, at, arena, err) ? t.contents : NULL;
}

const char *suite_label(const char *name, struct arena *arena)
{
    struct suite s;
    struct err ignored = ERR_INIT;
    const char *bare = bare_name(name, arena);
    const struct suite_program *p =
        suite_read(&s, arena, &ignored) ? suite_find(&s, bare, &ignored) : NULL;
    return p ? arena_printf(arena, "%s~%s", bare, p->stand_in) : bare;
}

/* ---- which are accepted ---- */

enum verdict { UNKNOWN, OTHER_TRACE, REFUSED, ACCEPTED };

/* What a file says of a program's trace. */
static enum verdict verdict_of(const char *path, const char *name, const char *contents,
                               struct arena *arena)
{
    struct csv csv;
    struct err ignored = ERR_INIT;
    if (access(path, R_OK) != 0 || !csv_read_file(&csv, path, arena, &ignored))
        return UNKNOWN;
    u32 program = csv_column(&csv, "program"), accepted = csv_column(&csv, "accepted"),
        trace = csv_column(&csv, "trace");
    if (program == UINT32_MAX || accepted == UINT32_MAX || trace == UINT32_MAX)
        return UNKNOWN;
    for (u32 i = 0; i < csv.count; i++) {
        const char **f = csv.rows[i].fields;
        if (strcmp(f[program], name) == 0)
            return strcmp(f[trace], contents) != 0   ? OTHER_TRACE
                   : strcmp(f[accepted], "yes") == 0 ? ACCEPTED
                                                     : REFUSED;
    }
    return UNKNOWN;
}

bool suite_check_accepted(const char *name, struct src_pos at, struct arena *arena, struct err *err)
{
    struct suite s;
    struct suite_trace t;
    const char *bare = bare_name(name, arena);
    if (!find_trace(bare, &s, &t, at, arena, err))
        return false;
    enum verdict ours =
        verdict_of(arena_printf(arena, "%s/accepted.csv", s.folder), bare, t.contents, arena);
    enum verdict own =
        verdict_of(arena_printf(arena, "%s/accepted.csv", s.cache), bare, t.contents, arena);
    if (ours == ACCEPTED || own == ACCEPTED)
        return true;
    if (ours == REFUSED || own == REFUSED)
        return err_at(err, at,
                      "%s is not accepted as a stand-in: it does not behave as the published "
                      "program does (docs/howto/suite.md)",
                      bare);
    return err_at(err, at,
                  "the trace of %s is not the one that was accepted; `heddle trace suite --accept "
                  "%s` measures it",
                  bare, bare);
}
