/* heddle front-end: predictors, branch target buffers and I-caches over CPU programs. */
#include "base/arena.h"
#include "base/file.h"
#include "campaign/table.h"
#include "cli/chip_options.h"
#include "cli/command.h"
#include "cli/trace.h"
#include "front_end/section.h"
#include "run/run.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_CHIP "front-ends"
#define MODEL "front-end"

static const struct option_def options[] = {
    {'c', "chip", "NAME|FILE",
     "chip file that lists the structures, of model " MODEL " (default: " DEFAULT_CHIP ")",
     "chips"},
    {'s', "set", "PARAM=VALUE", "override a parameter; repeatable", "params"},
    {0, "plugin", "FILE", "a predictor of your own (docs/howto/policies.md); repeatable", "file"},
    {'o', "output", "FILE",
     "write a table: program, structure, section, instructions, misses, MPKI", "file"},
    {'q', "quiet", NULL, "print nothing but errors", NULL},
    {0},
};

struct table {
    const char *program;
    u64 instructions[CPU_SECTIONS]; /* the first row of a run has them */
    struct text *out;
};

/* Misses and the instructions that they are of. */
static void add_row(void *context, const struct stat_row *row)
{
    struct table *t = context;
    if (row->value.shape == STAT_LIST && strcmp(row->def->name, "instructions") == 0)
        memcpy(t->instructions, row->value.list, sizeof t->instructions);
    if (row->value.shape != STAT_LIST || strcmp(row->def->name, "misses") != 0)
        return;
    for (u32 s = 0; s < CPU_SECTIONS; s++) {
        u64 misses = row->value.list[s], of = t->instructions[s];
        csv_append(t->out, t->program);
        text_printf(t->out, ",%s,%s,%llu,%llu,", row->path, section_names[s],
                    (unsigned long long)of, (unsigned long long)misses);
        if (of)
            text_printf(t->out, "%.6f", 1000 * (double)misses / (double)of);
        text_printf(t->out, "\n");
    }
}

static bool poll(void *context, const struct engine *engine)
{
    (void)context;
    (void)engine;
    return !*trace_stop();
}

static bool run_program(const struct cli *cli, const struct config_request *chip,
                        const char *program, struct text *out, struct err *err)
{
    struct run run = {0};
    struct text summary = {0};
    struct run_request request = {
        .chip = *chip, .workload = program, .seed = 1, .engine = {.poll = poll}};
    struct table table = {.program = program, .out = out};
    bool ok = run_open(&run, &request, err);
    if (ok && strcmp(run.model->schema.model, MODEL) != 0)
        ok =
            err_at(err, (struct src_pos){"--chip", 0, 0}, "chip %s is of model %s, expected " MODEL,
                   run.config.name, run.model->schema.model);
    ok = ok && run_execute(&run, err) && stats_visit(&run.sim.stats, false, add_row, &table, err);
    if (ok && !cli_has(cli, "quiet")) {
        run.model->summary(run.machine, &summary);
        printf("%s on %s\n%s", program, run.config.name, summary.data);
        fflush(stdout);
    }
    text_fini(&summary);
    run_close(&run);
    return ok;
}

static bool run_front_end(struct cli *cli, struct err *err)
{
    struct arena arena = {0};
    struct text out = {0};
    struct config_request given = {0};
    text_printf(&out, "program,structure,section,instructions,misses,mpki\n");
    bool ok = cli->argument_count > 0 ||
              err_at(err, (struct src_pos){0},
                     "no program is given, expected traces, suite:NAME or cpu:KERNEL");
    ok = ok && chip_plugins(cli, err) && chip_sets_of(cli, &arena, &given, err);
    struct config_request chip = {.chip =
                                      cli_has(cli, "chip") ? cli_value(cli, "chip") : DEFAULT_CHIP,
                                  .folders = chip_folders(),
                                  .sets = given.sets,
                                  .set_count = given.set_count,
                                  .set_origins = given.set_origins};
    for (u32 i = 0; ok && i < cli->argument_count; i++)
        ok = run_program(cli, &chip, cli->arguments[i], &out, err);
    if (ok && cli_has(cli, "output"))
        ok = file_write(cli_value(cli, "output"), &out, err);
    text_fini(&out);
    arena_fini(&arena);
    return ok;
}

static const struct example examples[] = {
    {"heddle trace -o mine.hct -- ./mine", "record a program"},
    {"heddle front-end mine.hct", "9 predictors, 12 BTBs and 14 I-caches over it"},
    {"heddle front-end suite:CG suite:LULESH -o mpki.csv", "two programs, as a table"},
    {"heddle front-end mine.hct --chip ./sizes.yaml", "your own sizes and predictors"},
    {NULL, NULL},
};

const struct command command_front_end = {
    .name = "front-end",
    .arguments = "PROGRAM...",
    .summary = "branch predictors, BTBs and I-caches over traces, without a core (MPKI)",
    .description = "Reads each trace once, runs it through any number of branch predictors, branch "
                   "target buffers and I-caches, and reports misses per 1,000 instructions, "
                   "separately for serial and parallel code. A chip file of model front-end lists "
                   "the structures; its predictors are policies of the question branch, plugins "
                   "included, and the same code as in the timed core. You can use such a chip in "
                   "sweeps and studies like any other. See docs/howto/front-ends.md.",
    .options = options,
    .examples = examples,
    .completes = "file",
    .run = run_front_end,
};
