/*
 * A fabric of the chip fabric16 with a program of the test's own. A scripted program hands out one
 * operation per turn and writes down the cycle in which it was asked for it: an operation that
 * takes a cycle is followed by a turn in the next.
 */
#ifndef FABRIC_BED_H
#define FABRIC_BED_H

#include "testing.h"

#include "machine/fabric_cluster.h"
#include "policy/registry.h"
#include "run/run.h"

#define MOST_TURNS 64u
#define MOST_SCRIPTS 32u /* two tiles of 16 */

/* ---- operations ---- */

#define COMPUTE(n)                                                                                 \
    {                                                                                              \
        0, n, OP_COMPUTE                                                                           \
    }
#define LOAD(at, bytes)                                                                            \
    {                                                                                              \
        at, bytes, OP_LOAD                                                                         \
    }
#define STORE(at, bytes)                                                                           \
    {                                                                                              \
        at, bytes, OP_STORE                                                                        \
    }
#define ATOMIC(at)                                                                                 \
    {                                                                                              \
        at, 8, OP_ATOMIC                                                                           \
    }
#define WAIT(n)                                                                                    \
    {                                                                                              \
        0, n, OP_WAIT                                                                              \
    }
#define RL2_LOAD(at, bytes)                                                                        \
    {                                                                                              \
        at, bytes, OP_RL2_LOAD                                                                     \
    }
#define RL2_STORE(at, bytes)                                                                       \
    {                                                                                              \
        at, bytes, OP_RL2_STORE                                                                    \
    }
#define BANK(n)                                                                                    \
    {                                                                                              \
        0, n, OP_BANK                                                                              \
    }
#define WAKE(n)                                                                                    \
    {                                                                                              \
        0, n, OP_WAKE                                                                              \
    }
#define MORE                                                                                       \
    {                                                                                              \
        0, 0, OP_MORE                                                                              \
    }
#define PARK                                                                                       \
    {                                                                                              \
        0, 0, OP_PARK                                                                              \
    }
#define RETURN(item)                                                                               \
    {                                                                                              \
        item, 0, OP_RETURN                                                                         \
    }
#define END                                                                                        \
    {                                                                                              \
        0, 0, OP_END                                                                               \
    }

struct script {
    const struct fabric_phase *phases;
    u32 phase_count;
    /* by element and then turn, ends with OP_END or OP_PARK; for every phase the same, from where
     * it came */
    const struct fabric_op *ops[MOST_SCRIPTS];
    u32 batch; /* operations of element 0's first turn; 0: one, as of every other */
    struct sim *sim;
    u32 next[MOST_SCRIPTS];
    cycle_t asked[MOST_SCRIPTS][MOST_TURNS];
    u32 begun[MOST_SCRIPTS];     /* parts */
    cycle_t began[MOST_SCRIPTS]; /* the last of them */
};

static inline u32 script_phases(const void *self)
{
    return ((const struct script *)self)->phase_count;
}

static inline void script_phase(const void *self, u32 phase, struct fabric_phase *out)
{
    *out = ((const struct script *)self)->phases[phase];
}

static inline u32 script_parts(void *self, u32 phase, u64 item)
{
    (void)self, (void)phase, (void)item;
    return 1;
}

static inline void script_begin(void *self, const struct fabric_turn *t, u64 item, u32 part)
{
    struct script *s = self;
    u32 i = t->tile * 16 + t->element;
    (void)item, (void)part;
    s->begun[i]++;
    s->began[i] = engine_cycle(&s->sim->engine, 0);
}

static inline void script_fill(void *self, struct fabric_turn *t)
{
    struct script *s = self;
    u32 i = t->tile * 16 + t->element, n = s->next[i];
    u32 count = s->batch && i == 0 && n == 0 ? s->batch : 1;
    assert_true(n + count <= MOST_TURNS);
    s->asked[i][n] = engine_cycle(&s->sim->engine, 0);
    s->next[i] += count;
    for (const struct fabric_op *op = &s->ops[i][n]; count > 0; count--, op++)
        fabric_emit(t, (enum fabric_op_kind)op->kind, op->address, op->count);
}

static inline bool script_verify(void *self, struct err *err)
{
    (void)self, (void)err;
    return true;
}

static inline void script_summary(const void *self, struct text *out)
{
    (void)self, (void)out;
}

static const struct fabric_program_ops script_ops = {.name = "script",
                                                     .phases = script_phases,
                                                     .phase = script_phase,
                                                     .parts = script_parts,
                                                     .begin = script_begin,
                                                     .fill = script_fill,
                                                     .verify = script_verify,
                                                     .summary = script_summary};

struct bed {
    struct config config;
    struct sim sim;
    struct fabric_plan plan;
    struct machine *machine;
    struct fabric *fabric;
};

static inline void bed_fail(const struct err *err)
{
    char text[4096];
    err_text(err, text, sizeof text);
    fail_msg("%s", text);
}

static inline void bed_open(struct bed *b, struct script *script, const char *const *sets)
{
    struct err err = ERR_INIT;
    u32 count = 0;
    while (sets && sets[count])
        count++;
    *b = (struct bed){0};
    const struct config_request r = {.chip = "fabric16",
                                     .folders = testing_chips(),
                                     .schemas = model_schemas,
                                     .sets = sets,
                                     .set_count = count};
    if (!config_load(&b->config, &r, &err))
        bed_fail(&err);
    const struct engine_options options = {.max_cycles = 1000000};
    engine_init(&b->sim.engine, &b->sim.arena, &options);
    stats_init(&b->sim.stats, &b->sim.arena);
    const struct fabric_config *c = b->config.data;
    struct machine_plan plan = {.memory = fabric_memory(c), .cluster_count = 1};
    struct policy_choice lru;
    if (!policy_choose(QUESTION_REPLACEMENT, "lru", "", c->policies, &b->sim.arena, &lru, &err) ||
        !policy_choose(QUESTION_DRAM, c->dram.scheduler, "", c->policies, &b->sim.arena,
                       &plan.policies.dram, &err))
        bed_fail(&err);
    plan.policies.cache = lru;
    b->plan = (struct fabric_plan){c, &script_ops, script, lru, lru};
    plan.clusters[0] =
        (struct cluster_plan){.name = "", .kind = &cluster_kind_fabric, .config = &b->plan};
    script->sim = &b->sim;
    b->machine = machine_build(&b->sim, &plan, &err);
    if (!b->machine)
        bed_fail(&err);
    b->fabric = b->machine->clusters[0].part;
    engine_start(&b->sim.engine);
}

static inline void bed_run(struct bed *b)
{
    struct err err = ERR_INIT;
    assert_int_equal(engine_run(&b->sim.engine), ENGINE_STOPPED);
    engine_finish(&b->sim.engine);
    assert_int_equal(engine_run(&b->sim.engine), ENGINE_STOPPED);
    machine_settle(b->machine);
    if (!stats_check_laws(&b->sim.stats, &err))
        bed_fail(&err);
}

static inline void play(struct bed *b, struct script *s, const char *const *sets)
{
    bed_open(b, s, sets);
    bed_run(b);
}

static inline void bed_close(struct bed *b)
{
    engine_fini(&b->sim.engine);
    arena_fini(&b->sim.arena);
    config_fini(&b->config);
}

#endif
