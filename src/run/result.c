/* A run's result as files; docs/reference/statistics.md describes them. */
#include "run/run.h"

#include "run/sampled.h"

#include "base/file.h"
#include "base/commit.h"
#include "base/version.h"
#include "sim/threads/thread_pool.h"
#include "stats/json_text.h"
#include "stats/output.h"

#include <stdio.h>
#include <string.h>

static const char *end_name(enum engine_end end)
{
    static const char *const names[] = {"finished", "cycle-limit", "hung", "interrupted"};
    return names[end];
}

static void set(json_t *o, const char *name, u64 value)
{
    json_object_set_new(o, name, json_integer((json_int_t)value));
}

/* What came before what is measured. */
static json_t *about_warm(const struct run *run)
{
    const struct engine *e = &run->sim.engine;
    json_t *o = json_object(), *domains = json_object();
    if (!run->mix && run->warm.instructions)
        json_object_set_new(o, "instructions", json_integer((json_int_t)run->warm.instructions));
    if (!run->mix && run->warm.launches)
        json_object_set_new(o, "launches", json_integer((json_int_t)run->warm.launches));
    if (run->mix ? run->mix->applications[0].is_functional : run->warm.is_functional)
        json_object_set_new(o, "how", json_string("functional"));
    json_object_set_new(o, "simulated_fs", json_integer((json_int_t)run->window.fs));
    for (u32 i = 0; i < e->domain_count; i++)
        json_object_set_new(domains, e->domains[i].name,
                            json_integer((json_int_t)run->window.cycles[i]));
    json_object_set_new(o, "cycles", domains);
    return o;
}

static json_t *about_run(const struct run *run)
{
    const struct engine *e = &run->sim.engine;
    json_t *o = json_object(), *domains = json_object();
    json_object_set_new(o, "heddle_version", json_string(HEDDLE_VERSION));
    json_object_set_new(o, "heddle_commit", json_string(heddle_commit));
    json_object_set_new(o, "chip", json_string(run->config.name));
    json_object_set_new(o, "model", json_string(run->config.schema->model));
    json_object_set_new(o, "workload", json_string(run->workload));
    json_object_set_new(o, "seed", json_integer((json_int_t)run->sim.seed));
    json_object_set_new(o, "end", json_string(end_name(run->end)));
    json_object_set_new(o, "verified", json_boolean(run->verified));
    json_object_set_new(o, "simulated_fs", json_integer((json_int_t)window_fs(&run->window, e)));
    for (u32 i = 0; i < e->domain_count; i++)
        json_object_set_new(domains, e->domains[i].name,
                            json_integer((json_int_t)window_cycles(&run->window, e, i)));
    json_object_set_new(o, "cycles", domains);
    if (run->failed_launches) {
        set(o, "failed_launches", run->failed_launches);
        json_object_set_new(o, "first_failure", json_string(run->first_failure));
    }
    if (run->window.has_begun)
        json_object_set_new(o, "warm", about_warm(run));
    return o;
}

/* What threads ticked together, by group of stages: sim/threads/thread_pool.h. */
static json_t *about_rounds(const struct thread_pool *thread_pool)
{
    json_t *groups = json_array();
    const struct thread_pool_counts *c;
    for (u32 i = 0; (c = thread_pool_counts(thread_pool, i)); i++) {
        if (!c->rounds)
            continue;
        json_t *o = json_object();
        set(o, "rounds", c->rounds);
        set(o, "missed", c->missed);
        set(o, "threads", c->threads);
        set(o, "absent", c->absent);
        set(o, "stolen", c->stolen);
        set(o, "clocks", c->clocks);
        set(o, "begin_clocks", c->begin);
        set(o, "longest_clocks", c->longest);
        set(o, "busy_clocks", c->busy);
        json_array_append_new(groups, o);
    }
    return groups;
}

/* Measurements of this machine, apart from the results: they differ from run to run. */
static json_t *about_host(const struct run *run)
{
    json_t *o = json_object();
    json_object_set_new(o, "seconds", json_real(run->host_seconds));
    json_object_set_new(o, "cpu_seconds", json_real(run->host_cpu_seconds));
    json_object_set_new(o, "threads", json_integer(engine_threads(&run->sim.engine)));
    if (run->sim.engine.thread_pool)
        json_object_set_new(o, "rounds", about_rounds(run->sim.engine.thread_pool));
    if (run->sim.engine.thread_pool)
        json_object_set_new(o, "clock_hz",
                            json_real(thread_pool_clock_hz(run->sim.engine.thread_pool)));
    json_object_set_new(o, "unit_ticks", json_integer((json_int_t)run->sim.engine.ticks));
    return o;
}

static u64 instructions_of(const struct application *a, const struct application_result *r)
{
    return a->kind->agents == AGENT_CPU ? r->counts.instructions : r->counts.warp_instructions;
}

double application_ipc(const struct application *a, const struct application_result *r)
{
    return (double)instructions_of(a, r) / (double)max_u64(r->cycles, 1);
}

double application_slowdown(const struct application *a, const struct application_result *r)
{
    return r->alone_ipc > 0 ? application_ipc(a, r) / r->alone_ipc : 0;
}

/* What was not measured is not there: docs/reference/statistics.md. */
static json_t *about_application(const struct application *a, const struct application_result *r)
{
    const struct application_counts *c = &r->counts;
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(a->name));
    json_object_set_new(o, a->kind->key, json_string(a->program));
    if (a->kind->is_recorded)
        json_object_set_new(o, "verified", json_true());
    if (*a->cluster)
        json_object_set_new(o, "cluster", json_string(a->cluster));
    bool is_cpu = a->kind->agents == AGENT_CPU;
    u64 instructions = instructions_of(a, r);
    set(o, is_cpu ? "first_core" : "first_sm", a->first);
    set(o, is_cpu ? "last_core" : "last_sm", a->end - 1);
    json_object_set_new(o, "ended", json_boolean(r->has_ended));
    set(o, "complete_runs", r->complete_runs);
    if (a->warm)
        set(o, is_cpu ? "warm_instructions" : "warm_launches", a->warm);
    if (is_cpu) {
        set(o, "instructions", instructions);
    } else {
        set(o, "kernels", r->kernels);
        set(o, "warp_instructions", instructions);
        set(o, "thread_instructions", c->thread_instructions);
    }
    if (r->has_ended) {
        set(o, "cycles", r->cycles);
        set(o, "fs", r->fs);
        json_object_set_new(o, "ipc", json_real(application_ipc(a, r)));
    }
    if (r->has_alone) {
        set(o, "alone_cycles", r->alone_cycles);
        json_object_set_new(o, "alone_ipc", json_real(r->alone_ipc));
    }
    if (r->has_alone && r->has_ended)
        json_object_set_new(o, "slowdown", json_real(application_slowdown(a, r)));
    if (r->has_memory) {
        set(o, "l2_accesses", c->l2_accesses);
        set(o, "l2_lines", c->l2_lines);
        set(o, "l2_hits", c->l2_hits);
        set(o, "dram_read_bytes", c->dram_read_bytes);
        set(o, "dram_written_bytes", c->dram_written_bytes);
    }
    return o;
}

static json_t *about_applications(const struct run *run)
{
    json_t *all = json_array();
    for (u32 i = 0; i < run->mix->count; i++)
        json_array_append_new(all,
                              about_application(&run->mix->applications[i], &run->applications[i]));
    return all;
}

static json_t *about_config(const struct config *c)
{
    json_t *o = json_object();
    for (u32 i = 0; i < c->value_count; i++) {
        const struct config_value *v = &c->values[i];
        char value[256], origin[320] = "default";
        if (!config_matters(c, v))
            continue;
        param_value_text(v->param, v->field, value, sizeof value);
        if (v->origin.file && v->origin.line)
            snprintf(origin, sizeof origin, "%s:%u", v->origin.file, v->origin.line);
        else if (v->origin.file)
            snprintf(origin, sizeof origin, "%s", v->origin.file);
        json_t *row = json_object();
        json_object_set_new(row, "value", json_string(value));
        json_object_set_new(row, "from", json_string(origin));
        json_object_set_new(o, v->path, row);
    }
    return o;
}

bool run_write_json(const struct run *run, const char *path, struct err *err)
{
    struct text t = {0}, units = {0};
    json_t *root = json_object();
    json_object_set_new(root, "schema", json_string("heddle.run/1"));
    json_object_set_new(root, "run", about_run(run));
    json_object_set_new(root, "host", about_host(run));
    json_object_set_new(root, "config", about_config(&run->config));
    if (run->mix)
        json_object_set_new(root, "applications", about_applications(run));
    bool ok = stats_to_json(&run->sim.stats, root, &units, err);
    if (ok && run->model->kernel_record)
        json_object_set_new(root, "kernel_definitions",
                            record_definitions(run->model->kernel_record));
    if (ok && run->model->details)
        run->model->details(run->machine, root);
    if (ok && run->sampled)
        json_object_set_new(root, "sampling", sampled_json(run->sampled));
    if (ok && run->has_series)
        json_object_set_new(root, "series", series_to_json(&run->series));
    json_text_append_with(&t, root, "units", &units);
    text_append(&t, "\n", 1);
    text_fini(&units);
    json_decref(root);
    ok = ok && file_write(path, &t, err);
    text_fini(&t);
    return ok;
}

/* Into memory first, then the whole as a file. */
bool run_write_csv(const struct run *run, const char *path, struct err *err)
{
    struct text t = {0};
    FILE *out = open_memstream(&t.data, &t.length);
    bool ok = out != NULL;
    if (out) {
        ok = stats_to_csv(&run->sim.stats, out, err);
        ok = fclose(out) == 0 && ok;
    }
    if (!ok)
        err_kind(err, ERR_INTERNAL, "the result could not be written as JSON");
    ok = ok && file_write(path, &t, err);
    text_fini(&t);
    return ok;
}
