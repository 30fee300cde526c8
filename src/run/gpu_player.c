#include "run/gpu_player.h"

#include "base/file.h"
#include "machine/gpu_device.h"
#include "run/mix_runner.h"
#include "source/recording/recording.h"
#include "source/synthetic/load.h"
#include "source/sass/kernel.h"
#include "source/sass/list.h"

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

/* A program of kernels. */
struct show {
    struct player *player;
    struct gpu_device *device; /* that it runs on; programs of one cluster share it */
    const struct program *program;
    struct arena arena;
    struct synthetic_list synthetic;
    struct trace_list traces;
    struct recording *recording;
    u32 next, count; /* of what it does in order: the one that comes */
    struct job jobs[AHEAD];
    u32 job_count;
    u64 launched;
    u64 ended;          /* launches, of all runs */
    cycle_t last_ended; /* the latest of their ends */
};

enum play { PLAY_MORE, PLAY_WAITS, PLAY_FAILED };

/* A kind of file: `play` does the next thing that the program does, or waits for a kernel. */
struct program {
    bool (*open)(struct show *p);
    enum play (*play)(struct show *p);
};

/* ---- kernels under way ---- */

/* There is room for it. */
static struct job *new_job(struct show *p)
{
    struct job *j = p->jobs;
    while (j->is_under_way)
        j++;
    *j = (struct job){.is_under_way = true, .launch = p->launched++};
    p->job_count++;
    return j;
}

/* Which job of which player. */
static u64 ticket_of(const struct show *p, const struct job *j)
{
    return (u64)p->player->application * AHEAD + (u64)(j - p->jobs);
}

static enum play launch(struct show *p, const struct grid_source *grid, struct job *job)
{
    struct grid_source own = *grid;
    own.application = p->player->application;
    p->next++;
    return gpu_device_launch(p->device, &own, ticket_of(p, job), p->player->runner->err)
               ? PLAY_MORE
               : PLAY_FAILED;
}

static bool is_under_way(const struct show *p, u64 launch_number)
{
    for (u32 i = 0; i < AHEAD; i++) {
        if (p->jobs[i].is_under_way && p->jobs[i].launch == launch_number)
            return true;
    }
    return false;
}

static void close_job(struct show *p, struct job *j)
{
    if (!j->is_under_way)
        return;
    trace_kernel_close(j->trace);
    arena_fini(&j->arena);
    j->is_under_way = false;
    p->job_count--;
}

/* Of all programs on the device: a ticket says whose it is. */
static void take_ended(const struct mix_runner *s, struct gpu_device *d)
{
    struct grid_run done;
    while (gpu_device_take_ended(d, &done)) {
        const struct player *p = &s->players[done.ticket / AHEAD];
        struct show *show = p->own;
        close_job(show, &show->jobs[done.ticket % AHEAD]);
        show->ended++;
        show->last_ended = max_u64(show->last_ended, done.ended);
        if (p->result && p->window == WINDOW_ENTERED) {
            p->result->kernels++;
            p->result->cycles = max_u64(p->result->cycles, done.ended - p->entered);
        }
    }
}

/* ---- synthetic kernels ---- */

static bool open_synthetic(struct show *p)
{
    bool ok = synthetic_load(&p->synthetic, p->player->path, &p->arena, p->player->runner->err);
    p->count = p->synthetic.count;
    return ok;
}

static enum play play_synthetic(struct show *p)
{
    return p->job_count == AHEAD ? PLAY_WAITS : launch(p, &p->synthetic.grids[p->next], new_job(p));
}

/* ---- traces ---- */

/* A list of them, or one. */
static bool open_traces(struct show *p)
{
    if (strstr(p->player->path, ".trace")) {
        p->traces = (struct trace_list){ARENA_NEW(&p->arena, struct trace_command), 1};
        p->traces.commands[0] =
            (struct trace_command){.kind = TRACE_KERNEL, .path = p->player->path};
    } else if (!trace_list_read(&p->traces, p->player->path, &p->arena, p->player->runner->err)) {
        return false;
    }
    p->count = p->traces.count;
    return true;
}

static enum play play_trace(struct show *p)
{
    const struct trace_command *c = &p->traces.commands[p->next];
    if (c->kind != TRACE_KERNEL) {
        p->next++;
        return PLAY_MORE;
    }
    if (p->job_count == AHEAD)
        return PLAY_WAITS;
    struct trace_kernel *k =
        trace_kernel_open(c->path, p->player->runner->run->sim.log, p->player->runner->err);
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

static bool open_recording(struct show *p)
{
    p->recording = recording_open(p->player->path, p->player->runner->err);
    p->count = p->recording ? recording_event_count(p->recording) : 0;
    return p->recording != NULL;
}

static enum play play_launch(struct show *p, u32 number)
{
    struct grid_source grid;
    if (p->job_count == AHEAD) {
        err_kind(p->player->runner->err, ERR_INPUT, "%s: more than %d kernels run at once",
                 p->player->path, AHEAD);
        return PLAY_FAILED;
    }
    struct job *job = new_job(p);
    if (!recording_kernel(p->recording, number, &job->arena, &grid, p->player->runner->err))
        return PLAY_FAILED;
    grid.stream = number; /* what may run at once was decided when it was recorded */
    return launch(p, &grid, job);
}

static enum play play_event(struct show *p)
{
    struct record_event e = recording_event(p->recording, p->next);
    if (e.kind == EVENT_LAUNCH)
        return play_launch(p, e.launch);
    /* a kernel that the host saw end: it may have ended before others that it saw earlier */
    if (e.kind == EVENT_DONE && is_under_way(p, e.launch))
        return PLAY_WAITS;
    if (e.kind == EVENT_COPY_TO)
        gpu_device_copied(p->device, application_base(p->player->application) + e.to, e.bytes);
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

static bool show_open(struct show *p)
{
    p->program = program_of(p->player->path);
    return p->program->open(p);
}

static void show_close(struct show *p)
{
    for (u32 i = 0; i < AHEAD; i++)
        close_job(p, &p->jobs[i]);
    recording_close(p->recording);
    arena_fini(&p->arena);
}

bool gpu_workload_check(const char *path, struct err *err)
{
    struct mix_runner s = {.err = err};
    struct player player = {.runner = &s, .path = path};
    struct show p = {.player = &player};
    bool ok = show_open(&p);
    show_close(&p);
    return ok;
}

/* ---- as a kind of player ---- */

/* Programs of one cluster share its device: that of the first of them, or a new one. */
static struct gpu_device *device_of(const struct player *p)
{
    const struct mix_runner *s = p->runner;
    struct gpu_device *d = ARENA_NEW(&s->run->sim.arena, struct gpu_device);
    gpu_device_init(d, s->machine, p->cluster);
    for (const struct player *other = s->players; other < p; other++) {
        const struct show *show = other->own;
        if (other->kind == &player_gpu && show->device->gpus[0] == d->gpus[0])
            return show->device;
    }
    return d;
}

static bool player_open(struct player *p)
{
    struct show *show = ARENA_NEW(&p->runner->run->sim.arena, struct show);
    *show = (struct show){.player = p, .device = device_of(p)};
    p->own = show;
    if (p->end)
        gpu_device_place(show->device, p->application, (struct sm_range){p->first, p->end});
    return show_open(show);
}

static bool player_has_ended(const struct player *p)
{
    const struct show *show = p->own;
    return show->next == show->count && !show->job_count;
}

static bool player_go_on(struct player *p)
{
    struct show *show = p->own;
    enum play did = PLAY_MORE;
    while (did == PLAY_MORE && show->next < show->count)
        did = show->program->play(show);
    if (player_has_ended(p) && !show->launched && (p->runner->count > 1 || p->warm))
        return err_kind(p->runner->err, ERR_INPUT, "%s launches no kernel", p->path);
    return did != PLAY_FAILED;
}

/* A step may have failed: its source has the sentence. */
static bool player_collect(struct player *p)
{
    struct gpu_device *d = ((struct show *)p->own)->device;
    const struct sm *sm = gpu_device_faulted(d);
    if (sm) {
        const struct grid_source *g = sm->faulted_block->grid;
        g->ops->fault(g->self, p->runner->err);
        return false;
    }
    take_ended(p->runner, d);
    return true;
}

static bool player_start_again(struct player *p)
{
    struct show *show = p->own;
    show->next = 0;
    show->launched = 0;
    return true;
}

static u64 player_work(const struct player *p)
{
    return ((const struct show *)p->own)->ended;
}

static cycle_t player_enter(struct player *p)
{
    return ((const struct show *)p->own)->last_ended;
}

static void player_leave(struct player *p)
{
    (void)p; /* kernels have records of their own */
}

static void player_cut(struct player *p)
{
    gpu_device_cut(((struct show *)p->own)->device);
}

static bool player_is_idle(const struct player *p)
{
    return gpu_device_is_idle(((const struct show *)p->own)->device);
}

static void player_close(struct player *p)
{
    show_close(p->own);
}

const struct player_kind player_gpu = {
    .open = player_open,
    .go_on = player_go_on,
    .collect = player_collect,
    .has_ended = player_has_ended,
    .start_again = player_start_again,
    .work = player_work,
    .enter = player_enter,
    .leave = player_leave,
    .cut = player_cut,
    .is_idle = player_is_idle,
    .close = player_close,
};
