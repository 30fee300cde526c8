/* A chip built from a file of chips/ with overrides, and scripted kernels run on it. */
#ifndef TESTS_GPU_BED_H
#define TESTS_GPU_BED_H

#include "testing.h"

#include "machine/gpu_cluster.h"
#include "machine/model.h"
#include "source/synthetic/kernel.h"
#include "source/synthetic/scripted.h"

#include <stdio.h>
#include <stdlib.h>

struct bed {
    struct config config;
    struct sim sim;
    struct machine *machine;
    struct gpu *gpu; /* its only cluster */
    struct arena scripts;
};

static inline void bed_fail(const struct err *err)
{
    char text[1600];
    err_text(err, text, sizeof text);
    fail_msg("%s", text);
}

/* A machine for so many programs at once; 0: for one, as it is. Without engine_start. */
static inline void bed_build_mix(struct bed *b, const char *chip, const char *const *sets,
                                 const struct engine_options *options, u32 applications)
{
    const char *const *folders = testing_chips();
    struct err err = ERR_INIT;
    *b = (struct bed){0};
    u32 count = 0;
    while (sets && sets[count])
        count++;
    struct config_request r = {.chip = chip,
                               .folders = folders,
                               .sets = sets,
                               .set_count = count,
                               .schemas = model_schemas};
    if (!config_load(&b->config, &r, &err))
        bed_fail(&err);
    struct engine_options o = *options;
    const char *threads = getenv("HEDDLE_THREADS");
    if (!o.threads && threads)
        o.threads = (u32)atoi(threads);
    engine_init(&b->sim.engine, &b->sim.arena, &o);
    stats_init(&b->sim.stats, &b->sim.arena);
    b->sim.seed = 1;
    b->sim.applications = applications;
    b->machine = gpu_machine_build(&b->sim, b->config.data, &err);
    if (!b->machine)
        bed_fail(&err);
    b->gpu = machine_gpu(b->machine, "");
}

/* All but engine_start, for tests that add or change units first. sets: "a=b" strings, ends
 * with NULL */
static inline void bed_build(struct bed *b, const char *chip, const char *const *sets,
                             const struct engine_options *options)
{
    bed_build_mix(b, chip, sets, options, 0);
}

static inline void bed_open_engine(struct bed *b, const char *chip, const char *const *sets,
                                   const struct engine_options *options)
{
    bed_build(b, chip, sets, options);
    engine_start(&b->sim.engine);
}

static inline void bed_open(struct bed *b, const char *chip, const char *const *sets)
{
    struct engine_options options = {.watchdog_cycles = 1000000};
    bed_open_engine(b, chip, sets, &options);
}

static inline void bed_launch_source(struct bed *b, const struct grid_source *s)
{
    struct err err = ERR_INIT;
    if (!dispatcher_launch(&b->gpu->cluster.dispatcher, s, 0, &err))
        bed_fail(&err);
}

static inline void bed_launch(struct bed *b, const struct scripted_kernel *k)
{
    struct grid_source s = scripted_source(k, &b->scripts);
    bed_launch_source(b, &s);
}

/* The numbers of its phases are checked first. */
static inline void bed_launch_synthetic(struct bed *b, const struct synthetic_kernel *k, u64 seed)
{
    struct err err = ERR_INIT;
    for (u32 i = 0; i < k->phase_count; i++) {
        if (!synthetic_phase_check(&k->phases[i], k->shared_bytes, (struct src_pos){0}, &err))
            bed_fail(&err);
    }
    struct grid_source s = synthetic_source(k, seed, &b->scripts);
    bed_launch_source(b, &s);
}

/* Until everything has ended and drained; every law holds. */
static inline void bed_run(struct bed *b)
{
    struct err err = ERR_INIT;
    enum engine_end end = engine_run(&b->sim.engine);
    if (end == ENGINE_HUNG) {
        struct text t = {0};
        watchdog_report(&b->sim.engine, &t);
        fail_msg("hangs: %s", t.data);
    }
    assert_int_equal(end, ENGINE_STOPPED);
    machine_settle(b->machine);
    if (!stats_check_laws(&b->sim.stats, &err))
        bed_fail(&err);
}

static inline double bed_stat(struct bed *b, const char *name)
{
    struct err err = ERR_INIT;
    double value = 0;
    if (!stats_number(&b->sim.stats, name, &value, &err))
        bed_fail(&err);
    return value;
}

/* cmocka compares floats only. */
static inline void assert_near(double value, double expected, double tolerance)
{
    if (!(value >= expected - tolerance && value <= expected + tolerance))
        fail_msg("%.6g is not within %.6g of %.6g", value, tolerance, expected);
}

static inline void bed_close(struct bed *b)
{
    arena_fini(&b->scripts);
    engine_fini(&b->sim.engine);
    arena_fini(&b->sim.arena);
    config_fini(&b->config);
}

#endif
