#include "stats/snapshot.h"

#include <string.h>

const struct stat_def *snapshot_stat(const struct snapshot_def *def, const struct snapshot_row *row)
{
    const struct stat_def *d = row->statistic ? def->parts[row->part].table : NULL;
    for (; d && d->kind != STAT_END; d++) {
        if (d->kind != STAT_LAW && strcmp(d->name, row->statistic) == 0)
            return d;
    }
    return NULL;
}

/* ---- the plan ---- */

/* Below the scope, by the name of all of them or of one. */
static bool is_of(const struct stat_node_info *n, const struct snapshot_part *part,
                  const char *scope)
{
    size_t skip = *scope ? strlen(scope) + 1 : 0;
    if (n->table != part->table || strncmp(n->path, scope, skip ? skip - 1 : 0) != 0)
        return false;
    return (strlen(n->group) >= skip && strcmp(n->group + skip, part->path) == 0) ||
           (strlen(n->path) >= skip && strcmp(n->path + skip, part->path) == 0);
}

static bool unknown_part(const struct snapshot_part *part, const struct stats *s, struct err *err)
{
    struct arena scratch = {0};
    const char **names = ARENA_ARRAY(&scratch, const char *, s->node_count);
    u32 count = 0;
    for (u32 i = 0; i < s->node_count; i++) {
        bool repeated = false;
        for (u32 k = 0; k < count && !repeated; k++)
            repeated = strcmp(names[k], s->nodes[i].group) == 0;
        if (!repeated)
            names[count++] = s->nodes[i].group;
    }
    err_unknown(err, (struct src_pos){0}, "part of the statistics", part->path, names, count,
                "heddle list stats");
    arena_fini(&scratch);
    return false;
}

/* The instances of a part, in the tree's order. */
static bool find_instances(struct snapshot_group *g, const struct snapshot_part *part,
                           const struct stats *s, const char *scope, struct arena *arena,
                           struct err *err)
{
    for (u32 i = 0; i < s->node_count; i++)
        g->part_count += is_of(&s->nodes[i], part, scope);
    if (!g->part_count && *scope)
        return find_instances(g, part, s, "", arena, err);
    if (!g->part_count)
        return part->presence != PART_ALWAYS || unknown_part(part, s, err);
    const u8 **list = ARENA_ARRAY(arena, const u8 *, g->part_count);
    u32 count = 0;
    for (u32 i = 0; i < s->node_count; i++) {
        if (is_of(&s->nodes[i], part, scope))
            list[count++] = s->nodes[i].data;
    }
    g->parts = list;
    return true;
}

static bool unknown_statistic(const struct snapshot_def *def, const struct snapshot_row *row,
                              struct err *err)
{
    const struct snapshot_part *part = &def->parts[row->part];
    struct arena scratch = {0};
    u32 count = 0;
    for (const struct stat_def *d = part->table; d->kind != STAT_END; d++)
        count++;
    const char **names = ARENA_ARRAY(&scratch, const char *, count + 1);
    count = 0;
    for (const struct stat_def *d = part->table; d->kind != STAT_END; d++) {
        if (d->kind == STAT_COUNT || d->kind == STAT_ARRAY)
            names[count++] = d->name;
    }
    err_unknown(err, (struct src_pos){part->path, 0, 0}, "statistic", row->statistic, names, count,
                "heddle list stats");
    arena_fini(&scratch);
    return false;
}

static bool check_row(const struct snapshot_def *def, const struct snapshot_row *row,
                      const struct stat_def *d, struct err *err)
{
    if (!d)
        return unknown_statistic(def, row, err);
    u32 numbers = d->kind == STAT_ARRAY ? d->label_count : 1;
    return ((d->kind == STAT_COUNT || d->kind == STAT_ARRAY) && numbers == row->count) ||
           err_at(err, (struct src_pos){0},
                  "statistic '%s.%s' is of kind %s with %u numbers, expected a count or an array "
                  "with %u",
                  def->parts[row->part].path, d->name, stat_kind_name(d->kind), numbers,
                  row->count);
}

static void find_cells(struct snapshot_plan *p, u32 part, struct arena *arena)
{
    struct snapshot_cell *cells = ARENA_ARRAY(arena, struct snapshot_cell, p->def->size);
    struct snapshot_group *g = &p->groups[part];
    for (u32 i = 0; i < p->def->row_count; i++) {
        const struct snapshot_row *row = &p->def->rows[i];
        for (u32 k = 0; p->stats[i] && row->part == part && k < row->count; k++)
            cells[g->cell_count++] =
                (struct snapshot_cell){p->stats[i]->offset + k * (u32)sizeof(u64), row->at + k};
    }
    g->cells = cells;
}

bool snapshot_plan_init(struct snapshot_plan *p, const struct snapshot_def *def,
                        const struct stats *stats, stat_node scope, struct arena *arena,
                        struct err *err)
{
    *p = (struct snapshot_plan){
        .def = def,
        .stats = ARENA_ARRAY(arena, const struct stat_def *, def->row_count),
        .groups = ARENA_ARRAY(arena, struct snapshot_group, def->part_count),
    };
    for (u32 i = 0; i < def->row_count; i++) {
        const struct snapshot_row *row = &def->rows[i];
        p->stats[i] = snapshot_stat(def, row);
        if (row->statistic && !check_row(def, row, p->stats[i], err))
            return false;
    }
    for (u32 i = 0; i < def->part_count; i++) {
        if (!find_instances(&p->groups[i], &def->parts[i], stats, stats->nodes[scope].path, arena,
                            err))
            return false;
        find_cells(p, i, arena);
    }
    return true;
}

/* ---- snapshots ---- */

void snapshot_take(const struct snapshot_plan *p, u64 *out)
{
    memset(out, 0, p->def->size * sizeof *out);
    for (const struct snapshot_group *g = p->groups; g < p->groups + p->def->part_count; g++) {
        for (const struct snapshot_cell *c = g->cells; c < g->cells + g->cell_count; c++) {
            u64 sum = 0;
            for (u32 i = 0; i < g->part_count; i++)
                sum += *(const u64 *)(const void *)(g->parts[i] + c->offset);
            out[c->at] = sum;
        }
    }
}

void snapshot_subtract(u64 *after, const u64 *before, u32 size)
{
    for (u32 i = 0; i < size; i++)
        after[i] -= before[i];
}

void snapshot_add(u64 *sum, const u64 *part, u32 size)
{
    for (u32 i = 0; i < size; i++)
        sum[i] += part[i];
}
