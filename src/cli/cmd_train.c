/* heddle train: weights of a learning policy, from profiles of kernels. */
#include "base/units.h"
#include "cli/command.h"
#include "cli/sweep_progress.h"
#include "cli/workload.h"
#include "study/train/plans.h"
#include "study/train/trainer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_DB "heddle-out/results.db"

static const struct option_def options[] = {
    {0, "from", "FILE", "the results database (default: " DEFAULT_DB ")", "file"},
    {'c', "chip", "NAME|FILE", "that runs the profiles (default: kepler8)", "chips"},
    {0, "grid", "GRID", "tuples to run: coarse (66), full (300), or values such as 1,4,8,24", NULL},
    {0, "programs", "LIST", "to learn from (default: gco,pvr,ccl)", NULL},
    {0, "size", "SIZE", "of the programs: tiny, small (default) or large", NULL},
    {'o', "output", "FILE", "the weights, for --policy warp=poise,weights=FILE", "file"},
    {0, "kernels", "FILE", "every kernel with features, target and prediction, as CSV", "file"},
    {0, "without", "LIST", "features to leave out: x1 to x7, or their names", NULL},
    {0, "min-gain", "PERCENT", "learn from kernels that some tuple speeds up by this (1.5)", NULL},
    {0, "gain-at-target", NULL, "that the target tuple speeds up so much", NULL},
    {0, "min-cycles", "N", "and that take as long at (W,W) (10000)", NULL},
    {0, "score", "RULE", "divide scores by weights (default) or by count, or add up gain", NULL},
    {0, "dispersion", "X", "of the negative binomial distribution (1)", NULL},
    {0, "direct", NULL, "run every program at every tuple, replay no recordings", NULL},
    {'j', "jobs", "N", "runs at once (default: as many as there are cores)", NULL},
    {0, "timeout", "SECONDS", "end a run that takes longer", NULL},
    {0, "retry", NULL, "run those again that failed, hung or timed out", NULL},
    {0, "no-run", NULL, "learn from what the database holds, run nothing", NULL},
    {'n', "dry-run", NULL, "how many runs are missing and how long they may take", NULL},
    {'q', "quiet", NULL, "no progress, no tables: the files alone", NULL},
    {0},
};

/* Everything of one call. */
struct train_call {
    struct arena arena;
    const char *grid_name;
    struct train_request request;
    struct train_options train;
    struct sweep_options sweep;
    struct study_host host;
    struct train_plans plans;
    struct train_set training, evaluation;
    bool quiet;
};

/* ---- options ---- */

/* "a,b" in pieces. */
static u32 split(const char *list, struct arena *arena, const char ***out)
{
    u32 count = 0;
    char *rest = arena_strdup(arena, list);
    *out = ARENA_ARRAY(arena, const char *, strlen(list) + 1);
    for (char *item; (item = strsep(&rest, ","));)
        (*out)[count++] = item;
    return count;
}

static bool is_among(const char *name, const char *const *names, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static bool read_programs(const struct cli *cli, struct train_call *call, struct err *err)
{
    struct train_request *r = &call->request;
    const char *given = cli_value(cli, "programs");
    const char **list;
    r->programs = training_programs;
    while (!given && training_programs[r->program_count])
        r->program_count++;
    if (given) {
        r->program_count = split(given, &call->arena, &list);
        r->programs = list;
    }
    for (u32 i = 0; i < r->program_count; i++) {
        if (!is_among(r->programs[i], call->host.bundled, call->host.bundled_count))
            return err_unknown(err, (struct src_pos){0}, "program", r->programs[i],
                               call->host.bundled, call->host.bundled_count,
                               "heddle list workloads");
        if (is_among(r->programs[i], r->programs, i))
            return err_at(err, (struct src_pos){0}, "--programs has %s twice", r->programs[i]);
    }
    return true;
}

static bool read_real(const struct cli *cli, const char *option, double lo, double hi, double *out,
                      struct err *err)
{
    const char *text = cli_value(cli, option);
    if (!text || (quantity_double(text, "", out) == QUANTITY_OK && *out >= lo && *out <= hi))
        return true;
    char subject[64];
    snprintf(subject, sizeof subject, "--%s", option);
    return err_found(err, (struct src_pos){0}, subject, text, "%g to %g", lo, hi);
}

static bool read_rule(const struct cli *cli, struct train_options *o, struct err *err)
{
    const char *given = cli_value(cli, "score");
    for (u32 i = 0; given && i < SCORE_RULES; i++) {
        if (strcmp(given, score_rule_names[i]) == 0) {
            o->rule = (enum score_rule)i;
            return true;
        }
    }
    return !given || err_unknown(err, (struct src_pos){0}, "rule of --score", given,
                                 score_rule_names, SCORE_RULES, NULL);
}

static bool read_training(const struct cli *cli, struct train_call *call, struct err *err)
{
    struct train_options *o = &call->train;
    const char *without = cli_value(cli, "without");
    const char **list = NULL;
    u32 count = without ? split(without, &call->arena, &list) : 0;
    double percent = 100 * train_defaults.least_gain;
    *o = train_defaults;
    o->gain_at_target = cli_has(cli, "gain-at-target");
    if (!read_rule(cli, o, err) || !read_real(cli, "min-gain", 0, 1000, &percent, err) ||
        !read_real(cli, "dispersion", 1e-6, 1e6, &o->dispersion, err) ||
        !cli_number(cli, "min-cycles", 0, UINT64_MAX / 2, o->least_cycles, &o->least_cycles, err))
        return false;
    o->least_gain = percent / 100;
    for (u32 i = 0; i < count; i++) {
        if (!train_leave_out(o, list[i], err))
            return false;
    }
    return true;
}

static bool read_running(const struct cli *cli, struct train_call *call, struct err *err)
{
    struct sweep_options *o = &call->sweep;
    const char *timeout = cli_value(cli, "timeout"), *from = cli_value(cli, "from");
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    u64 jobs;
    o->db = from ? from : DEFAULT_DB;
    o->again = cli_has(cli, "retry") ? QUEUE_RETRY : QUEUE_NEW;
    if (timeout &&
        (quantity_double(timeout, "s", &o->timeout_s) != QUANTITY_OK || !(o->timeout_s > 0)))
        return err_found(err, (struct src_pos){0}, "--timeout", timeout,
                         "a time above zero, such as 600 or 600s");
    if (!cli_number(cli, "jobs", 1, 4096, cores > 0 ? (u64)cores : 1, &jobs, err))
        return false;
    o->jobs = (u32)jobs;
    return true;
}

static bool read_call(const struct cli *cli, struct train_call *call, struct err *err)
{
    static const char *const policies[] = {"poise"};
    struct train_request *r = &call->request;
    struct workload *all;
    if (cli->argument_count != 1)
        return err_at(err, (struct src_pos){0}, "one policy is expected: poise");
    if (strcmp(cli->arguments[0], policies[0]) != 0)
        return err_unknown(err, (struct src_pos){0}, "policy to train", cli->arguments[0], policies,
                           ARRAY_LEN(policies), NULL);
    u32 count = workload_list(&call->arena, &all);
    const char **names = ARENA_ARRAY(&call->arena, const char *, count + 1);
    for (u32 i = 0; i < count; i++)
        names[i] = all[i].name;
    call->host = (struct study_host){chip_folders(), names, count};
    call->quiet = cli_has(cli, "quiet");
    call->grid_name = cli_has(cli, "grid") ? cli_value(cli, "grid") : GRID_COARSE;
    r->chip = cli_has(cli, "chip") ? cli_value(cli, "chip") : "kepler8";
    r->size = cli_has(cli, "size") ? cli_value(cli, "size") : "small";
    r->direct = cli_has(cli, "direct");
    return read_programs(cli, call, err) && grid_read(&r->grid, call->grid_name, err) &&
           read_training(cli, call, err) && read_running(cli, call, err) &&
           train_plans_make(&call->plans, r, &call->host, &call->arena, err);
}

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
                  err_kind(err, ERR_INPUT, "interrupted; the same command goes on from here"));
}

static bool dry_run(const struct train_call *call, struct err *err)
{
    struct db db = {0};
    struct sweep_estimate a, b;
    char time[32];
    bool has_db = access(call->sweep.db, F_OK) == 0;
    if (has_db && !db_open_readonly(&db, call->sweep.db, err))
        return false;
    struct db *known = has_db ? &db : NULL;
    bool ok = sweep_estimate(known, &call->plans.recorded.plan, call->sweep.again, &a, err) &&
              sweep_estimate(known, &call->plans.direct.plan, call->sweep.again, &b, err);
    db_close(&db);
    if (!ok)
        return false;
    duration_text((a.seconds + b.seconds) / call->sweep.jobs, time, sizeof time);
    printf("%u runs, %u to run", call->plans.recorded.plan.count + call->plans.direct.plan.count,
           a.to_run + b.to_run);
    if (a.to_run + b.to_run > a.unknown + b.unknown)
        printf("; about %s for %u of them, %u at once", time,
               a.to_run + b.to_run - a.unknown - b.unknown, call->sweep.jobs);
    printf("\n");
    return true;
}

/* ---- training ---- */

/* Programs to judge by whose profiles are there already; none that the weights learn from. */
static bool read_evaluation(struct train_call *call, struct db *db, struct err *err)
{
    struct train_request r = call->request;
    struct train_plans plans;
    const char **programs = ARENA_ARRAY(&call->arena, const char *, 64);
    r.program_count = 0;
    for (u32 i = 0; evaluation_programs[i]; i++) {
        const char *name = evaluation_programs[i];
        if (is_among(name, call->host.bundled, call->host.bundled_count) &&
            !is_among(name, call->request.programs, call->request.program_count))
            programs[r.program_count++] = name;
    }
    r.programs = programs;
    if (!train_plans_make(&plans, &r, &call->host, &call->arena, err))
        return false;
    for (u32 i = 0; i < r.program_count; i++) {
        const struct plan *plan = train_plans_find(&plans, programs[i]);
        u32 missing;
        if (profile_is_complete(db, plan, programs[i], &missing, err) &&
            !train_set_read(&call->evaluation, db, plan, programs[i], &call->arena, err))
            return false;
    }
    return err->kind == ERR_NONE;
}

static bool read_profiles(struct train_call *call, struct err *err)
{
    struct db db;
    u32 runs = grid_size(&call->request.grid);
    if (!db_open_readonly(&db, call->sweep.db, err))
        return false;
    bool ok = true;
    for (u32 i = 0; ok && i < call->request.program_count; i++) {
        const char *program = call->request.programs[i];
        ok = train_set_read(&call->training, &db, train_plans_find(&call->plans, program), program,
                            &call->arena, err);
    }
    ok = ok && read_evaluation(call, &db, err);
    db_close(&db);
    train_set_judge(&call->training, runs, &call->train);
    train_set_judge(&call->evaluation, runs, &call->train);
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
    FILE *f = fopen(path, "w");
    bool ok = f && fwrite(text.data, 1, text.length, f) == text.length;
    if (f)
        ok = fclose(f) == 0 && ok;
    text_fini(&text);
    return ok ||
           err_at(err, (struct src_pos){path, 0, 0}, "cannot write the file: %s", strerror(errno));
}

static bool learn(const struct cli *cli, struct train_call *call, struct err *err)
{
    const struct train_request *r = &call->request;
    struct train_subject subject = {.chip = r->chip,
                                    .size = r->size,
                                    .grid = call->grid_name,
                                    .programs = r->programs,
                                    .program_count = r->program_count,
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
    return write_file(cli_value(cli, "output"), train_write_weights, &subject, &trained, err);
}

static bool run_train(struct cli *cli, struct err *err)
{
    struct train_call call = {0};
    bool ok = read_call(cli, &call, err);
    if (ok && cli_has(cli, "dry-run")) {
        ok = dry_run(&call, err);
    } else if (ok) {
        ok = (cli_has(cli, "no-run") || (run_plan(&call, &call.plans.recorded.plan, err) &&
                                         run_plan(&call, &call.plans.direct.plan, err))) &&
             read_profiles(&call, err) && learn(cli, &call, err);
    }
    train_set_fini(&call.training);
    train_set_fini(&call.evaluation);
    arena_fini(&call.arena);
    return ok;
}

static const struct example examples[] = {
    {"heddle train poise -o weights.yaml", "run the profiles that are missing, then learn"},
    {"heddle train poise --dry-run", "how long that may take"},
    {"heddle train poise --no-run --without x6 -o no-x6.yaml", "learn again without a feature"},
    {NULL, NULL},
};

static const char *const words[] = {"poise", NULL};

const struct command command_train = {
    .name = "train",
    .arguments = "poise",
    .summary = "weights of a policy that learns, from profiles of kernels",
    .description =
        "Runs programs at many tuples {N, p} of the policy `fixed`, as `heddle sweep` does: what "
        "the database holds is not run again. Every kernel that a tuple speeds up becomes a row of "
        "two regressions, from its features at (W,W) and (1,1) to the tuple to aim at. Prints the "
        "weights, how well they fit, and the error of predictions, also for each program by "
        "weights "
        "learned from the others. docs/warp-policies.md has the method.",
    .options = options,
    .examples = examples,
    .words = words,
    .run = run_train,
};
