#include "sim/sampler.h"

/* A sampler is ticked every cycle when skipping is off: it keeps its own date. */
struct sampler {
    struct engine *engine;
    struct series *series;
    void (*settle)(void *machine);
    void *machine;
    cycle_t next;
};

static cycle_t sampler_tick(void *self, cycle_t now)
{
    struct sampler *s = self;
    if (now >= s->next) {
        s->engine->sampling = true;
        if (s->settle)
            s->settle(s->machine);
        s->engine->sampling = false;
        s->next = series_sample(s->series, now);
    }
    return s->next;
}

void sampler_add(struct engine *e, domain_id domain, struct series *series,
                 void (*settle)(void *machine), void *machine)
{
    struct sampler *s = ARENA_NEW(e->arena, struct sampler);
    s->engine = e;
    s->series = series;
    s->settle = settle;
    s->machine = machine;
    engine_set_background(e, engine_add_unit(e, domain, "sampler", sampler_tick, s));
}
