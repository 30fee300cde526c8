#include "base/arena.h"
#include "base/file.h"
#include "campaign/plan.h"
#include "machine/cpu_cluster.h"
#include "machine/machine.h"
#include "run/run.h"
#include "cli/command.h"
#include "cli/cuda_program.h"
#include "run/progress.h"
#include "cli/chip_options.h"
#include "cli/launch_options.h"
#include "cli/mix_programs.h"
#include "cli/run_files.h"
#include "cli/workload.h"
#include "cpu_trace/aarch64_stream.h"
#include "cpu_trace/stream.h"
#include "fabric/program.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_CHIP "fermi15"
#define CPU_CHIP "cpu4"        /* for CPU programs */
#define EXAMPLE_CHIP "tandem"  /* what the engine's own example runs on */
#define FABRIC_CHIP "fabric16" /* what programs for a fabric run on */
#define DEFAULT_WATCHDOG 10000000
#define DEFAULT_INTERVAL 10000

static const struct option_def options[] = {
    {'c', "chip", "NAME|FILE",
     "the chip to simulate (default: " DEFAULT_CHIP ", of a CPU program " CPU_CHIP ")", "chips"},
    {0, "on", "CLUSTER", "cluster of the machine to run on (default: the first)", NULL},
    {'s', "set", "PARAM=VALUE", "override a parameter of the chip; repeatable", "params"},
    {'p', "policy", "[PART.]QUESTION=NAME[,PARAM=VALUE]...",
     "choose a policy and its parameters (`heddle list policies`); repeatable", "policies"},
    {0, "plugin", "FILE.so", "load a policy from a shared object; repeatable", "file"},
    {0, "seed", "N", "seed of all random numbers (default: 1)", NULL},
    {'o', "stats", "FILE", "write all statistics: .json (whole result) or .csv", "file"},
    {0, "series", "NAME,NAME",
     "sample these statistics over time into the .json; `programs` stands for the shares of each "
     "program of a mix",
     "stats"},
    {0, "interval", "CYCLES", "interval between samples of series and timeline (default: 10000)",
     NULL},
    {0, "timeline", "FILE", "write a timeline for ui.perfetto.dev", "file"},
    {0, "regions", NULL, "count and show the accesses of each kernel to each of its buffers", NULL},
    {0, "max-cycles", "N", "stop after this many cycles of the first clock", NULL},
    {0, "watchdog", "N", "cycles without progress that count as a hang; 0: never", NULL},
    {0, "trace", "FILE", "run SASS traces: a kernelslist.g or one .traceg of Accel-Sim", "file"},
    {0, "record", "FILE", "record the warp instructions of a GPU program for --replay", "file"},
    {0, "replay", "FILE", "time a recording made by --record, without executing the program",
     "file"},
    {0, "mix", "FILE.yaml", "run several programs at once, as described in the file", "file"},
    {0, "warm", "instructions=N,launches=N,how=functional",
     "warm-up, left out of all statistics: instructions of a CPU program, launches of a GPU "
     "program; functional: warm CPU programs without timing",
     NULL},
    {0, "threads", "N", OPTION_THREADS_HELP, NULL},
    {0, "no-skip", NULL, "tick every unit in every cycle: same results, slower", NULL},
    {0, "functional", NULL, "run a GPU or AArch64 program without timing, for its results only",
     NULL},
    {0, "max-instructions", "N", "without timing: stop a program after N warp instructions", NULL},
    {0, "matrix", "FILE.mtx|GENERATOR",
     "matrix of a sparse product on a fabric (see `heddle matrix`)", "file"},
    {0, "size", "SIZE", "input size of a bundled GPU program: tiny, small (default) or large",
     "sizes"},
    OPTIONS_LAUNCHES,
    {0, "sample", "SHARE|auto[,first=N]",
     "time a share of each kernel's launches and blocks, such as 2% (auto), and estimate the rest",
     NULL},
    {0, "save", "LAUNCH:FILE",
     "write a checkpoint before this launch (counting from 0) and stop; with --functional, the "
     "checkpoint fits any chip",
     NULL},
    {0, "resume", "FILE",
     "continue from a checkpoint of the same program; earlier launches are not executed", "file"},
    {'q', "quiet", NULL,
     "print no progress and no summary, and write no result file unless --stats names one", NULL},
    {0},
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    interrupted = 1;
    mix_programs_interrupt(signal); // NOLINT(bugprone-signal-handler): sets a flag, and kill()
}

/* Ctrl-C, and what batch systems and `timeout` send. */
static void catch_interrupt(void)
{
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
}

struct watch {
    struct progress progress;
    struct run *run;
};

static bool poll(void *context, const struct engine *engine)
{
    struct watch *w = context;
    (void)engine;
    progress_update(&w->progress, w->run);
    return !interrupted;
}

/* The statistics of --series, each once. */
static bool read_series(const struct cli *cli, struct arena *arena, const char ***names, u32 *count,
                        struct err *err)
{
    const char *list = cli_value(cli, "series");
    char *rest = list ? arena_strdup(arena, list) : NULL;
    *count = 0;
    *names = ARENA_ARRAY(arena, const char *, list ? strlen(list) / 2 + 2 : 1);
    for (char *word; (word = strsep(&rest, ","));) {
        if (!*word)
            return err_found(err, (struct src_pos){0}, "--series", *list ? list : "empty",
                             "names of statistics, separated by commas");
        for (u32 i = 0; i < *count; i++) {
            if (strcmp((*names)[i], word) == 0)
                return err_at(err, (struct src_pos){0}, "--series has %s twice", word);
        }
        (*names)[(*count)++] = word;
    }
    return true;
}

/* Options that name what is run. */
static const char *const file_options[] = {"trace", "replay", "mix"};

/* Traces, a recording, a mix, synthetic kernels or a CPU program: what runs in this process; NULL:
 * none. */
static const char *run_file(const struct cli *cli)
{
    for (size_t i = 0; i < ARRAY_LEN(file_options); i++) {
        if (cli_has(cli, file_options[i]))
            return cli_value(cli, file_options[i]);
    }
    const char *name = cli->argument_count ? cli->arguments[0] : "";
    bool is_file = ends_with(name, ".yaml") || cpu_name_is_program(name);
    return cli->program && is_file ? name : NULL;
}

static const char *default_chip(const struct cli *cli)
{
    const char *file = run_file(cli);
    if (!file)
        return fabric_program_find(cli->arguments[0]) ? FABRIC_CHIP : EXAMPLE_CHIP;
    return cpu_name_is_program(file) ? CPU_CHIP : DEFAULT_CHIP;
}

static bool read_request(struct cli *cli, struct run_request *r, struct run_files *files,
                         struct arena *arena, struct err *err)
{
    struct config_request given = {0};
    if (!chip_sets_of(cli, arena, &given, err))
        return false;
    const char *chip = cli_value(cli, "chip"), **series;
    u32 series_count;
    if (!read_series(cli, arena, &series, &series_count, err))
        return false;
    *r = (struct run_request){
        .chip = {.chip = chip ? chip : default_chip(cli),
                 .folders = chip_folders(),
                 .sets = given.sets,
                 .set_count = given.set_count,
                 .set_origins = given.set_origins},
        .workload = run_file(cli) ? run_file(cli) : cli->arguments[0],
        .on = cli_value(cli, "on"),
        .series = series,
        .series_count = series_count,
        .engine.no_skip = cli_has(cli, "no-skip"),
    };
    const char *name = run_file(cli) ? run_files_name(r->workload, arena) : r->workload;
    if (!run_files_find(files, cli, name, r->chip.chip, arena, err))
        return false;
    r->timeline = files->timeline;
    if (cli_has(cli, "warm") &&
        !warm_parse(&r->warm, cli_value(cli, "warm"), (struct src_pos){"--warm", 0, 0}, err))
        return false;
    return cli_number(cli, "seed", 0, UINT64_MAX, 1, &r->seed, err) &&
           cli_number(cli, "interval", 1, UINT64_MAX / 2, DEFAULT_INTERVAL, &r->interval, err) &&
           cli_number(cli, "max-cycles", 1, UINT64_MAX / 2, 0, &r->engine.max_cycles, err) &&
           cli_number(cli, "watchdog", 0, UINT64_MAX >> 24, DEFAULT_WATCHDOG,
                      &r->engine.watchdog_cycles, err);
}

static void print_summary(const struct run *run, const char *stats)
{
    struct text t = {0};
    const struct engine *e = &run->sim.engine;
    text_printf(&t, "%s on %s: %s\n", run->workload, run->config.name,
                run->end == ENGINE_LIMIT    ? "stopped at the cycle limit"
                : run->model->runs_programs ? "all laws hold"
                : run->verified             ? "result verified"
                                            : "RESULT WRONG");
    run_applications_summary(run, &t);
    run->model->summary(run->machine, &t);
    text_printf(&t, "  cycles     ");
    for (u32 i = 0; i < e->domain_count; i++)
        text_printf(&t, " %s %llu", e->domains[i].name,
                    (unsigned long long)window_cycles(&run->window, e, i));
    if (run->window.has_begun)
        text_printf(&t, ", after %.3f ms of warm-up", (double)run->window.fs / 1e12);
    text_printf(&t, "\n  host        %.3f s", run->host_seconds);
    u32 threads = engine_threads(e);
    double seconds = threads > 1 ? run->host_seconds : run->host_cpu_seconds;
    if (threads > 1)
        text_printf(&t, " with %u threads", threads);
    if (seconds > 0)
        text_printf(&t, ", %.1f M unit ticks/s", (double)e->ticks / seconds / 1e6);
    text_printf(&t, "\n");
    if (stats)
        text_printf(&t, "  statistics  %s\n", stats);
    fputs(t.data, stdout);
    text_fini(&t);
}

static bool write_stats(const struct run *run, const char *path, struct err *err)
{
    if (!path)
        return true;
    if (!folder_make_for(path, err))
        return false;
    return ends_with(path, ".csv") ? run_write_csv(run, path, err) : run_write_json(run, path, err);
}

/* ---- GPU programs: the simulation runs inside their process, see run/session.h ---- */

/* Without timing, is there a session, which answers for a chip? */
static bool wants_chip(const struct cli *cli)
{
    return cli_has(cli, "record") || cli_has(cli, "save") || cli_has(cli, "resume");
}

/* Without timing most options mean nothing. */
static bool check_functional(const struct cli *cli, struct err *err)
{
    static const char *const useful[] = {"functional",       "quiet",  "seed", "size",
                                         "max-instructions", "bounds", "save", "resume"};
    static const char *const recorded[] = {"record", "chip", "set", "policy", "on"};
    for (u32 i = 0; i < cli->option_count; i++) {
        bool known = false;
        for (size_t k = 0; k < ARRAY_LEN(useful); k++)
            known |= strcmp(cli->options[i].def->name, useful[k]) == 0;
        for (size_t k = 0; wants_chip(cli) && k < ARRAY_LEN(recorded); k++)
            known |= strcmp(cli->options[i].def->name, recorded[k]) == 0;
        if (!known)
            return err_at(err, (struct src_pos){0},
                          "--%s has no effect on a program without timing",
                          cli->options[i].def->name);
    }
    return true;
}

static const char *joined(const char *const *words, char separator, struct arena *arena)
{
    const char *all = "";
    for (; *words; words++)
        all = *all ? arena_printf(arena, "%s%c%s", all, separator, *words) : *words;
    return all;
}

static void pass_on(const char *variable, const char *value)
{
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

/* "LAUNCH:FILE" */
static bool pass_on_checkpoints(const struct cli *cli, struct arena *arena, struct err *err)
{
    const char *save = cli_has(cli, "save") ? cli_value(cli, "save") : NULL;
    size_t digits = save ? strspn(save, "0123456789") : 0;
    if (save && (!digits || digits > 18 || save[digits] != ':' || !save[digits + 1]))
        return err_found(err, (struct src_pos){0}, "--save", save,
                         "the number of a launch and a file, such as 200:app.checkpoint");
    if (save && cli_has(cli, "record"))
        return err_at(err, (struct src_pos){0},
                      "--save and --record are given, expected one of them");
    pass_on("HEDDLE_SAVE", save ? save + digits + 1 : NULL);
    pass_on("HEDDLE_SAVE_LAUNCH", save ? arena_printf(arena, "%.*s", (int)digits, save) : NULL);
    pass_on("HEDDLE_RESUME", cli_has(cli, "resume") ? cli_value(cli, "resume") : NULL);
    return true;
}

/* What the library in the program's process is to do. */
static bool ask_for_chip(const struct cli *cli, const char *name, struct arena *arena,
                         struct err *err)
{
    bool functional = cli_has(cli, "functional");
    static const struct {
        const char *option, *variable;
        u64 low, high;
    } numbers[] = {{"seed", "HEDDLE_SEED", 0, UINT64_MAX},
                   {"interval", "HEDDLE_INTERVAL", 1, UINT64_MAX / 2},
                   {"max-cycles", "HEDDLE_MAX_CYCLES", 1, UINT64_MAX / 2},
                   {"watchdog", "HEDDLE_WATCHDOG", 0, UINT64_MAX >> 24}};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        u64 value;
        if (!cli_number(cli, numbers[i].option, numbers[i].low, numbers[i].high, 1, &value, err))
            return false;
        pass_on(numbers[i].variable, cli_has(cli, numbers[i].option)
                                         ? arena_printf(arena, "%llu", (unsigned long long)value)
                                         : NULL);
    }
    const char *chip = cli_has(cli, "chip") ? cli_value(cli, "chip") : DEFAULT_CHIP;
    struct config_request request = {
        .chip = chip, .folders = chip_folders(), .schemas = model_schemas};
    struct run_files files;
    const char **series;
    u32 series_count;
    if (!chip_sets_of(cli, arena, &request, err) ||
        !read_series(cli, arena, &series, &series_count, err) ||
        !run_files_find(&files, cli, name, chip, arena, err))
        return false;
    struct config config;
    if (!config_load(&config, &request, err))
        return false;
    const char *warm = cli_has(cli, "warm") ? cli_value(cli, "warm") : NULL;
    struct src_pos warm_at = {"--warm", 0, 0};
    struct warm parts;
    if (warm && !warm_parse(&parts, warm, warm_at, err))
        return false;
    if (warm && !parts.launches)
        return err_at(err, warm_at, "%s is a GPU program, expected launches=N to warm it", name);
    const char *on = cli_has(cli, "on") ? cli_value(cli, "on") : NULL;
    struct cluster_plan device;
    bool ok = !on || model_cluster(model_of(config.schema), &config, on, AGENT_SM,
                                   (struct src_pos){"--on", 0, 0}, &device, err);
    config_fini(&config);
    if (!ok)
        return false;
    pass_on("HEDDLE_ON", on);
    if (functional)
        files.stats = NULL;
    pass_on("HEDDLE_UNTIMED", functional ? "1" : NULL);
    pass_on("HEDDLE_OWNER", NULL); /* whoever loads the library first */
    pass_on("HEDDLE_CHIP", chip);
    pass_on("HEDDLE_CHIPS", joined(chip_folders(), ':', arena));
    pass_on("HEDDLE_SET", joined(request.sets, '\n', arena));
    pass_on("HEDDLE_WORKLOAD", name);
    pass_on("HEDDLE_STATS", files.stats);
    pass_on("HEDDLE_TIMELINE", files.timeline);
    pass_on("HEDDLE_RECORD", files.record);
    pass_on("HEDDLE_WARM", warm);
    if (!pass_on_checkpoints(cli, arena, err))
        return false;
    pass_on("HEDDLE_QUIET", cli_has(cli, "quiet") ? "1" : NULL);
    pass_on("HEDDLE_NO_SKIP", cli_has(cli, "no-skip") ? "1" : NULL);
    pass_on("HEDDLE_SERIES", cli_has(cli, "series") ? cli_value(cli, "series") : NULL);
    return !files.stats || folder_make_for(files.stats, err);
}

static bool run_gpu_program(const struct cli *cli, const char *name, const char *const *arguments,
                            struct err *err)
{
    struct arena arena = {0};
    bool functional = cli_has(cli, "functional"), quiet = cli_has(cli, "quiet");
    u64 ignored;
    if (!functional && cli_has(cli, "max-instructions"))
        return err_at(err, (struct src_pos){0},
                      "--max-instructions applies only to --functional and --mix; use --max-cycles "
                      "with timing");
    bool ok = (!functional || check_functional(cli, err)) &&
              cli_number(cli, "max-instructions", 1, UINT64_MAX / 2, 0, &ignored, err);
    if (!functional || wants_chip(cli))
        ok = ok && ask_for_chip(cli, name, &arena, err);
    else
        pass_on("HEDDLE_CHIP", NULL);
    pass_on("HEDDLE_MAX_INSTRUCTIONS",
            cli_has(cli, "max-instructions") ? cli_value(cli, "max-instructions") : NULL);
    ok = ok && cuda_program_run(arguments, quiet || !functional, err);
    arena_fini(&arena);
    return ok;
}

/* heddle run -- ./app args */
static bool run_program(struct cli *cli, struct err *err)
{
    if (cli_has(cli, "size"))
        return err_at(err, (struct src_pos){0}, "--size applies only to bundled programs");
    const char *slash = strrchr(cli->arguments[0], '/');
    return run_gpu_program(cli, slash ? slash + 1 : cli->arguments[0], cli->arguments, err);
}

/* heddle run NAME [-- its own options]; *found tells whether NAME is such a program. */
static bool run_bundled(struct cli *cli, bool *found, struct err *err)
{
    struct arena arena = {0};
    const struct workload *w = workload_find(cli->arguments[0], &arena);
    *found = w != NULL;
    if (w && cli_has(cli, "size") &&
        !workload_check_size(cli_value(cli, "size"), (struct src_pos){"--size", 0, 0}, err)) {
        arena_fini(&arena);
        return false;
    }
    const char *const *arguments = w ? workload_arguments(w, cli, &arena, err) : NULL;
    bool ok = w ? arguments && run_gpu_program(cli, w->name, arguments, err)
                : workload_check_name(cli->arguments[0], err);
    arena_fini(&arena);
    return ok;
}

/* Each program of a mix that asks for it, by itself and where it is. */
static bool run_alone(const struct run_request *request, struct watch *watch,
                      struct application_result *results, struct err *err)
{
    struct run *together = watch->run;
    bool ok = true;
    for (u32 i = 0; ok && i < request->mix->count; i++) {
        const struct application *a = &request->mix->applications[i];
        struct application only = *a;
        struct mix mix = {.path = request->mix->path, .applications = &only, .count = 1};
        struct run_request one = *request;
        struct run run = {0};
        one.mix = &mix;
        one.series_count = 0;
        one.timeline = NULL;
        watch->run = &run;
        ok = run_open(&run, &one, err) && run_execute(&run, err);
        if (run.hang.data)
            fputs(run.hang.data, stderr);
        if (ok && run.applications[0].has_ended) {
            results[i].has_alone = true;
            results[i].alone_cycles = run.applications[0].cycles;
            results[i].alone_ipc = application_ipc(a, &run.applications[0]);
        }
        run_close(&run);
    }
    watch->run = together;
    return ok;
}

/* An AArch64 program for its answers alone. */
static bool run_untimed(const struct cli *cli, struct err *err)
{
    const char *name = cli->arguments[0];
    struct timespec from, to;
    u64 instructions = 0;
    if (!check_functional(cli, err))
        return false;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (!aarch64_execute(&(struct cpu_stream_request){.name = name}, &instructions, err))
        return false;
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    if (!cli_has(cli, "quiet"))
        printf("%s: %llu instructions, without timing, %.1f M/s\n", name,
               (unsigned long long)instructions, (double)instructions / seconds / 1e6);
    return true;
}

/* A model's own workload, with timing. */
static bool run_model(struct cli *cli, struct err *err)
{
    static const char *const refused[] = {"functional", "size",   "record",
                                          "sample",     "save",   "resume",
                                          "launches",   "bounds", "max-instructions"};
    const char *mix_file = cli_value(cli, "mix");
    if (cli_has(cli, "functional") && cli->argument_count == 1 && !mix_file &&
        aarch64_name_is_program(cli->arguments[0]))
        return run_untimed(cli, err);
    for (size_t i = 0; i < ARRAY_LEN(refused) - (mix_file != NULL); i++) {
        if (cli_has(cli, refused[i]))
            return err_at(err, (struct src_pos){0},
                          "--%s applies only to GPU %sprograms; '%s' is not one", refused[i],
                          strcmp(refused[i], "functional") == 0 ? "and AArch64 " : "",
                          run_file(cli) ? run_file(cli) : cli->arguments[0]);
    }
    if (mix_file && cli_has(cli, "on"))
        return err_at(
            err, (struct src_pos){0},
            "--on applies to a single program; in a mix, give each application its own `on:`");
    if (cli->program < cli->argument_count)
        return err_found(err, (struct src_pos){0}, "the command line", "a workload and a program",
                         "one of them");
    bool quiet = cli_has(cli, "quiet");
    struct arena arena = {0};
    struct run_request request;
    struct run run = {0};
    struct watch watch = {.run = &run};
    struct run_files files;
    struct mix mix = {0};
    const char *recordings = NULL;
    bool ok = read_request(cli, &request, &files, &arena, err);
    if (ok && mix_file) {
        request.mix = &mix;
        catch_interrupt();
        ok = mix_prepare(&mix, mix_file, &request.chip, &arena, err);
        if (ok && cli_has(cli, "warm"))
            mix_warm(&mix, &request.warm);
        ok = ok && mix_programs_record(&mix, cli, &request, &recordings, &arena, err);
    }
    if (ok) {
        progress_init(&watch.progress, quiet);
        struct log log = progress_log(&watch.progress);
        request.log = &log;
        request.engine.poll = poll;
        request.engine.poll_context = &watch;
        catch_interrupt();
        struct application_result alone[MOST_APPLICATIONS] = {{0}};
        ok = (!mix.alone || run_alone(&request, &watch, alone, err)) &&
             run_open(&run, &request, err);
        if (ok && mix_file)
            memcpy(run.applications, alone, mix.count * sizeof *alone);
        ok = ok && run_execute(&run, err);
        progress_end(&watch.progress);
        if (run.hang.data)
            fputs(run.hang.data, stderr);
        if (ok || err->kind == ERR_VERIFY) {
            bool is_written = write_stats(&run, files.stats, err);
            ok = is_written && ok;
            if (!quiet)
                print_summary(&run, is_written ? files.stats : NULL);
        }
        ok = run_end_timeline(&run, err) && ok;
    }
    run_close(&run);
    mix_programs_remove(recordings);
    arena_fini(&arena);
    return ok;
}

static bool run_run(struct cli *cli, struct err *err)
{
    if (!chip_plugins(cli, err) || !chip_threads(cli, err) || !launch_options(cli, err))
        return false;
    u32 given = 0;
    for (size_t i = 0; i < ARRAY_LEN(file_options); i++)
        given += cli_has(cli, file_options[i]);
    if (given > 1 || (run_file(cli) && cli->argument_count != !given))
        return err_at(err, (struct src_pos){0},
                      "only one workload may be given (already have '%s')", run_file(cli));
    if (run_file(cli))
        return run_model(cli, err);
    if (cli->argument_count && cli->program == 0)
        return run_program(cli, err);
    if (cli->program > 1 && !workload_check_name(cli->arguments[0], err))
        return false;
    if (cli->program != 1)
        return err_at(err, (struct src_pos){0},
                      "one workload is expected, %u are given; see `heddle list workloads`",
                      cli->program);
    bool found;
    bool ok = run_bundled(cli, &found, err);
    return ok && !found ? run_model(cli, err) : ok;
}

static const struct example examples[] = {
    {"heddle run matmul", "a bundled GPU program on the default chip, verified, with a summary"},
    {"heddle run bfs --chip volta80 --size tiny", "on another chip, with a small input"},
    {"heddle run bfs -- --graph rmat", "with an option of the program itself"},
    {"heddle run --chip fermi15 -- ./my_cuda_app --size 4096", "an unmodified CUDA executable"},
    {"heddle run vecadd --set sm.l1.mshrs=128", "with another parameter"},
    {"heddle run syrk --chip kepler8 --policy warp.scheduler=poise", "with another warp policy"},
    {"heddle run syrk --policy warp.scheduler=fixed,n=4,p=1", "and with parameters of the policy"},
    {"heddle run hotspot --regions", "hit rates of each buffer of a kernel"},
    {"heddle run --functional -- ./my_cuda_app", "without timing, fast"},
    {"heddle run --mix examples/mix.yaml", "two programs at once, each on half of the SMs"},
    {"heddle run cpu:mix", "a synthetic CPU kernel on a chip of CPU cores"},
    {"heddle run spgemm --matrix m.mtx", "a sparse matrix squared on a fabric that reconfigures"},
    {"heddle run tokens", "the engine's own example"},
    {"heddle run tokens --set sink.stops_after=100", "the report of a hang"},
    {NULL, NULL},
};

const struct command command_run = {
    .name = "run",
    .arguments = "WORKLOAD [-- ITS OPTIONS] | -- PROGRAM [ARGUMENTS]",
    .summary = "simulate a workload on a chip, or run a CUDA program",
    .description =
        "Builds the chip, runs the workload, checks every conservation law, verifies the result "
        "and prints a summary: cycles and where they went, hit rates, bandwidths, and the limit. "
        "All statistics go to heddle-out/WORKLOAD-CHIP.json, or to the file named by --stats.\n\nA "
        "workload is a bundled GPU program (`heddle list workloads`), which checks its own result, "
        "or an unmodified CUDA executable after -- (built with nvcc -cudart shared), which runs on "
        "heddle's own CUDA libraries; the exit code is the program's own, or 1 if launches failed "
        "and the program did not check.\n\nWith --functional, a GPU program runs without timing, "
        "for its results only.\n\nWith --mix, several programs run at once, on separate or shared "
        "SMs, until each has ended once (docs/howto/mixes.md).",
    .options = options,
    .examples = examples,
    .completes = "workloads",
    .completes_next = "file",
    .run = run_run,
};
