/*
 * Comma-separated values: rows of fields, each row with its line. Fields may be
 * quoted, quotes inside are doubled; empty lines and lines that start with # are
 * left out. Everything lives in the arena.
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/arena.h"
#include "base/err.h"

struct csv_row {
    const char **fields;
    u32 count, line;
};

struct csv {
    const char *path;
    struct csv_row head; /* the first row: names of the columns */
    struct csv_row *rows;
    u32 count;
};

/* Every row must have as many fields as the head. */
bool csv_read_text(struct csv *csv, const char *path, const char *text, size_t length,
                   struct arena *arena, struct err *err);
/* A whole file, to be freed also after a failure. */
bool csv_file_text(const char *path, char **text, size_t *length, struct err *err);
bool csv_read_file(struct csv *csv, const char *path, struct arena *arena, struct err *err);
/* The column of that name; UINT32_MAX: there is none. */
u32 csv_column(const struct csv *csv, const char *name);

#endif
