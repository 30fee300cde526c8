/*
 * All statistics of a run as a tree: the chip at the top, then its parts.
 *
 * A node is one component: a name, perhaps an index (sm 3), a table and the
 * struct it counts in. "sm3.l1d.misses" is one counter; "sm.l1d.misses" is the
 * sum over all SMs. Nothing here runs in the cycle loop.
 */
#ifndef STATS_TREE_H
#define STATS_TREE_H

#include "base/arena.h"
#include "base/err.h"
#include "stats/def.h"

typedef u32 stat_node;
#define STAT_ROOT 0u
#define STAT_NO_INDEX UINT32_MAX

struct stat_node_info {
    const char *name;
    u32 index;
    stat_node parent;
    const struct stat_def *table; /* may be NULL */
    const void *data;
    const char *path;                              /* "sm3.l1d"; "" for the root */
    const char *group;                             /* "sm.l1d" */
    stat_node first_child, last_child, next_child; /* next: of its parent; STAT_ROOT: none */
};

struct stats {
    struct arena *arena;
    struct stat_node_info *nodes; /* parents before children, children in order of adding */
    u32 node_count, node_room;
};

void stats_init(struct stats *s, struct arena *arena);
/* Names and tables are borrowed. index: STAT_NO_INDEX for a part there is one of. */
stat_node stats_add(struct stats *s, stat_node parent, const char *name, u32 index,
                    const struct stat_def *table, const void *data);

/* A set of nodes that are looked at as one: an instance, or all of a group. */
struct stat_scope {
    const stat_node *nodes;
    u32 count;
};

enum stat_shape { STAT_SCALAR, STAT_LIST, STAT_BINS };

struct stat_value {
    enum stat_shape shape;
    bool defined; /* false: 0/0, or a formula over such */
    bool whole;   /* the scalar is an integer, exactly `integer` */
    u64 integer;
    double number;
    const u64 *list; /* STAT_LIST: per label */
    struct histogram bins;
};

/* Value of one row over a scope; lists and bins are taken from the arena. */
bool stats_evaluate(const struct stats *s, struct stat_scope scope, const struct stat_def *def,
                    struct arena *arena, struct stat_value *out, struct err *err);

/* Finds "a.b.c" as seen from a scope: in it, else in its parents, up to the
 * root. A name with an index is one unit, without it all of them. */
const struct stat_def *stats_resolve(const struct stats *s, struct stat_scope from,
                                     const char *name, struct arena *arena,
                                     struct stat_scope *found);

/* By full name from the root: for callers that want one number. Unknown name:
 * err with the nearest one. */
bool stats_number(const struct stats *s, const char *name, double *out, struct err *err);

/* Every law of every node holds; the first that does not is the error. */
bool stats_check_laws(const struct stats *s, struct err *err);

/* One printed row: a group's sum (nodes > 1 or no index) or one instance. */
struct stat_row {
    const char *path; /* of the node or group */
    bool is_instance; /* one of several */
    const struct stat_def *def;
    struct stat_value value;
};
typedef void stat_visitor(void *context, const struct stat_row *row);
/* Groups in tree order, each followed by its instances if asked. */
bool stats_visit(const struct stats *s, bool instances, stat_visitor *visit, void *context,
                 struct err *err);

#endif
