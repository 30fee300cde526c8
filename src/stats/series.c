#include "stats/series.h"

#include <assert.h>
#include <string.h>

static const u64 **addresses(const struct stats *stats, struct stat_scope scope, u32 offset,
                             struct arena *arena)
{
    const u64 **list = ARENA_ARRAY(arena, const u64 *, scope.count);
    for (u32 i = 0; i < scope.count; i++)
        list[i] =
            (const u64 *)(const void *)((const u8 *)stats->nodes[scope.nodes[i]].data + offset);
    return list;
}

/* "name[label]": one element of an array, which is a count or a level; `name` loses the label.
 * NULL: the array has no such element. */
static const struct stat_def *element(const struct stat_def *array, const char *label,
                                      size_t length, struct arena *arena)
{
    for (u32 i = 0; array->kind == STAT_ARRAY && i < array->label_count; i++) {
        if (strlen(array->labels[i]) == length && memcmp(array->labels[i], label, length) == 0) {
            struct stat_def *d = ARENA_NEW(arena, struct stat_def);
            *d = *array;
            d->kind = array->is_level ? STAT_LEVEL : STAT_COUNT;
            d->offset += i * (u32)sizeof(u64);
            return d;
        }
    }
    return NULL;
}

static bool add_column(struct series *s, const struct stats *stats, const char *name,
                       struct arena *arena, struct err *err)
{
    static const stat_node root = STAT_ROOT;
    double ignored;
    struct stat_scope found;
    const char *label = strchr(name, '[');
    const char *whole = label ? arena_printf(arena, "%.*s", (int)(label - name), name) : name;
    const struct stat_def *def =
        stats_resolve(stats, (struct stat_scope){&root, 1}, whole, arena, &found);
    if (!def)
        return stats_number(stats, whole, &ignored, err); /* says what is near */
    if (label) {
        def = element(def, label + 1, strcspn(label + 1, "]"), arena);
        if (!def)
            return err_at(err, (struct src_pos){"--series", 0, 0},
                          "statistic '%s' has no element '%s'", whole, label);
    }
    if (def->kind != STAT_COUNT && def->kind != STAT_LEVEL && def->kind != STAT_RATIO)
        return err_at(err, (struct src_pos){"--series", 0, 0},
                      "statistic '%s' is a %s, expected a count, level, ratio or name[label]", name,
                      stat_kind_name(def->kind));
    s->columns[s->column_count++] = (struct series_column){
        .name = arena_strdup(arena, name),
        .def = def,
        .over = addresses(stats, found, def->offset, arena),
        .under = def->kind == STAT_RATIO ? addresses(stats, found, def->offset_over, arena) : NULL,
        .count = found.count,
    };
    return true;
}

bool series_init(struct series *s, const struct stats *stats, const char *const *names, u32 count,
                 cycle_t interval, u32 room, struct arena *arena, struct err *err)
{
    assert(interval > 0 && room >= 2 && (room & (room - 1)) == 0);
    *s = (struct series){.interval = interval, .row_room = room, .row_width = 1 + 2 * count};
    s->columns = ARENA_ARRAY(arena, struct series_column, count);
    for (u32 i = 0; i < count; i++) {
        if (!add_column(s, stats, names[i], arena, err))
            return false;
    }
    s->rows = ARENA_ARRAY(arena, u64, (size_t)room * s->row_width);
    return true;
}

static u64 add_up(const u64 *const *list, u32 count)
{
    u64 sum = 0;
    for (u32 i = 0; i < count; i++)
        sum += *list[i];
    return sum;
}

static void halve(struct series *s)
{
    size_t bytes = s->row_width * sizeof *s->rows;
    for (u32 i = 1; i < s->row_count / 2; i++)
        memcpy(s->rows + (size_t)i * s->row_width, s->rows + (size_t)(2 * i) * s->row_width, bytes);
    s->row_count /= 2;
    s->interval *= 2;
}

cycle_t series_sample(struct series *s, cycle_t now)
{
    if (s->row_count == s->row_room)
        halve(s);
    /* After halving, the sample due now may lie between two rows of the new grid. */
    if (now % s->interval == 0) {
        u64 *row = s->rows + (size_t)s->row_count++ * s->row_width;
        *row++ = now;
        for (u32 i = 0; i < s->column_count; i++) {
            const struct series_column *c = &s->columns[i];
            *row++ = add_up(c->over, c->count);
            *row++ = c->under ? add_up(c->under, c->count) : 0;
        }
    }
    return (now / s->interval + 1) * s->interval;
}

cycle_t series_cycle(const struct series *s, u32 row)
{
    return s->rows[(size_t)row * s->row_width];
}

struct stat_value series_value(const struct series *s, u32 row, u32 column)
{
    assert(row > 0 && row < s->row_count && column < s->column_count);
    const u64 *now = s->rows + (size_t)row * s->row_width + 1 + 2 * column;
    const u64 *before = now - s->row_width;
    struct stat_value v = {.defined = true};
    switch (s->columns[column].def->kind) {
    case STAT_LEVEL:
        v.whole = true;
        v.integer = now[0];
        v.number = (double)now[0];
        break;
    case STAT_RATIO:
        v.defined = now[1] != before[1];
        v.number = v.defined ? (double)(now[0] - before[0]) / (double)(now[1] - before[1]) : 0;
        break;
    default:
        v.whole = true;
        v.integer = now[0] - before[0];
        v.number = (double)v.integer;
    }
    return v;
}
