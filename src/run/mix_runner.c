#include "run/mix_runner.h"

#include "machine/cpu_cluster.h"
#include "cpu_trace/stream.h"

/* ---- what is measured of a program ---- */

static void count_so_far(const struct player *p, struct application_counts *out)
{
    struct machine *m = p->runner->machine;
    machine_settle_applications(m);
    *out = m->applications[p->application];
}

static void note_counts(const struct player *p)
{
    struct application_counts *c = &p->result->counts;
    count_so_far(p, c);
    u64 lines = c->l2_lines;
    if (p->window == WINDOW_AHEAD) /* nothing of what it did counts */
        *c = (struct application_counts){0};
    else
        applications_subtract(c, &p->entered_counts);
    c->l2_lines = lines;
    p->result->has_memory = p->runner->machine->memories[0].banks != NULL;
}

static void note_end(struct player *p)
{
    p->window = WINDOW_DONE;
    p->runner->unfinished--;
    p->kind->leave(p);
    if (!p->result)
        return;
    p->result->has_ended = true;
    p->result->fs = p->runner->run->sim.engine.now_fs - p->entered_fs;
    note_counts(p);
}

static void enter(struct player *p)
{
    struct mix_runner *s = p->runner;
    p->window = WINDOW_ENTERED;
    p->entered_work = p->kind->work(p);
    p->entered_fs = s->run->sim.engine.now_fs;
    p->entered = p->kind->enter(p);
    if (p->result) {
        count_so_far(p, &p->entered_counts);
        p->result->kernels = p->result->cycles = 0;
    }
    s->entered += !p->has_entered;
    p->has_entered = true;
}

static void enter_at(struct player *p, u64 work)
{
    p->window = WINDOW_AHEAD;
    p->enters_at = work;
    if (p->kind->stop_at)
        p->kind->stop_at(p, work);
}

/* Those that have done their warm part; when the last of them has, the machine's window begins. */
static void enter_windows(struct mix_runner *s)
{
    for (u32 i = 0; i < s->count; i++) {
        struct player *p = &s->players[i];
        if (p->window == WINDOW_AHEAD && p->kind->work(p) >= p->enters_at)
            enter(p);
    }
    if (s->entered == s->count && run_is_warmed(s->run) && !s->run->window.has_begun)
        window_begin(&s->run->window, s->machine);
}

/* A window of which nothing is left is the whole next run; one that others have not been there for
 * is that of the next run. */
static void end_run(struct player *p)
{
    u64 work = p->kind->work(p), into = p->entered_work - p->run_began;
    p->complete_runs++;
    if (p->result)
        p->result->complete_runs = p->complete_runs;
    if (p->window == WINDOW_ENTERED && p->warm && work == p->entered_work)
        enter_at(p, work);
    else if (p->window == WINDOW_ENTERED && p->runner->entered < p->runner->count)
        enter_at(p, work + into);
    else if (p->window == WINDOW_ENTERED)
        note_end(p);
    p->run_began = work;
}

/* ---- all of them ---- */

static u32 end_runs(struct mix_runner *s)
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

static bool start_again(struct mix_runner *s, u32 which)
{
    for (; which; which &= which - 1) {
        struct player *p = &s->players[__builtin_ctz(which)];
        if (!p->kind->start_again(p))
            return false;
    }
    return true;
}

/* Until something has ended; false: the run is over, for whatever reason. */
static bool run_on(struct mix_runner *s)
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

static bool go_on(struct mix_runner *s)
{
    for (u32 i = 0; i < s->count; i++) {
        if (!s->players[i].kind->go_on(&s->players[i]))
            return false;
    }
    return true;
}

/* Until the window of each program has ended. */
static bool play(struct mix_runner *s)
{
    for (;;) {
        enter_windows(s);
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

static bool all_idle(const struct mix_runner *s)
{
    for (u32 i = 0; i < s->count; i++) {
        if (!s->players[i].kind->is_idle(&s->players[i]))
            return false;
    }
    return true;
}

/* Programs that had started again stop: what is under way ends, nothing more comes. */
static void finish(struct mix_runner *s)
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

static void cast(struct mix_runner *s)
{
    const struct mix *mix = s->run->mix;
    s->count = s->unfinished = mix ? mix->count : 1;
    s->players = ARENA_ARRAY(&s->run->sim.arena, struct player, s->count);
    for (u32 i = 0; i < s->count; i++) {
        struct player *p = &s->players[i];
        const struct application *a = mix ? &mix->applications[i] : NULL;
        u8 agents = a                                       ? a->kind->agents
                    : cpu_name_is_program(s->run->workload) ? AGENT_CPU
                                                            : AGENT_SM;
        *p = (struct player){.runner = s,
                             .kind = agents == AGENT_CPU ? &player_cpu : &player_gpu,
                             .application = (u8)i,
                             .path = a ? a->plays : s->run->workload,
                             .cluster = a ? a->cluster : s->run->on,
                             .first = a ? a->first : 0,
                             .end = a ? a->end : 0,
                             .warm = a ? a->warm : warm_of(&s->run->warm, agents),
                             .is_functional = a ? a->is_functional : s->run->warm.is_functional,
                             .result = a ? &s->run->applications[i] : NULL};
    }
}

/* A bit of each in turn, so that they share what is below as they go. */
#define WARM_TURN 1000u

/* What can be done without time is done before cycle 0. */
static bool warm(struct mix_runner *s)
{
    for (bool is_left = true; is_left;) {
        is_left = false;
        for (u32 i = 0; i < s->count; i++) {
            struct player *p = &s->players[i];
            u64 left = p->is_functional && p->kind->warm ? p->warm - p->kind->work(p) : 0;
            if (left && !p->kind->warm(p, min_u64(left, WARM_TURN)))
                return false;
            is_left |= left > WARM_TURN;
        }
    }
    return true;
}

enum engine_end mix_run(struct run *run, struct err *err)
{
    struct mix_runner s = {.run = run, .machine = run->machine, .err = err, .end = ENGINE_STOPPED};
    bool ok = true;
    cast(&s);
    for (u32 i = 0; ok && i < s.count; i++)
        ok = s.players[i].kind->open(&s.players[i]);
    for (u32 i = 0; ok && i < s.count; i++)
        enter_at(&s.players[i], s.players[i].warm);
    if (ok && warm(&s) && play(&s))
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
