#include "run/run.h"
#include "run/machine_image.h"
#include "run/mix_series.h"

#include "machine/cpu_cluster.h"
#include "machine/machine.h"
#include "machine/threads.h"
#include "cpu_trace/stream.h"
#include "sim/sampler.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#define SERIES_ROWS 65536

static bool check_workload(const struct model *model, const char *name, struct err *err)
{
    const char *names[64];
    u32 count = 0;
    for (const struct model_workload *w = model->workloads; w->name; w++) {
        if (strcmp(w->name, name) == 0)
            return true;
        if (count < ARRAY_LEN(names))
            names[count++] = w->name;
    }
    return err_unknown(err, (struct src_pos){0}, "workload", name, names, count,
                       "heddle list workloads");
}

/* A name among the workloads of another model is none of its own programs'. */
static bool check_model(const struct run *run, bool is_cuda, struct err *err)
{
    if (is_cuda && run->model->runs_programs)
        return true;
    for (const struct model *const *m = models; *m; m++) {
        for (const struct model_workload *w = (*m)->workloads; *m != run->model && w->name; w++) {
            if (strcmp(w->name, run->workload) == 0)
                return err_kind(
                    err, ERR_INPUT, "%s runs on chips of model %s, but chip %s is of model %s",
                    run->workload, (*m)->schema.model, run->config.name, run->model->schema.model);
        }
    }
    return run->model->runs_programs || check_workload(run->model, run->workload, err);
}

/* A program that is known before the run needs cores of its kind, on the cluster that was named. */
static bool check_cluster(const struct run *run, const struct run_request *request, struct err *err)
{
    struct cluster_plan on;
    bool is_program = request->workload && *request->workload && run->model->clusters;
    u8 agent = cpu_name_is_program(run->workload) ? AGENT_CPU : AGENT_SM;
    if (request->mix || (!is_program && !*run->on))
        return true;
    struct src_pos at = {*run->on ? "--on" : run->workload, 0, 0};
    return model_cluster(run->model, &run->config, run->on, agent, at, &on, err);
}

/* What was asked for is of some program. */
static bool check_warm(const struct run *run, const struct run_request *request, struct err *err)
{
    struct src_pos at = {0};
    u8 agent = cpu_name_is_program(run->workload) ? AGENT_CPU : AGENT_SM;
    if (!warm_is_asked(&request->warm))
        return true;
    if (!run->model->runs_programs)
        return err_at(err, at, "--warm needs a program; '%s' is not one", run->workload);
    bool is_used = !request->mix && warm_of(&request->warm, agent);
    for (u32 i = 0; request->mix && i < request->mix->count; i++)
        is_used |= request->mix->applications[i].warm > 0;
    return is_used || err_at(err, at, "--warm applies to no program of this run, expected %s=N",
                             warm_of(&request->warm, AGENT_CPU) ? "launches" : "instructions");
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double host_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double host_cpu_now(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static domain_id sampled_domain(const struct run *run)
{
    return run->model->clusters ? machine_sampled_clock(run->machine) : 0;
}

bool run_open(struct run *run, const struct run_request *request, struct err *err)
{
    *run = (struct run){0};
    struct config_request chip = request->chip;
    chip.schemas = model_schemas;
    if (!config_load(&run->config, &chip, err))
        return false;
    run->model = model_of(run->config.schema);
    run->workload = request->workload           ? request->workload
                    : run->model->runs_programs ? ""
                                                : run->model->workloads[0].name;
    if (!check_model(run, request->is_cuda, err))
        return false;
    run->on = request->on ? request->on : "";
    run->warm = request->warm;
    if (!check_cluster(run, request, err) || !check_warm(run, request, err))
        return false;
    struct sim *sim = &run->sim;
    if (request->is_placed)
        image_place(&sim->arena);
    sim->seed = request->seed;
    sim->log = request->log;
    if (request->mix) {
        run->mix = request->mix;
        sim->applications = run->mix->count;
        for (u32 i = 0; i < run->mix->count; i++)
            sim->cpu_applications |= (u32)(run->mix->applications[i].kind->agents == AGENT_CPU)
                                     << i;
        run->applications = ARENA_ARRAY(&sim->arena, struct application_result, run->mix->count);
    }
    engine_init(&sim->engine, &sim->arena, &request->engine);
    stats_init(&sim->stats, &sim->arena);
    if (request->timeline) {
        sim->timeline_interval = max_u64(request->interval, 1);
        sim->timeline = timeline_open(request->timeline, run->config.name, err);
        if (!sim->timeline)
            return false;
    }
    run->machine = run->model->build(sim, run->config.data, run->workload, err);
    if (!run->machine)
        return false;
    if (request->series_count) {
        u32 count = request->series_count;
        const char **names =
            mix_series(run->mix, &sim->stats, request->series, &count, &sim->arena);
        run->has_series = true;
        if (!series_init(&run->series, &sim->stats, names, count, request->interval, SERIES_ROWS,
                         &sim->arena, err))
            return false;
        sampler_add(&sim->engine, sampled_domain(run), &run->series, run->model->settle,
                    run->machine);
    }
    if (!threads_choose(&sim->engine, sim->log, err))
        return false;
    engine_start(&sim->engine);
    return true;
}

bool run_is_warmed(const struct run *run)
{
    bool is_warmed = !run->mix && warm_is_asked(&run->warm);
    for (u32 i = 0; run->mix && i < run->mix->count; i++)
        is_warmed |= run->mix->applications[i].warm > 0;
    return is_warmed;
}

bool run_end_timeline(struct run *run, struct err *err)
{
    struct timeline *timeline = run->sim.timeline;
    run->sim.timeline = NULL;
    return timeline_close(timeline, err);
}

bool run_execute(struct run *run, struct err *err)
{
    struct engine *e = &run->sim.engine;
    double start = host_now(), cpu_start = host_cpu_now();
    run->end = run->model->drive ? run->model->drive(run, err) : engine_run(e);
    run->host_seconds = host_now() - start;
    run->host_cpu_seconds = host_cpu_now() - cpu_start;
    if (err->kind != ERR_NONE)
        return false;
    switch (run->end) {
    case ENGINE_HUNG:
        if (!run->hang.data)
            watchdog_report(e, &run->hang);
        assert(run->hang.data); /* a report has at least one line */
        return err_kind(err, ERR_INVARIANT, "the machine hangs: %.*s",
                        (int)strcspn(run->hang.data, "\n"), run->hang.data);
    case ENGINE_INTERRUPTED:
        return err_kind(err, ERR_INTERRUPTED, "interrupted after %llu cycles",
                        (unsigned long long)engine_cycle(e, 0));
    case ENGINE_LIMIT:
        if (run->model->settle)
            run->model->settle(run->machine);
        if (run_is_warmed(run) && !run->window.has_begun)
            return err_kind(err, ERR_INPUT,
                            "the limit of %llu cycles was reached during warm-up, expected a "
                            "larger limit or a shorter warm-up",
                            (unsigned long long)e->options.max_cycles);
        window_end(&run->window, run->machine);
        return true; /* cut short on request: laws of a finished run need not hold */
    case ENGINE_STOPPED:
        break;
    }
    if (run->model->settle)
        run->model->settle(run->machine);
    if (!stats_check_laws(&run->sim.stats, err))
        return false;
    run->verified = run->model->verify(run->machine, err);
    window_end(&run->window, run->machine);
    return run->verified && (!run->model->clusters || machine_write_homes(run->machine, err));
}

void run_close(struct run *run)
{
    struct err ignored = ERR_INIT;
    timeline_close(run->sim.timeline, &ignored);
    engine_fini(&run->sim.engine);
    text_fini(&run->hang);
    arena_fini(&run->sim.arena);
    config_fini(&run->config);
}
