/* A chip of model cpu with overrides, and programs that are lists of instructions. */
#ifndef TESTS_CPU_BED_H
#define TESTS_CPU_BED_H

#include "testing.h"

#include "machine/cpu_cluster.h"
#include "machine/model.h"

#include <stdarg.h>

struct bed {
    struct config config;
    struct sim sim;
    struct machine *machine;
    struct cpu_cluster *cluster;
    u32 running;
};

static inline void bed_fail(const struct err *err)
{
    char text[1600];
    err_text(err, text, sizeof text);
    fail_msg("%s", text);
}

static inline void bed_ended(void *context, struct core *core, cycle_t now)
{
    struct bed *b = context;
    (void)core;
    (void)now;
    if (!--b->running)
        engine_stop(&b->sim.engine);
}

/* sets: "a=b" strings, ends with NULL */
static inline void bed_open_chip(struct bed *b, const char *chip, const char *const *sets,
                                 bool no_skip)
{
    const char *const *folders = testing_chips();
    struct engine_options options = {.watchdog_cycles = 1000000, .no_skip = no_skip};
    struct err err = ERR_INIT;
    u32 count = 0;
    *b = (struct bed){0};
    while (sets && sets[count])
        count++;
    struct config_request r = {.chip = chip,
                               .folders = folders,
                               .sets = sets,
                               .set_count = count,
                               .schemas = model_schemas};
    if (!config_load(&b->config, &r, &err))
        bed_fail(&err);
    engine_init(&b->sim.engine, &b->sim.arena, &options);
    stats_init(&b->sim.stats, &b->sim.arena);
    b->sim.seed = 1;
    b->machine = model_named("cpu")->build(&b->sim, b->config.data, "", &err);
    if (!b->machine)
        bed_fail(&err);
    b->cluster = b->machine->clusters[0].part;
    for (u32 i = 0; i < b->cluster->config->count; i++) {
        b->cluster->cores[i].on_end = bed_ended;
        b->cluster->cores[i].context = b;
    }
    engine_start(&b->sim.engine);
}

static inline void bed_open(struct bed *b, const char *const *sets)
{
    bed_open_chip(b, "cpu4", sets, false);
}

static inline struct core *bed_core(const struct bed *b, u32 i)
{
    return &b->cluster->cores[i];
}

static inline void bed_close(struct bed *b)
{
    arena_fini(&b->sim.arena);
    config_fini(&b->config);
}

static inline void bed_start(struct bed *b, u32 core, struct cpu_stream *s)
{
    b->running++;
    core_start(bed_core(b, core), s, (u8)core);
}

/* Until all programs have ended and the machine has drained; every law holds. */
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

/* ---- programs ---- */

#define PROGRAM_MOST 40000u

struct program {
    struct cpu_stream stream;
    u32 count;
    u64 pc;
    struct cpu_instruction code[PROGRAM_MOST];
};

static inline bool program_refill(struct cpu_stream *s)
{
    struct program *p = s->self;
    if (s->end == p->code + p->count)
        return false;
    s->at = p->code;
    s->end = p->code + p->count;
    return true;
}

static inline bool program_restart(struct cpu_stream *s)
{
    s->at = s->end = NULL;
    return true;
}

static inline void program_close(struct cpu_stream *s)
{
    (void)s;
}

static inline struct program *program_new(void)
{
    static const struct cpu_stream_ops ops = {
        .refill = program_refill, .restart = program_restart, .close = program_close};
    struct program *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->stream = (struct cpu_stream){.ops = &ops, .self = p};
    p->pc = 0x400000;
    return p;
}

/* One instruction of 4 bytes behind the last one; d and s are registers, 0: none. */
static inline struct cpu_instruction *emit(struct program *p, enum cpu_class class, u8 d, u8 s)
{
    assert_true(p->count < PROGRAM_MOST);
    struct cpu_instruction *i = &p->code[p->count++];
    *i = (struct cpu_instruction){.pc = p->pc, .length = 4, .class = (u8) class};
    if (d)
        i->destinations[i->destination_count++] = d;
    if (s)
        i->sources[i->source_count++] = s;
    p->pc += 4;
    return i;
}

static inline struct cpu_instruction *emit_load(struct program *p, u8 d, u8 s, u64 address)
{
    struct cpu_instruction *i = emit(p, CPU_LOAD, d, s);
    i->read[0] = address;
    i->read_bytes[0] = 8;
    i->read_count = 1;
    return i;
}

static inline struct cpu_instruction *emit_store(struct program *p, u8 s, u64 address)
{
    struct cpu_instruction *i = emit(p, CPU_STORE, 0, s);
    i->write[0] = address;
    i->write_bytes[0] = 8;
    i->write_count = 1;
    return i;
}

/* It also updates the base `to` from the source `from`, as push, pop and indexed accesses do. */
static inline void updates_base(struct cpu_instruction *i, u8 from, u8 to)
{
    if (!memchr(i->sources, from, i->source_count))
        i->sources[i->source_count++] = from;
    i->destinations[i->destination_count++] = to;
    i->base_from = (u32)((u8 *)memchr(i->sources, from, i->source_count) - i->sources + 1) & 15;
    i->base_to = (u32)(i->destination_count - 1) & 15;
}

static inline struct cpu_instruction *emit_branch(struct program *p, enum cpu_branch kind,
                                                  u64 target)
{
    struct cpu_instruction *i = emit(p, CPU_BRANCH, 0, 0);
    i->branch = (u8)kind;
    i->target = target;
    i->taken = true;
    p->pc = target;
    return i;
}

/* On core 0 of cpu4 with these overrides; cycles that it took. The counts stay in *b. */
static inline u64 run_program(struct bed *b, struct program *p, const char *const *sets)
{
    bed_open(b, sets);
    bed_start(b, 0, &p->stream);
    bed_run(b);
    assert_int_equal(bed_core(b, 0)->counts.instructions, p->count);
    u64 cycles = bed_core(b, 0)->counts.cycles;
    free(p);
    return cycles;
}

static inline u64 cycles_of(struct program *p, const char *const *sets)
{
    struct bed b;
    u64 cycles = run_program(&b, p, sets);
    bed_close(&b);
    return cycles;
}

/* A synthetic kernel on core 0: cycles. */
static inline u64 kernel_cycles(struct bed *b, const char *name, const char *const *sets)
{
    struct cpu_stream s;
    struct err err = ERR_INIT;
    if (!cpu_stream_open(&s, &(struct cpu_stream_request){.name = name, .seed = 1}, &err))
        bed_fail(&err);
    bed_open(b, sets);
    bed_start(b, 0, &s);
    bed_run(b);
    cpu_stream_close(&s);
    return bed_core(b, 0)->counts.cycles;
}

static inline u64 kernel_cycles_only(const char *name, const char *const *sets)
{
    struct bed b;
    u64 cycles = kernel_cycles(&b, name, sets);
    bed_close(&b);
    return cycles;
}

#endif
