/* heddle trace points: windows that stand for a program. */
#include "base/arena.h"
#include "base/file.h"
#include "cli/trace.h"
#include "front/cpu/record/profile.h"
#include "front/cpu/record/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PROGRAM_INTERVAL 10000000u
#define TRACE_INTERVALS 100u /* of a trace, unless --interval says otherwise */
#define LEAST_INTERVAL 10000u

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
    printf(
        "%u windows stand for %u intervals of %llu instructions; intervals differ from theirs by "
        "%.1f %% of what they differ among each other\n",
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

/* YAML, for people and scripts. */
static bool write_points(const char *path, const struct request *q, const struct points *w,
                         const struct points_profile *p, struct err *err)
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
    return !path || write_points(path, q, &w, p, err);
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
