/* Files written whole or not at all, and folders for them. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"
#include "base/text.h"

#include <stdio.h>

struct arena;

/*
 * A file that is written over time: beside its place, and under its name once it is whole, so that
 * a reader sees the old or the new one. A device or a pipe is written as it is.
 */
struct out_file {
    FILE *out;    /* NULL: not open */
    char *path;   /* as messages call it */
    char *place;  /* without links */
    char *beside; /* NULL: written in its place */
    int why;      /* errno of the first failure; 0: none */
};

/* All but open may be called on zeroed memory. */
bool out_file_open(struct out_file *f, const char *path, struct err *err);
void out_file_put(struct out_file *f, const void *data, size_t count);
/* False: something could not be written so far. */
bool out_file_check(const struct out_file *f, struct err *err);
/* False: nothing is left of it. */
bool out_file_close(struct out_file *f, struct err *err);
void out_file_discard(struct out_file *f);
/* Before a fork: nothing is left in memory that the child could write once more. */
void out_file_flush(struct out_file *f);

bool file_write(const char *path, const struct text *text, struct err *err);
/* Could it be written? For those that have long to run before; leaves nothing behind. */
bool file_check_writable(const char *path, struct err *err);
/* The same for files in a folder, which is made where it is missing; names end with NULL. */
bool folder_check_writable(const char *folder, const char *const *names, struct err *err);
/* Are these its first bytes? Not where it cannot be read. */
bool file_starts_with(const char *path, const char *bytes, size_t count);
/* As the shell finds it: a path as it is, a name along PATH. NULL: there is none that may run. */
const char *program_find(const char *name, struct arena *arena);
/* A folder, and those on the way to it. */
bool folder_make(const char *path, struct err *err);
/* Those on the way to a file. */
bool folder_make_for(const char *path, struct err *err);

#endif
