#include "stats/tree.h"

#include "base/map.h"
#include "stats/expr.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *stat_kind_name(enum stat_kind kind)
{
    static const char *const names[] = {"",      "count",     "level",   "ratio",
                                        "array", "histogram", "formula", "law"};
    return names[kind];
}

void stats_init(struct stats *s, struct arena *arena)
{
    *s = (struct stats){.arena = arena};
    stats_add(s, STAT_ROOT, "", STAT_NO_INDEX, NULL, NULL);
}

stat_node stats_add(struct stats *s, stat_node parent, const char *name, u32 index,
                    const struct stat_def *table, const void *data)
{
    if (s->node_count == s->node_room) {
        s->node_room = s->node_room ? s->node_room * 2 : 64;
        struct stat_node_info *more = ARENA_ARRAY(s->arena, struct stat_node_info, s->node_room);
        if (s->node_count)
            memcpy(more, s->nodes, s->node_count * sizeof *more);
        s->nodes = more;
    }
    struct stat_node_info *n = &s->nodes[s->node_count];
    *n = (struct stat_node_info){
        .name = name, .index = index, .parent = parent, .table = table, .data = data};
    struct stat_node_info *up = &s->nodes[parent];
    if (s->node_count == STAT_ROOT) {
        n->path = n->group = "";
        return s->node_count++;
    }
    if (up->last_child)
        s->nodes[up->last_child].next_child = s->node_count;
    else
        up->first_child = s->node_count;
    up->last_child = s->node_count;
    const char *dot = *up->path ? "." : "";
    char number[16] = "";
    if (index != STAT_NO_INDEX)
        snprintf(number, sizeof number, "%u", index);
    n->path = arena_printf(s->arena, "%s%s%s%s", up->path, dot, name, number);
    n->group = arena_printf(s->arena, "%s%s%s", up->group, dot, name);
    return s->node_count++;
}

static const struct stat_def *find_def(const struct stat_def *table, const char *name)
{
    for (; table && table->kind != STAT_END; table++) {
        if (table->kind != STAT_LAW && strcmp(table->name, name) == 0)
            return table;
    }
    return NULL;
}

static bool segment_matches(const struct stat_node_info *n, const char *segment, size_t length)
{
    size_t base = strlen(n->name);
    if (base > length || memcmp(n->name, segment, base) != 0)
        return false;
    if (base == length)
        return true;
    char number[16];
    int digits = snprintf(number, sizeof number, "%u", n->index);
    return n->index != STAT_NO_INDEX && (size_t)digits == length - base &&
           memcmp(number, segment + base, length - base) == 0;
}

static bool in_scope(struct stat_scope scope, stat_node node)
{
    for (u32 i = 0; i < scope.count; i++) {
        if (scope.nodes[i] == node)
            return true;
    }
    return false;
}

static int by_number(const void *a, const void *b)
{
    const stat_node *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The children of a scope that a path segment names, in order of adding; NULL: how many. */
static u32 children(const struct stats *s, struct stat_scope from, const char *segment,
                    size_t length, stat_node *found)
{
    u32 count = 0;
    bool sorted = true;
    for (u32 k = 0; k < from.count; k++) {
        for (stat_node i = s->nodes[from.nodes[k]].first_child; i; i = s->nodes[i].next_child) {
            if (!segment_matches(&s->nodes[i], segment, length))
                continue;
            sorted = sorted && (!found || !count || found[count - 1] < i);
            if (found)
                found[count] = i;
            count++;
        }
    }
    if (found && !sorted)
        qsort(found, count, sizeof *found, by_number);
    return count;
}

static struct stat_scope descend(const struct stats *s, struct stat_scope from, const char *segment,
                                 size_t length, struct arena *arena)
{
    stat_node *found = ARENA_ARRAY(arena, stat_node, children(s, from, segment, length, NULL) + 1);
    return (struct stat_scope){found, children(s, from, segment, length, found)};
}

static struct stat_scope parents(const struct stats *s, struct stat_scope of, struct arena *arena)
{
    stat_node *found = ARENA_ARRAY(arena, stat_node, of.count);
    struct stat_scope to = {found, 0};
    for (u32 i = 0; i < of.count; i++) {
        stat_node p = s->nodes[of.nodes[i]].parent;
        if ((!to.count || found[to.count - 1] != p) && !in_scope(to, p))
            found[to.count++] = p;
    }
    return to;
}

static const struct stat_def *resolve_here(const struct stats *s, struct stat_scope from,
                                           const char *name, struct arena *arena,
                                           struct stat_scope *found)
{
    *found = from;
    for (const char *dot; (dot = strchr(name, '.')); name = dot + 1) {
        *found = descend(s, *found, name, (size_t)(dot - name), arena);
        if (found->count == 0)
            return NULL;
    }
    return find_def(s->nodes[found->nodes[0]].table, name);
}

const struct stat_def *stats_resolve(const struct stats *s, struct stat_scope from,
                                     const char *name, struct arena *arena,
                                     struct stat_scope *found)
{
    for (;;) {
        const struct stat_def *def = resolve_here(s, from, name, arena, found);
        if (def || (from.count == 1 && from.nodes[0] == STAT_ROOT))
            return def;
        from = parents(s, from, arena);
    }
}

static u64 sum_at(const struct stats *s, struct stat_scope scope, u32 offset)
{
    u64 sum = 0;
    for (u32 i = 0; i < scope.count; i++)
        sum += *(const u64 *)((const u8 *)s->nodes[scope.nodes[i]].data + offset);
    return sum;
}

static void set_whole(struct stat_value *out, u64 value)
{
    out->defined = out->whole = true;
    out->integer = value;
    out->number = (double)value;
}

static void sum_list(const struct stats *s, struct stat_scope scope, const struct stat_def *def,
                     struct arena *arena, struct stat_value *out)
{
    u64 *list = ARENA_ARRAY(arena, u64, def->label_count);
    for (u32 k = 0; k < def->label_count; k++)
        list[k] = sum_at(s, scope, def->offset + k * (u32)sizeof(u64));
    out->shape = STAT_LIST;
    out->defined = true;
    out->list = list;
}

static void sum_bins(const struct stats *s, struct stat_scope scope, const struct stat_def *def,
                     struct arena *arena, struct stat_value *out)
{
    out->shape = STAT_BINS;
    for (u32 i = 0; i < scope.count; i++) {
        const struct histogram *h =
            (const void *)((const u8 *)s->nodes[scope.nodes[i]].data + def->offset);
        if (i == 0) {
            out->bins = *h;
            out->bins.bins = ARENA_ARRAY(arena, u64, h->bin_count);
            memcpy(out->bins.bins, h->bins, h->bin_count * sizeof *h->bins);
        } else {
            histogram_merge(&out->bins, h);
        }
    }
    out->defined = out->bins.samples > 0;
}

bool stats_evaluate(const struct stats *s, struct stat_scope scope, const struct stat_def *def,
                    struct arena *arena, struct stat_value *out, struct err *err)
{
    *out = (struct stat_value){0};
    switch (def->kind) {
    case STAT_COUNT:
    case STAT_LEVEL:
        set_whole(out, sum_at(s, scope, def->offset));
        return true;
    case STAT_RATIO: {
        u64 under = sum_at(s, scope, def->offset_over);
        out->defined = under != 0;
        out->number = under ? (double)sum_at(s, scope, def->offset) / (double)under : 0;
        return true;
    }
    case STAT_ARRAY:
        sum_list(s, scope, def, arena, out);
        return true;
    case STAT_HISTOGRAM:
        sum_bins(s, scope, def, arena, out);
        return true;
    case STAT_FORMULA:
    case STAT_LAW:
        return expr_evaluate(s, scope, def->expression, arena, out, err);
    case STAT_END:
        break;
    }
    assert(false && "a row without a kind");
    return false;
}

bool stats_number(const struct stats *s, const char *name, double *out, struct err *err)
{
    static const stat_node root = STAT_ROOT;
    struct arena scratch = {0};
    struct stat_scope found;
    const struct stat_def *def =
        stats_resolve(s, (struct stat_scope){&root, 1}, name, &scratch, &found);
    struct stat_value v = {0};
    bool ok = def && stats_evaluate(s, found, def, &scratch, &v, err);
    if (!def) {
        const char **names = NULL;
        u32 count = 0;
        for (u32 i = 0; i < s->node_count; i++) {
            for (const struct stat_def *d = s->nodes[i].table; d && d->kind != STAT_END; d++) {
                names = xrealloc(names, (count + 1) * sizeof *names);
                names[count++] = arena_printf(&scratch, "%s%s%s", s->nodes[i].group,
                                              *s->nodes[i].group ? "." : "", d->name);
            }
        }
        err_unknown(err, (struct src_pos){0}, "statistic", name, names, count, "heddle list stats");
        free(names);
    } else if (ok && v.shape != STAT_SCALAR) {
        ok = err_at(err, (struct src_pos){0}, "statistic '%s' is not a single number", name);
    }
    *out = v.defined ? v.number : NAN;
    arena_fini(&scratch);
    return ok;
}

bool stats_check_laws(const struct stats *s, struct err *err)
{
    bool ok = true;
    struct arena scratch = {0};
    for (stat_node i = 0; i < s->node_count && ok; i++) {
        for (const struct stat_def *d = s->nodes[i].table; d && d->kind != STAT_END && ok; d++) {
            if (d->kind != STAT_LAW)
                continue;
            struct stat_value v;
            ok = stats_evaluate(s, (struct stat_scope){&i, 1}, d, &scratch, &v, err);
            if (ok && v.defined && v.number == 0) {
                struct text sides = {0};
                expr_show(s, (struct stat_scope){&i, 1}, d->expression, &sides);
                ok = err_kind(err, ERR_INVARIANT, "%s%s%s does not hold: %s (%s)", s->nodes[i].path,
                              *s->nodes[i].path ? ": " : "", d->expression,
                              sides.data ? sides.data : "", d->meaning);
                text_fini(&sides);
            }
            arena_clear(&scratch);
        }
    }
    arena_fini(&scratch);
    return ok;
}

struct visit {
    const struct stats *stats;
    stat_visitor *visit;
    void *context;
    struct err *err;
    struct arena scratch; /* of one row after the other */
};

static bool visit_scope(struct visit *v, struct stat_scope scope, const char *path,
                        bool is_instance)
{
    const struct stat_def *d = v->stats->nodes[scope.nodes[0]].table;
    for (; d && d->kind != STAT_END; d++) {
        if (d->kind == STAT_LAW)
            continue;
        struct stat_row row = {.path = path, .is_instance = is_instance, .def = d};
        if (!stats_evaluate(v->stats, scope, d, &v->scratch, &row.value, v->err))
            return false;
        v->visit(v->context, &row);
        arena_clear(&v->scratch);
    }
    return true;
}

/* Of each node the next one of its group; STAT_ROOT: there is none. And of the first one whether it
 * is the first. */
static void chain_groups(const struct stats *s, stat_node *next, bool *is_first)
{
    struct strmap last = {0};
    for (stat_node i = 0; i < s->node_count; i++) {
        u32 before;
        if (!s->nodes[i].table)
            continue;
        is_first[i] = !strmap_get(&last, s->nodes[i].group, &before);
        if (!is_first[i])
            next[before] = i;
        strmap_put(&last, s->nodes[i].group, i);
    }
    strmap_fini(&last);
}

static bool visit_group(struct visit *v, struct stat_scope members, bool instances)
{
    const struct stat_node_info *nodes = v->stats->nodes;
    const char *group = nodes[members.nodes[0]].group;
    bool ok = visit_scope(v, members, group, false);
    for (u32 k = 0; k < members.count && ok && instances; k++) {
        const stat_node *one = &members.nodes[k];
        if (strcmp(nodes[*one].path, group) != 0)
            ok = visit_scope(v, (struct stat_scope){one, 1}, nodes[*one].path, true);
    }
    return ok;
}

bool stats_visit(const struct stats *s, bool instances, stat_visitor *visit, void *context,
                 struct err *err)
{
    struct visit v = {s, visit, context, err, {0}};
    struct arena arena = {0};
    stat_node *members = ARENA_ARRAY(&arena, stat_node, s->node_count);
    stat_node *next = ARENA_ARRAY(&arena, stat_node, s->node_count);
    bool *is_first = ARENA_ARRAY(&arena, bool, s->node_count);
    bool ok = true;
    chain_groups(s, next, is_first);
    for (stat_node i = 0; i < s->node_count && ok; i++) {
        u32 count = 0;
        if (!is_first[i])
            continue;
        for (stat_node k = i; k || !count; k = next[k])
            members[count++] = k;
        ok = visit_group(&v, (struct stat_scope){members, count}, instances);
    }
    arena_fini(&v.scratch);
    arena_fini(&arena);
    return ok;
}
