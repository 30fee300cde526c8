/*
 * Front ends without a core: predictors, branch target buffers and I-caches over a CPU program's
 * trace, all of them in one pass (front_end/pass.h). Nothing takes time, so a run has no cycles.
 */
#include "machine/model.h"

#include "front_end/pass.h"
#include "run/run.h"

#include <string.h>

#include <stdio.h>

#define STEP 262144u /* instructions between two looks at whether the run is to end */

enum { THREADS_FIRST, THREADS_ALL };
static const char *const thread_choices[] = {"first", "all", NULL};

struct front_end_config {
    u32 threads;
    bool needs_parallel;
    struct named_instances predictors, btbs, icaches;
};

struct front_end_model {
    const struct front_end_config *config;
    struct pass_config front_ends;
    struct front_pass *pass;
};

/* clang-format off */
static const struct param front_end_params[] = {
    P_CHOICE(front_end_config, threads, THREADS_FIRST, thread_choices, "threads whose instructions are counted: the first, or all, each with its own structures", "Milic 2017, chapter 5: the master thread"),
    P_BOOL(front_end_config, needs_parallel, false, "refuse a trace without parallel regions, whose counts would all be serial", "your choice"),
    P_INSTANCES(front_end_config, predictors, predictor_run_params, struct predictor_run_config, NULL, NULL, "direction predictors"),
    P_INSTANCES(front_end_config, btbs, btb_run_params, struct btb_run_config, NULL, NULL, "branch target buffers"),
    P_INSTANCES(front_end_config, icaches, icache_run_params, struct icache_run_config, NULL, NULL, "I-caches"),
    P_END,
};
/* clang-format on */

static struct pass_config front_ends_of(const struct front_end_config *c)
{
    return (struct pass_config){c->predictors, c->btbs, c->icaches};
}

static bool check_config(const void *data, const struct config *config, struct err *err)
{
    struct pass_config c = front_ends_of(data);
    return pass_check(&c, config, err);
}

static void *front_end_build(struct sim *sim, const void *config, const char *workload,
                             struct err *err)
{
    struct front_end_model *m = ARENA_NEW(&sim->arena, struct front_end_model);
    (void)workload;
    (void)err;
    m->config = config;
    m->front_ends = front_ends_of(config);
    m->pass = pass_create(&m->front_ends, &sim->stats, &sim->arena);
    engine_add_domain(&sim->engine, "trace", 1000000000);
    return m;
}

/* ---- running ---- */

static bool is_interrupted(const struct engine *e)
{
    return e->options.poll && !e->options.poll(e->options.poll_context, e);
}

/* False: see err, or the run is to end early. */
static bool read_thread(struct run *run, struct cpu_stream *s, enum engine_end *end,
                        struct err *err)
{
    struct front_end_model *m = run->machine;
    struct arena arena = {0};
    bool ok = pass_begin_thread(m->pass, &arena, err);
    while (ok && pass_read(m->pass, s, STEP)) {
        if (is_interrupted(&run->sim.engine)) {
            *end = ENGINE_INTERRUPTED;
            ok = false;
        }
    }
    ok = ok && cpu_stream_check(s, err);
    if (ok)
        pass_end_thread(m->pass);
    arena_fini(&arena);
    return ok;
}

static bool check_run(const struct run *run, struct err *err)
{
    if (!cpu_name_is_program(run->workload))
        return err_kind(
            err, ERR_INPUT,
            "%s is not a CPU program, expected a trace, suite:NAME or cpu:KERNEL for chip "
            "%s, which is of model front-end",
            *run->workload ? run->workload : "a GPU program", run->config.name);
    return !run->mix ||
           err_kind(err, ERR_INPUT, "chip %s cannot run mixes, expected one CPU program",
                    run->config.name);
}

static enum engine_end front_end_drive(struct run *run, struct err *err)
{
    struct front_end_model *m = run->machine;
    enum engine_end end = ENGINE_STOPPED;
    u32 threads = 1;
    bool ok = check_run(run, err);
    for (u32 t = 0; ok && t < threads; t++) {
        struct cpu_stream s = {0};
        struct cpu_stream_request r = {
            .name = run->workload, .thread = t, .seed = run->sim.seed, .events = true};
        ok = cpu_stream_open(&s, &r, err);
        if (ok && m->config->threads == THREADS_ALL && s.thread_count)
            threads = s.thread_count;
        ok = ok && read_thread(run, &s, &end, err);
        cpu_stream_close(&s);
    }
    pass_settle(m->pass);
    if (ok && !m->pass->counts.all_instructions)
        err_kind(err, ERR_INPUT, "%s contains no instructions, expected at least one",
                 run->workload);
    else if (ok && m->config->needs_parallel && !m->pass->has_parallel)
        err_kind(err, ERR_INPUT,
                 "%s has no parallel region, expected a program recorded with OpenMP events "
                 "(needs_parallel is set)",
                 run->workload);
    return end;
}

static void front_end_settle(void *machine)
{
    struct front_end_model *m = machine;
    pass_settle(m->pass);
}

static bool front_end_verify(const void *machine, struct err *err)
{
    (void)machine;
    (void)err;
    return true; /* its laws are rows of the statistics */
}

/* ---- for people ---- */

/* One column: a rate, or a dash where there is nothing that it is a rate of. */
static void cell(struct text *out, int width, double part, u64 whole, int digits, const char *unit)
{
    if (whole)
        text_printf(out, "%*.*f%s", width, digits, part / (double)whole, unit);
    else
        text_printf(out, "%*s%*s", width, "-", (int)strlen(unit), "");
}

static void mpki(const struct front_pass *p, const u64 misses[CPU_SECTIONS], u32 section, int width,
                 struct text *out)
{
    cell(out, width, 1000 * (double)misses[section], p->counts.instructions[section], 3, "");
}

static void row(const struct front_pass *p, const char *name, u64 bits,
                const u64 misses[CPU_SECTIONS], struct text *out)
{
    text_printf(out, "  %-24s %9.2f KiB", name, (double)bits / 8192);
    for (u32 s = 0; s < CPU_SECTIONS; s++)
        mpki(p, misses, s, 10, out);
}

static void head(const char *what, const char *more, struct text *out)
{
    text_printf(out, "  %-24s %13s %9s %9s %9s%s\n", what, "storage", "serial", "parallel", "total",
                more);
}

static void predictor_rows(const struct front_pass *p, struct text *out)
{
    const struct named_instances *names = &p->config->predictors;
    if (names->count)
        head("predictors, MPKI", "  not taken, taken backward, forward", out);
    for (u32 i = 0; i < names->count; i++) {
        const struct predictor_run_counts *n = &p->predictors[i].counts;
        row(p, names->names[i], n->storage_bits, n->misses, out);
        mpki(p, n->not_taken_misses, CPU_TOTAL, 11, out);
        mpki(p, n->backward_misses, CPU_TOTAL, 10, out);
        mpki(p, n->forward_misses, CPU_TOTAL, 10, out);
        text_printf(out, "\n");
    }
}

static void btb_rows(const struct front_pass *p, struct text *out)
{
    const struct named_instances *names = &p->config->btbs;
    if (names->count)
        head("BTBs, MPKI", "", out);
    for (u32 i = 0; i < names->count; i++) {
        const struct btb_run_counts *n = &p->btbs[i].counts;
        row(p, names->names[i], n->storage_bits, n->misses, out);
        text_printf(out, "\n");
    }
}

static void icache_rows(const struct front_pass *p, struct text *out)
{
    static const int widths[CPU_SECTIONS] = {18, 8, 5};
    const struct named_instances *names = &p->config->icaches;
    if (names->count)
        head("I-caches, MPKI", "  of a line used: serial  parallel  total", out);
    for (u32 i = 0; i < names->count; i++) {
        const struct icache_run_counts *n = &p->icaches[i].counts;
        row(p, names->names[i], n->storage_bits, n->misses, out);
        for (u32 k = 0; k < CPU_SECTIONS; k++)
            cell(out, widths[k], 100 * (double)n->used_bytes[k], n->whole_bytes[k], 1, " %");
        text_printf(out, "\n");
    }
}

static void front_end_summary(const void *machine, struct text *out)
{
    const struct front_end_model *m = machine;
    const struct pass_counts *n = &m->pass->counts;
    text_printf(out,
                "  %llu instructions of %llu thread%s, %llu of them parallel; MPKI is misses per "
                "1,000 instructions of the section\n",
                (unsigned long long)n->all_instructions, (unsigned long long)n->threads,
                n->threads == 1 ? "" : "s", (unsigned long long)n->instructions[CPU_PARALLEL]);
    predictor_rows(m->pass, out);
    btb_rows(m->pass, out);
    icache_rows(m->pass, out);
}

static void front_end_progress(const void *machine, char *out, size_t size)
{
    const struct front_end_model *m = machine;
    const u64 *n = m->pass->counts.instructions;
    snprintf(out, size, "%llu instructions", (unsigned long long)(n[CPU_SERIAL] + n[CPU_PARALLEL]));
}

static const struct model_workload no_workloads[] = {{NULL, NULL}};

const struct model model_front_end = {
    .schema = {.model = "front-end",
               .meaning = "predictors, branch target buffers and I-caches over a CPU program's "
                          "trace, without a core",
               .params = front_end_params,
               .check = check_config,
               .bytes = sizeof(struct front_end_config)},
    .workloads = no_workloads,
    .runs_programs = true,
    .runs_cpu_traces = true,
    .build = front_end_build,
    .drive = front_end_drive,
    .settle = front_end_settle,
    .verify = front_end_verify,
    .summary = front_end_summary,
    .progress = front_end_progress,
};
