/* heddle why: what bounds a program, and what would help. */
#include "base/units.h"
#include "machine/cpu_cluster.h"
#include "cli/chip_options.h"
#include "cli/command.h"
#include "cli/workload.h"
#include "cpu_trace/stream.h"
#include "report/why.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_CHIP "fermi15"
#define CPU_CHIP "cpu4"
#define DEFAULT_DB "heddle-out/results.db"
#define DEFAULT_KERNELS 4

static const struct option_def options[] = {
    {'c', "chip", "NAME|FILE",
     "the chip to ask about (default: " DEFAULT_CHIP ", of a CPU program " CPU_CHIP ")", "chips"},
    {'s', "set", "PARAM=VALUE", "override a parameter of the chip; repeatable", "params"},
    {0, "size", "SIZE", "input size of a bundled GPU program: tiny, small (default) or large",
     "sizes"},
    {0, "seed", "N", "seed of all random numbers (default: 1)", NULL},
    {0, "quick", NULL, "only the ideal memories: 4 runs instead of 19", NULL},
    {0, "kernels", "N", "number of longest kernels to judge (default: 4)", NULL},
    {'j', "jobs", "N", "runs at once (default: the number of cores)", NULL},
    {0, "threads", "N", OPTION_THREADS_HELP, NULL},
    {0, "execute", NULL, "execute a program in every run instead of replaying the first", NULL},
    {0, "sample", "SHARE|auto[,first=N]",
     "time a part of the program in every run and estimate the rest, as `heddle run` does", NULL},
    {0, "db", "FILE", "the results database (default: " DEFAULT_DB ")", "file"},
    {0, "again", NULL, "repeat all runs", NULL},
    {0, "timeout", "SECONDS", "time limit of a run (default: a day)", NULL},
    {0, "json", NULL, "print everything as JSON, schema heddle.why/1", NULL},
    {'q', "quiet", NULL, "no progress", NULL},
    {0},
};

struct why_call {
    struct arena arena;
    struct why why;
    struct why_request request;
    struct sweep_options options;
    u64 kernels;
    bool quiet;
};

/* ---- the command line ---- */

static u32 bundled_names(struct arena *arena, const char ***names)
{
    struct workload *all;
    u32 count = workload_list(arena, &all);
    *names = ARENA_ARRAY(arena, const char *, count + 1);
    for (u32 i = 0; i < count; i++)
        (*names)[i] = all[i].name;
    return count;
}

/* NAME [-- its options], FILE, or -- PROGRAM [arguments] */
static bool read_workload(const struct cli *cli, struct why_call *call, struct err *err)
{
    struct sweep_workload *w = &call->request.workload;
    w->is_program = cli->program == 0 && cli->argument_count > 0;
    if (!w->is_program && cli->program != 1)
        return err_at(err, (struct src_pos){0},
                      "one workload is expected, %u are given; see `heddle list workloads`",
                      cli->program);
    w->name.text = cli->arguments[0];
    w->size = cli_has(cli, "size") ? cli_value(cli, "size") : "";
    w->args = ARENA_ARRAY(&call->arena, const char *, cli->argument_count + 1);
    for (u32 i = 1; i < cli->argument_count; i++)
        w->args[w->arg_count++] = cli->arguments[i];
    if (w->is_program && cli_has(cli, "size"))
        return err_at(err, (struct src_pos){0}, "--size applies only to bundled programs");
    return true;
}

static bool read_options(const struct cli *cli, struct why_call *call, struct err *err)
{
    struct sweep_options *o = &call->options;
    struct why_request *r = &call->request;
    const char *timeout = cli_value(cli, "timeout");
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    u64 jobs;
    const char **sets;
    if (!chip_threads(cli, err) || !chip_sets(cli, &call->arena, &sets, &r->set_count, err))
        return false;
    r->sets = sets;
    r->chip = cli_has(cli, "chip") ? cli_value(cli, "chip")
              : cli->argument_count && cli->program && cpu_name_is_program(cli->arguments[0])
                  ? CPU_CHIP
                  : DEFAULT_CHIP;
    r->is_quick = cli_has(cli, "quick");
    r->execute = cli_has(cli, "execute");
    r->sample = cli_has(cli, "sample") ? cli_value(cli, "sample") : NULL;
    o->db = cli_has(cli, "db") ? cli_value(cli, "db") : DEFAULT_DB;
    o->again = cli_has(cli, "again") ? QUEUE_AGAIN : QUEUE_RETRY;
    call->quiet = cli_has(cli, "quiet");
    if (timeout &&
        (quantity_double(timeout, "s", &o->timeout_s) != QUANTITY_OK || !(o->timeout_s > 0)))
        return err_found(err, (struct src_pos){0}, "--timeout", timeout,
                         "a time above zero, such as 600 or 600s");
    if (!cli_number(cli, "jobs", 1, 4096, cores > 0 ? (u64)cores : 1, &jobs, err) ||
        !cli_number(cli, "kernels", 1, 1000, DEFAULT_KERNELS, &call->kernels, err) ||
        !cli_number(cli, "seed", 0, UINT64_MAX, 1, &r->seed, err))
        return false;
    o->jobs = (u32)jobs;
    return true;
}

/* ---- the runs ---- */

static const char *variant_of(const struct why *why, const struct plan_point *point)
{
    for (u32 i = 0; i < why->variant_count; i++) {
        if (why->variants[i].point == point)
            return why->variants[i].whatif->id;
    }
    return "";
}

static void run_ended(void *context, const struct sweep_progress *p, const struct plan_point *point,
                      const struct outcome *outcome)
{
    const struct why_call *call = context;
    if (call->quiet)
        return;
    fprintf(stderr, "%u/%u %-9s %7.2f s  %s%s%s\n", p->before + p->ended, p->plan->count,
            run_status_name(outcome->status), outcome->seconds, variant_of(&call->why, point),
            *outcome->error ? ": " : "", outcome->error);
}

static void print_answer(const struct cli *cli, const struct why_call *call)
{
    struct text out = {0};
    if (cli_has(cli, "json")) {
        json_t *o = why_to_json(&call->why);
        json_dumpf(o, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(o);
        return;
    }
    why_to_text(&call->why, (u32)call->kernels, &out);
    fputs(out.data, stdout);
    text_fini(&out);
}

static bool judge(const struct why_call *call, const struct sweep_result *r, struct err *err)
{
    const u32 *n = r->counts.by_status;
    u32 bad = n[RUN_FAILED] + n[RUN_HUNG] + n[RUN_TIMED_OUT] + n[RUN_INTERRUPTED];
    if (r->counts.of_other_build && !call->quiet)
        fprintf(stderr,
                "%u of the runs are from another build of this version (--again renews "
                "them)\n",
                r->counts.of_other_build);
    return !bad || err_kind(err, ERR_VERIFY,
                            "%u of %u runs have no result; `heddle results` tells "
                            "why",
                            bad, call->why.plan.count);
}

static bool run_points(struct why_call *call, struct sweep_result *result, struct err *err)
{
    struct sweep_watcher watcher = {.context = call, .run_ended = run_ended};
    if (!sweep_run(&call->why.plan, &call->options, &watcher, result, err))
        return false;
    return !result->interrupted ||
           err_kind(err, ERR_INTERRUPTED,
                    "interrupted: %u of %u runs are done; run the same command to continue",
                    result->counts.by_status[RUN_DONE], call->why.plan.count);
}

static bool run_why(struct cli *cli, struct err *err)
{
    struct why_call call = {0};
    struct sweep_result result;
    const char **names;
    struct study_host host = {.chip_folders = chip_folders(),
                              .bundled_count = bundled_names(&call.arena, &names)};
    host.bundled = names;
    bool ok = read_workload(cli, &call, err) && read_options(cli, &call, err) &&
              why_plan(&call.why, &call.request, &host, err) && run_points(&call, &result, err) &&
              why_read(&call.why, call.options.db, err);
    if (ok) {
        print_answer(cli, &call);
        ok = judge(&call, &result, err);
    }
    why_fini(&call.why);
    arena_fini(&call.arena);
    return ok;
}

static const struct example examples[] = {
    {"heddle why bfs --size tiny", "what bounds it on the default chip, and what would help"},
    {"heddle why --quick matmul --chip volta80", "only the ideal memories, on another chip"},
    {"heddle why --chip ampere -- ./my_cuda_app --size 4096", "an unmodified CUDA executable"},
    {"heddle why kernels.yaml --set sm.l1.mshrs=64", "synthetic kernels on a changed chip"},
    {"heddle why cpu:mix", "a CPU program, on a chip of CPU cores"},
    {NULL, NULL},
};

const struct command command_why = {
    .name = "why",
    .arguments = "WORKLOAD [-- ITS OPTIONS] | -- PROGRAM [ARGUMENTS]",
    .summary = "find the bottleneck of a program and what would help",
    .description =
        "Runs the workload on the chip as it is, with ideal memories (DRAM without limits, no "
        "contention below L1, no latency below L1), and with parts of the chip made larger or "
        "wider, always relative to that chip's own values. Then reports, for the program and its "
        "longest kernels, what bounds them, which statistics show it, and the measured gain of "
        "each change. A program is executed once and its recording replayed; --execute is for "
        "programs whose instructions depend on timing, such as spin locks. Runs are kept in the "
        "results database and not repeated; failed ones are tried again. "
        "docs/tutorial/bottleneck.md is a guide.",
    .options = options,
    .examples = examples,
    .completes = "workloads",
    .run = run_why,
};
