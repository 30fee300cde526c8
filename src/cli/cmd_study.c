/* heddle study: a published study, its numbers beside ours. */
#include "base/units.h"
#include "base/err_report.h"
#include "base/file.h"
#include "cli/chip_options.h"
#include "cli/command.h"
#include "cli/studies.h"
#include "cli/sweep_options.h"
#include "cli/sweep_progress.h"
#include "cli/workload.h"
#include "report/page.h"
#include "study/study.h"
#include "study/study_own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_def options[] = {
    {0, "quick", NULL, "run the small variant, a few minutes", NULL},
    {'j', "jobs", "N", OPTION_JOBS_HELP, NULL},
    {0, "db", "FILE", OPTION_DB_HELP, "file"},
    {'o', "output", "FOLDER", "folder for verdict and page (default: " STUDIES_OUTPUT "/NAME)",
     "file"},
    {'n', "dry-run", NULL, "print how many runs are missing and their estimated time", NULL},
    {0, "no-run", NULL,
     "judge the runs in the database, run nothing; traces of the suite need not be recorded here",
     NULL},
    {0, "keep", "FILE",
     "reuse results from an earlier runs.csv without checking that they are still valid", "file"},
    {0, "with", "QUESTION=NAME",
     "add a column with this policy in place of a published one; parameters follow after commas",
     NULL},
    {0, "like", "SET",
     "with --with: the set of runs to repeat with the policy (default: the first that chooses a "
     "policy for this question)",
     NULL},
    {0, "plugin", "FILE.so", "load a policy from a shared object; repeatable", "file"},
    {0, "all", NULL, "run all studies, one after the other", NULL},
    {0, "retry", NULL, OPTION_RETRY_HELP, NULL},
    {0, "again", NULL, OPTION_AGAIN_HELP, NULL},
    {0, "slurm", NULL, OPTION_SLURM_HELP, NULL},
    {0, "slurm-options", "WORDS", OPTION_SLURM_OPTIONS_HELP, NULL},
    {0, "markdown", NULL, "list: print the page docs/studies.md", NULL},
    {'q', "quiet", NULL, "print nothing; only write the verdict and set the exit code", NULL},
    {0},
};

struct study_call {
    struct arena arena;
    struct study study;
    struct sweep_options options;
    const char *output;
    bool quiet;
    u32 missing; /* runs without a result, of those that were to be made */
};

/* ---- one of them ---- */

/* --with: a policy of the reader's own. */
static bool add_own(const struct cli *cli, struct study_call *call, struct err *err)
{
    const char *with = cli_value(cli, "with"), *const * sets;
    u32 count;
    if (!with)
        return !cli_has(cli, "like") ||
               err_at(err, (struct src_pos){0}, "--like is only used with --with");
    if (!chip_policy_sets("with", with, &call->arena, &sets, &count, err))
        return false;
    const char *equals = strchr(sets[0], '=');
    struct study_own own = {
        .param = arena_printf(&call->arena, "%.*s", (int)(equals - sets[0]), sets[0]),
        .policy = equals + 1,
        .asked = arena_printf(&call->arena, "--with %s", with),
        .settings = sets + 1,
        .setting_count = count - 1,
        .like = cli_value(cli, "like")};
    return study_add_own(&call->study, &own, &call->arena, err);
}

static bool open_study(const struct cli *cli, const char *name, struct study_call *call,
                       struct err *err)
{
    const char **names, **programs;
    u32 count = studies_list(&call->arena, &names), i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    const char *folder = i < count ? arena_printf(&call->arena, "%s/%s", studies_folder(), name)
                                   : name; /* a folder of one's own */
    if (i == count && access(arena_printf(&call->arena, "%s/study.yaml", name), R_OK) != 0)
        return err_unknown(err, (struct src_pos){0}, "study", name, names, count,
                           "heddle study list");
    struct study_host host = {.chip_folders = chip_folders(),
                              .bundled_count = workload_names(&call->arena, &programs)};
    host.bundled = programs;
    host.only_accepted = true;
    host.runs_nothing = cli_has(cli, "no-run");
    host.sources = workload_sources(&call->arena);
    call->quiet = cli_has(cli, "quiet");
    return sweep_options_read(cli, &call->options, &call->arena, err) &&
           study_read(&call->study, folder, cli_has(cli, "quick"), &host, &call->arena, err) &&
           add_own(cli, call, err) && study_check(&call->study, &call->arena, err) &&
           (!cli_has(cli, "keep") ||
            study_keep(&call->study, cli_value(cli, "keep"), &call->arena, err));
}

/* Who starts a whole study should know how long it takes, and what takes minutes instead. */
#define LONG_HOURS 2.0
static void warn_if_long(struct study_call *call)
{
    struct study_brief b;
    struct err ignored = {0};
    const char *folder = call->study.folder;
    if (call->quiet || call->study.quick || !call->study.plan.count ||
        !study_brief_read(&b, folder, arena_printf(&call->arena, "%s/results", folder),
                          &call->arena, &ignored) ||
        b.hours < LONG_HOURS)
        return;
    printf("the whole study took %.1f hours of one core when it was last run; --quick takes "
           "minutes\n",
           b.hours);
    fflush(stdout);
}

static bool run_points(struct study_call *call, struct err *err)
{
    warn_if_long(call);
    struct sweep_screen screen;
    struct sweep_result result;
    if (!call->study.plan.count)
        return true;
    sweep_screen_init(&screen, call->quiet);
    struct sweep_watcher watcher = sweep_screen_watcher(&screen);
    bool ok = sweep_run(&call->study.plan, &call->options, &watcher, &result, err);
    sweep_screen_end(&screen);
    call->missing = call->study.plan.count - result.counts.by_status[RUN_DONE];
    return ok && (!result.interrupted || err_kind(err, ERR_INTERRUPTED,
                                                  "interrupted; run the same command to continue, "
                                                  "or add --no-run to judge the results so far"));
}

/* A miss is a result; a run that should have been made and has none is not. */
static bool check_runs(const struct study_call *call, struct err *err)
{
    return !call->missing ||
           err_kind(err, ERR_VERIFY,
                    "%u of %u runs have no result; `heddle results failed` tells why, --retry runs "
                    "them again",
                    call->missing, call->study.plan.count);
}

static bool judge(struct study_call *call, struct err *err)
{
    struct db db;
    struct text t = {0};
    const char *verdict = arena_printf(&call->arena, "%s/verdict.json", call->output);
    const char *page = arena_printf(&call->arena, "%s/page.html", call->output);
    const char *checks = arena_printf(&call->arena, "%s/checks.csv", call->output);
    const char *programs = arena_printf(&call->arena, "%s/programs.csv", call->output);
    const char *runs = arena_printf(&call->arena, "%s/runs.csv", call->output);
    if (!db_open(&db, call->options.db, err))
        return false;
    bool ok = study_measure(&call->study, &db, &call->arena, err) &&
              study_write_json(&call->study, verdict, err) &&
              study_write_checks(&call->study, checks, err) &&
              (!call->study.is_judged || study_write_programs(&call->study, programs, err)) &&
              study_write_runs(&call->study, &db, runs, err) && page_study(verdict, page, err);
    db_close(&db);
    if (ok && !call->quiet) {
        study_write_text(&call->study, &t);
        printf("%spage in %s, verdict in %s\n", t.data, page, verdict);
        text_fini(&t);
    }
    return ok;
}

static bool estimate(struct study_call *call, struct err *err)
{
    struct db db = {0};
    struct sweep_estimate e;
    char time[32];
    bool has_db = access(call->options.db, F_OK) == 0;
    if (has_db && !db_open_readonly(&db, call->options.db, err))
        return false;
    bool ok = sweep_estimate(has_db ? &db : NULL, &call->study.plan, call->options.again, &e, err);
    db_close(&db);
    if (!ok)
        return false;
    duration_text(e.seconds / call->options.jobs, time, sizeof time);
    printf("%u runs, %u to run", call->study.plan.count, e.to_run);
    if (e.to_run > e.unknown)
        printf(", about %s for %u of them, %u at once", time, e.to_run - e.unknown,
               call->options.jobs);
    printf("\n");
    return true;
}

static bool run_one(const struct cli *cli, const char *name, struct err *err)
{
    static const char *const files[] = {"verdict.json", "checks.csv",   "page.html",
                                        "runs.csv",     "programs.csv", NULL};
    struct study_call call = {0};
    bool ok = open_study(cli, name, &call, err);
    const char *output = cli_value(cli, "output");
    call.output =
        output && !cli_has(cli, "all")
            ? output
            : arena_printf(&call.arena, "%s/%s", output ? output : STUDIES_OUTPUT, call.study.name);
    if (ok && cli_has(cli, "dry-run"))
        ok = estimate(&call, err);
    else
        ok = ok && folder_check_writable(call.output, files, err) &&
             (cli_has(cli, "no-run") || run_points(&call, err)) && judge(&call, err) &&
             check_runs(&call, err);
    arena_fini(&call.arena);
    return ok;
}

/* One whose runs have no result, or whose inputs are not here, does not stop the others. */
static bool run_all(const struct cli *cli, struct err *err)
{
    static const char *const single[] = {"keep", "with", "like"};
    struct arena arena = {0};
    const char **names;
    u32 count = studies_list(&arena, &names), failed = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < ARRAY_LEN(single); i++) {
        if (cli_has(cli, single[i]))
            ok = err_at(err, (struct src_pos){0}, "--%s applies to a single study, not to --all",
                        single[i]);
    }
    for (u32 i = 0; ok && i < count; i++) {
        struct err own = {0};
        if (!cli_has(cli, "quiet"))
            printf("%sstudy %s\n", i ? "\n" : "", names[i]);
        fflush(stdout);
        if (run_one(cli, names[i], &own))
            continue;
        ok = own.kind != ERR_INTERRUPTED;
        failed++;
        if (ok)
            err_report(&own);
        else
            *err = own;
    }
    arena_fini(&arena);
    return ok &&
           (!failed || err_kind(err, ERR_VERIFY, "%u of %u studies are incomplete", failed, count));
}

static bool run_study(struct cli *cli, struct err *err)
{
    if (!chip_plugins(cli, err))
        return false;
    if (cli_has(cli, "all"))
        return cli->argument_count ? err_at(err, (struct src_pos){0},
                                            "--all runs all studies, expected no name with it")
                                   : run_all(cli, err);
    if (cli->argument_count != 1)
        return err_at(err, (struct src_pos){0},
                      "one study is expected, %u are given; `heddle study "
                      "list` shows them",
                      cli->argument_count);
    if (strcmp(cli->arguments[0], "list") == 0) {
        struct text t = {0};
        bool ok = cli_has(cli, "markdown") ? studies_page(&t, err) : studies_text(&t, err);
        printf("%s", ok && t.data ? t.data : "");
        text_fini(&t);
        return ok;
    }
    return run_one(cli, cli->arguments[0], err);
}

static const struct example examples[] = {
    {"heddle study list", "all studies, with the verdicts on their headline claims"},
    {"heddle study calibrate --quick", "a small variant, a few minutes"},
    {"heddle study calibrate -j2", "the whole study; finished runs are not repeated"},
    {"heddle study tap --with llc.partition=mine --plugin mine.so",
     "your own policy as an additional column"},
    {NULL, NULL},
};

static const char *const words[] = {"list", NULL};

const struct command command_study = {
    .name = "study",
    .arguments = "NAME|list",
    .summary = "run a published study and compare its numbers with heddle's",
    .description =
        "Makes the runs of a study (resumable, into the results database, like `heddle sweep`), "
        "computes its numbers and compares them with the published ones. Prints the tables, and "
        "writes checks.csv (one row per check), runs.csv (one row per run), programs.csv (which "
        "are accepted), verdict.json and page.html. A miss is a result, not an error: the exit "
        "code is 0, or 1 if runs have no "
        "result. docs/howto/studies.md shows how to write a study.",
    .options = options,
    .examples = examples,
    .words = words,
    .completes = "studies",
    .run = run_study,
};
