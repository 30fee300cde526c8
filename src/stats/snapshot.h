/*
 * Numbers of a part of a run: the difference of two snapshots of the statistics tree.
 *
 * A machine lists its parts and, row by row, which of their counters a snapshot holds; the
 * sum over all instances of a part is one number, an array is one per label. The plan that
 * follows from them once the tree is built knows where each counter lies, so that taking a
 * snapshot adds integers and nothing else.
 */
#ifndef STATS_SNAPSHOT_H
#define STATS_SNAPSHOT_H

#include "stats/tree.h"

/* "sm.l1": those of all SMs; "sm3.l1": one of them; "": the root. */
struct snapshot_part {
    const char *path;
    const struct stat_def *table;
    bool is_optional; /* a machine without it counts 0 */
    bool is_rare;     /* and its records do not have the numbers */
};

struct snapshot_row {
    const char *name;      /* in a record; "group.label": one element of an object; NULL: in none */
    u32 part;              /* index */
    const char *statistic; /* of the part, a count or an array; NULL: not from the tree */
    u32 at, count;         /* where in a snapshot; 1, or the labels of an array */
};

/* What a machine's snapshots hold. All of it is constant. */
struct snapshot_def {
    const struct snapshot_part *parts;
    const struct snapshot_row *rows;
    u32 part_count, row_count, size; /* in u64 */
};

/* The statistic of a row, as its table has it; NULL: not from the tree, or the table has none. */
const struct stat_def *snapshot_stat(const struct snapshot_def *def,
                                     const struct snapshot_row *row);

/* One counter of a part, and its number in the snapshot. */
struct snapshot_cell {
    u32 offset, at;
};

struct snapshot_group {
    const u8 *const *parts; /* the counts of each instance */
    const struct snapshot_cell *cells;
    u32 part_count, cell_count;
};

struct snapshot_plan {
    const struct snapshot_def *def;
    const struct stat_def **stats; /* of each row; NULL: not from the tree */
    struct snapshot_group *groups; /* of each part */
};

/* Parts are looked for below `scope` first, then below the root: what several share. False: a row
 * names what the tree does not have, with the nearest name. */
bool snapshot_plan_init(struct snapshot_plan *p, const struct snapshot_def *def,
                        const struct stats *stats, stat_node scope, struct arena *arena,
                        struct err *err);
/* `out` has room for the definition's size; rows that are not from the tree are 0. */
void snapshot_take(const struct snapshot_plan *p, u64 *out);
/* after minus before, and sum plus part, number by number */
void snapshot_subtract(u64 *after, const u64 *before, u32 size);
void snapshot_add(u64 *sum, const u64 *part, u32 size);

#endif
