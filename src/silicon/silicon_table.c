#include "silicon/silicon_table.h"

#include "base/map.h"
#include "base/names.h"
#include "silicon/nsight_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IS_WORKLOAD, IS_SIZE, IS_LAUNCH, IS_KERNEL, IS_GRID, IS_BLOCK, IS_CYCLES, NEEDED };
static const char *const needed[NEEDED] = {"workload", "size",  "launch", "kernel",
                                           "grid",     "block", "cycles"};

/* What comparisons read; silicon/scripts/metrics.txt may name more counters, which are left alone.
 */
static const char *const known[] = {
    "ns",
    "active_cycles",
    "active_cycles_max",
    "warp_insts",
    "thread_insts",
    "thread_insts_on",
    "registers",
    "shared_static",
    "shared_dynamic",
    "shared_config",
    "occupancy_pct",
    "occupancy_limit_pct",
    "ld_requests",
    "ld_sectors",
    "ld_sector_hits",
    "shared_ld_insts",
    "shared_st_insts",
    "shared_ld_wavefronts",
    "shared_st_wavefronts",
    "shared_ld_conflicts",
    "shared_st_conflicts",
    "l2_rd_sectors",
    "l2_rd_hits",
    "dram_rd_bytes",
    "dram_wr_bytes",
};

struct reader {
    struct silicon_table *table;
    const struct csv *csv;
    const char *size;
    u32 columns[NEEDED];
    struct strmap programs, launches;
    struct arena *arena;
    struct err *err;
};

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static struct src_pos at_row(const struct reader *r, const struct csv_row *row)
{
    return (struct src_pos){r->csv->path, row->line, 1};
}

/* A column that looks like a slip of one that is not there would go unread without a word. */
static bool check_slip(struct reader *r, const char *column)
{
    const char *absent[ARRAY_LEN(known)];
    size_t count = 0;
    if (is_among(column, known, ARRAY_LEN(known)) || is_among(column, needed, NEEDED))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        if (csv_column(r->csv, known[i]) == UINT32_MAX)
            absent[count++] = known[i];
    }
    return !names_nearest(column, absent, count) ||
           err_unknown(r->err, at_row(r, &r->csv->head), "column", column, absent, count,
                       "silicon/h200/README.md");
}

static bool find_columns(struct reader *r)
{
    const struct csv_row *head = &r->csv->head;
    for (u32 i = 0; i < NEEDED; i++) {
        r->columns[i] = csv_column(r->csv, needed[i]);
        if (r->columns[i] != UINT32_MAX)
            continue;
        const char *nearest = names_nearest(needed[i], head->fields, head->count);
        return err_at(r->err, at_row(r, head), "there is no column '%s'%s%s%s", needed[i],
                      nearest ? " (nearest: " : "", nearest ? nearest : "", nearest ? ")" : "");
    }
    for (u32 i = 0; i < head->count; i++) {
        if (!check_slip(r, head->fields[i]))
            return false;
    }
    return true;
}

/* 64x1x1 */
static bool read_extent(struct reader *r, const struct csv_row *row, u32 column, u64 *product)
{
    const char *text = row->fields[column], *p = text;
    bool good = true;
    *product = 1;
    for (u32 i = 0; good && i < 3; i++) {
        char *end;
        good = *p >= '1' && *p <= '9';
        u64 n = good ? strtoull(p, &end, 10) : 0;
        good = good && n <= UINT32_MAX && *product <= UINT64_MAX / n && *end == (i < 2 ? 'x' : 0);
        *product *= n;
        p = good ? end + 1 : p;
    }
    return good || err_found(r->err, at_row(r, row), r->csv->head.fields[column], text,
                             "three numbers such as 64x1x1");
}

static bool read_launch_number(struct reader *r, const struct csv_row *row, u32 *out)
{
    const char *text = row->fields[r->columns[IS_LAUNCH]];
    char *end;
    u64 n = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : UINT64_MAX;
    if (n >= UINT32_MAX || *end)
        return err_found(r->err, at_row(r, row), "launch", text, "a whole number from 0");
    *out = (u32)n;
    return true;
}

static bool is_text(const struct reader *r, u32 column)
{
    for (u32 i = 0; i < NEEDED; i++) {
        if (r->columns[i] == column)
            return i != IS_CYCLES && i != IS_LAUNCH;
    }
    return !is_among(r->csv->head.fields[column], known, ARRAY_LEN(known));
}

static bool read_values(struct reader *r, const struct csv_row *row, double *values)
{
    for (u32 i = 0; i < row->count; i++) {
        const char *text = row->fields[i];
        char *end;
        values[i] = NAN;
        if (is_text(r, i) || (!*text && i != r->columns[IS_CYCLES]))
            continue;
        values[i] = strtod(text, &end);
        if (end == text || *end || !isfinite(values[i]) || values[i] < 0)
            return err_found(r->err, at_row(r, row), r->csv->head.fields[i], text,
                             "a number of at least 0");
    }
    return values[r->columns[IS_CYCLES]] > 0 ||
           err_found(r->err, at_row(r, row), "cycles", row->fields[r->columns[IS_CYCLES]],
                     "a number above 0");
}

static u32 program_of(struct reader *r, const struct csv_row *row)
{
    struct silicon_table *t = r->table;
    const char *name = row->fields[r->columns[IS_WORKLOAD]];
    u32 index;
    if (strmap_get(&r->programs, name, &index))
        return index;
    strmap_put(&r->programs, name, t->program_count);
    t->programs[t->program_count] = name;
    t->program_lines[t->program_count] = row->line;
    return t->program_count++;
}

static bool read_row(struct reader *r, const struct csv_row *row)
{
    struct silicon_table *t = r->table;
    struct silicon_launch *l = &t->launches[t->count];
    const char *size = row->fields[r->columns[IS_SIZE]];
    u32 before;
    *l = (struct silicon_launch){.kernel = row->fields[r->columns[IS_KERNEL]],
                                 .grid = row->fields[r->columns[IS_GRID]],
                                 .block = row->fields[r->columns[IS_BLOCK]],
                                 .line = row->line,
                                 .values = ARENA_ARRAY(r->arena, double, row->count)};
    if (strcmp(size, r->size) != 0)
        return err_found(r->err, at_row(r, row), "size", size, "%s", r->size);
    if (!read_launch_number(r, row, &l->number) ||
        !read_extent(r, row, r->columns[IS_GRID], &l->blocks) ||
        !read_extent(r, row, r->columns[IS_BLOCK], &l->threads) || !read_values(r, row, l->values))
        return false;
    l->program = program_of(r, row);
    const char *id = arena_printf(r->arena, "%u/%s", l->number, t->programs[l->program]);
    if (strmap_get(&r->launches, id, &before))
        return err_at(r->err, at_row(r, row), "launch %u of %s is in line %u already", l->number,
                      t->programs[l->program], before);
    strmap_put(&r->launches, id, row->line);
    t->count++;
    return true;
}

static bool read_table(struct silicon_table *t, const struct csv *csv, const char *size,
                       struct arena *arena, struct err *err)
{
    struct reader r = {.table = t, .csv = csv, .size = size, .arena = arena, .err = err};
    *t = (struct silicon_table){.path = csv->path,
                                .columns = csv->head.fields,
                                .column_count = csv->head.count,
                                .launches = ARENA_ARRAY(arena, struct silicon_launch, csv->count),
                                .programs = ARENA_ARRAY(arena, const char *, csv->count),
                                .program_lines = ARENA_ARRAY(arena, u32, csv->count)};
    bool ok = find_columns(&r);
    for (u32 i = 0; ok && i < csv->count; i++)
        ok = read_row(&r, &csv->rows[i]);
    strmap_fini(&r.programs);
    strmap_fini(&r.launches);
    return ok && (t->count || err_at(err, (struct src_pos){csv->path, 0, 0},
                                     "the table has no launches, expected one in each row"));
}

bool silicon_table_read_text(struct silicon_table *t, const char *path, const char *text,
                             size_t length, const char *size, struct arena *arena, struct err *err)
{
    struct csv csv;
    return csv_read_text(&csv, path, text, length, arena, err) &&
           read_table(t, &csv, size, arena, err);
}

bool silicon_table_read(struct silicon_table *t, const char *path, const char *size,
                        struct arena *arena, struct err *err)
{
    char *whole;
    size_t length;
    struct text table = {0};
    bool ok = csv_file_text(path, &whole, &length, err);
    if (ok && nsight_csv_is(whole, length))
        ok = nsight_csv_convert(path, whole, length, size, &table, err) &&
             silicon_table_read_text(t, path, table.data, table.length, size, arena, err);
    else
        ok = ok && silicon_table_read_text(t, path, whole, length, size, arena, err);
    free(whole);
    text_fini(&table);
    return ok;
}

double silicon_value(const struct silicon_table *t, const struct silicon_launch *l,
                     const char *column)
{
    for (u32 i = 0; i < t->column_count; i++) {
        if (strcmp(t->columns[i], column) == 0)
            return l->values[i];
    }
    return NAN;
}
