#include "chip/stage.h"

#include "chip/cpu_model.h"

/* ---- the first run of a program ---- */

static void note_counts(const struct player *p)
{
    struct machine *m = p->stage->machine;
    machine_settle_applications(m);
    p->result->counts = m->applications[p->application];
    p->result->has_memory = m->memories[0].banks != NULL;
}

static void note_end(const struct player *p)
{
    p->result->has_ended = true;
    p->result->fs = p->stage->run->sim.engine.now_fs;
    note_counts(p);
}

static void end_run(struct player *p)
{
    bool is_first = !p->complete_runs++;
    if (p->result && is_first)
        note_end(p);
    if (p->result)
        p->result->complete_runs = p->complete_runs;
    p->stage->unfinished -= is_first;
}

/* ---- all of them ---- */

static u32 end_runs(struct stage *s)
{
    u32 ended = 0;
    for (u32 i = 0; i < s->count; i++) {
        if (!s->players[i].kind->has_ended(&s->players[i]))
            continue;
        ended |= (u32)1 << i;
        end_run(&s->players[i]);
    }
    return ended;
}

static bool start_again(struct stage *s, u32 which)
{
    for (; which; which &= which - 1) {
        struct player *p = &s->players[__builtin_ctz(which)];
        if (!p->kind->start_again(p))
            return false;
    }
    return true;
}

/* Until something has ended; false: the run is over, for whatever reason. */
static bool run_on(struct stage *s)
{
    s->end = engine_run(&s->run->sim.engine);
    if (s->end != ENGINE_STOPPED)
        return false;
    for (u32 i = 0; i < s->count; i++) {
        if (!s->players[i].kind->collect(&s->players[i]))
            return false;
    }
    return true;
}

static bool go_on(struct stage *s)
{
    for (u32 i = 0; i < s->count; i++) {
        if (!s->players[i].kind->go_on(&s->players[i]))
            return false;
    }
    return true;
}

/* Until each program has ended once. */
static bool play(struct stage *s)
{
    for (;;) {
        if (!go_on(s))
            return false;
        u32 ended = end_runs(s);
        if (!s->unfinished)
            return true;
        if (!start_again(s, ended))
            return false;
        if (!ended && !run_on(s))
            return false;
    }
}

static bool all_idle(const struct stage *s)
{
    for (u32 i = 0; i < s->count; i++) {
        if (!s->players[i].kind->is_idle(&s->players[i]))
            return false;
    }
    return true;
}

/* Programs that had started again stop: what is under way ends, nothing more comes. */
static void finish(struct stage *s)
{
    for (u32 i = 0; i < s->count; i++)
        s->players[i].kind->cut(&s->players[i]);
    while (!all_idle(s)) {
        if (!run_on(s))
            return;
    }
    engine_finish(&s->run->sim.engine);
    s->end = engine_run(&s->run->sim.engine);
}

static void cast(struct stage *s)
{
    const struct mix *mix = s->run->mix;
    s->count = s->unfinished = mix ? mix->count : 1;
    s->players = ARENA_ARRAY(&s->run->sim.arena, struct player, s->count);
    for (u32 i = 0; i < s->count; i++) {
        struct player *p = &s->players[i];
        const struct application *a = mix ? &mix->applications[i] : NULL;
        u8 agents = a ? a->kind->agents : cpu_workload_is(s->run->workload) ? AGENT_CPU : AGENT_SM;
        *p = (struct player){.stage = s,
                             .kind = agents == AGENT_CPU ? &player_cpu : &player_gpu,
                             .application = (u8)i,
                             .path = a ? a->plays : s->run->workload,
                             .cluster = a ? a->cluster : s->run->on,
                             .first = a ? a->first : 0,
                             .end = a ? a->end : 0,
                             .result = a ? &s->run->applications[i] : NULL};
    }
}

enum engine_end stage_run(struct run *run, struct err *err)
{
    struct stage s = {.run = run, .machine = run->machine, .err = err, .end = ENGINE_STOPPED};
    bool ok = true;
    cast(&s);
    for (u32 i = 0; ok && i < s.count; i++)
        ok = s.players[i].kind->open(&s.players[i]);
    if (ok && play(&s))
        finish(&s);
    if (s.end == ENGINE_HUNG) /* while the kernels' names are still there */
        watchdog_report(&run->sim.engine, &run->hang);
    for (u32 i = 0; i < s.count; i++) {
        struct player *p = &s.players[i];
        if (p->result && !p->result->has_ended)
            note_counts(p);
        if (p->own)
            p->kind->close(p);
    }
    return s.end;
}
