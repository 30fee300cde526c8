/* Programs on CPU cores: each thread a stream of instructions on a core of its own. */
#include "machine/cpu_cluster.h"

#include "run/mix_runner.h"
#include "cpu_trace/aarch64_stream.h"
#include "cpu_trace/rates.h"
#include "cpu_trace/stream.h"

struct threads {
    struct player *player;
    struct cpu_cluster *cluster;
    struct cpu_stream *streams;   /* one each */
    u32 count, open;              /* those that there are, and that were opened */
    u32 span;                     /* cores that it may be on */
    u32 running;                  /* that have not ended, and do not wait for others */
    u64 woken;                    /* threads of an executed program whose cores are to start */
    bool has_started, moves;      /* moves: between big and LITTLE cores */
    bool has_left;                /* its core, and has not arrived */
    u64 warmed;                   /* instructions of each thread that took no time */
    cycle_t reached;              /* when its furthest thread came where the engine was to stop */
    cycle_t ended;                /* when its run did */
    struct program_record before; /* when it entered its window */
};

static struct core *core_of(const struct threads *t, u32 thread)
{
    if (t->moves && mover_has(&t->cluster->mover, t->streams))
        return t->cluster->mover.at;
    return &t->cluster->cores[t->player->first + thread];
}

/* ---- threads of a program that is executed as it is read ----
 *
 * A stream ends where its thread waits; its core drains, and starts again when the thread has been
 * woken and the core is empty. */

static void thread_woken(void *context, u32 thread)
{
    struct threads *t = context;
    t->woken |= (u64)1 << thread;
    engine_stop(&t->player->runner->run->sim.engine);
}

static void start_woken(struct threads *t)
{
    for (u32 i = 0; t->woken && i < t->count; i++) {
        struct core *c = core_of(t, i);
        if (!(t->woken >> i & 1) || c->stream)
            continue;
        t->woken &= ~((u64)1 << i);
        t->running++;
        core_start(c, &t->streams[i], t->player->application);
    }
}

/* A thread of it has ended on a core. */
static void core_ended(void *context, struct core *core, cycle_t now)
{
    struct threads *t = context;
    if (t->moves && core == t->cluster->mover.at && mover_has(&t->cluster->mover, t->streams) &&
        mover_has_left(&t->cluster->mover, now)) {
        t->has_left = true;
        engine_stop(&t->player->runner->run->sim.engine);
        return;
    }
    u32 thread = core->index - t->player->first;
    if (t->streams[0].threads && !cpu_thread_runs(&t->streams[thread]))
        t->woken &= ~((u64)1 << thread); /* it went on meanwhile, and waits again */
    bool goes_on = --t->running || t->woken;
    if (t->woken || core->err.kind != ERR_NONE)
        engine_stop(&t->player->runner->run->sim.engine);
    if (goes_on)
        return;
    t->reached = t->ended = now + 1;
    engine_stop(&t->player->runner->run->sim.engine);
}

/* A thread of it is where it was to stop. */
static void core_reached(void *context, struct core *core, cycle_t now)
{
    struct threads *t = context;
    (void)core;
    t->reached = now + 1;
    engine_stop(&t->player->runner->run->sim.engine);
}

/* ---- opening ---- */

static bool open_stream(struct threads *t)
{
    const struct mix_runner *s = t->player->runner;
    struct cpu_stream_request r = {.name = t->player->path,
                                   .thread = t->open,
                                   .seed = s->run->sim.seed,
                                   .events = t->cluster->openmp != NULL,
                                   .first = t->open ? &t->streams[0] : NULL,
                                   .vector_bits = core_of(t, t->open)->config->vector.bits};
    if (!cpu_stream_open(&t->streams[t->open], &r, s->err))
        return false;
    t->open++;
    return true;
}

/* A program without would start again for ever beside another one. */
static bool has_instructions(struct threads *t)
{
    struct err *err = t->player->runner->err;
    for (u32 i = 0; i < t->count; i++) {
        if (cpu_stream_peek(&t->streams[i]))
            return true;
        if (!cpu_stream_check(&t->streams[i], err))
            return false;
    }
    return err_kind(err, ERR_INPUT, "%s contains no instructions, expected at least one",
                    t->player->path);
}

/* Cores with back ends by rate go by those of the trace; a synthetic kernel has none. */
static bool set_rates(struct threads *t)
{
    const struct core_config *c = t->cluster->config;
    struct cpu_rates r;
    struct err *err = t->player->runner->err;
    if (c->backend != BACKEND_RATE || c->rate.source == RATES_OF_CHIP ||
        cpu_name_is_kernel(t->player->path))
        return true;
    if (!cpu_rates_read(t->player->path, &r, &t->player->runner->run->sim.arena, err))
        return false;
    for (u32 i = 0; i < t->count; i++) {
        struct core *k = core_of(t, i);
        const struct cpu_core_rates *of = k->index < c->rate.wide_cores ? &r.wide : &r.lean;
        if (of->serial > c->window.retire_width || of->parallel > c->window.retire_width)
            return err_kind(err, ERR_INPUT,
                            "%s has a rate above core.window.retire_width = %u, expected at most "
                            "that",
                            t->player->path, c->window.retire_width);
        rate_set(k, of->serial, of->parallel);
    }
    return true;
}

/* As many streams as the program has threads: there must be cores for them. */
static bool player_open(struct player *p)
{
    struct mix_runner *s = p->runner;
    struct threads *t = ARENA_NEW(&s->run->sim.arena, struct threads);
    *t = (struct threads){.player = p,
                          .cluster = machine_cluster(s->machine, p->cluster, AGENT_CPU)->part};
    u32 cores = p->end ? p->end - p->first : t->cluster->config->count;
    t->streams = ARENA_ARRAY(&s->run->sim.arena, struct cpu_stream, cores);
    p->own = t;
    if (!open_stream(t))
        return false;
    t->count = t->streams[0].thread_count ? t->streams[0].thread_count : 1;
    if (t->count > cores)
        return err_kind(s->err, ERR_INPUT, "%s has %u threads, expected at most its %u core%s",
                        p->path, t->count, cores, cores == 1 ? "" : "s");
    while (t->open < t->count) {
        if (!open_stream(t))
            return false;
    }
    if (t->streams[0].threads) {
        if (t->cluster->openmp)
            return err_kind(s->err, ERR_INPUT,
                            "%s creates its threads itself, expected core.openmp: false", p->path);
        *t->streams[0].threads = (struct cpu_threads){thread_woken, t};
    }
    if (!has_instructions(t) || !set_rates(t))
        return false;
    t->moves = mover_is_on(&t->cluster->mover) && t->count == 1 && t->streams[0].mover;
    t->span = t->moves ? cores : t->count;
    for (u32 i = 0; i < t->span; i++) {
        struct core *c = &t->cluster->cores[p->first + i];
        c->on_end = core_ended;
        c->on_mark = core_reached;
        c->context = t;
    }
    return true;
}

static void player_close(struct player *p)
{
    struct threads *t = p->own;
    for (u32 i = 0; i < t->open; i++)
        cpu_stream_close(&t->streams[i]);
}

/* ---- running ---- */

static void start(struct threads *t)
{
    t->has_started = true;
    t->running = 0;
    t->woken = 0;
    cpu_cluster_begin(t->cluster, t->player->path, t->player->first, t->count);
    for (u32 i = 0; i < t->count; i++) {
        if (t->streams[0].threads && !cpu_thread_runs(&t->streams[i]) && i)
            continue;
        t->running++;
        core_start(core_of(t, i), &t->streams[i], t->player->application);
    }
    if (t->moves && !t->cluster->mover.at) {
        t->cluster->mover.first = t->player->first;
        t->cluster->mover.end = t->player->first + t->span;
        mover_begin(&t->cluster->mover, core_of(t, 0), t->streams, t->player->application);
    }
}

static bool player_go_on(struct player *p)
{
    struct threads *t = p->own;
    if (!t->has_started)
        start(t);
    if (t->has_left)
        mover_arrive(&t->cluster->mover);
    t->has_left = false;
    start_woken(t);
    return true;
}

/* A stream that could not go on says why. */
static bool player_collect(struct player *p)
{
    const struct threads *t = p->own;
    const struct openmp *o = t->cluster->openmp;
    if (o && o->err.kind != ERR_NONE) {
        *p->runner->err = o->err;
        return false;
    }
    for (u32 i = 0; i < t->span; i++) {
        const struct core *c = &t->cluster->cores[t->player->first + i];
        if (c->err.kind != ERR_NONE) {
            *p->runner->err = c->err;
            return false;
        }
    }
    return true;
}

static bool player_has_ended(const struct player *p)
{
    const struct threads *t = p->own;
    return !t->running && !t->woken;
}

static bool player_start_again(struct player *p)
{
    struct threads *t = p->own;
    for (u32 i = 0; i < t->count; i++) {
        if (!cpu_stream_restart(&t->streams[i], p->runner->err))
            return false;
    }
    start(t);
    return true;
}

/* ---- what is measured ---- */

static u64 player_work(const struct player *p)
{
    const struct threads *t = p->own;
    u64 most = 0;
    for (u32 i = 0; i < t->span; i++) {
        u64 n = t->cluster->cores[p->first + i].counts.instructions;
        most = t->moves ? most + n : max_u64(most, n);
    }
    return most + t->warmed;
}

static void player_stop_at(struct player *p, u64 work)
{
    const struct threads *t = p->own;
    u64 done = player_work(p);
    for (u32 i = 0; i < t->count; i++) {
        struct core *c = core_of(t, i);
        if (t->moves) /* on whichever core it is then */
            c->mark_at = c->counts.instructions + (work > done ? work - done : 0);
        else
            c->mark_at = work > t->warmed ? work - t->warmed : UINT64_MAX;
    }
}

/* All threads go on by as much; a run ends with its longest. */
static bool player_warm(struct player *p, u64 work)
{
    struct threads *t = p->own;
    u64 done = 0;
    if (t->cluster->openmp)
        return err_kind(p->runner->err, ERR_INPUT,
                        "%s cannot be warmed without timing when core.openmp is true, expected "
                        "warm-up with timing",
                        p->path);
    if (t->streams[0].threads)
        return err_kind(p->runner->err, ERR_INPUT,
                        "%s has threads that wait for each other, expected warm-up with timing",
                        p->path);
    for (u32 i = 0; i < t->count; i++)
        done = max_u64(done, core_warm(core_of(t, i), &t->streams[i], p->application, work));
    t->warmed += done;
    if (done == work)
        return true;
    p->run_began = t->warmed;
    for (u32 i = 0; i < t->count; i++) {
        if (!cpu_stream_check(&t->streams[i], p->runner->err) ||
            !cpu_stream_restart(&t->streams[i], p->runner->err))
            return false;
    }
    return player_warm(p, work - done);
}

static cycle_t player_enter(struct player *p)
{
    struct threads *t = p->own;
    for (u32 i = 0; i < t->count; i++)
        core_of(t, i)->mark_at = UINT64_MAX;
    cpu_cluster_sum(t->cluster, p->first, t->span, &t->before);
    t->before.ended = t->reached;
    return t->reached;
}

static void player_leave(struct player *p)
{
    struct threads *t = p->own;
    cpu_cluster_record(t->cluster, p->path, p->application, p->first, t->span, &t->before,
                       t->ended);
    if (p->result)
        p->result->cycles = t->ended - p->entered;
}

static void player_cut(struct player *p)
{
    struct threads *t = p->own;
    for (u32 i = 0; i < t->span; i++)
        core_cut(&t->cluster->cores[p->first + i]);
}

const struct player_kind player_cpu = {
    .open = player_open,
    .go_on = player_go_on,
    .collect = player_collect,
    .has_ended = player_has_ended,
    .start_again = player_start_again,
    .work = player_work,
    .stop_at = player_stop_at,
    .warm = player_warm,
    .enter = player_enter,
    .leave = player_leave,
    .cut = player_cut,
    .is_idle = player_has_ended,
    .close = player_close,
};
