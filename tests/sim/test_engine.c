#include "testing.h"

#include "base/rng.h"
#include "sim/engine.h"
#include "sim/port.h"

#define GHZ 1000000000ull

struct probe {
    struct engine *engine;
    cycle_t ticks[64];
    u32 count;
    cycle_t period; /* 0: sleeps */
    cycle_t stop_at;
};

static cycle_t probe_tick(void *self, cycle_t now)
{
    struct probe *p = self;
    if (p->count < ARRAY_LEN(p->ticks))
        p->ticks[p->count] = now;
    p->count++;
    if (p->stop_at && now >= p->stop_at)
        engine_stop(p->engine);
    return p->period ? now + p->period : CYCLE_NEVER;
}

struct bed {
    struct arena arena;
    struct engine engine;
};

static void bed_init(struct bed *b, bool no_skip)
{
    *b = (struct bed){0};
    engine_init(&b->engine, &b->arena,
                &(struct engine_options){.no_skip = no_skip, .watchdog_cycles = 1000});
}

TEST(unit_ticks_exactly_when_it_asked)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b, false);
    domain_id d = engine_add_domain(&b.engine, "core", GHZ);
    struct probe p = {.engine = &b.engine, .period = 7, .stop_at = 21};
    engine_add_unit(&b.engine, d, "probe", probe_tick, &p);
    engine_start(&b.engine);
    assert_int_equal(engine_run(&b.engine), ENGINE_STOPPED);
    static const cycle_t want[] = {0, 7, 14, 21};
    assert_int_equal(p.count, 4);
    assert_memory_equal(p.ticks, want, sizeof want);
    assert_int_equal(b.engine.now_fs, 21 * 1000000);
    arena_fini(&b.arena);
}

TEST(wake_takes_effect_at_the_next_edge_strictly_later)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b, false);
    /* at 0: fast 0, slow 0; slow edges are at fast cycles 0, 3, 6 */
    domain_id fast = engine_add_domain(&b.engine, "fast", 3 * GHZ);
    domain_id slow = engine_add_domain(&b.engine, "slow", GHZ);
    struct probe f = {.engine = &b.engine, .period = 1, .stop_at = 4};
    struct probe s = {.engine = &b.engine};
    engine_add_unit(&b.engine, fast, "fast", probe_tick, &f);
    unit_id sleeper = engine_add_unit(&b.engine, slow, "slow", probe_tick, &s);
    engine_start(&b.engine);
    assert_int_equal(engine_run(&b.engine), ENGINE_STOPPED);
    assert_int_equal(s.count, 1);
    /* now at fast cycle 4, between slow edges 1 and 2 */
    assert_int_equal(engine_cycle(&b.engine, slow), 1);
    engine_wake(&b.engine, sleeper);
    engine_wake(&b.engine, sleeper); /* twice is once */
    b.engine.stopping = false;
    f.stop_at = 8;
    assert_int_equal(engine_run(&b.engine), ENGINE_STOPPED);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.ticks[1], 2);
    arena_fini(&b.arena);
}

/* Asks for a far cycle, is woken before it and changes its mind. */
struct fickle {
    struct engine *engine;
    unit_id unit;
    u32 ticks;
    bool cancels;
};

static cycle_t fickle_tick(void *self, cycle_t now)
{
    struct fickle *f = self;
    f->ticks++;
    if (now == 0)
        return 500;
    if (now == 5 && f->cancels)
        engine_cancel(f->engine, f->unit);
    return CYCLE_NEVER;
}

static cycle_t wake_at_5(void *self, cycle_t now)
{
    struct fickle *f = self;
    if (now == 4)
        engine_wake(f->engine, f->unit);
    return now < 4 ? 4 : CYCLE_NEVER;
}

TEST(a_wake_up_that_was_cancelled_neither_ticks_nor_keeps_the_run_going)
{
    UNUSED_STATE;
    for (u32 run = 0; run < 4; run++) {
        bool i = run % 2, has_many = run / 2; /* units: more than a word of bits */
        struct bed b;
        struct fickle f = {.engine = &b.engine, .cancels = i};
        struct probe idle = {.engine = &b.engine};
        bed_init(&b, false);
        domain_id d = engine_add_domain(&b.engine, "core", GHZ);
        f.unit = engine_add_unit(&b.engine, d, "fickle", fickle_tick, &f);
        engine_add_unit(&b.engine, d, "other", wake_at_5, &f);
        for (u32 k = 0; has_many && k < 64; k++)
            engine_add_unit(&b.engine, d, "idle", probe_tick, &idle);
        engine_start(&b.engine);
        engine_finish(&b.engine);
        assert_int_equal(engine_run(&b.engine), ENGINE_STOPPED);
        assert_int_equal(f.ticks, i ? 2 : 3);
        assert_int_equal(engine_cycle(&b.engine, d), i ? 5 : 500);
        arena_fini(&b.arena);
    }
}

/* Periods up to 2,560 cycles: the next cycle, and further ahead than any table of near ones. */
TEST(units_tick_when_they_asked_in_domains_of_any_size)
{
    UNUSED_STATE;
    static const u32 sizes[] = {1, 2, 63, 64, 65, 200};
    static struct probe probes[200];
    for (u32 i = 0; i < ARRAY_LEN(sizes); i++) {
        struct bed b;
        bed_init(&b, false);
        b.engine.options.max_cycles = 5000;
        b.engine.options.watchdog_cycles = 0;
        domain_id d = engine_add_domain(&b.engine, "core", GHZ);
        for (u32 k = 0; k < sizes[i]; k++) {
            probes[k] = (struct probe){.engine = &b.engine, .period = 1 + k * 163 % 2560};
            engine_add_unit(&b.engine, d, "probe", probe_tick, &probes[k]);
        }
        engine_start(&b.engine);
        assert_int_equal(engine_run(&b.engine), ENGINE_LIMIT);
        for (u32 k = 0; k < sizes[i]; k++) {
            const struct probe *p = &probes[k];
            assert_int_equal(p->count, 4999 / p->period + 1);
            for (u32 t = 0; t < p->count && t < ARRAY_LEN(p->ticks); t++)
                assert_int_equal(p->ticks[t], t * p->period);
        }
        arena_fini(&b.arena);
    }
}

/* Edges of 3 GHz lie at ceil(k * 10^6 / 3) fs. A unit that sleeps from edge to edge meets them as
 * one that ticks at each. */
TEST(an_edge_after_a_sleep_lies_where_counting_every_edge_puts_it)
{
    UNUSED_STATE;
    static const u64 hz[] = {3 * GHZ, 999999937, 3500000000, 666670000};
    static const cycle_t sleeps[] = {1, 2, 3, 1000, 1025, 1 << 20, (1 << 20) + 1, 3000000};
    for (u32 i = 0; i < ARRAY_LEN(hz); i++) {
        for (u32 k = 0; k < ARRAY_LEN(sleeps); k++) {
            struct bed b;
            bed_init(&b, false);
            b.engine.options.watchdog_cycles = 0;
            domain_id d = engine_add_domain(&b.engine, "core", hz[i]);
            struct probe p = {.engine = &b.engine, .period = sleeps[k], .stop_at = 3 * sleeps[k]};
            engine_add_unit(&b.engine, d, "probe", probe_tick, &p);
            engine_start(&b.engine);
            assert_int_equal(engine_run(&b.engine), ENGINE_STOPPED);
            u128 scaled = (u128)3 * sleeps[k] * FS_PER_SECOND;
            assert_true(b.engine.now_fs == (u64)((scaled + hz[i] - 1) / hz[i]));
            assert_int_equal(engine_cycle(&b.engine, d), 3 * sleeps[k]);
            assert_int_equal(engine_next_cycle(&b.engine, d), 3 * sleeps[k] + 1);
            arena_fini(&b.arena);
        }
    }
}

TEST(cycle_limit_counts_cycles_of_the_first_domain)
{
    UNUSED_STATE;
    for (int no_skip = 0; no_skip < 2; no_skip++) {
        struct bed b;
        bed_init(&b, no_skip);
        b.engine.options.max_cycles = 10;
        domain_id a = engine_add_domain(&b.engine, "a", GHZ);
        domain_id c = engine_add_domain(&b.engine, "c", 4 * GHZ);
        struct probe p = {.engine = &b.engine}, q = {.engine = &b.engine, .period = 1};
        engine_add_unit(&b.engine, a, "sleeper", probe_tick, &p);
        engine_add_unit(&b.engine, c, "busy", probe_tick, &q);
        engine_start(&b.engine);
        assert_int_equal(engine_run(&b.engine), ENGINE_LIMIT);
        assert_int_equal(q.count, 40); /* edges of c before 10 ns */
        arena_fini(&b.arena);
    }
}

TEST(at_the_limit_it_is_the_last_cycle_before_it_also_when_all_sleep)
{
    UNUSED_STATE;
    for (int no_skip = 0; no_skip < 2; no_skip++) {
        struct bed b;
        bed_init(&b, no_skip);
        b.engine.options.max_cycles = 10;
        domain_id a = engine_add_domain(&b.engine, "a", GHZ);
        domain_id c = engine_add_domain(&b.engine, "c", 4 * GHZ);
        struct probe p = {.engine = &b.engine, .period = 1000};
        engine_add_unit(&b.engine, a, "sleeper", probe_tick, &p);
        engine_start(&b.engine);
        assert_int_equal(engine_run(&b.engine), ENGINE_LIMIT);
        assert_int_equal(engine_cycle(&b.engine, a), 9);
        assert_int_equal(engine_cycle(&b.engine, c), 39);
        assert_int_equal(b.engine.now_fs, 9999999);
        assert_int_equal(engine_run(&b.engine), ENGINE_LIMIT); /* and stays there */
        assert_int_equal(b.engine.now_fs, 9999999);
        arena_fini(&b.arena);
    }
}

/* ---- frequencies that change, against rational arithmetic ------------------------ */

struct changer {
    struct engine *engine;
    struct rng rng;
    domain_id target;
    /* the model: exact instants as start + k * 10^15 / hz with integer start */
    u64 hz, start_fs;
    cycle_t start_cycle;
    u32 changes;
    bool holds;
};

/* Cycle whose edge is the last at or before an instant, by rational comparison:
 * k * 10^15 <= (t - start) * hz, found by search and not by the engine's formula. */
static cycle_t model_cycle(const struct changer *c, u64 fs)
{
    if (fs < c->start_fs)
        return c->start_cycle - 1;
    u64 lo = 0, hi = (u64)1 << 40;
    while (lo < hi) {
        u64 mid = lo + (hi - lo + 1) / 2;
        if ((u128)mid * FS_PER_SECOND <= (u128)(fs - c->start_fs) * c->hz)
            lo = mid;
        else
            hi = mid - 1;
    }
    return c->start_cycle + lo;
}

static cycle_t changer_tick(void *self, cycle_t now)
{
    struct changer *c = self;
    u64 fs = c->engine->now_fs;
    assert_true(engine_cycle(c->engine, c->target) == model_cycle(c, fs));
    assert_true(engine_next_cycle(c->engine, c->target) == model_cycle(c, fs) + 1);
    /* the next edge is on its way; the new period starts there */
    cycle_t edge = model_cycle(c, fs) + 1;
    u64 edge_fs = c->start_fs;
    if (edge > c->start_cycle) {
        u128 scaled = (u128)(edge - c->start_cycle) * FS_PER_SECOND;
        edge_fs += (u64)((scaled + c->hz - 1) / c->hz);
    }
    c->start_cycle = edge;
    c->start_fs = edge_fs;
    c->hz = 1000000 + rng_below(&c->rng, 4000000000ull);
    engine_set_hz(c->engine, c->target, c->hz);
    if (c->holds && rng_below(&c->rng, 3)) { /* that edge comes later, or is late enough */
        u64 until = fs + rng_below(&c->rng, 20000000);
        engine_hold(c->engine, c->target, until);
        c->start_fs = max_u64(c->start_fs, until);
    }
    engine_progress(c->engine);
    if (++c->changes == 2000)
        engine_stop(c->engine);
    return now + 1 + rng_below(&c->rng, 50);
}

static cycle_t counter_tick(void *self, cycle_t now)
{
    cycle_t *count = self;
    assert_true(now == *count); /* no edge is lost or comes twice */
    ++*count;
    return now + 1;
}

static void change_clocks(bool holds)
{
    for (u32 busy = 0; busy < 2; busy++) {
        for (u64 seed = 0; seed < 10; seed++) {
            struct bed b;
            bed_init(&b, false);
            b.engine.options.watchdog_cycles = 0;
            domain_id steady = engine_add_domain(&b.engine, "steady", 1234567891);
            domain_id target = engine_add_domain(&b.engine, "target", GHZ);
            struct changer c = {.engine = &b.engine, .target = target, .hz = GHZ, .holds = holds};
            rng_init(&c.rng, seed, "changer");
            engine_add_unit(&b.engine, steady, "changer", changer_tick, &c);
            cycle_t count = 0;
            if (busy)
                engine_add_unit(&b.engine, target, "counter", counter_tick, &count);
            engine_start(&b.engine);
            assert_int_equal(engine_run(&b.engine), ENGINE_STOPPED);
            if (busy)
                assert_true(count == model_cycle(&c, b.engine.now_fs) + 1);
            arena_fini(&b.arena);
        }
    }
}

TEST(frequency_changes_keep_cycle_counts_exact)
{
    UNUSED_STATE;
    change_clocks(false);
}

TEST(a_clock_that_is_held_has_no_edge_before_that_instant_and_loses_none)
{
    UNUSED_STATE;
    change_clocks(true);
}

/* 1.4 GHz against 924 MHz against 700 MHz for one simulated second. */
TEST(a_simulated_second_has_exactly_the_frequency_in_cycles)
{
    UNUSED_STATE;
    static const u64 hz[] = {1400000000, 924000000, 700000000, 3, 999999937};
    struct bed b;
    bed_init(&b, false);
    b.engine.options.watchdog_cycles = 0;
    for (size_t i = 0; i < ARRAY_LEN(hz); i++)
        engine_add_domain(&b.engine, "d", hz[i]);
    struct probe p = {.engine = &b.engine, .period = 1400000000, .stop_at = 1400000000};
    engine_add_unit(&b.engine, 0, "probe", probe_tick, &p);
    engine_start(&b.engine);
    assert_int_equal(engine_run(&b.engine), ENGINE_STOPPED);
    assert_true(b.engine.now_fs == FS_PER_SECOND);
    for (u32 i = 0; i < ARRAY_LEN(hz); i++)
        assert_true(engine_cycle(&b.engine, i) == hz[i]);
    arena_fini(&b.arena);
}

/* ---- hangs ------------------------------------------------------------------------ */

static cycle_t stuck_tick(void *self, cycle_t now)
{
    struct port *out = self;
    if (port_can_push(out))
        port_push(out, 1);
    (void)now;
    return CYCLE_NEVER;
}

TEST(all_asleep_is_a_hang_at_once_and_names_the_circle)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b, false);
    engine_add_domain(&b.engine, "core", GHZ);
    struct port ab, ba;
    port_init(&ab, &b.engine, "a_to_b", 1);
    port_init(&ba, &b.engine, "b_to_a", 1);
    unit_id a = engine_add_unit(&b.engine, 0, "left", stuck_tick, &ab);
    unit_id c = engine_add_unit(&b.engine, 0, "right", stuck_tick, &ba);
    port_connect(&ab, a, c);
    port_connect(&ba, c, a);
    engine_start(&b.engine);
    assert_int_equal(engine_run(&b.engine), ENGINE_HUNG);
    struct text t = {0};
    watchdog_report(&b.engine, &t);
    assert_non_null(strstr(t.data, "left waits for right: port a_to_b is full (1 of 1)"));
    assert_non_null(strstr(t.data, "right waits for left: port b_to_a is full (1 of 1)"));
    assert_non_null(strstr(t.data, "circle: left -> right -> left"));
    text_fini(&t);
    arena_fini(&b.arena);
}

TEST(ticking_without_progress_trips_the_watchdog)
{
    UNUSED_STATE;
    for (int no_skip = 0; no_skip < 2; no_skip++) {
        struct bed b;
        bed_init(&b, no_skip);
        engine_add_domain(&b.engine, "core", GHZ);
        struct probe p = {.engine = &b.engine, .period = 1};
        engine_add_unit(&b.engine, 0, "spinner", probe_tick, &p);
        engine_start(&b.engine);
        assert_int_equal(engine_run(&b.engine), ENGINE_HUNG);
        assert_int_equal(p.count, 1001); /* cycles 0 to 1000 */
        arena_fini(&b.arena);
    }
}

RUN_TESTS(T(unit_ticks_exactly_when_it_asked), T(wake_takes_effect_at_the_next_edge_strictly_later),
          T(a_wake_up_that_was_cancelled_neither_ticks_nor_keeps_the_run_going),
          T(units_tick_when_they_asked_in_domains_of_any_size),
          T(an_edge_after_a_sleep_lies_where_counting_every_edge_puts_it),
          T(cycle_limit_counts_cycles_of_the_first_domain),
          T(at_the_limit_it_is_the_last_cycle_before_it_also_when_all_sleep),
          T(frequency_changes_keep_cycle_counts_exact),
          T(a_clock_that_is_held_has_no_edge_before_that_instant_and_loses_none),
          T(a_simulated_second_has_exactly_the_frequency_in_cycles),
          T(all_asleep_is_a_hang_at_once_and_names_the_circle),
          T(ticking_without_progress_trips_the_watchdog))
