/* heddle chip: what a chip file comes to. */
#include "base/arena.h"
#include "run/run.h"
#include "cli/chip_options.h"
#include "cli/command.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void print_origin(const struct config_value *v)
{
    if (!v->origin.file)
        printf("default (%s)", v->param->source);
    else if (v->origin.line)
        printf("%s:%u", v->origin.file, v->origin.line);
    else
        printf("%s", v->origin.file);
}

/* A file that loads to the same chip, each value with its origin behind it. */
static void show(const struct config *c)
{
    printf("model: %s\n", c->schema->model);
    if (*c->about)
        printf("about: %s\n", c->about);
    char open[192] = "";
    for (u32 i = 0; i < c->value_count; i++) {
        const struct config_value *v = &c->values[i];
        if (!config_matters(c, v))
            continue;
        const char *dot = strrchr(v->path, '.');
        char group[192];
        snprintf(group, sizeof group, "%.*s", dot ? (int)(dot - v->path) : 0, v->path);
        u32 depth = 0;
        /* open the groups that this value is in and the last one was not */
        for (const char *s = group; *s;) {
            const char *end = s + strcspn(s, ".");
            size_t length = (size_t)(end - group);
            if (strncmp(group, open, length) != 0 || (open[length] && open[length] != '.'))
                printf("%*s%.*s:\n", (int)(2 * depth), "", (int)(end - s), s);
            depth++;
            s = *end ? end + 1 : end;
        }
        snprintf(open, sizeof open, "%s", group);
        char value[256], line[320];
        param_value_text(v->param, v->field, value, sizeof value);
        snprintf(line, sizeof line, "%*s%s: %s", (int)(2 * depth), "", v->param->name, value);
        printf("%-36s # ", line);
        print_origin(v);
        printf("\n");
    }
}

/* What a chip file says behind the value in its line; "" if nothing. */
static void remark_of(const struct src_pos *at, char *out, size_t room)
{
    FILE *f = fopen(at->file, "r");
    char *line = NULL;
    size_t size = 0;
    *out = '\0';
    for (u32 i = 0; f && i < at->line; i++) {
        if (getline(&line, &size, f) < 0)
            break;
        const char *remark = i + 1 == at->line ? strstr(line, " # ") : NULL;
        if (remark)
            snprintf(out, room, "%.*s", (int)strcspn(remark + 3, "\n"), remark + 3);
    }
    free(line);
    if (f)
        fclose(f);
}

static bool is_assumed(const char *source)
{
    return strncmp(source, "assumed", 7) == 0;
}

/* Values that nobody has measured or published, by their own words: of their line in the chip file,
 * or of the table of parameters where no file sets them. */
static void show_assumed(const struct config *c)
{
    u32 count = 0, all = 0;
    for (u32 i = 0; i < c->value_count; i++) {
        const struct config_value *v = &c->values[i];
        if (!config_matters(c, v))
            continue;
        char remark[512], value[256], line[320];
        const char *source = v->param->source ? v->param->source : "";
        if (v->origin.file) {
            remark_of(&v->origin, remark, sizeof remark);
            source = remark;
        }
        all++;
        if (!is_assumed(source))
            continue;
        count++;
        param_value_text(v->param, v->field, value, sizeof value);
        snprintf(line, sizeof line, "%s: %s", v->path, value);
        printf("%-44s # ", line);
        print_origin(v);
        printf("%s%s\n", v->origin.file ? "; " : "", v->origin.file ? source : "");
    }
    printf("# %u of %u parameters are assumed\n", count, all);
}

/* The same for programs, schema heddle.chip/1: docs/howto/python.md. */
static json_t *parameter_json(const struct config_value *v)
{
    char value[256], initial[64], range[128];
    param_value_text(v->param, v->field, value, sizeof value);
    param_initial_text(v->param, initial, sizeof initial);
    param_range_text(v->param, range, sizeof range);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:{s:s, s:i, s:i}}", "value", value,
                     "default", initial, "type", param_type_name(v->param->type), "legal", range,
                     "unit", v->param->unit ? v->param->unit : "", "meaning",
                     v->param->meaning ? v->param->meaning : "", "source",
                     v->param->source ? v->param->source : "", "from", "file",
                     v->origin.file ? v->origin.file : "", "line", (int)v->origin.line, "column",
                     (int)v->origin.column);
}

static bool show_json(const struct config *c, struct err *err)
{
    json_t *parameters = json_object();
    for (u32 i = 0; i < c->value_count; i++) {
        if (config_matters(c, &c->values[i]))
            json_object_set_new(parameters, c->values[i].path, parameter_json(&c->values[i]));
    }
    json_t *chip =
        json_pack("{s:s, s:s, s:s, s:s, s:o}", "schema", "heddle.chip/1", "name", c->name, "model",
                  c->schema->model, "about", c->about, "parameters", parameters);
    bool ok = json_dumpf(chip, stdout, JSON_INDENT(1)) == 0;
    printf("\n");
    json_decref(chip);
    return ok || err_kind(err, ERR_INTERNAL, "the chip could not be written as JSON");
}

static bool show_chip(const struct config_request *request, const struct cli *cli, struct err *err)
{
    struct config config;
    if (!config_load(&config, request, err))
        return false;
    bool ok = true;
    if (cli_has(cli, "json"))
        ok = show_json(&config, err);
    else if (cli_has(cli, "assumed"))
        show_assumed(&config);
    else
        show(&config);
    config_fini(&config);
    return ok;
}

/* A chip is right when it can be built. */
static bool check_chip(const struct config_request *request, struct err *err)
{
    struct run run;
    bool ok = run_open(&run, &(struct run_request){.chip = *request}, err);
    if (ok)
        printf("%s: fine (model %s, %u parameters)\n", run.config.name, run.config.schema->model,
               run.config.value_count);
    run_close(&run);
    return ok;
}

static const char *const words[] = {"show", "check", NULL};

static bool run_chip(struct cli *cli, struct err *err)
{
    const char *what = cli->argument_count ? cli->arguments[0] : "";
    bool is_show = strcmp(what, "show") == 0;
    if (!is_show && strcmp(what, "check") != 0)
        return err_unknown(err, (struct src_pos){0}, "action", what, words, ARRAY_LEN(words) - 1,
                           NULL);
    if (cli->argument_count != 2)
        return err_at(err, (struct src_pos){0}, "one chip is expected, %u are given",
                      cli->argument_count - 1);
    struct arena arena = {0};
    const char **sets;
    struct config_request request = {
        .chip = cli->arguments[1], .folders = chip_folders(), .schemas = model_schemas};
    bool ok = chip_sets(cli, &arena, &sets, &request.set_count, err);
    request.sets = sets;
    ok = ok && (is_show ? show_chip(&request, cli, err) : check_chip(&request, err));
    arena_fini(&arena);
    return ok;
}

static const struct option_def options[] = {
    {'s', "set", "PARAM=VALUE", "override a parameter; repeatable", "params"},
    {0, "assumed", NULL,
     "show: only assumed values (neither measured nor published), with the reason", NULL},
    {0, "json", NULL, "show: for machines, schema heddle.chip/1", NULL},
    {0},
};

static const struct example examples[] = {
    {"heddle chip show tandem", "every value and its origin"},
    {"heddle chip show h200 --assumed", "only the assumed values"},
    {"heddle chip check my.yaml", "check a chip file"},
    {NULL, NULL},
};

const struct command command_chip = {
    .name = "chip",
    .arguments = "show|check NAME|FILE",
    .summary = "show a chip fully resolved, or check a chip file",
    .description =
        "`show` prints every parameter with its value and the file and line it came from; the "
        "output is a chip file itself. `check` builds the chip and runs nothing.",
    .options = options,
    .examples = examples,
    .words = words,
    .completes_next = "chips",
    .run = run_chip,
};
