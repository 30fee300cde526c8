/* heddle trace rate: instructions per cycle of a trace on a wide and a lean core. */
#include "cpu_trace/rates.h"
#include "cpu_trace/stream.h"
#include "run/run.h"
#include "cli/trace.h"

#include <math.h>
#include <stdio.h>

/* What was done in sections of one kind by cores from one on. */
struct section {
    double instructions, cycles;
};

static bool add_number(const struct run *run, const char *name, double *sum, struct err *err)
{
    double v = 0;
    if (!stats_number(&run->sim.stats, name, &v, err))
        return false;
    *sum += isnan(v) ? 0 : v;
    return true;
}

static bool add_core(const struct run *run, u32 core, const char *section, struct section *sum,
                     struct err *err)
{
    char instructions[64], cycles[64];
    snprintf(instructions, sizeof instructions, "core%u.openmp.%s_instructions", core, section);
    snprintf(cycles, sizeof cycles, "core%u.openmp.%s_cycles", core, section);
    return add_number(run, instructions, &sum->instructions, err) &&
           add_number(run, cycles, &sum->cycles, err);
}

struct measured {
    struct section first_serial, first_parallel, others_parallel;
};

static bool collect(const struct run *run, u32 threads, struct measured *m, struct err *err)
{
    bool ok = add_core(run, 0, "serial", &m->first_serial, err) &&
              add_core(run, 0, "parallel", &m->first_parallel, err);
    for (u32 i = 1; ok && i < threads; i++)
        ok = add_core(run, i, "parallel", &m->others_parallel, err);
    return ok;
}

/* The program on one kind of core for all threads, whose front end never waits. */
static bool measure(const char *trace, const char *chip, u32 threads, struct measured *m,
                    struct err *err)
{
    char count[32];
    snprintf(count, sizeof count, "core.count=%u", threads);
    const char *const sets[] = {"core.openmp=true", "core.l1i.perfect=true",
                                "core.branch.perfect=true", "core.backend=out_of_order", count};
    struct run run = {0};
    struct run_request request = {.chip = {.chip = chip,
                                           .folders = chip_folders(),
                                           .sets = sets,
                                           .set_count = ARRAY_LEN(sets)},
                                  .workload = trace};
    bool ok =
        run_open(&run, &request, err) && run_execute(&run, err) && collect(&run, threads, m, err);
    run_close(&run);
    return ok;
}

static double rate_of(struct section s, struct section otherwise)
{
    s = s.cycles > 0 && s.instructions > 0 ? s : otherwise;
    return s.cycles > 0 ? s.instructions / s.cycles : 0;
}

/* A trace without parallel regions has one rate. */
static struct cpu_core_rates rates_of(const char *chip, const struct measured *m, bool is_first)
{
    struct section parallel =
        is_first || m->others_parallel.cycles <= 0 ? m->first_parallel : m->others_parallel;
    return (struct cpu_core_rates){.chip = chip,
                                   .serial = rate_of(m->first_serial, parallel),
                                   .parallel = rate_of(parallel, m->first_serial)};
}

static bool count_threads(const char *trace, u32 *threads, struct err *err)
{
    struct cpu_stream s = {0};
    bool ok = cpu_stream_open(&s, &(struct cpu_stream_request){.name = trace}, err);
    *threads = ok && s.thread_count ? s.thread_count : 1;
    cpu_stream_close(&s);
    return ok;
}

static void print_rates(const char *kind, const struct cpu_core_rates *r)
{
    printf("  %-5s %-12s %.3f instructions/cycle outside of parallel regions, %.3f inside\n", kind,
           r->chip, r->serial, r->parallel);
}

bool trace_rate(struct cli *cli, struct err *err)
{
    const char *name, *wide = cli_value(cli, "wide"), *lean = cli_value(cli, "lean");
    struct arena arena = {0};
    struct measured on_wide = {0}, on_lean = {0};
    struct cpu_rates r;
    u32 threads;
    wide = wide ? wide : "cpu4";
    lean = lean ? lean : "cpu8";
    const char *trace =
        trace_file(cli, "rate", &name, err) ? cpu_rates_trace(name, &arena, err) : NULL;
    bool ok = trace && count_threads(trace, &threads, err) &&
              measure(trace, wide, threads, &on_wide, err) &&
              measure(trace, lean, threads, &on_lean, err);
    if (ok) {
        r = (struct cpu_rates){rates_of(wide, &on_wide, true), rates_of(lean, &on_lean, false)};
        ok = cpu_rates_write(trace, &r, err);
    }
    if (ok && !cli_has(cli, "quiet")) {
        printf("%s.rates: measured over %u threads, with a perfect front end\n", trace, threads);
        print_rates("wide", &r.wide);
        print_rates("lean", &r.lean);
    }
    arena_fini(&arena);
    return ok;
}
