#include "chip/gpu_workload.h"

#include "base/file.h"
#include "chip/gpu_device.h"
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
    u64 launch; /* counted from 0 in each run of the program */
    struct trace_kernel *trace;
    struct arena arena; /* of a recorded kernel */
};

/* One program, as far as it has come. */
struct player {
    struct stage *stage;
    struct gpu_device *device; /* that it runs on */
    u8 application;
    const char *path;
    const struct program *program;
    struct arena arena;
    struct synthetic_list synthetic;
    struct trace_list traces;
    struct recording *recording;
    u32 next, count; /* of what it does in order: the one that comes */
    struct job jobs[AHEAD];
    u32 job_count;
    u64 launched;
    struct application_result *result; /* NULL: nobody asks */
};

/* All that runs at once. */
struct stage {
    struct run *run;
    struct machine *machine;
    struct err *err;
    struct player *players;
    struct gpu_device devices[MOST_APPLICATIONS]; /* each once */
    u32 device_count;
    u32 count, unfinished; /* those whose first run has not ended */
    enum engine_end end;
};

enum play { PLAY_MORE, PLAY_WAITS, PLAY_FAILED };

/* A kind of file: `play` does the next thing that the program does, or waits for a kernel. */
struct program {
    bool (*open)(struct player *p);
    enum play (*play)(struct player *p);
};

/* ---- kernels under way ---- */

/* There is room for it. */
static struct job *new_job(struct player *p)
{
    struct job *j = p->jobs;
    while (j->is_under_way)
        j++;
    *j = (struct job){.is_under_way = true, .launch = p->launched++};
    p->job_count++;
    return j;
}

/* Which job of which player. */
static u64 ticket_of(const struct player *p, const struct job *j)
{
    return (u64)p->application * AHEAD + (u64)(j - p->jobs);
}

static enum play launch(struct player *p, const struct grid_source *grid, struct job *job)
{
    struct grid_source own = *grid;
    own.application = p->application;
    p->next++;
    return gpu_device_launch(p->device, &own, ticket_of(p, job), p->stage->err) ? PLAY_MORE
                                                                                : PLAY_FAILED;
}

static bool is_under_way(const struct player *p, u64 launch_number)
{
    for (u32 i = 0; i < AHEAD; i++) {
        if (p->jobs[i].is_under_way && p->jobs[i].launch == launch_number)
            return true;
    }
    return false;
}

static void close_job(struct player *p, struct job *j)
{
    if (!j->is_under_way)
        return;
    trace_kernel_close(j->trace);
    arena_fini(&j->arena);
    j->is_under_way = false;
    p->job_count--;
}

static void take_ended_of(struct stage *s, struct gpu_device *d)
{
    struct grid_run done;
    while (gpu_device_take_ended(d, &done)) {
        struct player *p = &s->players[done.ticket / AHEAD];
        close_job(p, &p->jobs[done.ticket % AHEAD]);
        if (p->result && !p->result->has_ended) {
            p->result->kernels++;
            p->result->cycles = max_u64(p->result->cycles, done.ended);
        }
    }
}

static void take_ended(struct stage *s)
{
    for (u32 i = 0; i < s->device_count; i++)
        take_ended_of(s, &s->devices[i]);
}

/* ---- synthetic kernels ---- */

static bool open_synthetic(struct player *p)
{
    bool ok = synthetic_load(&p->synthetic, p->path, &p->arena, p->stage->err);
    p->count = p->synthetic.count;
    return ok;
}

static enum play play_synthetic(struct player *p)
{
    return p->job_count == AHEAD ? PLAY_WAITS : launch(p, &p->synthetic.grids[p->next], new_job(p));
}

/* ---- traces ---- */

/* A list of them, or one. */
static bool open_traces(struct player *p)
{
    if (strstr(p->path, ".trace")) {
        p->traces = (struct trace_list){ARENA_NEW(&p->arena, struct trace_command), 1};
        p->traces.commands[0] = (struct trace_command){.kind = TRACE_KERNEL, .path = p->path};
    } else if (!trace_list_read(&p->traces, p->path, &p->arena, p->stage->err)) {
        return false;
    }
    p->count = p->traces.count;
    return true;
}

static enum play play_trace(struct player *p)
{
    const struct trace_command *c = &p->traces.commands[p->next];
    if (c->kind != TRACE_KERNEL) {
        p->next++;
        return PLAY_MORE;
    }
    if (p->job_count == AHEAD)
        return PLAY_WAITS;
    struct trace_kernel *k = trace_kernel_open(c->path, p->stage->run->sim.log, p->stage->err);
    if (!k)
        return PLAY_FAILED;
    struct grid_source grid = trace_kernel_grid(k);
    if (!grid.blocks) { /* nothing was recorded of it */
        trace_kernel_close(k);
        p->next++;
        return PLAY_MORE;
    }
    struct job *job = new_job(p);
    job->trace = k;
    return launch(p, &grid, job);
}

/* ---- recordings ---- */

static bool open_recording(struct player *p)
{
    p->recording = recording_open(p->path, p->stage->err);
    p->count = p->recording ? recording_event_count(p->recording) : 0;
    return p->recording != NULL;
}

static enum play play_launch(struct player *p, u32 number)
{
    struct grid_source grid;
    if (p->job_count == AHEAD) {
        err_kind(p->stage->err, ERR_INPUT, "%s: more than %d kernels are under way at once",
                 p->path, AHEAD);
        return PLAY_FAILED;
    }
    struct job *job = new_job(p);
    if (!recording_kernel(p->recording, number, &job->arena, &grid, p->stage->err))
        return PLAY_FAILED;
    grid.stream = number; /* what may run at once was decided when it was recorded */
    return launch(p, &grid, job);
}

static enum play play_event(struct player *p)
{
    struct record_event e = recording_event(p->recording, p->next);
    if (e.kind == EVENT_LAUNCH)
        return play_launch(p, e.launch);
    /* a kernel that the host saw end: it may have ended before others that it saw earlier */
    if (e.kind == EVENT_DONE && is_under_way(p, e.launch))
        return PLAY_WAITS;
    if (e.kind == EVENT_COPY_TO)
        gpu_device_copied(p->device, application_base(p->application) + e.to, e.bytes);
    p->next++;
    return PLAY_MORE;
}

/* ---- programs ---- */

static const struct program *program_of(const char *path)
{
    static const struct program synthetic = {open_synthetic, play_synthetic},
                                trace = {open_traces, play_trace},
                                recording = {open_recording, play_event};
    size_t n = strlen(path);
    if (n >= 5 && strcmp(path + n - 5, ".yaml") == 0)
        return &synthetic;
    return file_starts_with(path, RECORD_MAGIC, CONTAINER_MAGIC_BYTES) ? &recording : &trace;
}

static bool player_open(struct player *p)
{
    p->program = program_of(p->path);
    return p->program->open(p);
}

static void player_close(struct player *p)
{
    for (u32 i = 0; i < AHEAD; i++)
        close_job(p, &p->jobs[i]);
    recording_close(p->recording);
    arena_fini(&p->arena);
}

bool gpu_workload_check(const char *path, struct err *err)
{
    struct stage s = {.err = err};
    struct player p = {.stage = &s, .path = path};
    bool ok = player_open(&p);
    player_close(&p);
    return ok;
}

/* As far as it comes without waiting. */
static bool player_go_on(struct player *p)
{
    enum play did = PLAY_MORE;
    while (did == PLAY_MORE && p->next < p->count)
        did = p->program->play(p);
    return did != PLAY_FAILED;
}

static bool has_ended(const struct player *p)
{
    return p->next == p->count && !p->job_count;
}

static void note_counts(const struct player *p)
{
    struct machine *m = p->stage->machine;
    machine_settle_applications(m);
    p->result->counts = m->applications[p->application];
    p->result->has_memory = m->memories[0].banks != NULL;
}

static void note_end(struct player *p)
{
    p->result->has_ended = true;
    p->result->fs = p->stage->run->sim.engine.now_fs;
    note_counts(p);
}

/* ---- all of them ---- */

/* A program that has ended; until all have, it starts again. */
static bool end_run(struct player *p)
{
    struct application_result *r = p->result;
    struct stage *s = p->stage;
    bool is_first = !r || !r->complete_runs;
    if (s->count > 1 && !p->launched)
        return err_kind(s->err, ERR_INPUT, "%s launches no kernel", p->path);
    if (r && is_first)
        note_end(p);
    if (r)
        r->complete_runs++;
    s->unfinished -= is_first;
    return true;
}

static bool end_runs(struct stage *s, u32 *restart)
{
    *restart = 0;
    for (u32 i = 0; i < s->count; i++) {
        if (!has_ended(&s->players[i]))
            continue;
        *restart |= (u32)1 << i;
        if (!end_run(&s->players[i]))
            return false;
    }
    return true;
}

static void start_again(struct stage *s, u32 which)
{
    for (; which; which &= which - 1) {
        struct player *p = &s->players[__builtin_ctz(which)];
        p->next = 0;
        p->launched = 0;
    }
}

/* A step failed: the source has the sentence. */
static bool faulted(struct stage *s)
{
    const struct sm *sm = NULL;
    for (u32 i = 0; !sm && i < s->device_count; i++)
        sm = gpu_device_faulted(&s->devices[i]);
    if (!sm)
        return false;
    const struct grid_source *g = sm->faulted_block->grid;
    g->ops->fault(g->self, s->err);
    return true;
}

/* Until some kernel has ended; false: the run is over, for whatever reason. */
static bool run_on(struct stage *s)
{
    s->end = engine_run(&s->run->sim.engine);
    if (s->end != ENGINE_STOPPED || faulted(s))
        return false;
    take_ended(s);
    return true;
}

static bool go_on(struct stage *s)
{
    for (u32 i = 0; i < s->count; i++) {
        if (!player_go_on(&s->players[i]))
            return false;
    }
    return true;
}

/* Until each program has ended once. */
static bool play(struct stage *s)
{
    u32 restart;
    for (;;) {
        if (!go_on(s) || !end_runs(s, &restart))
            return false;
        if (!s->unfinished)
            return true;
        start_again(s, restart);
        if (!restart && !run_on(s))
            return false;
    }
}

static bool all_idle(const struct stage *s)
{
    for (u32 i = 0; i < s->device_count; i++) {
        if (!gpu_device_is_idle(&s->devices[i]))
            return false;
    }
    return true;
}

/* Programs that had started again stop: what is on the SMs ends, nothing more comes. */
static void finish(struct stage *s)
{
    for (u32 i = 0; i < s->device_count; i++)
        gpu_device_cut(&s->devices[i]);
    while (!all_idle(s)) {
        if (!run_on(s))
            return;
    }
    take_ended(s);
    engine_finish(&s->run->sim.engine);
    s->end = engine_run(&s->run->sim.engine);
}

/* Programs of one cluster share its device. */
static struct gpu_device *device_on(struct stage *s, const char *cluster)
{
    struct gpu_device *d = &s->devices[s->device_count];
    gpu_device_init(d, s->machine, cluster);
    for (u32 i = 0; i < s->device_count; i++) {
        if (s->devices[i].gpus[0] == d->gpus[0])
            return &s->devices[i];
    }
    s->device_count++;
    return d;
}

/* A run without a mix is one program on one device. */
static void cast(struct stage *s)
{
    const struct mix *mix = s->run->mix;
    s->count = s->unfinished = mix ? mix->count : 1;
    s->players = ARENA_ARRAY(&s->run->sim.arena, struct player, s->count);
    for (u32 i = 0; i < s->count; i++) {
        struct player *p = &s->players[i];
        *p = (struct player){.stage = s, .application = (u8)i, .path = s->run->workload};
        p->device = device_on(s, mix ? mix->applications[i].cluster : s->run->on);
        if (!mix)
            continue;
        const struct application *a = &mix->applications[i];
        p->path = a->plays;
        p->result = &s->run->applications[i];
        gpu_device_place(p->device, p->application, (struct sm_range){a->first, a->end});
    }
}

enum engine_end gpu_workload_run(struct run *run, struct err *err)
{
    struct stage s = {.run = run, .machine = run->machine, .err = err, .end = ENGINE_STOPPED};
    bool ok = true;
    cast(&s);
    for (u32 i = 0; ok && i < s.count; i++)
        ok = player_open(&s.players[i]);
    if (ok && play(&s))
        finish(&s);
    if (s.end == ENGINE_HUNG) /* while the kernels' names are still there */
        watchdog_report(&run->sim.engine, &run->hang);
    for (u32 i = 0; i < s.count; i++) {
        struct player *p = &s.players[i];
        if (p->result && !p->result->has_ended)
            note_counts(p);
        player_close(p);
    }
    return s.end;
}
