/* heddle sweep: many runs from one file, their results in a database. */
#include "base/file.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/sweep_options.h"
#include "cli/sweep_progress.h"
#include "cli/workload.h"
#include "campaign/slurm_task.h"
#include "campaign/table.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option_def options[] = {
    {'j', "jobs", "N", OPTION_JOBS_HELP, NULL},
    {0, "db", "FILE", OPTION_DB_HELP, "file"},
    {'n', "dry-run", NULL, "list the runs and their estimated time, run nothing", NULL},
    {0, "retry", NULL, OPTION_RETRY_HELP, NULL},
    {0, "again", NULL, OPTION_AGAIN_HELP, NULL},
    {0, "record", NULL, "execute each workload once and time its recording at every point", NULL},
    {0, "timeout", "SECONDS", "time limit of a run (default: a day)", NULL},
    {0, "limit", "N", "start at most N runs", NULL},
    {0, "csv", "FILE", "write all points with all statistics, one per line", "file"},
    {0, "worker", NULL,
     "only take queued runs until none are left: for several processes on one machine", NULL},
    {0, "slurm", NULL, OPTION_SLURM_HELP, NULL},
    {0, "slurm-options", "WORDS", OPTION_SLURM_OPTIONS_HELP, NULL},
    {0, "slurm-task", "FOLDER", "internal: run one task of --slurm", "file"},
    {'q', "quiet", NULL, "print errors only", NULL},
    {0},
};

/* Everything of one call. */
struct sweep_call {
    struct arena arena;
    struct sweep_file file;
    struct plan plan;
    struct sweep_options options;
    const char *csv;
    bool quiet;
};

static bool read_options(const struct cli *cli, struct sweep_call *call, struct err *err)
{
    call->csv = cli_value(cli, "csv");
    call->quiet = cli_has(cli, "quiet");
    return sweep_options_read(cli, &call->options, &call->arena, err);
}

static bool read_sweep(const struct cli *cli, struct sweep_call *call, struct err *err)
{
    const char **names;
    if (cli->argument_count != 1)
        return err_at(err, (struct src_pos){0}, "one sweep file is expected, %u are given",
                      cli->argument_count);
    struct study_host host = {.chip_folders = chip_folders(),
                              .bundled_count = workload_names(&call->arena, &names)};
    host.bundled = names;
    return read_options(cli, call, err) &&
           sweep_file_read(&call->file, cli->arguments[0], &call->arena, err) &&
           plan_expand(&call->plan, &call->file, &host, cli_has(cli, "record"), &call->arena, err);
}

/* ---- --dry-run ---- */

/* db NULL: there is none yet. */
static const char *status_of(struct db *db, const char *key, struct err *err)
{
    enum run_status status = RUN_STATUS_COUNT;
    if (!db)
        return "new";
    sqlite3_stmt *s = db_ask(db, err, "SELECT status FROM runs WHERE key = ?", "t", key);
    if (db_next(db, s, err)) {
        status = run_status_find(db_text(s, 0));
        sqlite3_reset(s);
    }
    return status < RUN_STATUS_COUNT ? run_status_name(status) : "new";
}

static void print_estimate(const struct sweep_call *call, const struct sweep_estimate *e)
{
    char time[32];
    u32 known = e->to_run - e->unknown;
    duration_text(e->seconds / call->options.jobs, time, sizeof time);
    printf("%u runs, %u to run\n", call->plan.count, e->to_run);
    if (known)
        printf("about %s for %u of them, %u at once, from runs of the same workload and chip\n",
               time, known, call->options.jobs);
    if (e->unknown)
        printf("no earlier run shows how long %u of them take\n", e->unknown);
}

static bool dry_run(const struct sweep_call *call, struct err *err)
{
    struct db db = {0};
    assert(call->options.db);
    bool has_db = access(call->options.db, F_OK) == 0;
    if (has_db && !db_open_readonly(&db, call->options.db, err))
        return false;
    struct db *known = has_db ? &db : NULL;
    struct sweep_estimate e;
    for (u32 i = 0; i < call->plan.count && !call->quiet; i++) {
        const struct plan_point *p = call->plan.points[i];
        struct text line = {0};
        text_printf(&line, "%.8s  %-11s  ", p->key, status_of(known, p->key, err));
        point_text(p, &line);
        puts(line.data);
        text_fini(&line);
    }
    bool ok =
        err->kind == ERR_NONE && sweep_estimate(known, &call->plan, call->options.again, &e, err);
    if (ok)
        print_estimate(call, &e);
    db_close(&db);
    return ok;
}

/* ---- the sweep ---- */

static bool write_csv(const struct sweep_call *call, struct err *err)
{
    struct db db;
    struct text t = {0};
    if (!call->csv)
        return true;
    if (!db_open_readonly(&db, call->options.db, err))
        return false;
    bool ok = table_points(&db, &call->plan, &t, err) && file_write(call->csv, &t, err);
    text_fini(&t);
    db_close(&db);
    return ok;
}

static void print_summary(const struct sweep_call *call, const struct sweep_result *r)
{
    const u32 *n = r->counts.by_status;
    printf("%s: %u of %u runs done, %u run now", call->file.name, n[RUN_DONE], call->plan.count,
           r->ran);
    for (u32 i = 0; i < RUN_STATUS_COUNT; i++) {
        if (i != RUN_DONE && n[i])
            printf(", %u %s", n[i], run_status_name((enum run_status)i));
    }
    printf("; results in %s\n", call->options.db);
    if (r->counts.of_other_build)
        printf("%u of the results are from another build of this version (--again renews them)\n",
               r->counts.of_other_build);
}

static bool judge(const struct sweep_call *call, const struct sweep_result *r, struct err *err)
{
    const u32 *n = r->counts.by_status;
    u32 bad = n[RUN_FAILED] + n[RUN_HUNG] + n[RUN_TIMED_OUT] + n[RUN_INTERRUPTED];
    if (r->interrupted)
        return err_kind(err, ERR_INTERRUPTED,
                        "interrupted: %u of %u runs are done; run the same command to continue",
                        n[RUN_DONE], call->plan.count);
    if (bad)
        return err_kind(err, ERR_VERIFY,
                        "%u of %u runs have no result; `heddle results` tells why, --retry runs "
                        "them again",
                        bad, call->plan.count);
    return true;
}

static bool sweep(const struct sweep_call *call, struct err *err)
{
    struct sweep_screen screen;
    struct sweep_result result;
    sweep_screen_init(&screen, call->quiet);
    struct sweep_watcher watcher = sweep_screen_watcher(&screen);
    bool ok = sweep_run(&call->plan, &call->options, &watcher, &result, err);
    sweep_screen_end(&screen);
    if (!ok)
        return false;
    if (!call->quiet)
        print_summary(call, &result);
    return write_csv(call, err) && judge(call, &result, err);
}

static bool run_sweep(struct cli *cli, struct err *err)
{
    struct sweep_call call = {0};
    const char *csv = cli_value(cli, "csv");
    if (cli_has(cli, "slurm-task"))
        return slurm_task_run(cli_value(cli, "slurm-task"), err);
    bool ok = read_sweep(cli, &call, err) && (!csv || file_check_writable(csv, err)) &&
              (cli_has(cli, "dry-run") ? dry_run(&call, err) : sweep(&call, err));
    arena_fini(&call.arena);
    return ok;
}

static const struct example examples[] = {
    {"heddle sweep grid.yaml -j2", "run what is missing, two at once"},
    {"heddle sweep grid.yaml --dry-run", "what would run, and the estimated time"},
    {"heddle sweep grid.yaml --csv grid.csv", "and write all points as a table"},
    {"heddle sweep grid.yaml --slurm -j 50 --slurm-options '--partition=long --time=4:00:00'",
     "on a cluster, as an array of 50 tasks"},
    {NULL, NULL},
};

const struct command command_sweep = {
    .name = "sweep",
    .arguments = "FILE.yaml",
    .summary = "run many points from one file, resumable, into a database",
    .description =
        "Runs every combination of chips, workloads and parameter values in the file, each in its "
        "own process, and keeps all results in one SQLite file. Finished runs are not repeated, a "
        "stopped or killed sweep continues where it was, and two sweeps on one database share the "
        "work. A run that fails, hangs or times out is recorded with its message, and the exit "
        "code is then 1. With --slurm the runs are tasks of a Slurm job array; this process waits, "
        "collects results, and resubmits work lost with a node. docs/howto/sweeps.md has the file "
        "format and the tables.",
    .options = options,
    .examples = examples,
    .completes = "file",
    .run = run_sweep,
};
