#include "campaign/spool.h"

#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA "heddle.slurm/1"

static bool cannot_write(const char *path, struct err *err)
{
    return err_at(err, (struct src_pos){path, 0, 0}, "cannot write the file: %s", strerror(errno));
}

const char *spool_path(struct arena *arena, const char *folder, const char *format, ...)
{
    char name[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return arena_printf(arena, "%s/%s", folder, name);
}

/* ---- small files ---- */

bool spool_put(const char *folder, const char *name, const char *text, struct err *err)
{
    struct arena arena = {0};
    const char *path = spool_path(&arena, folder, "%s", name);
    const char *part = arena_printf(&arena, "%s.part", path);
    FILE *f = fopen(part, "we");
    bool ok = f && fputs(text, f) >= 0;
    if (f)
        ok = fclose(f) == 0 && ok;
    ok = (ok && rename(part, path) == 0) || cannot_write(path, err);
    arena_fini(&arena);
    return ok;
}

char *spool_get(const char *folder, const char *name, struct arena *arena)
{
    char line[512] = "";
    FILE *f = fopen(spool_path(arena, folder, "%s", name), "re");
    if (!f)
        return NULL;
    char *got = fgets(line, sizeof line, f);
    fclose(f);
    line[strcspn(line, "\n")] = '\0';
    return got ? arena_strdup(arena, line) : NULL;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *where)
{
    (void)s, (void)kind, (void)where;
    remove(path);
    return 0;
}

void spool_remove(const char *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- the points ---- */

static void put_line(struct spool_writer *w, json_t *line)
{
    w->is_odd |= !line || json_dumpf(line, w->file, JSON_COMPACT) != 0;
    fputc('\n', w->file);
    json_decref(line);
}

bool spool_begin(struct spool_writer *w, const char *folder, const struct spool_header *header,
                 struct err *err)
{
    *w = (struct spool_writer){0};
    w->path = spool_path(&w->arena, folder, "points");
    w->part = spool_path(&w->arena, folder, "points.part");
    w->file = fopen(w->part, "we");
    if (!w->file) {
        cannot_write(w->path, err);
        arena_fini(&w->arena);
        return false;
    }
    put_line(w, json_pack("{ss ss si sf}", "schema", SCHEMA, "build", header->build, "tasks",
                          (int)header->tasks, "timeout", header->timeout_s));
    return true;
}

void spool_add(struct spool_writer *w, const struct child *c, const char *key)
{
    json_t *arguments = json_array();
    for (u32 i = 0; c->arguments[i]; i++)
        w->is_odd |= json_array_append_new(arguments, json_string(c->arguments[i])) != 0;
    put_line(w, json_pack("{ss so ss ss ss}", "key", key, "arguments", arguments, "result",
                          c->result, "messages", c->messages, "command", c->command));
}

bool spool_end(struct spool_writer *w, struct err *err)
{
    bool ok = !ferror(w->file);
    ok = fclose(w->file) == 0 && ok && rename(w->part, w->path) == 0;
    if (!ok)
        cannot_write(w->path, err);
    else if (w->is_odd) /* JSON holds nothing else */
        ok = err_at(err, (struct src_pos){w->path, 0, 0},
                    "a path or an argument of a workload is not UTF-8, which --slurm needs");
    arena_fini(&w->arena);
    return ok;
}

bool spool_open(struct spool_reader *r, const char *path, struct err *err)
{
    const char *schema = "", *build = "";
    int tasks = 0;
    *r = (struct spool_reader){.path = path, .file = fopen(path, "re")};
    ssize_t n = r->file ? getline(&r->line, &r->room, r->file) : -1;
    json_t *header = n > 0 ? json_loadb(r->line, (size_t)n, 0, NULL) : NULL;
    bool ok = header &&
              json_unpack(header, "{ss ss si sF}", "schema", &schema, "build", &build, "tasks",
                          &tasks, "timeout", &r->header.timeout_s) == 0 &&
              strcmp(schema, SCHEMA) == 0 && tasks > 0;
    if (ok) {
        snprintf(r->header.build, sizeof r->header.build, "%s", build);
        r->header.tasks = (u32)tasks;
    } else {
        err_at(err, (struct src_pos){path, 0, 0},
               "the folder has no points of a sweep: the sweep has ended, or the folder is not "
               "shared");
    }
    json_decref(header);
    return ok;
}

static bool read_point(struct child *c, char key[KEY_LENGTH + 1], const json_t *line)
{
    const char *name = json_string_value(json_object_get(line, "key"));
    const char *result = json_string_value(json_object_get(line, "result"));
    const char *messages = json_string_value(json_object_get(line, "messages"));
    const char *command = json_string_value(json_object_get(line, "command"));
    const json_t *words = json_object_get(line, "arguments");
    size_t count = json_array_size(words);
    if (!name || strlen(name) != KEY_LENGTH || !result || !messages || !command || !count)
        return false;
    *c = (struct child){0};
    strcpy(key, name);
    c->result = arena_strdup(&c->arena, result);
    c->messages = arena_strdup(&c->arena, messages);
    c->command = arena_strdup(&c->arena, command);
    const char **arguments = ARENA_ARRAY(&c->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        arguments[i] = arena_strdup(&c->arena, word ? word : "");
    }
    c->arguments = arguments;
    return true;
}

bool spool_next(struct spool_reader *r, u32 task, struct child *c, char key[KEY_LENGTH + 1],
                struct err *err)
{
    ssize_t n;
    do {
        n = getline(&r->line, &r->room, r->file);
        if (n < 0)
            return false;
    } while (r->number++ % r->header.tasks != task);
    json_t *line = json_loadb(r->line, (size_t)n, 0, NULL);
    bool ok = line && read_point(c, key, line);
    if (!ok)
        err_at(err, (struct src_pos){r->path, r->number + 1, 0}, "this is not a point of a sweep");
    json_decref(line);
    return ok;
}

void spool_close(struct spool_reader *r)
{
    if (r->file)
        fclose(r->file);
    free(r->line);
    *r = (struct spool_reader){0};
}

/* ---- outcomes ---- */

/* What a program wrote may be any bytes, and its end may begin within a character. */
static void append_text(struct text *t, const char *s)
{
    json_t *whole = json_string(s);
    size_t from = t->length;
    text_append_json(t, s);
    for (size_t i = from; !whole && i < t->length; i++)
        t->data[i] = (unsigned char)t->data[i] < 0x80 ? t->data[i] : '?';
    json_decref(whole);
}

bool spool_put_outcome(const char *folder, const char *key, const char *build,
                       const struct outcome *o, struct err *err)
{
    struct text t = {0};
    char name[KEY_LENGTH + 16];
    const char *const texts[][2] = {{"status", run_status_name(o->status)},
                                    {"build", build},
                                    {"host", o->host},
                                    {"command", o->command},
                                    {"error", o->error},
                                    {"messages", o->messages}};
    text_printf(&t, "{\"exit_code\": %d, \"seconds\": %.6f, \"has_result\": %s", o->exit_code,
                o->seconds, o->result ? "true" : "false");
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        text_printf(&t, ", \"%s\": \"", texts[i][0]);
        append_text(&t, texts[i][1]);
        text_printf(&t, "\"");
    }
    text_printf(&t, "}\n");
    snprintf(name, sizeof name, "run.%s.end", key);
    bool ok = spool_put(folder, name, t.data, err);
    text_fini(&t);
    return ok;
}

static const char *text_of(const json_t *j, const char *name, struct arena *arena)
{
    const char *text = json_string_value(json_object_get(j, name));
    return arena_strdup(arena, text ? text : "");
}

void spool_get_outcome(const char *folder, const char *key, struct outcome *o, const char **build,
                       struct arena *arena)
{
    json_error_t why = {0};
    json_t *j = json_load_file(spool_path(arena, folder, "run.%s.end", key), 0, &why);
    *o = (struct outcome){
        .status = run_status_find(text_of(j, "status", arena)),
        .exit_code = (int)json_integer_value(json_object_get(j, "exit_code")),
        .seconds = json_number_value(json_object_get(j, "seconds")),
        .error = text_of(j, "error", arena),
        .messages = text_of(j, "messages", arena),
        .command = text_of(j, "command", arena),
        .host = text_of(j, "host", arena),
    };
    *build = text_of(j, "build", arena);
    if (json_is_true(json_object_get(j, "has_result")))
        o->result = spool_path(arena, folder, "run.%s.json", key);
    if (!j || o->status == RUN_STATUS_COUNT) {
        o->status = RUN_FAILED;
        o->error = arena_printf(arena, "how it ended cannot be read: %s", why.text);
        o->result = NULL;
    }
    json_decref(j);
}
