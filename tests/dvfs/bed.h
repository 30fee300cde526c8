/*
 * A chip of frequency domains without anything in them: four CPU cores and a GPU of six cores whose
 * instructions and misses come at given rates, per cycle of their clock or per time. Levels and
 * shares are those of chips/apu46-dvfs.yaml; a period is 10 us, a lock time 1 us.
 */
#ifndef TESTS_DVFS_BED_H
#define TESTS_DVFS_BED_H

#include "testing.h"

#include "dvfs/dvfs.h"
#include "policy/registry.h"

#define BED_CPUS 4u
#define BED_GPU BED_CPUS /* its domain */
#define BED_MEMORY (BED_CPUS + 1)
#define BED_DOMAINS (BED_CPUS + 2)
#define STEP 10u /* cycles between two ticks of a core */

/* In 1000 cycles of its clock, or where it is bound by memory in a microsecond. */
struct bed_rate {
    u32 instructions, misses;
    bool by_time;
};

struct bed_core {
    struct bed_rate rate;
    struct engine *engine;
    u64 parts[2], counts[2]; /* thousandths; instructions and misses */
    u64 last_fs, ticks;
};

struct dvfs_bed {
    struct sim sim;
    struct dvfs dvfs;
    struct dvfs_config config;
    struct dvfs_part parts[BED_DOMAINS];
    struct memory_client clients[BED_CPUS + 6];
    struct bed_core cores[BED_CPUS + 6];
    u8 policy[512];
    u64 kernel;
    unit_id stopper;
    cycle_t stop_at;
};

/* Behind the unit that decides, in its clock. */
static inline cycle_t bed_stop_tick(void *self, cycle_t now)
{
    struct dvfs_bed *b = self;
    if (now >= b->stop_at)
        engine_stop(&b->sim.engine);
    return now >= b->stop_at ? CYCLE_NEVER : b->stop_at;
}

static inline cycle_t bed_core_tick(void *self, cycle_t now)
{
    struct bed_core *c = self;
    u64 fs = c->engine->now_fs, by = STEP;
    if (c->rate.by_time) /* thousandths of what comes in a microsecond */
        by = (fs - c->last_fs) / 1000000;
    c->last_fs = c->rate.by_time ? c->last_fs + by * 1000000 : fs;
    const u32 rates[2] = {c->rate.instructions, c->rate.misses};
    for (u32 i = 0; i < 2; i++) {
        c->parts[i] += by * rates[i];
        c->counts[i] += c->parts[i] / 1000;
        c->parts[i] %= 1000;
    }
    c->ticks++;
    return now + STEP;
}

static inline void bed_default_config(struct dvfs_config *c)
{
    for (const struct param *p = dvfs_params; p->type != PARAM_END; p++) {
        if (p->type != PARAM_GROUP)
            param_set_initial(p, (u8 *)c + p->offset);
    }
    c->domains = true;
    c->messages = false;
    c->period_ns = 10000;
    c->pll_ns = 1000;
    c->cpu = (struct dvfs_kind_config){"1.5GHz 2GHz 2.5GHz 3GHz 3.5GHz 4GHz", 300};
    c->gpu = (struct dvfs_kind_config){"0.6GHz 0.9GHz 1.2GHz 1.5GHz 1.8GHz 2.1GHz", 300};
    c->memory = (struct dvfs_kind_config){"0.6GHz 0.9GHz 1.2GHz 1.5GHz 1.8GHz 2.1GHz", 400};
}

static inline void bed_set(const struct policy_ops *ops, u8 *config, const char *const *set)
{
    struct err err = ERR_INIT;
    for (const struct param *p = ops->params; p && p->type != PARAM_END; p++)
        param_set_initial(p, config + p->offset);
    for (; set && *set; set += 2) {
        bool found = false;
        for (const struct param *p = ops->params; p && p->type != PARAM_END; p++) {
            if (strcmp(p->name, set[0]) != 0)
                continue;
            found = true;
            assert_true(
                param_set(p, config + p->offset, set[0], set[1], (struct src_pos){0}, &err));
        }
        assert_true(found);
    }
}

/* b->config may be changed before; all cores do nothing. */
static inline void bed_init(struct dvfs_bed *b)
{
    memset(b, 0, sizeof *b);
    bed_default_config(&b->config);
}

static inline void bed_build(struct dvfs_bed *b, const struct policy_ops *ops,
                             const char *const *set, u32 cpus, u32 gpus)
{
    struct engine_options options = {0};
    struct err err = ERR_INIT;
    u32 count = 0, cores = 0;
    assert_true(ops->config_bytes <= sizeof b->policy);
    bed_set(ops, b->policy, set);
    engine_init(&b->sim.engine, &b->sim.arena, &options);
    stats_init(&b->sim.stats, &b->sim.arena);
    for (u32 i = 0; i < cpus + gpus; i++) {
        bool is_cpu = i < cpus;
        u64 hz = is_cpu ? 3000000000 : 1500000000;
        domain_id clock = engine_add_domain(&b->sim.engine, "core", hz);
        b->parts[count++] = (struct dvfs_part){.kind = is_cpu ? DVFS_CPU : DVFS_GPU,
                                               .clock = clock,
                                               .hz = hz,
                                               .clients = &b->clients[cores],
                                               .cores = is_cpu ? 1 : 6};
        for (u32 k = 0; k < (is_cpu ? 1 : 6); k++, cores++) {
            struct bed_core *c = &b->cores[cores];
            c->engine = &b->sim.engine;
            b->clients[cores] = (struct memory_client){
                .retired = &c->counts[0], .misses = &c->counts[1], .kernel = &b->kernel};
            engine_add_unit(&b->sim.engine, clock, "core", bed_core_tick, c);
        }
    }
    domain_id memory = engine_add_domain(&b->sim.engine, "memory", 1500000000);
    b->parts[count++] = (struct dvfs_part){.kind = DVFS_MEMORY, .clock = memory, .hz = 1500000000};
    struct build_site site = site_of(&b->sim);
    struct policy_choice choice = {ops, b->policy};
    if (!dvfs_init(&b->dvfs, &site, &b->config, choice, b->parts, count, NULL, &err)) {
        fprintf(stderr, "%s\n", err.what);
        fail();
    }
    b->stop_at = CYCLE_NEVER;
    b->stopper = engine_add_unit(&b->sim.engine, b->dvfs.clock, "stopper", bed_stop_tick, b);
    engine_start(&b->sim.engine);
}

static inline void bed_dyfr(struct dvfs_bed *b, const char *const *set)
{
    bed_build(b, policy_find(QUESTION_DVFS, "dyfr"), set, BED_CPUS, 1);
}

/* One core of the GPU like the others. */
static inline void bed_rate(struct dvfs_bed *b, u32 domain, struct bed_rate rate)
{
    if (domain < BED_GPU)
        b->cores[domain].rate = rate;
    for (u32 i = 0; domain == BED_GPU && i < 6; i++)
        b->cores[BED_GPU + i].rate = rate;
}

static inline void bed_rate_all(struct dvfs_bed *b, struct bed_rate rate)
{
    for (u32 i = 0; i <= BED_GPU; i++)
        bed_rate(b, i, rate);
}

/* Up to an instant, what happens at it included. */
static inline void bed_run_to(struct dvfs_bed *b, u64 ns)
{
    b->stop_at = ns;
    engine_wake_at(&b->sim.engine, b->stopper, ns);
    assert_int_equal(engine_run(&b->sim.engine), ENGINE_STOPPED);
    dvfs_settle(&b->dvfs);
}

/* To the end of so many more periods, the decisions there included. */
static inline void bed_run(struct dvfs_bed *b, u32 periods)
{
    bed_run_to(b, b->sim.engine.now_fs / 1000000 / b->config.period_ns * b->config.period_ns +
                      periods * b->config.period_ns);
}

static inline u32 bed_mhz(const struct dvfs_bed *b, u32 domain)
{
    return (u32)(b->dvfs.policy.domains[domain].hz / 1000000);
}

static inline void bed_fini(struct dvfs_bed *b)
{
    engine_fini(&b->sim.engine);
    arena_fini(&b->sim.arena);
}

#endif
