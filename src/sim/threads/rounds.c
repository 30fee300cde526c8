/* An instant on several threads: which stages are ticked in one round. */
#include "sim/threads/thread_pool.h"

static void tick_stage(struct engine *e, struct stage *s, u32 units)
{
    bool timed = stage_asks(s, STAGE_TICK);
    u64 start = timed ? host_clock() : 0;
    engine_tick_slots(e, s->domain, s->first, s->end);
    if (timed)
        stage_took(s, STAGE_TICK, units, host_clock() - start);
}

static void tick_round(struct engine *e, struct round *r)
{
    bool shared = r->count && thread_pool_tick(e->thread_pool, r);
    for (u32 i = 0; i < r->count; i++) {
        struct stage *s = r->stages[i];
        if (!shared)
            tick_stage(e, s, r->units[i]);
        else if (s->has_ends)
            engine_end_ticks(e, s->domain, s);
    }
    for (u32 i = 0; i < r->waiting_count; i++) {
        const struct unit *u = r->waiting[i];
        engine_tick_slots(e, &e->domains[u->domain], u->slot, u->slot + 1);
    }
    r->count = r->waiting_count = 0;
}

/* Those of some units that tick, if all can wait. */
static bool let_wait(const struct domain *d, struct round *r, u32 from, u32 to)
{
    u32 count = r->waiting_count;
    for (u32 slot = from; slot < to; slot++) {
        struct unit *u = d->units[slot];
        if (!(d->ticking[slot / 64] >> (slot % 64) & 1))
            continue;
        if (count == MOST_WAITING || !u->can_wait || !u->can_wait(u->self))
            return false;
        r->waiting[count++] = u;
    }
    r->waiting_count = count;
    return true;
}

/* Units that are of no stage have what comes before them behind them. */
static void tick_between(struct engine *e, struct domain *d, struct round *r, u32 from, u32 to)
{
    if (!bits_count(d->ticking, from, to) || let_wait(d, r, from, to))
        return;
    tick_round(e, r);
    engine_tick_slots(e, d, from, to);
}

static void join_round(struct engine *e, struct domain *d, struct round *r)
{
    u32 from = 0;
    for (u32 i = 0; i < d->stage_count; i++) {
        struct stage *s = d->stages[i];
        tick_between(e, d, r, from, s->first);
        from = s->end;
        u32 units = bits_count(d->ticking, s->first, s->end);
        if (!units)
            continue;
        r->stages[r->count] = s;
        r->units[r->count++] = units;
    }
    tick_between(e, d, r, from, d->unit_count);
}

/* All domains that tick at this instant: stages that follow each other in one round. */
void engine_tick_instant(struct engine *e, struct domain *first)
{
    struct round r;
    r.part = STAGE_TICK;
    r.count = r.waiting_count = 0;
    struct domain *end = e->domains + e->domain_count;
    u64 now = e->now_fs;
    for (struct domain *d = first; d < end; d++) {
        if (d != first && d->wake_fs != now)
            continue;
        if (d->is_apart)
            tick_round(e, &r);
        engine_begin_cycle(e, d);
        join_round(e, d, &r);
        if (d->is_apart)
            tick_round(e, &r);
        d->is_ticking = true;
    }
    tick_round(e, &r);
    for (struct domain *d = first; d < end; d++) {
        if (d->is_ticking)
            engine_end_cycle(e, d);
        d->is_ticking = false;
    }
}
