/* heddle area: what a chip's memory system costs beyond another's. */
#include "base/arena.h"
#include "machine/model.h"
#include "cli/area_cores.h"
#include "cli/area_lean.h"
#include "cli/chip_options.h"
#include "cli/command.h"
#include "power/area.h"
#include "power/context_cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_BASE "fermi15"
#define DEFAULT_CORES "cmp8" /* of chips of model cpu */
#define DEFAULT_LEAN "acmp9" /* of those with rates or shared I-caches */

static const struct option_def options[] = {
    {0, "against", "NAME|FILE",
     "the chip to compare with (default: " DEFAULT_BASE ", of CPU chips " DEFAULT_CORES
     ", with rates or "
     "shared I-caches " DEFAULT_LEAN ")",
     "chips"},
    {'s', "set", "PARAM=VALUE", "override a parameter of CHIP; repeatable", "params"},
    {0, "constant", "NAME=VALUE", "change a constant, such as die_mm2=815; repeatable", NULL},
    {0, "constants", NULL, "list the constants and published costs with their sources", NULL},
    {0, "json", NULL, "print JSON, schema heddle.area/1", NULL},
    {0},
};

/* ---- reading ---- */

static bool has_cores(const struct config *chip)
{
    return strcmp(chip->schema->model, "cpu") == 0;
}

static const char *default_base(const struct config *chip)
{
    if (!has_cores(chip))
        return DEFAULT_BASE;
    return area_is_lean(chip) ? DEFAULT_LEAN : DEFAULT_CORES;
}

static bool load(const struct cli *cli, const char *chip, bool with_sets, struct config *config,
                 struct err *err)
{
    struct arena arena = {0};
    const char **sets = NULL;
    struct config_request request = {
        .chip = chip, .folders = chip_folders(), .schemas = model_schemas};
    bool ok = !with_sets || chip_sets(cli, &arena, &sets, &request.set_count, err);
    request.sets = sets;
    ok = ok && config_load(config, &request, err);
    arena_fini(&arena);
    if (!ok)
        return false;
    if (config->schema->params == gpu_params || has_cores(config))
        return true;
    err_at(err, (struct src_pos){0}, "chip %s is of model %s, expected one of model gpu or cpu",
           config->name, config->schema->model);
    config_fini(config);
    return false;
}

static bool set_constant(struct area_constants *k, const char *text, struct err *err)
{
    const char *names[32];
    size_t count = 0, length = strcspn(text, "=");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    for (const struct param *p = area_params; p->type != PARAM_END; p++) {
        if (strcmp(p->name, name) == 0 && text[length])
            return param_set(p, (char *)k + p->offset, name, text + length + 1,
                             (struct src_pos){"--constant", 0, 0}, err);
        names[count++] = p->name;
    }
    if (!text[length])
        return err_found(err, (struct src_pos){0}, "--constant", text, "NAME=VALUE");
    return err_unknown(err, (struct src_pos){0}, "constant", name, names, count,
                       "heddle area --constants");
}

static bool read_constants(const struct cli *cli, struct area_constants *k, struct err *err)
{
    area_constants_initial(k);
    for (u32 i = 0; i < cli->option_count; i++) {
        if (strcmp(cli->options[i].def->name, "constant") == 0 &&
            !set_constant(k, cli->options[i].value, err))
            return false;
    }
    return true;
}

/* ---- text ---- */

/* A number with its digits cut as the documents do, or nothing. */
static const char *cut(double value, u32 digits, char out[32])
{
    if (isnan(value))
        snprintf(out, 32, "-");
    else
        snprintf(out, 32, "%.*f", (int)digits, area_cut(value, digits));
    return out;
}

static void print_constants(const struct area_constants *k)
{
    char value[64], a[32], b[32], c[32];
    printf("constants\n");
    for (const struct param *p = area_params; p->type != PARAM_END; p++) {
        const void *field = (const char *)k + p->offset;
        snprintf(value, sizeof value, "%g",
                 p->type == PARAM_U32 ? *(const u32 *)field : *(const double *)field);
        printf("  %-16s %8s %-6s %s (%s)\n", p->name, value, p->unit, p->meaning, p->source);
    }
    printf("published costs\n  %-26s %8s %8s %8s  %s\n", "", "KiB", "mm2", "% of die", "source");
    for (const struct area_published *p = area_published; p->chip; p++)
        printf("  %-26s %8s %8s %8s  %s\n", p->chip, cut(p->storage_kib, 1, a), cut(p->mm2, 2, b),
               cut(p->die_percent, 2, c), p->source);
}

static void print_published(const struct area_published *p)
{
    char a[32], b[32], c[32], d[32];
    if (!p)
        return;
    printf("  published              %9s KiB  %6s mm2, wires %s mm2, %s %% of the die (%s)\n",
           cut(p->storage_kib, 1, a), cut(p->storage_mm2, 2, b), cut(p->wire_mm2, 2, c),
           cut(p->die_percent, 2, d), p->source);
}

/* published: what a document states for the chip, or NULL. */
static void print_area(const char *chip, const char *base, const struct area *a,
                       const struct area_constants *k, const struct area_published *published)
{
    char mm2[32], percent[32];
    printf("%s against %s\n  %-22s %-24s %9s %9s %7s %10s\n", chip, base, "structure", "parameter",
           "entries", "base", "B each", "more bytes");
    for (u32 i = 0; i < AREA_STRUCTURES; i++) {
        const struct area_row *r = &a->rows[i];
        printf("  %-22s %-24s %9llu %9llu %7u %10lld\n", r->name, r->parameter,
               (unsigned long long)r->entries, (unsigned long long)r->base_entries, r->entry_bytes,
               (long long)r->bytes);
    }
    printf("  storage                %lld B = %.1f KiB, %s mm2\n", (long long)a->storage_bytes,
           (double)a->storage_bytes / 1024, cut(a->storage_mm2, 2, mm2));
    printf("  crossbar wires         %+lld B of flits, %s mm2\n", (long long)a->wire_bytes,
           cut(a->wire_mm2, 2, mm2));
    printf("  together               %s mm2, %s %% of a die of %g mm2\n", cut(a->mm2, 2, mm2),
           cut(100 * a->die_share, 2, percent), k->die_mm2);
    print_published(published);
    if (a->caches_differ)
        printf("  the cache sizes differ; the area of the cache arrays is not included\n");
}

/* Beside the memory system: what reduced contexts of blocks need. */
static void print_contexts(const struct context_cost *c)
{
    if (!c->queue_bytes && !c->cache_bytes && c->tables_mm2 == 0)
        return;
    printf(
        "  reduced contexts       array tables %.2f mm2, %.1f W (%.0f um2, %.1f mW each, 28 nm); "
        "register caches %llu B, victim queue %llu B\n",
        c->tables_mm2, c->tables_w, c->table_um2, c->table_mw, (unsigned long long)c->cache_bytes,
        (unsigned long long)c->queue_bytes);
}

/* ---- JSON ---- */

static void set_number(json_t *o, const char *name, double value)
{
    json_object_set_new(o, name, isnan(value) ? json_null() : json_real(value));
}

static json_t *contexts_json(const struct context_cost *c)
{
    json_t *o = json_object();
    set_number(o, "array_tables_mm2", c->tables_mm2);
    set_number(o, "array_tables_w", c->tables_w);
    json_object_set_new(o, "register_cache_bytes", json_integer((json_int_t)c->cache_bytes));
    json_object_set_new(o, "victim_queue_bytes", json_integer((json_int_t)c->queue_bytes));
    return o;
}

static json_t *published_json(const struct area_published *p)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(p->chip));
    set_number(o, "storage_kib", p->storage_kib);
    set_number(o, "storage_mm2", p->storage_mm2);
    set_number(o, "wire_mm2", p->wire_mm2);
    set_number(o, "mm2", p->mm2);
    set_number(o, "die_percent", p->die_percent);
    json_object_set_new(o, "source", json_string(p->source));
    return o;
}

static json_t *structures_json(const struct area *a)
{
    json_t *rows = json_array();
    for (u32 i = 0; i < AREA_STRUCTURES; i++) {
        const struct area_row *r = &a->rows[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(r->name));
        json_object_set_new(o, "parameter", json_string(r->parameter));
        json_object_set_new(o, "entries", json_integer((json_int_t)r->entries));
        json_object_set_new(o, "base_entries", json_integer((json_int_t)r->base_entries));
        json_object_set_new(o, "entry_bytes", json_integer(r->entry_bytes));
        json_object_set_new(o, "bytes", json_integer(r->bytes));
        json_array_append_new(rows, o);
    }
    return rows;
}

static json_t *constants_json(const struct area_constants *k)
{
    json_t *o = json_object();
    for (const struct param *p = area_params; p->type != PARAM_END; p++) {
        const void *field = (const char *)k + p->offset;
        json_t *row = json_object();
        json_object_set_new(row, "value",
                            p->type == PARAM_U32 ? json_integer(*(const u32 *)field)
                                                 : json_real(*(const double *)field));
        json_object_set_new(row, "unit", json_string(p->unit));
        json_object_set_new(row, "source", json_string(p->source));
        json_object_set_new(o, p->name, row);
    }
    return o;
}

static void print_json(json_t *o)
{
    json_dumpf(o, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(o);
}

static json_t *area_json(const char *chip, const char *base, const struct area *a,
                         const struct area_constants *k, const struct area_published *p)
{
    json_t *o = json_object();
    json_object_set_new(o, "schema", json_string("heddle.area/1"));
    json_object_set_new(o, "chip", json_string(chip));
    json_object_set_new(o, "against", json_string(base));
    json_object_set_new(o, "structures", structures_json(a));
    json_object_set_new(o, "storage_bytes", json_integer(a->storage_bytes));
    set_number(o, "storage_mm2", a->storage_mm2);
    json_object_set_new(o, "wire_bytes", json_integer(a->wire_bytes));
    set_number(o, "wire_mm2", a->wire_mm2);
    set_number(o, "mm2", a->mm2);
    set_number(o, "die_share", a->die_share);
    json_object_set_new(o, "caches_differ", json_boolean(a->caches_differ));
    json_object_set_new(o, "published", p ? published_json(p) : json_null());
    json_object_set_new(o, "constants", constants_json(k));
    return o;
}

static void list_constants(const struct cli *cli, const struct area_constants *k)
{
    if (!cli_has(cli, "json")) {
        print_constants(k);
        return;
    }
    json_t *o = json_object(), *published = json_array();
    for (const struct area_published *p = area_published; p->chip; p++)
        json_array_append_new(published, published_json(p));
    json_object_set_new(o, "schema", json_string("heddle.area/1"));
    json_object_set_new(o, "constants", constants_json(k));
    json_object_set_new(o, "published", published);
    print_json(o);
}

static bool compare(const struct cli *cli, const struct area_constants *k, struct err *err)
{
    struct config base, chip;
    struct area area;
    if (cli->argument_count != 1)
        return err_at(err, (struct src_pos){0}, "one chip is expected, %u are given",
                      cli->argument_count);
    if (!load(cli, cli->arguments[0], true, &chip, err))
        return false;
    const char *against = cli_has(cli, "against") ? cli_value(cli, "against") : default_base(&chip);
    bool ok = load(cli, against, false, &base, err);
    if (!ok) {
        config_fini(&chip);
        return false;
    }
    if (has_cores(&chip) != has_cores(&base)) {
        ok = err_at(err, (struct src_pos){0},
                    "chip %s is of model %s and %s of model %s, expected "
                    "two of one model",
                    chip.name, chip.schema->model, base.name, base.schema->model);
    } else if (has_cores(&chip) && (area_is_lean(&chip) || area_is_lean(&base))) {
        area_print_lean(&base, &chip, cli_has(cli, "json"));
    } else if (has_cores(&chip)) {
        ok = area_print_cores(&base, &chip, cli_has(cli, "json"), err);
    } else {
        const struct area_published *published =
            cli_has(cli, "set") ? NULL : area_published_find(chip.name, base.name);
        struct context_cost contexts = context_cost(chip.data);
        area_compare(base.data, chip.data, k, &area);
        if (cli_has(cli, "json")) {
            json_t *o = area_json(chip.name, base.name, &area, k, published);
            json_object_set_new(o, "contexts", contexts_json(&contexts));
            print_json(o);
        } else {
            print_area(chip.name, base.name, &area, k, published);
            print_contexts(&contexts);
        }
    }
    config_fini(&chip);
    config_fini(&base);
    return ok;
}

static bool run_area(struct cli *cli, struct err *err)
{
    struct area_constants k;
    if (!read_constants(cli, &k, err))
        return false;
    if (!cli_has(cli, "constants"))
        return compare(cli, &k, err);
    list_constants(cli, &k);
    return true;
}

static const struct example examples[] = {
    {"heddle area fermi15-ce-16-68", "what the cost-effective chip adds to fermi15"},
    {"heddle area volta80 --against volta80 --set l2.access_entries=128", "the cost of one change"},
    {"heddle area cmp8-tailored", "what lean front ends save, part by part"},
    {"heddle area acmp9 --set core.sharing.cores_per_cache=8 --set core.l1i.size_bytes=16KiB",
     "what a shared I-cache saves"},
    {"heddle area --constants", "the constants, the published costs, their sources"},
    {NULL, NULL},
};

const struct command command_area = {
    .name = "area",
    .arguments = "CHIP",
    .summary = "area of a chip's queues, MSHRs and crossbars compared with another chip",
    .description =
        "Compares two chips structure by structure: entries, bytes, area and share of the die, "
        "with the constants that Dublish 2018 published for a GTX 480 at 40 nm. Published costs of "
        "the chip are shown alongside. Digits are truncated, not rounded, as in that document. For "
        "chips of model cpu it compares the cores part by part: area and power by Milic 2017, "
        "table 4.3; with rates or shared I-caches, the lean cores, their I-caches, instruction "
        "buses and line buffers together (chapter 5). --set changes CHIP, not the chip it is "
        "compared with.",
    .options = options,
    .examples = examples,
    .completes = "chips",
    .run = run_area,
};
