/* Runs on a chip of the folder chips/, with kernels of a script on its GPU cores; values of
 * parameters. */
#ifndef MACHINE_BED_H
#define MACHINE_BED_H

#include "gpu/bed.h"
#include "gpu/script.h"

#include "machine/machine.h"
#include "run/run.h"

static void open_run(struct run *run, const char *chip, const char *workload, bool no_skip,
                     const char *const *sets)
{
    static char folder[4096];
    snprintf(folder, sizeof folder, "%s/chips", getenv("HEDDLE_SOURCE"));
    const char *folders[] = {folder, NULL};
    struct err err = ERR_INIT;
    u32 count = 0;
    while (sets && sets[count])
        count++;
    struct run_request r = {
        .chip = {.chip = chip, .folders = folders, .sets = sets, .set_count = count},
        .workload = workload,
        .engine.no_skip = no_skip,
        .seed = 1};
    if (!run_open(run, &r, &err))
        bed_fail(&err);
}

static double stat(struct run *run, const char *name)
{
    struct err err = ERR_INIT;
    double value = 0;
    if (!stats_number(&run->sim.stats, name, &value, &err))
        bed_fail(&err);
    return value;
}

static void run_kernel(struct run *run, const char *chip, const struct scripted_kernel *kernel,
                       bool no_skip, const char *const *sets)
{
    struct err err = ERR_INIT;
    open_run(run, chip, NULL, no_skip, sets);
    struct gpu *g = machine_gpu(run->machine, "gpu");
    struct grid_source s = scripted_source(kernel, &run->sim.arena);
    if (!dispatcher_launch(&g->cluster.dispatcher, &s, 0, &err))
        bed_fail(&err);
    do
        assert_int_equal(engine_run(&run->sim.engine), ENGINE_STOPPED);
    while (!dispatcher_is_idle(&g->cluster.dispatcher));
    engine_finish(&run->sim.engine);
    assert_int_equal(engine_run(&run->sim.engine), ENGINE_STOPPED);
    run->model->settle(run->machine);
    if (!stats_check_laws(&run->sim.stats, &err))
        bed_fail(&err);
}

static u64 kernel_cycles(const struct run *run)
{
    return machine_gpu(run->machine, "gpu")->records[0].numbers.cycles;
}

struct parameter_row {
    const char *path, *value;
};

static void check_parameters(const struct run *run, const struct parameter_row *rows, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        char value[256];
        const struct config_value *v = config_find(&run->config, rows[i].path);
        if (!v) {
            fail_msg("there is no parameter %s", rows[i].path);
            return;
        }
        param_value_text(v->param, v->field, value, sizeof value);
        if (strcmp(value, rows[i].value) != 0)
            fail_msg("%s is %s, expected %s", rows[i].path, value, rows[i].value);
    }
}

#define INDEPENDENT                                                                                \
    ALU(1, 0), ALU(2, 0), ALU(3, 0), ALU(4, 0), ALU(5, 0), ALU(6, 0), ALU(7, 0), ALU(8, 0)

#endif
