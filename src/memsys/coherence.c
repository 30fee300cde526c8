#include "memsys/coherence.h"

void coherence_init(struct coherence *c, struct sim *sim, struct memory_system *memories,
                    u32 sockets, bool is_free, bool remote_only)
{
    *c = (struct coherence){.engine = &sim->engine,
                            .memories = memories,
                            .sockets = sockets,
                            .is_free = is_free,
                            .orders = ARENA_ARRAY(&sim->arena, struct flush_order, sockets),
                            .socket = ARENA_ARRAY(&sim->arena, struct coherence_socket, sockets)};
    for (u32 i = 0; i < sockets; i++)
        c->orders[i].remote_only = remote_only;
}

/* Within an instant nobody sees what another did in it. */
static u64 done_before(const struct coherence *c, const struct coherence_socket *s)
{
    return c->engine->now_fs > s->done_fs ? s->done : s->done - (s->done > 0);
}

u64 coherence_ask(struct coherence *c, u32 socket)
{
    struct coherence_socket *s = &c->socket[socket];
    const struct flush_order *o = &c->orders[socket];
    if (c->is_free)
        return 0;
    u64 number = flush_number(o, c->engine->now_fs) + 1; /* banks see one of this instant later */
    /* SMs of several threads that ask at one instant write the same */
    if (__atomic_load_n(&s->wanted, __ATOMIC_RELAXED) < number) {
        __atomic_store_n(&s->wanted, number, __ATOMIC_RELAXED);
        __atomic_store_n(&s->wanted_fs, c->engine->now_fs, __ATOMIC_RELAXED);
        engine_wake(c->engine, c->unit);
    }
    return number;
}

void coherence_wake(struct coherence *c, u32 socket, unit_id unit)
{
    __atomic_fetch_or(&c->socket[socket].waiting.words[unit / 64], (u64)1 << (unit % 64),
                      __ATOMIC_RELAXED);
}

bool coherence_is_done(const struct coherence *c, u32 socket, u64 number)
{
    return done_before(c, &c->socket[socket]) >= number;
}

static bool is_carried_out(const struct coherence *c, u32 socket)
{
    const struct flush_order *o = &c->orders[socket];
    const struct memory_system *m = &c->memories[socket];
    for (u32 i = 0; i < m->bank_count; i++) {
        const struct bank_remote *b = m->banks[i].remote;
        if (b->flushed != o->number || b->flushed_fs >= c->engine->now_fs)
            return false;
    }
    return !o->under_way && o->arrived_fs < c->engine->now_fs;
}

static void end_flush(struct coherence *c, u32 socket)
{
    struct coherence_socket *s = &c->socket[socket];
    s->done = c->orders[socket].number;
    s->done_fs = c->engine->now_fs;
    for (u32 i = bitset_next(&s->waiting, 0); i < s->waiting.bits;
         i = bitset_next(&s->waiting, i + 1)) {
        engine_wake(c->engine, i);
        bitset_remove(&s->waiting, i);
    }
    if (c->kernels)
        engine_stop(c->engine);
}

static void begin_flush(struct coherence *c, u32 socket)
{
    const struct memory_system *m = &c->memories[socket];
    c->orders[socket].number++;
    c->orders[socket].given_fs = c->engine->now_fs;
    for (u32 i = 0; i < m->bank_count; i++)
        engine_wake(c->engine, m->banks[i].unit);
}

static cycle_t coherence_tick(void *self, cycle_t now)
{
    struct coherence *c = self;
    cycle_t next = CYCLE_NEVER;
    for (u32 i = 0; i < c->sockets; i++) {
        const struct coherence_socket *s = &c->socket[i];
        if (c->orders[i].number > s->done && is_carried_out(c, i))
            end_flush(c, i);
        if (c->orders[i].number == s->done && s->wanted > s->done &&
            s->wanted_fs < c->engine->now_fs)
            begin_flush(c, i);
        if (c->orders[i].number > s->done || s->wanted > s->done)
            next = now + 1;
    }
    return next;
}

static void coherence_explain(void *self, struct waits *waits)
{
    const struct coherence *c = self;
    for (u32 i = 0; i < c->sockets; i++) {
        if (c->orders[i].number > c->socket[i].done)
            waits_add(waits, UNIT_NONE,
                      "socket %u is flushed, %llu lines are on their way to others", i,
                      (unsigned long long)c->orders[i].under_way);
    }
}

/* It sees of banks and SMs what they did before this instant. */
static bool coherence_can_wait(const void *self)
{
    (void)self;
    return true;
}

void coherence_connect(struct coherence *c, const struct build_site *site, domain_id clock)
{
    c->unit = engine_add_unit(c->engine, clock, site_name_of(site, "coherence"), coherence_tick, c);
    engine_explain_with(c->engine, c->unit, coherence_explain);
    engine_let_wait(c->engine, c->unit, coherence_can_wait);
    for (u32 i = 0; i < c->sockets; i++) {
        c->orders[i].giver = c->unit;
        bitset_init(&c->socket[i].waiting, &site->sim->arena, c->engine->unit_count);
    }
}
