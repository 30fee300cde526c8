#include "run/window.h"

#include "machine/machine.h"

void window_begin(struct window *w, struct machine *m)
{
    struct engine *e = &m->sim->engine;
    /* Before the first cycle there is nothing to settle, and units have not ticked in it. */
    if (e->now_fs) {
        e->sampling = true;
        machine_settle(m);
        e->sampling = false;
    }
    w->has_begun = true;
    w->fs = m->sim->measured_from_fs = e->now_fs;
    w->cycles = ARENA_ARRAY(&m->sim->arena, cycle_t, e->domain_count);
    for (u32 i = 0; i < e->domain_count; i++)
        w->cycles[i] = engine_cycle(e, i);
    w->energy = ARENA_NEW(&m->sim->arena, struct energy_meter);
    *w->energy = m->meter;
    for (u32 i = 0; i < m->cluster_count; i++) {
        if (m->clusters[i].plan.kind->begin_window)
            m->clusters[i].plan.kind->begin_window(m->clusters[i].part);
    }
    stats_window_begin(&w->stats, &m->sim->stats);
}

static void subtract(double *from, const double *what, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *from; i++)
        from[i] -= what[i];
}

void window_end(struct window *w, struct machine *m)
{
    if (!w->has_begun)
        return;
    for (u32 i = 0; i < m->cluster_count; i++) {
        if (m->clusters[i].plan.kind->end_window)
            m->clusters[i].plan.kind->end_window(m->clusters[i].part);
    }
    subtract(m->meter.counts, w->energy->counts, sizeof m->meter.counts);
    subtract((double *)(void *)&m->meter.energy, (const double *)(const void *)&w->energy->energy,
             sizeof m->meter.energy);
    m->meter.l2_off_seconds -= w->energy->l2_off_seconds;
    stats_window_end(&w->stats, &m->sim->stats);
}

u64 window_cycles(const struct window *w, const struct engine *e, domain_id domain)
{
    return engine_cycle(e, domain) - (w->has_begun ? w->cycles[domain] : 0);
}

u64 window_fs(const struct window *w, const struct engine *e)
{
    return e->now_fs - w->fs;
}
