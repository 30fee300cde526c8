/* Programs on CPU cores: each thread a stream of instructions on a core of its own. */
#include "chip/cpu_model.h"

#include "front/cpu/stream.h"

#include <string.h>

struct player {
    const char *name;
    struct application_result *result; /* NULL: nobody asks */
    struct cpu_stream *streams;        /* a thread each */
    u32 first, count;                  /* cores */
    u32 running;                       /* threads that have not ended */
    u64 runs;
};

struct stage {
    struct run *run;
    struct cpu_cluster *cluster;
    struct err *err;
    struct player *players;
    u32 count, unfinished; /* those whose first run has not ended */
    enum engine_end end;
};

/* ---- opening ------------------------------------------------------------------------------- */

bool cpu_workload_is(const char *name)
{
    return cpu_name_is_program(name);
}

static bool open_stream(const struct stage *s, struct player *p, u32 thread)
{
    struct cpu_stream_request r = {.name = p->name, .thread = thread, .seed = s->run->sim.seed};
    return cpu_stream_open(&p->streams[thread], &r, s->err);
}

/* As many streams as the program has threads: there must be cores for them. */
static bool player_open(const struct stage *s, struct player *p, u32 cores)
{
    p->streams = ARENA_ARRAY(&s->run->sim.arena, struct cpu_stream, cores);
    if (!open_stream(s, p, 0))
        return false;
    p->count = p->streams[0].thread_count ? p->streams[0].thread_count : 1;
    if (p->count > cores) {
        u32 threads = p->count;
        p->count = 1; /* that are open */
        return err_kind(s->err, ERR_INPUT, "%s has %u threads, expected at most its %u core%s",
                        p->name, threads, cores, cores == 1 ? "" : "s");
    }
    for (u32 i = 1; i < p->count; i++) {
        if (!open_stream(s, p, i))
            return false;
    }
    return true;
}

static bool open_all(struct stage *s)
{
    const struct mix *mix = s->run->mix;
    u32 cores = s->cluster->config->count;
    for (u32 i = 0; i < s->count; i++) {
        struct player *p = &s->players[i];
        p->name = mix ? mix->applications[i].plays : s->run->workload;
        p->result = mix ? &s->run->applications[i] : NULL;
        p->first = mix ? mix->applications[i].first : 0;
        if (!player_open(s, p, mix ? mix->applications[i].end - p->first : cores))
            return false;
    }
    return true;
}

/* ---- running ------------------------------------------------------------------------------- */

static struct core *core_of(const struct stage *s, const struct player *p, u32 thread)
{
    return &s->cluster->cores[p->first + thread];
}

static void player_start(struct stage *s, struct player *p)
{
    p->running = p->count;
    for (u32 i = 0; i < p->count; i++)
        core_start(core_of(s, p, i), &p->streams[i], (u8)(p - s->players));
}

static void note_counts(const struct stage *s, const struct player *p)
{
    p->result->counts.instructions = 0;
    for (u32 i = 0; i < p->count; i++)
        p->result->counts.instructions += core_of(s, p, i)->counts.instructions;
}

static void core_ended(void *context, struct core *core, cycle_t now)
{
    struct stage *s = context;
    for (u32 i = 0; i < s->count; i++) {
        struct player *p = &s->players[i];
        if (core->index < p->first || core->index >= p->first + p->count || --p->running)
            continue;
        if (!p->runs)
            cpu_cluster_record(s->cluster, p->name, (u8)i, p->first, p->count, now + 1);
        if (p->result && !p->runs) {
            p->result->has_ended = true;
            p->result->cycles = now + 1;
            p->result->fs = s->run->sim.engine.now_fs;
            note_counts(s, p);
        }
        s->unfinished -= !p->runs++;
        if (p->result)
            p->result->complete_runs = p->runs;
        engine_stop(&s->run->sim.engine);
    }
}

/* Those that have ended start again. */
static bool start_again(struct stage *s)
{
    for (u32 i = 0; i < s->count; i++) {
        struct player *p = &s->players[i];
        if (p->running)
            continue;
        for (u32 k = 0; k < p->count; k++) {
            if (!cpu_stream_restart(&p->streams[k], s->err))
                return false;
        }
        player_start(s, p);
    }
    return true;
}

/* A stream that could not go on says why. */
static bool failed(const struct stage *s)
{
    for (u32 i = 0; i < s->cluster->config->count; i++) {
        const struct core *c = &s->cluster->cores[i];
        if (c->err.kind != ERR_NONE) {
            *s->err = c->err;
            return true;
        }
    }
    return false;
}

static bool play(struct stage *s)
{
    for (u32 i = 0; i < s->count; i++)
        player_start(s, &s->players[i]);
    for (;;) {
        s->end = engine_run(&s->run->sim.engine);
        if (s->end != ENGINE_STOPPED || failed(s))
            return false;
        if (!s->unfinished)
            return true;
        if (!start_again(s))
            return false;
    }
}

/* Programs that had started again are cut; what is under way ends. */
static void finish(struct stage *s)
{
    for (u32 i = 0; i < s->cluster->config->count; i++) {
        s->cluster->cores[i].on_end = NULL;
        core_cut(&s->cluster->cores[i]);
    }
    engine_finish(&s->run->sim.engine);
    do {
        s->end = engine_run(&s->run->sim.engine);
    } while (s->end == ENGINE_STOPPED && cpu_cluster_is_running(s->cluster));
}

enum engine_end cpu_workload_run(struct run *run, struct err *err)
{
    struct stage s = {.run = run, .err = err, .end = ENGINE_STOPPED};
    s.cluster = machine_cluster(run->machine, run->on ? run->on : "", AGENT_CPU)->part;
    s.count = s.unfinished = run->mix ? run->mix->count : 1;
    s.players = ARENA_ARRAY(&run->sim.arena, struct player, s.count);
    for (u32 i = 0; i < s.cluster->config->count; i++) {
        s.cluster->cores[i].on_end = core_ended;
        s.cluster->cores[i].context = &s;
    }
    if (open_all(&s) && play(&s))
        finish(&s);
    if (s.end == ENGINE_HUNG)
        watchdog_report(&run->sim.engine, &run->hang);
    machine_settle(run->machine);
    for (u32 i = 0; i < s.count; i++) {
        struct player *p = &s.players[i];
        if (p->result && !p->result->has_ended)
            note_counts(&s, p);
        for (u32 k = 0; p->streams && k < p->count; k++)
            cpu_stream_close(&p->streams[k]);
    }
    return s.end;
}
