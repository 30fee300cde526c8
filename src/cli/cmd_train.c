/* heddle train: weights of a learning policy, from profiles of kernels. */
#include "base/units.h"
#include "base/file.h"
#include "cli/sweep_progress.h"
#include "cli/train_call.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option_def options[] = {
    {0, "from", "FILE", "the results database (default: " TRAIN_DB ")", "file"},
    {'c', "chip", "NAME|FILE", "chip for the profiles (default: kepler8)", "chips"},
    {0, "grid", "GRID", "tuples to run: coarse (66), full (300), or values such as 1,4,8,24", NULL},
    {0, "programs", "LIST", "training programs (default: gco,pvr,ccl)", "workloads"},
    {0, "evaluate", "LIST", "evaluation programs (default: those with profiles)", "workloads"},
    {0, "evaluate-grid", "GRID", "tuples of the evaluation programs (default: as --grid)", NULL},
    {0, "size", "SIZE", "input size of the programs: tiny, small (default) or large", "sizes"},
    {0, "inputs", "FILE", "sweep or study file whose `workloads:` set the programs' inputs",
     "file"},
    {'o', "output", "FILE", "write the weights, for --policy warp.scheduler=poise,weights=FILE",
     "file"},
    {0, "kernels", "FILE", "write every kernel with features, target and prediction, as CSV",
     "file"},
    {0, "errors", "FILE", "write the errors of the predictions by program, as CSV", "file"},
    {0, "tuples", "FOLDER", "write the best tuple of every kernel, for the policy static_best",
     "file"},
    {0, "without", "LIST", "features to leave out: x1 to x7, or their names", NULL},
    {0, "min-gain", "PERCENT",
     "use kernels that some tuple speeds up by at least this much (default: 1.5)", NULL},
    {0, "gain-at-target", NULL, "apply --min-gain to the target tuple instead", NULL},
    {0, "min-cycles", "N", "use kernels of at least this many cycles at (W,W) (default: 10000)",
     NULL},
    {0, "score", "RULE", "how tuples are scored: weights (default), count or gain", NULL},
    {0, "dispersion", "X", "dispersion of the negative binomial distribution (default: 1)", NULL},
    {0, "windows", NULL,
     "take features from the windows that the policy samples, not from whole runs", NULL},
    {0, "direct", NULL, "run every program at every tuple, replay no recordings", NULL},
    {'j', "jobs", "N", "runs at once (default: the number of cores)", NULL},
    {0, "timeout", "SECONDS", "time limit of a run (default: a day)", NULL},
    {0, "retry", NULL, "repeat runs that failed, hung or timed out", NULL},
    {0, "no-run", NULL, "learn from what the database holds, run nothing", NULL},
    {'n', "dry-run", NULL, "print how many runs are missing and their estimated time", NULL},
    {'q', "quiet", NULL, "print nothing; only write the files", NULL},
    {0},
};

/* ---- runs ---- */

static bool run_plan(const struct train_call *call, const struct plan *plan, struct err *err)
{
    struct sweep_screen screen;
    struct sweep_result result;
    if (!plan->count)
        return true;
    sweep_screen_init(&screen, call->quiet);
    struct sweep_watcher watcher = sweep_screen_watcher(&screen);
    bool ok = sweep_run(plan, &call->sweep, &watcher, &result, err);
    sweep_screen_end(&screen);
    return ok && (!result.interrupted ||
                  err_kind(err, ERR_INTERRUPTED, "interrupted; run the same command to continue"));
}

/* The plans that are to be run; returns how many. */
static u32 list_plans(const struct cli *cli, const struct train_call *call,
                      const struct plan *plans[6])
{
    plans[0] = &call->plans.recorded.plan;
    plans[1] = &call->plans.direct.plan;
    plans[2] = &call->plans.windows.plan;
    plans[3] = &call->unseen_plans.recorded.plan;
    plans[4] = &call->unseen_plans.direct.plan;
    plans[5] = &call->unseen_plans.windows.plan;
    return cli_has(cli, "evaluate") ? 6 : 3;
}

static bool run_plans(const struct cli *cli, const struct train_call *call, struct err *err)
{
    const struct plan *plans[6];
    u32 count = list_plans(cli, call, plans);
    for (u32 i = 0; !cli_has(cli, "no-run") && i < count; i++) {
        if (!run_plan(call, plans[i], err))
            return false;
    }
    return true;
}

static bool dry_run(const struct cli *cli, const struct train_call *call, struct err *err)
{
    const struct plan *plans[6];
    struct sweep_estimate sum = {0}, e;
    struct db db = {0};
    char time[32];
    u32 count = list_plans(cli, call, plans), runs = 0;
    bool has_db = access(call->sweep.db, F_OK) == 0, ok = true;
    if (has_db && !db_open_readonly(&db, call->sweep.db, err))
        return false;
    for (u32 i = 0; ok && i < count; i++) {
        ok = sweep_estimate(has_db ? &db : NULL, plans[i], call->sweep.again, &e, err);
        runs += plans[i]->count;
        sum.to_run += e.to_run;
        sum.unknown += e.unknown;
        sum.seconds += e.seconds;
    }
    db_close(&db);
    if (!ok)
        return false;
    duration_text(sum.seconds / call->sweep.jobs, time, sizeof time);
    printf("%u runs, %u to run", runs, sum.to_run);
    if (sum.to_run > sum.unknown)
        printf("; about %s for %u of them, %u at once", time, sum.to_run - sum.unknown,
               call->sweep.jobs);
    printf("\n");
    return true;
}

/* ---- training ---- */

static bool read_program(struct train_call *call, struct train_set *set,
                         const struct train_plans *plans, const char *program, struct db *db,
                         struct err *err)
{
    return train_set_read(set, db, train_plans_find(plans, program), program, &call->arena, err) &&
           (!call->request.windows ||
            train_set_read_windows(set, db, &plans->windows.plan, program, err));
}

/* All that were asked for, otherwise those whose profiles are there already. */
static bool read_evaluation(struct train_call *call, bool all, struct db *db, struct err *err)
{
    const struct train_request *r = &call->unseen;
    for (u32 i = 0; i < r->program_count; i++) {
        const struct plan *plan = train_plans_find(&call->unseen_plans, r->programs[i]);
        u32 missing;
        if ((all || profile_is_complete(db, plan, r->programs[i], &missing, err)) &&
            !read_program(call, &call->evaluation, &call->unseen_plans, r->programs[i], db, err))
            return false;
    }
    return err->kind == ERR_NONE;
}

static bool read_profiles(const struct cli *cli, struct train_call *call, struct err *err)
{
    struct db db;
    if (!db_open_readonly(&db, call->sweep.db, err))
        return false;
    bool ok = true;
    for (u32 i = 0; ok && i < call->request.program_count; i++) {
        const char *program = call->request.programs[i];
        ok = read_program(call, &call->training, &call->plans, program, &db, err);
    }
    ok = ok && read_evaluation(call, cli_has(cli, "evaluate"), &db, err);
    db_close(&db);
    train_set_judge(&call->training, grid_size(&call->request.grid), &call->train);
    train_set_judge(&call->evaluation, grid_size(&call->unseen.grid), &call->train);
    return ok;
}

typedef void write_fn(const struct train_subject *s, const struct trained *t, struct text *out);

static bool write_file(const char *path, write_fn *write, const struct train_subject *s,
                       const struct trained *t, struct err *err)
{
    struct text text = {0};
    if (!path)
        return true;
    write(s, t, &text);
    bool ok = file_write(path, &text, err);
    text_fini(&text);
    return ok;
}

/* FOLDER/PROGRAM.yaml, for all programs. */
static bool write_tuples(const struct cli *cli, const struct train_call *call,
                         const struct train_set *set, const char *grid, struct err *err)
{
    const char *folder = cli_value(cli, "tuples");
    u32 from = 0;
    bool ok = true;
    for (const char *program; folder && ok && (program = train_next_program(set, &from));) {
        struct text path = {0}, source = {0}, text = {0};
        text_printf(&path, "%s/%s.yaml", folder, program);
        text_printf(&source, "heddle train poise --tuples: the fastest of the grid %s on %s", grid,
                    call->request.chip);
        train_write_tuples(set, program, source.data, &text);
        ok = file_write(path.data, &text, err);
        text_fini(&path);
        text_fini(&source);
        text_fini(&text);
    }
    return ok;
}

static bool learn(const struct cli *cli, struct train_call *call, struct err *err)
{
    const struct train_request *r = &call->request;
    struct train_subject subject = {.chip = r->chip,
                                    .size = r->size,
                                    .grid = call->grid_name,
                                    .programs = r->programs,
                                    .program_count = r->program_count,
                                    .inputs = r->inputs,
                                    .input_count = r->input_count,
                                    .training = &call->training,
                                    .evaluation = &call->evaluation,
                                    .options = &call->train};
    struct trained trained;
    struct text text = {0};
    bool ok = train(&trained, &call->training, NULL, &call->train, err);
    /* without a fit the kernels tell why */
    ok = write_file(cli_value(cli, "kernels"), train_write_kernels, &subject, ok ? &trained : NULL,
                    err) &&
         ok;
    if (!ok)
        return false;
    train_write_text(&subject, &trained, &text);
    if (!call->quiet)
        fputs(text.data, stdout);
    text_fini(&text);
    return write_file(cli_value(cli, "errors"), train_write_errors, &subject, &trained, err) &&
           write_tuples(cli, call, &call->training, call->grid_name, err) &&
           write_tuples(cli, call, &call->evaluation, call->unseen_grid_name, err) &&
           write_file(cli_value(cli, "output"), train_write_weights, &subject, &trained, err);
}

/* Before hours of runs. */
static bool check_files(const struct cli *cli, struct err *err)
{
    static const char *const options_of_files[] = {"output", "kernels", "errors"};
    const char *tuples = cli_value(cli, "tuples");
    for (size_t i = 0; i < ARRAY_LEN(options_of_files); i++) {
        const char *path = cli_value(cli, options_of_files[i]);
        if (path && !file_check_writable(path, err))
            return false;
    }
    static const char *const probe[] = {"tuples.yaml", NULL};
    return !tuples || folder_check_writable(tuples, probe, err);
}

static bool run_train(struct cli *cli, struct err *err)
{
    struct train_call call = {0};
    bool ok = train_call_read(cli, &call, err);
    if (ok && cli_has(cli, "dry-run"))
        ok = dry_run(cli, &call, err);
    else
        ok = ok && check_files(cli, err) && run_plans(cli, &call, err) &&
             read_profiles(cli, &call, err) && learn(cli, &call, err);
    train_call_fini(&call);
    return ok;
}

static const struct example examples[] = {
    {"heddle train poise -o weights.yaml", "run the profiles that are missing, then learn"},
    {"heddle train poise --dry-run", "how long that may take"},
    {"heddle train poise --no-run --without x6 -o w6.yaml", "learn again without a feature"},
    {NULL, NULL},
};

static const char *const words[] = {"poise", NULL};

const struct command command_train = {
    .name = "train",
    .arguments = "poise",
    .summary = "train the weights of a learned policy from profiles of kernels",
    .description =
        "Runs programs at many tuples {N, p} of the policy `fixed`, like `heddle sweep`: finished "
        "runs are not repeated. Every kernel that a tuple speeds up becomes a row of two "
        "regressions, from its features at (W,W) and (1,1) to the tuple to aim at. Prints the "
        "weights, how well they fit, and the error of predictions, also for each program by "
        "weights learned from the others. docs/mechanisms/warp-policies.md has the method.",
    .options = options,
    .examples = examples,
    .words = words,
    .run = run_train,
};
