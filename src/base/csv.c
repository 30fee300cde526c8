#include "base/csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS 256u
#define MOST_BYTES (64u << 20)

struct scanner {
    char *at, *end;
    u32 line;
    struct csv *csv;
    struct arena *arena;
    struct err *err;
};

static bool fail(struct scanner *s, const char *what)
{
    return err_at(s->err, (struct src_pos){s->csv->path, s->line, 1}, "%s", what);
}

/* The field at s->at, unquoted where it stands; *ends: what follows it, and s->at is behind that.
 */
static bool read_field(struct scanner *s, const char **out, char *ends)
{
    char *to = s->at;
    bool quoted = s->at < s->end && *s->at == '"';
    *out = to;
    s->at += quoted;
    for (; s->at < s->end; s->at++) {
        if (quoted && *s->at == '"') {
            if (s->at + 1 < s->end && s->at[1] == '"')
                s->at++;
            else
                break;
        } else if (!quoted && strchr(",\r\n", *s->at)) {
            break;
        }
        s->line += *s->at == '\n';
        *to++ = *s->at;
    }
    if (quoted && s->at++ == s->end)
        return fail(s, "a quote is not closed");
    while (s->at < s->end && *s->at == '\r')
        s->at++;
    *ends = s->at < s->end ? *s->at++ : '\n';
    *to = '\0';
    if (*ends != ',' && *ends != '\n')
        return fail(s, "a field is followed by text, expected a comma or the line's end");
    s->line += *ends == '\n';
    return true;
}

static bool read_row(struct scanner *s, struct csv_row *row)
{
    const char *fields[MOST_FIELDS];
    char ends = ',';
    *row = (struct csv_row){.line = s->line};
    while (ends == ',') {
        if (row->count == MOST_FIELDS)
            return fail(s, "a row has more than 256 fields");
        if (!read_field(s, &fields[row->count++], &ends))
            return false;
    }
    row->fields = ARENA_ARRAY(s->arena, const char *, row->count);
    memcpy(row->fields, fields, row->count * sizeof *fields);
    return true;
}

/* To the next line that holds something; false: there is none. */
static bool next_line(struct scanner *s)
{
    while (s->at < s->end) {
        if (*s->at == '\n') {
            s->line++;
            s->at++;
        } else if (*s->at == '#') {
            while (s->at < s->end && *s->at != '\n')
                s->at++;
        } else if (*s->at == '\r' || *s->at == ' ') {
            s->at++;
        } else {
            return true;
        }
    }
    return false;
}

bool csv_read_text(struct csv *csv, const char *path, const char *text, size_t length,
                   struct arena *arena, struct err *err)
{
    char *own = arena_alloc(arena, length + 1);
    u32 room = 0;
    if (length)
        memcpy(own, text, length);
    *csv = (struct csv){.path = arena_strdup(arena, path)};
    struct scanner s = {own, own + length, 1, csv, arena, err};
    if (strlen(own) != length)
        return fail(&s, "the file holds a zero byte, expected text");
    if (!next_line(&s))
        return fail(&s, "the file is empty, expected a row with the names of the columns");
    if (!read_row(&s, &csv->head))
        return false;
    while (next_line(&s)) {
        if (csv->count == room) {
            room = room ? 2 * room : 64;
            struct csv_row *more = ARENA_ARRAY(arena, struct csv_row, room);
            if (csv->count)
                memcpy(more, csv->rows, csv->count * sizeof *more);
            csv->rows = more;
        }
        struct csv_row *row = &csv->rows[csv->count++];
        if (!read_row(&s, row))
            return false;
        if (row->count != csv->head.count)
            return err_at(err, (struct src_pos){csv->path, row->line, 1},
                          "a row has %u fields, expected %u as the first row has", row->count,
                          csv->head.count);
    }
    return true;
}

bool csv_file_text(const char *path, char **text, size_t *length, struct err *err)
{
    struct src_pos at = {path, 0, 0};
    FILE *f = fopen(path, "re");
    *text = NULL;
    *length = 0;
    if (!f)
        return err_at(err, at, "cannot read the file: %s", strerror(errno));
    size_t got = 0;
    do {
        *length += got;
        *text = xrealloc(*text, *length + 65536);
        got = fread(*text + *length, 1, 65536, f);
    } while (got && *length < MOST_BYTES);
    bool ok = !ferror(f) || err_at(err, at, "cannot read the file: %s", strerror(errno));
    fclose(f);
    return ok && (*length < MOST_BYTES || err_at(err, at, "the file has more than 64 MiB"));
}

bool csv_read_file(struct csv *csv, const char *path, struct arena *arena, struct err *err)
{
    char *text;
    size_t length;
    bool ok = csv_file_text(path, &text, &length, err) &&
              csv_read_text(csv, path, text, length, arena, err);
    free(text);
    return ok;
}

u32 csv_column(const struct csv *csv, const char *name)
{
    for (u32 i = 0; i < csv->head.count; i++) {
        if (strcmp(csv->head.fields[i], name) == 0)
            return i;
    }
    return UINT32_MAX;
}
