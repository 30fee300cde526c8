#include "chip/gpu_workload.h"

#include "base/file.h"
#include "chip/gpu_model.h"
#include "front/record/recording.h"
#include "front/synthetic/load.h"
#include "front/trace/kernel.h"
#include "front/trace/list.h"

#include <string.h>

#define AHEAD GPU_WORKLOAD_AHEAD

/* A kernel under way; what to close when it has ended. It stays where it is, since the kernel goes
 * on taking memory from its arena. */
struct job {
    bool is_under_way;
    u64 ticket;
    struct trace_kernel *trace;
    struct arena arena; /* of a recorded kernel */
};

struct player {
    struct run *run;
    struct gpu *gpu;
    struct arena arena;
    struct err *err;
    struct job jobs[AHEAD];
    u32 job_count;
    u64 launched;
    enum engine_end end;
};

static bool ends_with(const char *s, const char *ending)
{
    size_t n = strlen(s), m = strlen(ending);
    return n >= m && strcmp(s + n - m, ending) == 0;
}

static bool is_recording(const char *path)
{
    return file_starts_with(path, RECORD_MAGIC, RECORD_MAGIC_BYTES);
}

/* There is room for it. */
static struct job *new_job(struct player *p)
{
    struct job *j = p->jobs;
    while (j->is_under_way)
        j++;
    *j = (struct job){.is_under_way = true};
    p->job_count++;
    return j;
}

static bool launch(struct player *p, const struct grid_source *grid, struct job *job)
{
    job->ticket = p->launched++;
    return dispatcher_launch(&p->gpu->cluster.dispatcher, grid, job->ticket, p->err);
}

static struct job *find_job(struct player *p, u64 ticket)
{
    for (u32 i = 0; i < AHEAD; i++) {
        if (p->jobs[i].is_under_way && p->jobs[i].ticket == ticket)
            return &p->jobs[i];
    }
    return NULL;
}

static void close_job(struct player *p, struct job *j)
{
    if (!j || !j->is_under_way)
        return;
    trace_kernel_close(j->trace);
    arena_fini(&j->arena);
    j->is_under_way = false;
    p->job_count--;
}

static void close_jobs(struct player *p)
{
    for (u32 i = 0; i < AHEAD; i++)
        close_job(p, &p->jobs[i]);
}

/* A step failed: the source has the sentence. */
static bool faulted(struct player *p)
{
    const struct sm *sm = gpu_faulted(p->gpu);
    if (!sm)
        return false;
    const struct grid_source *g = sm->faulted_block->grid;
    g->ops->fault(g->self, p->err);
    return true;
}

/* Runs until some kernel has ended; false: the run is over, for whatever reason. */
static bool run_one(struct player *p)
{
    struct grid_run done;
    while (!dispatcher_take_ended(&p->gpu->cluster.dispatcher, &done)) {
        p->end = engine_run(&p->run->sim.engine);
        if (p->end != ENGINE_STOPPED || faulted(p))
            return false;
    }
    close_job(p, find_job(p, done.ticket));
    return true;
}

static bool run_all(struct player *p)
{
    while (p->job_count) {
        if (!run_one(p))
            return false;
    }
    return true;
}

static bool play_synthetic(struct player *p, const char *path)
{
    struct synthetic_list list;
    if (!synthetic_load(&list, path, &p->arena, p->err))
        return false;
    for (u32 i = 0; i < list.count; i++) {
        if ((p->job_count == AHEAD && !run_one(p)) || !launch(p, &list.grids[i], new_job(p)))
            return false;
    }
    return run_all(p);
}

static bool launch_trace(struct player *p, const char *path)
{
    struct trace_kernel *k = trace_kernel_open(path, p->run->sim.log, p->err);
    if (!k)
        return false;
    struct grid_source grid = trace_kernel_grid(k);
    if (!grid.blocks) { /* nothing was recorded of it */
        trace_kernel_close(k);
        return true;
    }
    struct job *job = new_job(p);
    job->trace = k;
    return launch(p, &grid, job);
}

static bool play_traces(struct player *p, const char *path)
{
    struct trace_list list;
    if (!trace_list_read(&list, path, &p->arena, p->err))
        return false;
    for (u32 i = 0; i < list.count; i++) {
        if (list.commands[i].kind != TRACE_KERNEL)
            continue;
        if ((p->job_count == AHEAD && !run_one(p)) || !launch_trace(p, list.commands[i].path))
            return false;
    }
    return run_all(p);
}

static bool replay_event(struct player *p, struct recording *r, struct record_event e)
{
    if (e.kind == EVENT_LAUNCH) {
        struct grid_source grid;
        if (p->job_count == AHEAD)
            return err_kind(p->err, ERR_INPUT, "%s: more than %d kernels are under way at once",
                            p->run->workload, AHEAD);
        struct job *job = new_job(p);
        if (!recording_kernel(r, e.launch, &job->arena, &grid, p->err))
            return false;
        grid.stream = e.launch; /* what may run at once was decided when it was recorded */
        return launch(p, &grid, job);
    }
    if (e.kind == EVENT_COPY_TO)
        gpu_copied(p->gpu, e.to, e.bytes);
    /* a kernel that the host saw end: it may have ended before others that it saw earlier */
    while (e.kind == EVENT_DONE && find_job(p, e.launch)) {
        if (!run_one(p))
            return false;
    }
    return true;
}

static bool play_recording(struct player *p, const char *path)
{
    struct recording *r = recording_open(path, p->err);
    bool ok = r != NULL;
    for (u32 i = 0; ok && i < recording_event_count(r); i++)
        ok = replay_event(p, r, recording_event(r, i));
    ok = ok && run_all(p);
    close_jobs(p);
    recording_close(r);
    return ok;
}

enum engine_end gpu_workload_run(struct run *run, struct err *err)
{
    struct player p = {.run = run, .gpu = run->machine, .err = err, .end = ENGINE_STOPPED};
    const char *path = run->workload;
    p.gpu->cluster.dispatcher.stop_at_each = true;
    bool ok = ends_with(path, ".yaml") ? play_synthetic(&p, path)
              : is_recording(path)     ? play_recording(&p, path)
              : strstr(path, ".trace") ? launch_trace(&p, path) && run_all(&p)
                                       : play_traces(&p, path);
    if (ok) {
        engine_finish(&run->sim.engine);
        p.end = engine_run(&run->sim.engine);
    }
    if (p.end == ENGINE_HUNG) /* while the kernels' names are still there */
        watchdog_report(&run->sim.engine, &run->hang);
    close_jobs(&p);
    arena_fini(&p.arena);
    return p.end;
}
