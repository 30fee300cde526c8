/* heddle correlate: a chip beside the silicon it models. */
#include "base/file.h"
#include "cli/chip_options.h"
#include "cli/correlate_call.h"
#include "cli/launch_options.h"
#include "cli/sweep_progress.h"
#include "report/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_def options[] = {
    {'c', "chip", "NAME|FILE", "chip to run on (default: the folder's name)", "chips"},
    {'s', "set", "PARAM=VALUE", "override a parameter of the chip; repeatable", "params"},
    {0, "fit", "PARAM=V1,V2...",
     "try these values on one half of the programs and report the other half; repeatable (all "
     "combinations are tried)",
     NULL},
    {0, "size", "SIZE", "size of the programs; reads kernels-SIZE.csv (default: small)", "sizes"},
    {0, "programs", "NAME,NAME", "only these programs", NULL},
    {0, "executables", "FOLDER",
     "folder with the programs of a CSV file, by process name (default: .)", "file"},
    OPTIONS_LAUNCHES,
    {0, "quick", NULL, "only the six fastest programs of each half", NULL},
    {0, "least-cycles", "N", "ignore launches of at most N cycles on silicon (default: 5000)",
     NULL},
    {'j', "jobs", "N", "runs at once (default: the number of cores)", NULL},
    {0, "threads", "N", OPTION_THREADS_HELP, NULL},
    {0, "db", "FILE", OPTION_DB_HELP, "file"},
    {'o', "output", "FOLDER", "folder for tables and page (default: heddle-out/correlate/NAME)",
     "file"},
    {0, "no-run", NULL, "compare the runs in the database, run nothing", NULL},
    {0, "retry", NULL, OPTION_RETRY_HELP, NULL},
    {0, "again", NULL, OPTION_AGAIN_HELP, NULL},
    {0, "timeout", "SECONDS", "time limit of a run (default: a day)", NULL},
    {0, "kernels", NULL, "one line per kernel instead of one per program", NULL},
    {0, "csv", NULL, "print every launch and counter as CSV instead of the summary", NULL},
    {'q', "quiet", NULL, "print nothing; write the files and set the exit code", NULL},
    {0},
};

/* ---- the runs ---- */

static bool run_plan(struct correlate_call *call, const struct plan *plan, const char *news,
                     struct err *err)
{
    struct sweep_screen screen;
    struct sweep_result result;
    if (call->no_run || !plan->count)
        return true;
    sweep_screen_init(&screen, call->quiet);
    struct sweep_watcher watcher = sweep_screen_watcher(&screen);
    if (news)
        watcher.news(watcher.context, news);
    bool ok = sweep_run(plan, &call->options, &watcher, &result, err);
    sweep_screen_end(&screen);
    return ok && (!result.interrupted || err_kind(err, ERR_INTERRUPTED,
                                                  "interrupted; run the same command to continue, "
                                                  "or add --no-run to compare the results so far"));
}

/* A change of the model leaves names and parameters as they were: say whose results these are. */
static bool note_builds(const struct correlate_call *call, const struct plan *plan, struct db *db,
                        struct err *err)
{
    struct sweep_program program;
    struct run_queue_counts counts;
    if (!sweep_program_find(&program, err) ||
        !run_queue_count(db, plan, program.build, &counts, err))
        return false;
    if (counts.of_other_build && !call->quiet)
        fprintf(stderr,
                "%u of the results are from another build of this version (--again renews them)\n",
                counts.of_other_build);
    return true;
}

/* One half, or both, with the sets of the command line and those given. */
static bool make_plan(struct correlate_call *call, enum correlate_half half,
                      const char *const *settings, u32 count, struct plan **plan, struct err *err)
{
    const char **sets = ARENA_ARRAY(&call->arena, const char *, call->set_count + count + 1);
    memcpy(sets, call->sets, call->set_count * sizeof *sets);
    if (count)
        memcpy(sets + call->set_count, settings, count * sizeof *sets);
    return correlate_plan(&call->correlate, half, sets, call->set_count + count, plan, err);
}

static bool compare(struct correlate_call *call, const struct plan *plan, const char *news,
                    struct correlate_result *out, struct err *err)
{
    struct db db;
    if (!run_plan(call, plan, news, err) || !db_open(&db, call->options.db, err))
        return false;
    bool ok =
        correlate_read(&call->correlate, plan, &db, out, err) && note_builds(call, plan, &db, err);
    db_close(&db);
    return ok;
}

static bool try_all(struct correlate_call *call, struct err *err)
{
    struct correlate_fit *fit = &call->fit;
    struct fit_trial *trials = ARENA_ARRAY(&call->arena, struct fit_trial, fit->combinations);
    struct plan **plans = ARENA_ARRAY(&call->arena, struct plan *, fit->combinations);
    for (u32 i = 0; i < fit->combinations; i++) { /* before the first run */
        trials[i].settings = fit_settings(fit, i, &call->arena);
        if (!make_plan(call, HALF_TUNE, trials[i].settings, fit->count, &plans[i], err))
            return false;
    }
    for (u32 i = 0; i < fit->combinations; i++) {
        struct correlate_result result;
        const char *const *settings = trials[i].settings;
        struct text news = {0};
        text_printf(&news, "fit %u of %u, half \"tune\":", i + 1, fit->combinations);
        for (u32 k = 0; k < fit->count; k++)
            text_printf(&news, " %s", settings[k]);
        bool ok = compare(call, plans[i], news.data, &result, err);
        text_fini(&news);
        if (!ok)
            return false;
        trials[i] = (struct fit_trial){.settings = settings,
                                       .absolute = result.scores[HALF_TUNE][0].absolute,
                                       .kernels = result.scores[HALF_TUNE][0].kernels};
    }
    u32 chosen = fit_choose(trials, fit->combinations);
    if (chosen == UINT32_MAX)
        return err_kind(err, ERR_VERIFY,
                        "nothing to fit: no program in the half \"tune\" has a valid result");
    call->fitted = (struct correlate_fitted){trials, fit->combinations, fit->count, chosen};
    return true;
}

/* ---- the answer ---- */

static bool write_file(const struct correlate_call *call, const char *name, const struct text *t,
                       struct err *err)
{
    struct text path = {0};
    text_printf(&path, "%s/%s", call->output, name);
    bool ok = file_write(path.data, t, err);
    text_fini(&path);
    return ok;
}

static bool write_files(struct correlate_call *call, struct text *csv, struct err *err)
{
    struct text json = {0}, page = {0};
    json_t *data = correlate_json(&call->correlate, &call->result, &call->fitted);
    char *dump = json_dumps(data, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
    text_printf(&json, "%s\n", dump);
    free(dump);
    page_correlate_make(data, &page);
    json_decref(data);
    correlate_csv(&call->correlate, &call->result, csv);
    bool ok = write_file(call, "launches.csv", csv, err) &&
              write_file(call, "correlation.json", &json, err) &&
              write_file(call, "page.html", &page, err);
    text_fini(&json);
    text_fini(&page);
    return ok;
}

/* What ran must be what was recorded, and all of it must have run; how far it is off is a result.
 */
static bool check_programs(const struct correlate_call *call, struct err *err)
{
    const struct correlate_result *r = &call->result;
    const struct correlate_program *first = NULL;
    for (u32 i = 0; i < r->program_count; i++) {
        const struct correlate_program *p = &r->programs[i];
        if (p->is_mismatch)
            return err_at(err, (struct src_pos){0}, "%s", p->failure);
        first = first || !p->failure ? first : p;
    }
    return !first || (call->no_run && r->runs_done) ||
           err_kind(err, ERR_VERIFY, "%u of %u programs have no result; %s: %s", r->runs_missing,
                    r->program_count, first->name, first->failure);
}

static bool answer(const struct cli *cli, struct correlate_call *call, struct err *err)
{
    struct text csv = {0}, t = {0};
    bool ok = write_files(call, &csv, err);
    if (ok && cli_has(cli, "csv"))
        printf("%s", csv.data);
    else if (ok && !call->quiet) {
        correlate_text(&call->correlate, &call->result, &call->fitted, cli_has(cli, "kernels"), &t);
        printf("%s\npage in %s/page.html, all launches in launches.csv and correlation.json\n",
               t.data, call->output);
    }
    text_fini(&csv);
    text_fini(&t);
    return ok && check_programs(call, err);
}

static bool run_correlate(struct cli *cli, struct err *err)
{
    struct correlate_call call = {0};
    struct plan *plan = NULL;
    static const char *const files[] = {"launches.csv", "correlation.json", "page.html", NULL};
    bool ok = chip_threads(cli, err) && correlate_call_open(&call, cli, err) &&
              folder_check_writable(call.output, files, err);
    const struct correlate_fitted *f = &call.fitted;
    ok = ok && (!call.fit.count || try_all(&call, err)) &&
         make_plan(&call, HALF_BOTH, f->count ? f->trials[f->chosen].settings : NULL,
                   f->count ? f->settings : 0, &plan, err) &&
         compare(&call, plan, NULL, &call.result, err) && answer(cli, &call, err);
    arena_fini(&call.arena);
    return ok;
}

static const struct example examples[] = {
    {"heddle correlate h200 --quick", "twelve programs, a few minutes"},
    {"heddle correlate h200 -j2", "all recorded programs; finished runs are not repeated"},
    {"heddle correlate h200 --fit launch.cycles=2000,2400,2800",
     "the best of three values on one half, reported for the other"},
    {"heddle correlate ./silicon/mygpu --chip mine.yaml", "a chip of your own beside its GPU"},
    {NULL, NULL},
};

const struct command command_correlate = {
    .name = "correlate",
    .arguments = "NAME|FOLDER | FILE.csv [-- PROGRAM [ARGUMENTS]]",
    .summary = "compare a chip with the GPU it models, launch by launch and counter by counter",
    .description =
        "Runs the programs of a table of measurements (silicon/NAME/kernels-SIZE.csv, made by "
        "tools/silicon) on the chip, as `heddle sweep` does: resumable, into the results database. "
        "Prints the error of every program and counter, correlations, which goals are met, and the "
        "kernels with the largest errors and their causes. Programs are divided into two halves by "
        "the hash of their names: --fit tries values on one, and the other is reported. "
        "docs/internals/fidelity.md has the method.\n\nA FILE.csv is what `ncu --csv` printed: its "
        "launches are compared with those of the program after --, or of programs in a folder that "
        "have the same names as its processes.",
    .options = options,
    .examples = examples,
    .completes = "file",
    .run = run_correlate,
};
