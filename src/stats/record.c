#include "stats/record.h"

#include <string.h>

static json_t *whole(u64 value)
{
    return json_integer((json_int_t)value);
}

static json_t *numbers_json(const struct stat_def *def, const u64 *values)
{
    if (def->kind != STAT_ARRAY)
        return whole(*values);
    json_t *o = json_object();
    for (u32 i = 0; i < def->label_count; i++)
        json_object_set_new(o, def->labels[i], whole(values[i]));
    return o;
}

/* "latency_fs.l2" goes into an object latency_fs. */
static void put(json_t *record, const char *name, json_t *value)
{
    const char *dot = strchr(name, '.');
    if (!dot) {
        json_object_set_new(record, name, value);
        return;
    }
    char group[64];
    snprintf(group, sizeof group, "%.*s", (int)(dot - name), name);
    json_t *o = json_object_get(record, group);
    if (!o) {
        o = json_object();
        json_object_set_new(record, group, o);
    }
    json_object_set_new(o, dot + 1, value);
}

void record_put_stats(json_t *record, const struct stat_def *table, const void *data)
{
    for (const struct stat_def *d = table; d->kind != STAT_END; d++)
        put(record, d->name,
            numbers_json(d, (const u64 *)(const void *)((const u8 *)data + d->offset)));
}

void record_put_numbers(json_t *record, const struct snapshot_plan *plan, const u64 *numbers)
{
    for (u32 i = 0; i < plan->def->row_count; i++) {
        const struct snapshot_row *r = &plan->def->rows[i];
        bool is_there = plan->groups[r->part].part_count || !plan->def->parts[r->part].is_rare;
        if (r->name && is_there)
            put(record, r->name, numbers_json(plan->stats[i], numbers + r->at));
    }
}

void record_visit(const struct record_table *tables, record_visitor *visit, void *context)
{
    for (; tables->stats || tables->numbers; tables++) {
        const struct snapshot_def *n = tables->numbers;
        for (const struct stat_def *d = tables->stats; d && d->kind != STAT_END; d++)
            visit(context, &(struct record_field){d->name, d, NULL});
        for (u32 i = 0; n && i < n->row_count; i++) {
            const struct snapshot_row *r = &n->rows[i];
            if (r->name)
                visit(context,
                      &(struct record_field){r->name, snapshot_stat(n, r), n->parts[r->part].path});
        }
    }
}

static void define(void *context, const struct record_field *f)
{
    json_t *o = json_pack("{s:s, s:s}", "unit", f->def->unit, "meaning", f->def->meaning);
    if (f->part)
        json_object_set_new(o, "statistic",
                            json_sprintf("%s%s%s", f->part, *f->part ? "." : "", f->def->name));
    json_object_set_new(context, f->name, o);
}

json_t *record_definitions(const struct record_table *tables)
{
    json_t *o = json_object();
    record_visit(tables, define, o);
    return o;
}
