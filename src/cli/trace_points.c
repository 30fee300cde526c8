/* heddle trace points: windows that stand for a program. */
#include "base/arena.h"
#include "base/file.h"
#include "run/run.h"
#include "cli/trace.h"
#include "cpu_trace/record/profile.h"
#include "cpu_trace/record/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PROGRAM_INTERVAL 10000000u
#define TRACE_INTERVALS 100u /* of a trace, unless --interval says otherwise */
#define LEAST_INTERVAL 10000u
#define WARM_INTERVALS 10u /* before a window that is run on a chip */

struct request {
    const char *const *program; /* else a trace */
    const char *trace;
    u64 interval, clusters, seed, thread;
};

static bool profile_trace(struct request *q, struct points_profile *p, struct err *err)
{
    struct cpu_stream s = {0};
    struct cpu_stream_request request = {.name = q->trace, .thread = (u32)q->thread};
    bool ok = cpu_stream_open(&s, &request, err);
    if (ok && !q->interval) {
        u64 length = s.length == CPU_LENGTH_UNKNOWN ? 0 : s.length;
        q->interval = length ? max_u64(length / TRACE_INTERVALS, LEAST_INTERVAL) : PROGRAM_INTERVAL;
    }
    points_profile_init(p, q->interval);
    ok = ok && points_profile_stream(p, &s, err);
    points_profile_end(p);
    cpu_stream_close(&s);
    return ok;
}

static bool profile_program(struct request *q, struct points_profile *p, struct err *err)
{
    struct arena arena = {0};
    struct guest_request guest = {.arguments = q->program, .stop = trace_stop()};
    q->interval = q->interval ? q->interval : PROGRAM_INTERVAL;
    points_profile_init(p, q->interval);
    guest.plugin = trace_plugin(&arena, err);
    bool ok = guest.plugin && cpu_profile(&guest, p, err);
    arena_fini(&arena);
    return ok;
}

/* ---- what is said ---- */

static void print_measures(const struct points *w, const struct points_profile *p)
{
    for (u32 m = 0; m < POINTS_MEASURES; m++) {
        double whole, estimate = points_estimate(w, p, (enum points_measure)m, &whole);
        if (whole > 0)
            printf("  %-16s %9.3f per 1000 instructions, %9.3f of the whole: %+.2f %%\n",
                   points_measure_names[m], 1000 * estimate, 1000 * whole,
                   100 * (estimate - whole) / whole);
    }
}

static void print_points(const struct points *w, const struct points_profile *p, u64 interval)
{
    printf("%u windows represent %u intervals of %llu instructions; the spread around the windows "
           "is %.1f %% of the spread of all intervals\n",
           w->count, p->count, (unsigned long long)interval, 100 * w->spread);
    printf("  %15s %12s  %-8s intervals\n", "first", "count", "weight");
    for (u32 i = 0; i < w->count; i++)
        printf("  %15llu %12llu  %.6f %u\n", (unsigned long long)w->windows[i].first,
               (unsigned long long)w->windows[i].count, w->windows[i].weight,
               w->windows[i].intervals);
    printf("weighted means of %u windows, and their errors:\n", w->count);
    print_measures(w, p);
}

static void put_quoted(struct text *t, const char *s)
{
    text_printf(t, "\"");
    text_append_json(t, s);
    text_printf(t, "\"");
}

/* ---- on a chip ---- */

/* What is counted of each window, per instruction. */
static const struct measured {
    const char *name, *statistic;
} measured[] = {{"cycles", "core.cycles"},
                {"mispredicted", "core.branch.mispredicted"},
                {"l1d_misses", "core.l1d.misses"},
                {"l2_misses", "core.l2.misses"},
                {"dram_read_bytes", "dram.bytes_read"}};
#define MEASURED ARRAY_LEN(measured)

struct timing {
    const char *chip, *trace;
    u64 warm; /* instructions before a window that are run with it, and taken off again */
    struct arena arena;
    bool has_result;
    u32 runs;
    double found[MEASURED][POINTS_MOST_CLUSTERS], second[MEASURED][POINTS_MOST_CLUSTERS];
    double mean[MEASURED], error[MEASURED]; /* per instruction; of 95 % */
};

static bool run_part(struct timing *t, u64 first, u64 count, double *values, struct err *err)
{
    struct run run = {0};
    struct run_request request = {
        .chip = {.chip = t->chip, .folders = chip_folders()},
        .workload = arena_printf(&t->arena, "%s@%llu+%llu", t->trace, (unsigned long long)first,
                                 (unsigned long long)count),
    };
    bool ok = run_open(&run, &request, err) && run_execute(&run, err);
    for (u32 m = 0; ok && m < MEASURED; m++)
        ok = stats_number(&run.sim.stats, measured[m].statistic, &values[m], err);
    run_close(&run);
    return ok;
}

/* Counts of an instruction of a window: with what is before it, less what that takes alone. */
static bool time_window(struct timing *t, u64 first, u64 count, double (*out)[POINTS_MOST_CLUSTERS],
                        u32 cluster, struct err *err)
{
    u64 warm = min_u64(t->warm, first);
    double before[MEASURED] = {0}, all[MEASURED];
    if (warm && !run_part(t, first - warm, warm, before, err))
        return false;
    if (!run_part(t, first - warm, warm + count, all, err))
        return false;
    for (u32 m = 0; m < MEASURED; m++)
        out[m][cluster] = (all[m] - before[m]) / (double)count;
    t->runs++;
    return true;
}

static bool check_threads(const char *trace, struct err *err)
{
    struct cpu_stream s = {0};
    bool ok = cpu_stream_open(&s, &(struct cpu_stream_request){.name = trace}, err);
    if (ok && s.thread_count > 1)
        ok = err_at(err, (struct src_pos){trace, 0, 0},
                    "the trace has %u threads, expected one to run its windows: see `heddle trace "
                    "convert --thread`",
                    s.thread_count);
    cpu_stream_close(&s);
    return ok;
}

static void print_timing(const struct timing *t, const struct points *w)
{
    printf("on %s, each after %llu instructions of warm-up:\n", t->chip,
           (unsigned long long)t->warm);
    for (u32 i = 0; i < w->count; i++)
        printf("  window at %llu, weight %.6f: CPI %.4f, another interval of its cluster %.4f\n",
               (unsigned long long)w->windows[i].first, w->windows[i].weight, t->found[0][i],
               t->second[0][i]);
    for (u32 m = 1; m < MEASURED; m++)
        printf("  %-16s %9.3f per 1000 instructions, +- %.3f (95 %%)\n", measured[m].name,
               1000 * t->mean[m], 1000 * t->error[m]);
    printf("CPI %.4f, IPC %.4f, from %u windows of %u clusters; error %.2f %% (95 %%)\n",
           t->mean[0], 1 / t->mean[0], t->runs, w->count, 100 * t->error[0] / t->mean[0]);
}

static bool time_points(const struct cli *cli, const struct request *q, const struct points *w,
                        struct timing *t, struct err *err)
{
    t->chip = cli_value(cli, "chip");
    t->trace = q->trace;
    if (!q->trace)
        return err_at(err, (struct src_pos){0}, "--chip needs a trace, not a program");
    bool ok = check_threads(q->trace, err) &&
              cli_number(cli, "warm", 0, UINT64_MAX, WARM_INTERVALS * q->interval, &t->warm, err);
    for (u32 i = 0; ok && i < w->count; i++) {
        const struct points_window *p = &w->windows[i];
        ok = time_window(t, p->first, p->count, t->found, i, err);
        for (u32 m = 0; m < MEASURED; m++)
            t->second[m][i] = t->found[m][i];
        if (ok && p->second != p->interval)
            ok = time_window(t, p->second_first, p->second_count, t->second, i, err);
    }
    for (u32 m = 0; ok && m < MEASURED; m++)
        t->mean[m] = points_mean(w, t->found[m], t->second[m], &t->error[m]);
    t->has_result = ok;
    arena_fini(&t->arena);
    return ok;
}

/* ---- the file ---- */

/* The program as one result, per instruction. */
static void put_results(struct text *out, const struct timing *t)
{
    text_printf(out, "chip: ");
    put_quoted(out, t->chip);
    text_printf(out, "\nwarm: %llu\nconfidence: 0.95\nper_instruction:\n",
                (unsigned long long)t->warm);
    for (u32 m = 0; m < MEASURED; m++)
        text_printf(out, "  %s: {estimate: %.9g, half_width: %.9g}\n", measured[m].name, t->mean[m],
                    t->error[m]);
}

/* YAML, for people and scripts. */
static bool write_points(const char *path, const struct request *q, const struct points *w,
                         const struct points_profile *p, const struct timing *timing,
                         struct err *err)
{
    struct text t = {0};
    if (q->trace) {
        text_printf(&t, "trace: ");
        put_quoted(&t, q->trace);
    } else {
        text_printf(&t, "program: [");
        for (u32 i = 0; q->program[i]; i++) {
            text_printf(&t, "%s", i ? ", " : "");
            put_quoted(&t, q->program[i]);
        }
        text_printf(&t, "]");
    }
    text_printf(&t, "\ninterval: %llu\nintervals: %u\nseed: %llu\nwindows:\n",
                (unsigned long long)q->interval, p->count, (unsigned long long)q->seed);
    for (u32 i = 0; i < w->count; i++)
        text_printf(&t, "  - {first: %llu, count: %llu, weight: %.9f}\n",
                    (unsigned long long)w->windows[i].first,
                    (unsigned long long)w->windows[i].count, w->windows[i].weight);
    if (timing->has_result)
        put_results(&t, timing);
    bool ok = file_write(path, &t, err);
    text_fini(&t);
    return ok;
}

static bool choose(const struct cli *cli, const struct request *q, struct points_profile *p,
                   struct err *err)
{
    struct points w;
    const char *path = cli_value(cli, "output");
    const char *name = q->trace ? q->trace : q->program[0];
    if (!p->count)
        return err_at(err, (struct src_pos){name, 0, 0}, "nothing was executed");
    if (p->count > POINTS_MOST_INTERVALS)
        return err_at(err, (struct src_pos){name, 0, 0},
                      "there are %u intervals of %llu instructions, expected at most %u: use a "
                      "longer --interval",
                      p->count, (unsigned long long)q->interval, POINTS_MOST_INTERVALS);
    points_choose(&w, p, (u32)q->clusters, q->seed);
    if (!cli_has(cli, "quiet"))
        print_points(&w, p, q->interval);
    struct timing timing = {0};
    bool ok = !cli_has(cli, "chip") || time_points(cli, q, &w, &timing, err);
    if (timing.has_result)
        print_timing(&timing, &w);
    return ok && (!path || write_points(path, q, &w, p, &timing, err));
}

bool trace_points(struct cli *cli, struct err *err)
{
    struct request q = {0};
    struct points_profile p = {0};
    bool has_program = cli->program < cli->argument_count;
    if (cli->argument_count < 2 || (!has_program && cli->argument_count != 2) ||
        (has_program && cli->program != 1))
        return err_at(err, (struct src_pos){0},
                      "`heddle trace points` takes one trace, or `-- PROGRAM [ARGUMENT]...`");
    if (!cli_number(cli, "interval", 100, (u64)1 << 50, 0, &q.interval, err) ||
        !cli_number(cli, "clusters", 1, POINTS_MOST_CLUSTERS, 10, &q.clusters, err) ||
        !cli_number(cli, "seed", 0, UINT64_MAX, 1, &q.seed, err) ||
        !cli_number(cli, "thread", 0, UINT32_MAX, 0, &q.thread, err))
        return false;
    if (has_program)
        q.program = cli->arguments + 1;
    else
        q.trace = cli->arguments[1];
    bool ok = (has_program ? profile_program(&q, &p, err) : profile_trace(&q, &p, err)) &&
              choose(cli, &q, &p, err);
    points_profile_fini(&p);
    return ok;
}
