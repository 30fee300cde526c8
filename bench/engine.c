/*
 * How fast is the bare engine? Three machines without any model inside:
 * busy: 64 units tick every cycle on three clocks;
 * mostly idle: 4096 units, each awake one cycle in a thousand;
 * ports: 64 pairs of units that pass a token to and fro.
 */
#include "sim/engine.h"
#include "sim/port.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct ticker {
    u64 work, period;
};

static cycle_t ticker_tick(void *self, cycle_t now)
{
    struct ticker *t = self;
    t->work += now;
    return now + t->period;
}

struct bouncer {
    struct port *in, *out;
    bool starts;
};

static cycle_t bouncer_tick(void *self, cycle_t now)
{
    struct bouncer *b = self;
    if ((b->starts && now == 0) || port_ready(b->in)) {
        if (now || !b->starts)
            port_pop(b->in);
        port_push(b->out, 1);
    }
    return CYCLE_NEVER;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void report(const char *name, struct engine *e)
{
    engine_start(e);
    double start = seconds();
    engine_run(e);
    double spent = seconds() - start;
    printf("%-12s %9.1f M ticks/s  %9.2f M cycles/s  (%llu ticks, %.2f s)\n", name,
           (double)e->ticks / spent / 1e6, (double)e->options.max_cycles / spent / 1e6,
           (unsigned long long)e->ticks, spent);
}

static void three_clocks(struct engine *e, struct arena *arena, cycle_t cycles)
{
    static const struct engine_options none;
    engine_init(e, arena, &none);
    e->options.max_cycles = cycles;
    engine_add_domain(e, "core", 1400000000);
    engine_add_domain(e, "l2", 700000000);
    engine_add_domain(e, "dram", 924000000);
}

static void bench_tickers(const char *name, u32 units, u64 period, cycle_t cycles)
{
    struct arena arena = {0};
    struct engine e;
    three_clocks(&e, &arena, cycles);
    struct ticker *t = ARENA_ARRAY(&arena, struct ticker, units);
    for (u32 i = 0; i < units; i++) {
        t[i].period = period + (period > 1 ? i % 17 : 0);
        engine_add_unit(&e, i % 3, "ticker", ticker_tick, &t[i]);
    }
    report(name, &e);
    arena_fini(&arena);
}

static void bench_ports(u32 pairs, cycle_t cycles)
{
    struct arena arena = {0};
    struct engine e;
    three_clocks(&e, &arena, cycles);
    struct bouncer *b = ARENA_ARRAY(&arena, struct bouncer, 2 * pairs);
    struct port *ports = ARENA_ARRAY(&arena, struct port, 2 * pairs);
    for (u32 i = 0; i < pairs; i++) {
        struct port *there = &ports[2 * i], *back = &ports[2 * i + 1];
        port_init(there, &e, "there", 2);
        port_init(back, &e, "back", 2);
        b[2 * i] = (struct bouncer){back, there, true};
        b[2 * i + 1] = (struct bouncer){there, back, false};
        unit_id x = engine_add_unit(&e, 0, "x", bouncer_tick, &b[2 * i]);
        unit_id y = engine_add_unit(&e, 1, "y", bouncer_tick, &b[2 * i + 1]);
        port_connect(there, x, y);
        port_connect(back, y, x);
    }
    report("ports", &e);
    arena_fini(&arena);
}

int main(void)
{
    bench_tickers("busy", 64, 1, 3000000);
    bench_tickers("mostly idle", 4096, 1000, 5000000);
    bench_ports(64, 2000000);
    return 0;
}
