/*
 * What a real GPU did, launch by launch: kernels-SIZE.csv of a folder that tools/silicon
 * makes. docs/howto/silicon.md and silicon/h200/README.md explain the columns.
 */
#ifndef SILICON_SILICON_TABLE_H
#define SILICON_SILICON_TABLE_H

#include "base/csv.h"

struct silicon_launch {
    const char *kernel;
    const char *grid, *block; /* as written: 64x1x1 */
    u64 blocks, threads;      /* in the grid, in a block */
    u32 program;              /* of the table's */
    u32 number;               /* within the program, from 0 */
    u32 line;                 /* of the file */
    double *values;           /* by column; NAN: an empty field, or one of the names above */
};

struct silicon_table {
    const char *path;
    const char **columns;
    u32 column_count;
    struct silicon_launch *launches;
    u32 count;
    const char **programs; /* in the order of the file */
    u32 *program_lines;    /* where each is named first */
    u32 program_count;
};

/* Everything lives in the arena. `size`: what every row must say. */
bool silicon_table_read(struct silicon_table *t, const char *path, const char *size,
                        struct arena *arena, struct err *err);
bool silicon_table_read_text(struct silicon_table *t, const char *path, const char *text,
                             size_t length, const char *size, struct arena *arena, struct err *err);
/* NAN: no such column, or nothing in it. */
double silicon_value(const struct silicon_table *t, const struct silicon_launch *l,
                     const char *column);

#endif
