#include "run/session.h"

#include "base/commit.h"
#include "base/console.h"
#include "base/err_report.h"
#include "base/map.h"
#include "base/version.h"
#include "machine/gpu_device.h"
#include "machine/machine.h"
#include "run/checkpoint_backend.h"
#include "run/interrupt.h"
#include "run/progress.h"
#include "run/record_backend.h"
#include "run/run.h"
#include "run/sampled.h"
#include "run/session_device.h"
#include "run/session_request.h"
#include "run/spin_detection.h"
#include "cuda/core/backend.h"
#include "cuda/core/core.h"
#include "cuda/core/early_exit.h"
#include "cuda/core/memory.h"
#include "cuda/code/module.h"
#include "cuda/core/stream.h"
#include "cuda/core/worker.h"
#include "source/recording/recorder.h"
#include "ptx/untimed.h"
#include "ptx/kernel_source.h"
#include "policy/registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_KERNELS 4096    /* under way at once */
#define LET_IN_CYCLES 100000 /* for so long a thread that waits is not disturbed */
#define FILE_PART_BYTES (1u << 16)

struct kernel_under_way {
    struct ptx_source *source; /* NULL: it could not be launched */
    struct grid_source grid;   /* as it was launched: perhaps a recorder's */
    u64 ticket;
    bool is_untimed, has_failed; /* it has run already */
    enum launch_fault fault;     /* why it could not be */
    struct err err;
};

/* One per process, as the CUDA API is. */
static struct session {
    struct arena arena;
    struct session_request request;
    struct config chip;         /* for device queries, before the machine exists */
    struct cluster_plan device; /* as the chip file has it */
    struct run run;
    struct gpu_device gpus; /* what the program takes for its GPU */
    struct gpu *gpu;        /* the first of them; NULL: nothing was built */
    struct progress progress;
    struct spinning spinning;
    bool spins; /* and will for ever */
    struct log log;
    struct recorder *recorder; /* NULL: not asked for */
    bool is_open, is_built, is_dead;
    bool catches_interrupt; /* in a thread */
    bool has_device_work;   /* launched by a kernel */
    cycle_t alone_since;    /* the lock was let go then at the latest */
    u64 ended_launches;     /* with timing */
    u64 extra_ns;           /* copies, and reading the clock */
    u64 launch_count;       /* so far, timed or not */
    struct untimed untimed;
    struct sampled sampled;       /* with --sample */
    struct timed_machine machine; /* for checkpoints */
    struct kernel_under_way kernels[MOST_KERNELS];
    u32 kernel_count;
} session;

/* ---- while it runs -----------------------------------------------------------------------------
 */

static bool poll(void *context, const struct engine *engine)
{
    (void)context;
    progress_update(&session.progress, &session.run);
    cycle_t now = engine_cycle(engine, 0);
    bool let_in =
        cu_someone_waits() && (cu_core()->in_haste || now - session.alone_since >= LET_IN_CYCLES);
    /* Another thread of the host may still write what the loops read. */
    session.spins = spinning_look(&session.spinning, session.gpu, now, cu_memory_is_shared) &&
                    cu_host_is_alone(session.catches_interrupt);
    return !interrupt_has_come() && !let_in && !session.spins;
}

/* ---- the machine behind the backend -------------------------------------------------------------
 */

static bool write_result(struct err *err)
{
    if (session.request.sample)
        sampled_end(&session.sampled);
    const char *path = session.request.stats;
    size_t n = path ? strlen(path) : 0;
    if (!path)
        return true;
    session.run.failed_launches = cu_core()->failures.launches;
    session.run.first_failure = cu_core()->failures.first;
    return n > 4 && strcmp(path + n - 4, ".csv") == 0 ? run_write_csv(&session.run, path, err)
                                                      : run_write_json(&session.run, path, err);
}

/* The end before the program's own: statistics as they are, no laws, no recording. */
static void backend_ends(void *self)
{
    (void)self;
    struct err err = ERR_INIT;
    session.is_open = false;
    progress_end(&session.progress);
    recorder_discard(session.recorder);
    session.recorder = NULL;
    save_discard();
    bool ok = run_end_timeline(&session.run, &err);
    if (session.gpu) {
        session.run.model->settle(session.run.machine);
        ok = write_result(&err) && ok;
    }
    if (!ok)
        err_report(&err);
}

static _Noreturn void end_early(const struct err *why)
{
    backend_ends(NULL);
    err_report(why);
    cu_leave((int)why->kind);
}

static _Noreturn void end_interrupted(void)
{
    struct err err = ERR_INIT;
    const char *path = session.gpu ? session.request.stats : NULL;
    session.run.end = ENGINE_INTERRUPTED;
    err_kind(&err, ERR_INTERRUPTED, "interrupted after %llu cycles%s%s",
             session.gpu ? (unsigned long long)engine_cycle(&session.run.sim.engine, 0) : 0ull,
             path ? "; statistics so far: " : "", path ? path : "");
    end_early(&err);
}

/* By the thread that waits for an interrupt. */
static void end_when_free(void)
{
    cu_core()->in_haste = true;
    cu_lock();
    end_interrupted();
}

/* What is kept of a run beside its machine. */
static void begin_image(void)
{
    struct run *run = &session.run;
    const struct image_part parts[] = {
        {&run->sim, sizeof run->sim},           {&run->window, sizeof run->window},
        {&run->series, sizeof run->series},     {&session.gpus, sizeof session.gpus},
        {&session.ended_launches, sizeof(u64)}, {&session.extra_ns, sizeof(u64)},
        {&session.launch_count, sizeof(u64)}};
    image_begin(&session.machine.state.image, &run->sim.arena, parts, ARRAY_LEN(parts),
                session.request.save != NULL);
}

/* While a launch is executed without timing: no engine asks then. */
static void poll_executed(void)
{
    progress_update(&session.progress, &session.run);
    if (interrupt_has_come())
        end_interrupted();
}

static void build(void)
{
    struct err err = ERR_INIT;
    if (session.is_built)
        return;
    session.is_built = true;
    progress_init(&session.progress, session.request.quiet);
    session.log = progress_log(&session.progress);
    session.request.run.log = &session.log;
    if (!run_open(&session.run, &session.request.run, &err))
        end_early(&err);
    gpu_device_init(&session.gpus, session.run.machine, session.run.on);
    session.gpu = session.gpus.gpus[0];
    if (session.request.run.is_placed)
        begin_image();
    spinning_init(&session.spinning, &session.arena, session.gpu,
                  session.gpus.count > 1 ? 0 : session.request.run.engine.watchdog_cycles);
    session.catches_interrupt = interrupt_catch(end_when_free);
    if (!session.request.sample)
        return;
    if (session.gpus.count > 1) {
        err_at(&err, (struct src_pos){"--sample", 0, 0},
               "chip %s has %u sockets, expected one: the caches of several sockets cannot be "
               "warmed without timing",
               session.run.config.name, session.gpus.count);
        end_early(&err);
    }
    sampled_init(&session.sampled, &session.request.sampling, session.gpu, &session.run.sim.engine);
    session.sampled.poll = poll_executed;
    session.run.sampled = &session.sampled;
}

/* Of the GPU that the program runs on. */
static const struct gpu_config *chip_config(void)
{
    return session.device.config;
}

/* For its answers alone, at once: whatever runs beside it is in another stream. */
static void run_untimed(struct kernel_under_way *k, u32 resident_blocks)
{
    session.untimed.sms = chip_config()->sm.count;
    k->is_untimed = true;
    k->has_failed = !untimed_run(&session.untimed, &k->grid, resident_blocks, &k->fault, &k->err);
    ptx_source_rest();
}

/* For its answers and its signature. */
static void execute_sampled(struct kernel_under_way *k, const struct launch *launch)
{
    struct launch executed = *launch;
    executed.clock = engine_cycle(&session.run.sim.engine, 0);
    k->is_untimed = true;
    k->has_failed = !sampled_execute(&session.sampled, &executed, &k->fault, &k->err);
    session.launch_count++;
    poll_executed();
}

static void backend_start(void *self, const struct launch *launch, u64 ticket)
{
    (void)self;
    build();
    struct kernel_under_way *k = &session.kernels[session.kernel_count++];
    *k = (struct kernel_under_way){.ticket = ticket, .fault = FAULT_INSTRUCTION, .err = ERR_INIT};
    bool is_sampled = session.request.sample != NULL;
    if (is_sampled && !sampled_wants(&session.sampled, launch)) {
        execute_sampled(k, launch);
        return;
    }
    k->source = ptx_source_open(launch, &k->err);
    if (!k->source)
        return;
    if (is_sampled)
        sampled_begin(&session.sampled, k->source);
    if (chip_config()->sm.machine_code == MACHINE_LOWERED)
        ptx_source_lower(k->source);
    struct grid_source grid = ptx_source_grid(k->source);
    u64 number = session.launch_count++;
    grid.launch_number = number + 1;
    k->grid = grid;
    if (!launches_has(&session.request.launches, number)) {
        run_untimed(k, launch->resident_blocks);
        return;
    }
    if (session.recorder)
        recorder_kernel(session.recorder, &grid, &k->grid);
    k->grid.stream = ticket; /* what may run at once has been decided by whoever asks */
    if (is_sampled)
        sampled_launch(&session.sampled, launch, &k->grid);
    if (!gpu_device_launch(&session.gpus, &k->grid, ticket, &k->err)) {
        ptx_source_close(k->source);
        k->source = NULL;
        k->fault = FAULT_RESOURCES;
    }
}

/* Takes a kernel off the list; its source is closed. */
static u64 take_kernel(u32 index, bool *ok, enum launch_fault *fault, struct err *err)
{
    struct kernel_under_way *k = &session.kernels[index];
    u64 ticket = k->ticket;
    *ok = (k->source || k->is_untimed) && !session.is_dead && !k->has_failed;
    *fault = k->source ? ptx_source_fault(k->source) : FAULT_NONE;
    if (*fault == FAULT_NONE && !*ok)
        *fault = k->fault;
    if (!*ok)
        *err = k->err;
    struct err unrecorded = ERR_INIT;
    if (*ok && session.recorder && !k->is_untimed &&
        !recorder_kernel_done(session.recorder, &k->grid, &unrecorded))
        end_early(&unrecorded);
    ptx_source_close(k->source);
    *k = session.kernels[--session.kernel_count];
    return ticket;
}

static _Noreturn void hang(void)
{
    struct err err = ERR_INIT;
    struct text t = {0};
    const struct engine *e = &session.run.sim.engine;
    if (session.spins) {
        spinning_mark(session.gpu);
        text_printf(&t, "every warp waits and nothing has changed for %llu cycles, at cycle %llu\n",
                    (unsigned long long)(engine_cycle(e, 0) - session.spinning.since),
                    (unsigned long long)engine_cycle(e, 0));
        watchdog_waits(e, &t);
    } else {
        watchdog_report(e, &t);
    }
    progress_end(&session.progress);
    console_text(t.data, t.length);
    err_kind(&err, ERR_INVARIANT, "the machine hangs: %.*s", (int)strcspn(t.data, "\n"), t.data);
    end_early(&err);
}

/* A kernel broke off in the middle: nothing can run on this machine any more. */
static void die_of_fault(void)
{
    const struct sm *sm = gpu_device_faulted(&session.gpus);
    const struct grid_source *g = sm->faulted_block->grid;
    session.is_dead = true;
    for (u32 i = 0; i < session.kernel_count; i++) {
        struct kernel_under_way *k = &session.kernels[i];
        if (k->grid.self == g->self)
            g->ops->fault(g->self, &k->err);
        else
            err_kind(&k->err, ERR_INPUT, "another kernel failed");
    }
}

static int close_now(void);

/* False: other threads want to come in. */
static bool run_engine(void)
{
    double start = host_now(), cpu_start = host_cpu_now();
    enum engine_end end = engine_run(&session.run.sim.engine);
    session.run.host_seconds += host_now() - start;
    session.run.host_cpu_seconds += host_cpu_now() - cpu_start;
    ptx_source_rest();
    if (session.spins)
        end = ENGINE_HUNG;
    if (end == ENGINE_INTERRUPTED && !interrupt_has_come())
        return false;
    session.run.end = end;
    if (end == ENGINE_HUNG)
        hang();
    if (end == ENGINE_INTERRUPTED)
        end_interrupted();
    if (end == ENGINE_LIMIT)
        cu_leave(close_now());
    if (gpu_device_faulted(&session.gpus))
        die_of_fault();
    return true;
}

/* Of what is not measured the last launch has ended. */
static void count_launch(void)
{
    if (++session.ended_launches == session.run.warm.launches)
        window_begin(&session.run.window, session.run.machine);
}

static u64 backend_finish(void *self, bool *ok, enum launch_fault *fault, struct err *err)
{
    (void)self;
    struct grid_run done;
    session.alone_since = engine_cycle(&session.run.sim.engine, 0);
    for (;;) {
        for (u32 i = 0; i < session.kernel_count; i++) {
            if (!session.kernels[i].source || session.kernels[i].is_untimed || session.is_dead)
                return take_kernel(i, ok, fault, err);
        }
        if (gpu_device_take_ended(&session.gpus, &done))
            break;
        if (!run_engine())
            return 0;
        if (session.has_device_work) {
            session.has_device_work = false;
            return 0;
        }
    }
    count_launch();
    u32 index = 0;
    while (session.kernels[index].ticket != done.ticket)
        index++;
    struct kernel_under_way *k = &session.kernels[index];
    if (session.request.sample)
        k->has_failed = !sampled_ended(&session.sampled, &done, &k->fault, &k->err);
    return take_kernel(index, ok, fault, err);
}

/* After this cycle. */
static void backend_device_work(void *self)
{
    (void)self;
    session.has_device_work = true;
    engine_stop(&session.run.sim.engine);
}

static void backend_copied(void *self, u64 to, u64 bytes)
{
    (void)self;
    const struct launch_config *c = &chip_config()->launch;
    if (session.recorder)
        recorder_copy(session.recorder, to, bytes);
    if (to && chip_config()->l2.keeps_copies) {
        build();
        gpu_device_copied(&session.gpus, to, bytes);
    }
    session.extra_ns +=
        c->copy_latency_ns + (u64)((double)bytes * 1e9 / (double)c->copy_bytes_per_second);
}

static u64 backend_now(void *self)
{
    (void)self;
    u64 fs = session.is_built ? session.run.sim.engine.now_fs : 0;
    return fs / 1000000 + ++session.extra_ns;
}

static bool has_run(void)
{
    const struct session_request *r = &session.request;
    if (!r->is_untimed)
        return session.is_built;
    return !r->record || record_backend_has_run();
}

/* Two processes must not write one file. A child that has found CUDA in use cannot use it. */
static void before_fork(void)
{
    recorder_flush(session.recorder);
    timeline_flush(session.run.sim.timeline);
}

static void in_child(void)
{
    struct err err = ERR_INIT;
    session.request.is_child = true;
    session.recorder = NULL; /* the parent's */
    session.is_open &= !has_run();
    if (!session.is_open)
        return;
    session_request_fork(&session.request, &session.arena);
    const char *record = session.request.record;
    if (record && !(session.recorder = recorder_open(record, &err)))
        end_early(&err);
}

static void warn(void *context, const char *line)
{
    (void)context;
    console_warn("%s", line);
}

static void resumed(void)
{
    session.alone_since = engine_cycle(&session.run.sim.engine, 0);
}

/* Of a file's contents; 0: it cannot be read. */
static u64 file_hash(const char *path)
{
    u8 *part = xrealloc(NULL, FILE_PART_BYTES);
    FILE *f = fopen(path, "rb");
    u64 hash = 0;
    for (size_t got; f && (got = fread(part, 1, FILE_PART_BYTES, f)) > 0;)
        hash = hash_bytes(hash, part, got);
    if (f)
        fclose(f);
    free(part);
    return hash;
}

/* What the state of the machine depends on: a line for each thing. */
static const char *identity(void)
{
    const struct run_request *r = &session.request.run;
    const struct config *c = &session.chip;
    struct text t = {0};
    Dl_info library;
    u64 values = 0, code = 0;
    for (u32 i = 0; i < c->value_count; i++) {
        char value[4096];
        param_value_text(c->values[i].param, c->values[i].field, value, sizeof value);
        values = hash_bytes(values, c->values[i].path, strlen(c->values[i].path));
        values = hash_bytes(values, value, strlen(value));
    }
    if (dladdr((const void *)(uintptr_t)identity, &library))
        code = file_hash(library.dli_fname);
    text_printf(&t, "heddle %s, commit %s, build %016llx\n", HEDDLE_VERSION, heddle_commit,
                (unsigned long long)code);
    text_printf(&t, "chip %s\n", c->name);
    text_printf(&t, "other parameters of chip %s (%016llx)\n", c->name, (unsigned long long)values);
    text_printf(&t, "seed %llu\n", (unsigned long long)r->seed);
    text_printf(&t, "--on '%s'\n", r->on ? r->on : "");
    text_printf(&t, "--warm launches=%llu\n", (unsigned long long)r->warm.launches);
    text_printf(&t, "--interval %llu and --series '", (unsigned long long)r->interval);
    for (u32 i = 0; i < r->series_count; i++)
        text_printf(&t, "%s%s", i ? "," : "", r->series[i]);
    text_printf(&t, "'\n");
    const char *lines = arena_strdup(&session.arena, t.data);
    text_fini(&t);
    return lines;
}

/* An option with which no state of a chip is saved or used; NULL: there is none. */
static const char *only_untimed(void)
{
    const struct session_request *r = &session.request;
    const char *plugins = getenv("HEDDLE_PLUGIN");
    return plugins && *plugins ? "--plugin, whose policies may keep state of their own"
           : r->sample         ? "--sample"
           : r->launches.count ? "--launches"
           : r->record         ? "--record"
           : r->run.timeline   ? "--timeline"
                               : NULL;
}

/* Behind those for checkpoints. */
static bool use_backend(const struct cuda_backend *runs, struct err *err)
{
    const struct session_request *r = &session.request;
    const char *workload = r->run.workload, *untimed = only_untimed();
    struct timed_machine *machine = r->is_untimed ? NULL : &session.machine;
    if (machine && r->save && untimed)
        return err_at(err, (struct src_pos){"--save", 0, 0},
                      "the state of a chip cannot be saved with %s: add --functional, or leave "
                      "that option out",
                      untimed);
    if (machine && (r->save || r->resume)) {
        *machine = (struct timed_machine){
            .state.identity = identity(), .build = build, .resumed = resumed};
        session.request.run.is_placed = !untimed;
    }
    if (r->resume)
        runs = resume_backend(runs, &(struct resume_request){r->resume, workload, machine, untimed},
                              &session.launch_count, err);
    if (runs && r->resume && r->save && r->save_launch <= session.launch_count)
        return err_at(err, (struct src_pos){"--save", 0, 0},
                      "%s goes on with launch %llu, so nothing can be saved before launch %llu: "
                      "expected a later one",
                      r->resume, (unsigned long long)session.launch_count,
                      (unsigned long long)r->save_launch);
    if (runs && r->save)
        runs = save_backend(
            runs, &(struct save_request){r->save, workload, r->save_launch, machine, r->quiet},
            err);
    if (runs)
        cu_core_set_backend(runs);
    return runs != NULL;
}

bool session_open(struct err *err)
{
    static const struct cuda_backend backend = {
        .is_lazy = true,
        .most_kernels = MOST_KERNELS,
        .start = backend_start,
        .finish = backend_finish,
        .copied = backend_copied,
        .now_ns = backend_now,
        .device_work = backend_device_work,
        .ends = backend_ends,
    };
    struct session_request *r = &session.request;
    if (!policy_load_plugins(err) || !session_request_read(r, &session.arena, err) ||
        !config_load(&session.chip, &r->run.chip, err))
        return false;
    static const struct log log = {.sink = warn};
    r->run.engine.poll = poll;
    r->run.log = r->quiet ? NULL : &log;
    const char *on = r->run.on ? r->run.on : "";
    if (!model_cluster(model_of(session.chip.schema), &session.chip, on, AGENT_SM,
                       (struct src_pos){*on ? "--on" : NULL, 0, 0}, &session.device, err))
        return false;
    if (r->record && !(session.recorder = recorder_open(r->record, err)))
        return false;
    session_describe_device(chip_config(), session.chip.name);
    pthread_atfork(before_fork, NULL, in_child);
    session.is_open = true;
    /* one kernel at a time, so that what is timed is of that one */
    static struct cuda_backend one_at_a_time;
    one_at_a_time = backend;
    one_at_a_time.most_kernels = 1;
    one_at_a_time.device_work = NULL;
    const struct cuda_backend *runs = &backend;
    if (r->is_untimed)
        runs = r->record ? record_backend(chip_config(), &session.recorder, r->max_instructions)
                         : cu_functional_backend();
    else if (r->sample)
        runs = &one_at_a_time;
    return use_backend(runs, err);
}

/* ---- the end --------------------------------------------------------------------------------- */

static bool print_summary(struct err *err)
{
    struct text t = {0};
    const struct run *run = &session.run;
    text_printf(&t, "%s on %s%s\n", run->workload, run->config.name,
                run->end == ENGINE_LIMIT ? ": stopped at the cycle limit" : "");
    run->model->summary(run->machine, &t);
    if (run->sampled)
        sampled_summary(run->sampled, &t);
    u64 instructions = machine_work(run->machine);
    text_printf(&t, "  host          %.3f s", run->host_seconds);
    u32 threads = engine_threads(&run->sim.engine);
    if (threads > 1)
        text_printf(&t, " with %u threads", threads);
    /* the rate is of what was computed, not of waiting, which threads do for each other */
    double seconds = threads > 1 ? run->host_seconds : run->host_cpu_seconds;
    if (seconds > 0)
        text_printf(&t, ", %.2f M warp instructions/s", (double)instructions / seconds / 1e6);
    text_printf(&t, "\n");
    if (session.request.stats)
        text_printf(&t, "  statistics    %s\n", session.request.stats);
    bool written = console_print(t.data, t.length);
    text_fini(&t);
    return written || err_at(err, (struct src_pos){"standard output", 0, 0}, "cannot write: %s",
                             strerror(errno));
}

/* False: nothing was measured. */
static bool end_window(struct err *err)
{
    struct run *run = &session.run;
    window_end(&run->window, run->machine);
    return run->window.has_begun || !run->warm.launches ||
           err_at(err, (struct src_pos){"--warm", 0, 0},
                  "%llu launches are warm-up, but only %llu ended, expected more",
                  (unsigned long long)run->warm.launches,
                  (unsigned long long)session.ended_launches);
}

/* What is still on its way arrives; then every law must hold. */
static bool drain_and_check(struct err *err)
{
    struct run *run = &session.run;
    if (session.is_dead || run->end == ENGINE_LIMIT || run->end == ENGINE_INTERRUPTED) {
        run->model->settle(run->machine);
        return end_window(err);
    }
    engine_finish(&run->sim.engine);
    while (!run_engine())
        ; /* the others wait in vain: this thread keeps the lock */
    run->model->settle(run->machine);
    run->verified = true;
    return stats_check_laws(&run->sim.stats, err) && end_window(err) &&
           machine_write_homes(run->machine, err);
}

/* With the lock, which nobody gets any more. */
static int close_now(void)
{
    struct err err = ERR_INIT;
    session.is_open = false;
    bool ok = session.request.is_untimed || drain_and_check(&err);
    progress_end(&session.progress);
    if (session.recorder && session.is_dead)
        recorder_discard(session.recorder);
    else if (session.recorder)
        ok = recorder_close(session.recorder, &err) && ok;
    session.recorder = NULL;
    if (!session.request.is_untimed) {
        ok = ok && write_result(&err);
        ok = run_end_timeline(&session.run, &err) && ok;
        ok = ok && (session.request.quiet || print_summary(&err));
    }
    if (!ok)
        err_report(&err);
    return ok ? 0 : (int)err.kind;
}

/* The program's last words come before: this is one of the last things that happen in it. */
static void tell_that_nothing_ran(void)
{
    if (!session.request.is_child)
        console_warn("%s %s, so there is no result", session.request.run.workload,
                     cu_kernels_are_queued()
                         ? "ended without waiting for the work it had queued, and no kernel ran"
                     : cu_core()->failures.launches ? "had no launch that succeeded"
                                                    : "launched no kernel");
}

void session_kernels(u64 first, struct text *out)
{
    json_t *list = json_array();
    for (u32 i = 0; session.is_built && i < session.gpus.count; i++)
        gpu_kernels_from(session.gpus.gpus[i], "", first, list);
    char *json = json_dumps(list, JSON_COMPACT);
    text_printf(out, "%s", json ? json : "[]");
    free(json);
    json_decref(list);
}

int session_close(void)
{
    if (!session.is_open)
        return 0;
    cu_core()->in_haste = true;
    cu_lock();
    if (!session.is_open)
        return 0;
    struct err err = ERR_INIT;
    if ((session.request.save && !save_end(&err)) ||
        (session.request.resume && !resume_end(&err))) {
        err_report(&err);
        return (int)err.kind;
    }
    if (!has_run()) {
        tell_that_nothing_ran();
        recorder_discard(session.recorder);
        return 0;
    }
    if (cu_is_reentered()) {
        console_warn("%s ended during a CUDA call, so there is no result",
                     session.request.run.workload);
        return 0;
    }
    return close_now();
}
