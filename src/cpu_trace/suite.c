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

/* ---- the OpenMP programs ---- */

enum { HPC_NAME, HPC_SUITE, HPC_CLASS, HPC_STAND_IN, HPC_COMMAND, HPC_LIBRARIES, HPC_COLUMNS };

static const char *const hpc_columns[HPC_COLUMNS] = {"program",  "suite",   "class",
                                                     "stand_in", "command", "libraries"};

const char *const suite_descriptor_names[SUITE_DESCRIPTORS] = {
    [SUITE_BRANCHES] = "branches", [SUITE_BACKWARD] = "backward", [SUITE_BLOCK] = "block",
    [SUITE_HOT] = "hot_kib",       [SUITE_STATIC] = "static_kib", [SUITE_SERIAL] = "serial",
    [SUITE_INDIRECT] = "indirect", [SUITE_SHARED] = "shared"};

/* LOW:HIGH, or nothing. */
static bool read_band(const struct csv *csv, const struct csv_row *row, const char *text,
                      struct suite_band *b, struct err *err)
{
    char *end;
    *b = (struct suite_band){0};
    if (!text[0])
        return true;
    b->low = strtod(text, &end);
    if (*end == ':')
        b->high = strtod(end + 1, &end);
    return (!*end && b->high > b->low) || err_found(err, (struct src_pos){csv->path, row->line, 0},
                                                    "a band", text, "LOW:HIGH, such as 2:14");
}

static bool read_hpc_row(const struct csv *csv, const struct csv_row *row, const u32 *at,
                         struct suite_program *p, struct err *err)
{
    *p = (struct suite_program){.group = SUITE_HPC,
                                .name = row->fields[at[HPC_NAME]],
                                .published = row->fields[at[HPC_SUITE]],
                                .class = row->fields[at[HPC_CLASS]],
                                .stand_in = row->fields[at[HPC_STAND_IN]],
                                .command = row->fields[at[HPC_COMMAND]],
                                .libraries = row->fields[at[HPC_LIBRARIES]],
                                .input = "",
                                .package = ""};
    for (u32 d = 0; d < SUITE_DESCRIPTORS; d++) {
        if (!read_band(csv, row, row->fields[at[HPC_COLUMNS + d]], &p->bands[d], err))
            return false;
    }
    return true;
}

/* ---- both ---- */

typedef bool row_reader(const struct csv *csv, const struct csv_row *row, const u32 *at,
                        struct suite_program *p, struct err *err);

/* Rows of one of the two files, behind those that are there. */
static bool read_table(struct suite *s, const char *file, const char *const *names, u32 name_count,
                       row_reader *read, struct arena *arena, struct err *err)
{
    struct csv csv;
    u32 at[HPC_COLUMNS + SUITE_DESCRIPTORS];
    const char *path = arena_printf(arena, "%s/%s", s->folder, file);
    if (!csv_read_file(&csv, path, arena, err))
        return false;
    for (u32 c = 0; c < name_count; c++) {
        at[c] = csv_column(&csv, names[c]);
        if (at[c] == UINT32_MAX)
            return err_at(err, (struct src_pos){path, csv.head.line, 0}, "there is no column %s",
                          names[c]);
    }
    struct suite_program *all = ARENA_ARRAY(arena, struct suite_program, s->count + csv.count + 1);
    if (s->count)
        memcpy(all, s->programs, s->count * sizeof *all);
    s->programs = all;
    for (u32 i = 0; i < csv.count; i++) {
        if (!read(&csv, &csv.rows[i], at, &s->programs[s->count++], err))
            return false;
    }
    return true;
}

bool suite_read(struct suite *s, struct arena *arena, struct err *err)
{
    const char *hpc[HPC_COLUMNS + SUITE_DESCRIPTORS];
    find_folders(s, arena);
    memcpy(hpc, hpc_columns, sizeof hpc_columns);
    memcpy(hpc + HPC_COLUMNS, suite_descriptor_names, sizeof suite_descriptor_names);
    return read_table(s, "programs.csv", columns, COLUMNS, read_row, arena, err) &&
           read_table(s, "hpc.csv", hpc, ARRAY_LEN(hpc), read_hpc_row, arena, err);
}

const char *suite_base_name(const char *name, u32 *threads, struct arena *arena)
{
    const char *dot = strrchr(name, '.');
    char *end = NULL;
    unsigned long n = dot ? strtoul(dot + 1, &end, 10) : 0;
    *threads = SUITE_HPC_THREADS;
    if (!n || *end || n > 1024)
        return name;
    *threads = (u32)n;
    return arena_printf(arena, "%.*s", (int)(dot - name), name);
}

const char *suite_with_threads(const char *name, u32 threads, struct arena *arena)
{
    return threads == SUITE_HPC_THREADS ? name : arena_printf(arena, "%s.%u", name, threads);
}

const struct suite_program *suite_find(const struct suite *s, const char *name, struct err *err)
{
    struct arena arena = {0};
    const char **names = ARENA_ARRAY(&arena, const char *, s->count + 1);
    u32 threads;
    const char *base = suite_base_name(name, &threads, &arena);
    for (u32 i = 0; i < s->count; i++) {
        names[i] = s->programs[i].name;
        bool is_it = strcmp(names[i], name) == 0 ||
                     (s->programs[i].group == SUITE_HPC && strcmp(names[i], base) == 0);
        if (is_it) {
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
    u32 threads;
    const char *base = suite_base_name(name, &threads, arena);
    if (suite_find(s, name, err)->group == SUITE_HPC)
        return err_at(err, at,
                      "%s has not been recorded here, expected `heddle trace suite --group hpc %s "
                      "--threads %u` before",
                      name, base, threads);
    return err_at(err, at, "%s has not been recorded here, expected `heddle trace suite %s` before",
                  name, name);
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

/* A program's row in a file of accepted traces. */
struct acceptance {
    bool is_there, is_accepted;
    const char *contents; /* of the trace that was measured */
};

static struct acceptance acceptance_of(const char *path, const char *name, struct arena *arena)
{
    struct csv csv;
    struct err ignored = ERR_INIT;
    if (access(path, R_OK) != 0 || !csv_read_file(&csv, path, arena, &ignored))
        return (struct acceptance){0};
    u32 program = csv_column(&csv, "program"), accepted = csv_column(&csv, "accepted"),
        trace = csv_column(&csv, "trace");
    if (program == UINT32_MAX || accepted == UINT32_MAX || trace == UINT32_MAX)
        return (struct acceptance){0};
    for (u32 i = 0; i < csv.count; i++) {
        const char **f = csv.rows[i].fields;
        if (strcmp(f[program], name) == 0)
            return (struct acceptance){true, strcmp(f[accepted], "yes") == 0, f[trace]};
    }
    return (struct acceptance){0};
}

/* What it says of a trace. */
static enum verdict verdict_of(const struct acceptance *a, const char *contents)
{
    if (!a->is_there)
        return UNKNOWN;
    return strcmp(a->contents, contents) != 0 ? OTHER_TRACE : a->is_accepted ? ACCEPTED : REFUSED;
}

/* The file that comes along, and the user's own. */
static void read_acceptance(const struct suite *s, const char *bare, struct acceptance out[2],
                            struct arena *arena)
{
    struct err ignored = ERR_INIT;
    const struct suite_program *p = suite_find(s, bare, &ignored);
    const char *file = p && p->group == SUITE_HPC ? SUITE_HPC_ACCEPTED : SUITE_ACCEPTED;
    out[0] = acceptance_of(arena_printf(arena, "%s/%s", s->folder, file), bare, arena);
    out[1] = acceptance_of(arena_printf(arena, "%s/%s", s->cache, file), bare, arena);
}

/* How its acceptance is asked for. */
static const char *accept_words(const struct suite *s, const char *name, struct arena *arena)
{
    struct err ignored = ERR_INIT;
    u32 threads;
    const char *base = suite_base_name(name, &threads, arena);
    const struct suite_program *p = suite_find(s, name, &ignored);
    return p && p->group == SUITE_HPC
               ? arena_printf(arena, "--group hpc %s --threads %u", base, threads)
               : name;
}

bool suite_check_accepted(const char *name, struct src_pos at, struct arena *arena, struct err *err)
{
    struct suite s;
    struct suite_trace t;
    const char *bare = bare_name(name, arena);
    if (!find_trace(bare, &s, &t, at, arena, err))
        return false;
    struct acceptance rows[2];
    read_acceptance(&s, bare, rows, arena);
    enum verdict ours = verdict_of(&rows[0], t.contents), own = verdict_of(&rows[1], t.contents);
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
                  bare, accept_words(&s, bare, arena));
}

const char *suite_accepted_contents(const char *name, struct src_pos at, struct arena *arena,
                                    struct err *err)
{
    struct suite s;
    struct acceptance rows[2];
    const char *bare = bare_name(name, arena);
    if (!suite_read(&s, arena, err) || !suite_find(&s, bare, err))
        return NULL;
    read_acceptance(&s, bare, rows, arena);
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i].is_accepted)
            return rows[i].contents;
    }
    err_at(err, at, "no trace of %s was accepted as a stand-in (docs/howto/suite.md)", bare);
    return NULL;
}
