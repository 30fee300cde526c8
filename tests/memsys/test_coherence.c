/*
 * Who waits for which flush, with a fake bank per socket: it sees an order in the cycle after it
 * was given, and carries it out FLUSH_CYCLES later. What is asked in cycle n begins in n + 1; its
 * end is seen in the cycle after the bank's, and wakes those who wait in the one after that.
 */
#include "testing.h"

#include "memsys/coherence.h"
#include "sim/sim.h"

#define FLUSH_CYCLES 10u
#define END_CYCLES (1 + 1 + FLUSH_CYCLES + 1 + 1) /* from asking to waking */
#define SOCKETS 2u
#define MOST_ASKS 4u

struct ask {
    cycle_t at;
    u32 socket;
    u64 number;   /* of the flush that it waits for */
    cycle_t done; /* 0: not yet */
    unit_id unit;
    struct bed *bed;
};

struct fake_bank {
    struct bed *bed;
    u32 socket;
    struct bank bank;
    struct bank_remote remote;
    cycle_t ends; /* CYCLE_NEVER: nothing is flushed */
    u32 flushes;
};

struct bed {
    struct sim sim;
    struct memory_system memories[SOCKETS];
    struct fake_bank banks[SOCKETS];
    struct coherence coherence;
    struct ask asks[MOST_ASKS];
    u32 ask_count;
    u64 lines_away;      /* that each flush sends to the other socket */
    cycle_t arrive_from; /* the lines of the flushes so far have been taken in */
};

static cycle_t bank_tick(void *self, cycle_t now)
{
    struct fake_bank *f = self;
    struct engine *e = &f->bed->sim.engine;
    struct flush_order *o = &f->bed->coherence.orders[f->socket];
    if (f->ends == CYCLE_NEVER && flush_number(o, e->now_fs) != f->remote.flushed) {
        f->ends = now + FLUSH_CYCLES;
        f->flushes++;
        for (u64 i = 0; i < f->bed->lines_away; i++)
            flush_left(o);
    }
    if (f->ends == now) {
        f->ends = CYCLE_NEVER;
        f->remote.flushed = flush_number(o, e->now_fs);
        f->remote.flushed_fs = e->now_fs;
        engine_wake(e, o->giver);
    }
    while (o->under_way && now >= f->bed->arrive_from) {
        if (!flush_arrived(o, e->now_fs))
            engine_wake(e, o->giver);
    }
    return f->ends != CYCLE_NEVER || o->under_way || flush_number(o, e->now_fs) < o->number
               ? now + 1
               : CYCLE_NEVER;
}

static cycle_t ask_tick(void *self, cycle_t now)
{
    struct ask *a = self;
    struct coherence *c = &a->bed->coherence;
    if (now < a->at)
        return a->at;
    if (now == a->at)
        a->number = coherence_ask(c, a->socket);
    if (!a->done && coherence_is_done(c, a->socket, a->number))
        a->done = now;
    if (!a->done)
        coherence_wake(c, a->socket, a->unit);
    return CYCLE_NEVER;
}

static void run(struct bed *b, bool is_free, const struct ask *asks, u32 count)
{
    struct engine *e = &b->sim.engine;
    u64 lines = b->lines_away;
    cycle_t from = b->arrive_from;
    *b = (struct bed){.ask_count = count, .lines_away = lines, .arrive_from = from};
    engine_init(e, &b->sim.arena, &(struct engine_options){.max_cycles = 1000});
    stats_init(&b->sim.stats, &b->sim.arena);
    domain_id clock = engine_add_domain(e, "clock", 1000000000);
    struct build_site site = site_of(&b->sim);
    coherence_init(&b->coherence, &b->sim, b->memories, SOCKETS, is_free, false);
    for (u32 i = 0; i < SOCKETS; i++) {
        struct fake_bank *f = &b->banks[i];
        *f = (struct fake_bank){.bed = b, .socket = i, .ends = CYCLE_NEVER};
        f->bank.remote = &f->remote;
        f->bank.unit = engine_add_unit(e, clock, "bank", bank_tick, f);
        b->memories[i].banks = &f->bank;
        b->memories[i].bank_count = 1;
    }
    for (u32 i = 0; i < count; i++) {
        b->asks[i] = asks[i];
        b->asks[i].bed = b;
        b->asks[i].unit = engine_add_unit(e, clock, "asker", ask_tick, &b->asks[i]);
    }
    coherence_connect(&b->coherence, &site, clock);
    engine_start(e);
    engine_run(e);
}

static void close_bed(struct bed *b)
{
    arena_fini(&b->sim.arena);
}

TEST(a_fence_waits_for_one_flush_of_its_own_socket)
{
    UNUSED_STATE;
    static const struct ask asks[] = {{.at = 100, .socket = 1}};
    struct bed b = {0};
    run(&b, false, asks, 1);
    assert_int_equal(b.asks[0].done, 100 + END_CYCLES);
    assert_int_equal(b.banks[1].flushes, 1);
    assert_int_equal(b.banks[0].flushes, 0);
    close_bed(&b);
}

TEST(fences_of_one_cycle_share_a_flush)
{
    UNUSED_STATE;
    static const struct ask asks[] = {{.at = 100, .socket = 0}, {.at = 100, .socket = 0}};
    struct bed b = {0};
    run(&b, false, asks, 2);
    assert_int_equal(b.banks[0].flushes, 1);
    assert_int_equal(b.asks[0].done, 100 + END_CYCLES);
    assert_int_equal(b.asks[1].done, 100 + END_CYCLES);
    close_bed(&b);
}

/* The running one may have passed a line that the later fence must see. */
TEST(fences_during_a_flush_wait_for_the_next_one_together)
{
    UNUSED_STATE;
    static const struct ask asks[] = {
        {.at = 100, .socket = 0}, {.at = 105, .socket = 0}, {.at = 107, .socket = 0}};
    struct bed b = {0};
    run(&b, false, asks, 3);
    assert_int_equal(b.banks[0].flushes, 2);
    assert_int_equal(b.asks[0].number, 1);
    assert_int_equal(b.asks[1].number, 2);
    assert_int_equal(b.asks[2].number, 2);
    /* the second flush begins in the cycle in which the first one's end is seen */
    assert_int_equal(b.asks[0].done, 100 + END_CYCLES);
    assert_int_equal(b.asks[1].done, 100 + END_CYCLES - 1 + END_CYCLES - 1);
    assert_int_equal(b.asks[2].done, b.asks[1].done);
    close_bed(&b);
}

TEST(a_flush_ends_when_the_other_socket_has_taken_its_lines_in)
{
    UNUSED_STATE;
    static const struct ask asks[] = {{.at = 100, .socket = 0}};
    struct bed b = {.lines_away = 3, .arrive_from = 200};
    run(&b, false, asks, 1);
    /* arrived in 200, seen in 201, woken in 202 */
    assert_int_equal(b.asks[0].done, 202);
    close_bed(&b);
}

TEST(without_flushes_nothing_is_waited_for)
{
    UNUSED_STATE;
    static const struct ask asks[] = {{.at = 100, .socket = 0}};
    struct bed b = {0};
    run(&b, true, asks, 1);
    assert_int_equal(b.asks[0].done, 100);
    assert_int_equal(b.banks[0].flushes, 0);
    close_bed(&b);
}

RUN_TESTS(T(a_fence_waits_for_one_flush_of_its_own_socket), T(fences_of_one_cycle_share_a_flush),
          T(fences_during_a_flush_wait_for_the_next_one_together),
          T(a_flush_ends_when_the_other_socket_has_taken_its_lines_in),
          T(without_flushes_nothing_is_waited_for))
