/*
 * heddle trace suite --accept: does a stand-in behave as the published program does?
 *
 * Each trace runs alone on one core of the CPU side of config A (chips/cpu4.yaml), LRU, nothing
 * partitioned, with an LLC of 1 and of 32 ways of 4096 sets. The rules are those of the
 * specification that the studies follow: limits of the program's class and, where a number was
 * published, a distance from it.
 */
#include "base/arena.h"
#include "base/csv.h"
#include "base/file.h"
#include "run/run.h"
#include "cli/trace.h"
#include "cpu_trace/suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHIP "cpu4"
#define WARM 10000000u /* instructions, or a third of a shorter trace */
#define MEASURED 10000000u
#define KERNEL_FACTOR 1.15 /* of a published number, a kernel of ours */
#define PROGRAM_FACTOR 1.5

static const double no_limit = 1e9;

static const struct limits {
    const char *class;
    double least_mpki, most_mpki; /* of L2 */
    double least_m, most_m;       /* misses of LLC with 32 ways / with 1 */
    double least_g, most_g;       /* cycles with 1 way / with 32 */
} limits[] = {
    {"cache-friendly", 5, no_limit, 0, 0.6, 1.2, no_limit},
    {"streaming", 10, no_limit, 0.8, no_limit, 0, 1.1},
    {"compute", 0, 5, 0, no_limit, 0, 1.05},
};

/* What a run is looked at for; each grows. */
enum { INSTRUCTIONS, CYCLES, L2_MISSES, LLC_MISSES, LLC_REQUESTS, COUNTS };

static const char *const counts[COUNTS] = {"core.instructions", "core.cycles", "core.l2.misses",
                                           "llc.load_misses", "llc.accesses"};

struct numbers {
    double mpki, llc_mpki_1, llc_mpki_32, cpi_1, cpi_32, rpkc;
    double m, g;
};

/* ---- measuring ---- */

/* How much the counts grew after the warming. */
static bool growth(struct run *run, u64 warm, double out[COUNTS], struct err *err)
{
    double before[COUNTS] = {0};
    for (u32 row = 1; row < run->series.row_count && before[INSTRUCTIONS] < (double)warm; row++) {
        for (u32 c = 0; c < COUNTS; c++)
            before[c] += series_value(&run->series, row, c).number;
    }
    for (u32 c = 0; c < COUNTS; c++) {
        if (!stats_number(&run->sim.stats, counts[c], &out[c], err))
            return false;
        out[c] -= before[c];
    }
    return true;
}

static bool poll(void *context, const struct engine *engine)
{
    (void)context;
    (void)engine;
    return !*trace_stop();
}

static bool run_alone(const char *program, u64 warm, u32 ways, double out[COUNTS],
                      struct arena *arena, struct err *err)
{
    struct run run = {0};
    const char *const sets[] = {"core.count=1", arena_printf(arena, "llc.ways=%u", ways),
                                arena_printf(arena, "llc.size_bytes=%uKiB", 256 * ways)};
    struct run_request request = {
        .chip = {.chip = CHIP,
                 .folders = chip_folders(),
                 .sets = sets,
                 .set_count = ARRAY_LEN(sets)},
        .workload = program,
        .engine = {.poll = poll},
        .series = counts,
        .series_count = COUNTS,
        .interval = 1000,
    };
    bool ok =
        run_open(&run, &request, err) && run_execute(&run, err) && growth(&run, warm, out, err);
    run_close(&run);
    return ok;
}

static bool measure(const struct suite_program *p, const struct suite_trace *t, struct numbers *n,
                    struct arena *arena, struct err *err)
{
    double one[COUNTS], all[COUNTS];
    u64 warm = min_u64(WARM, t->instructions / 3);
    const char *program =
        arena_printf(arena, SUITE_PREFIX "%s@0+%llu", p->name,
                     (unsigned long long)min_u64(warm + MEASURED, t->instructions));
    if (!run_alone(program, warm, 1, one, arena, err) ||
        !run_alone(program, warm, 32, all, arena, err))
        return false;
    *n = (struct numbers){
        .mpki = 1000 * all[L2_MISSES] / all[INSTRUCTIONS],
        .llc_mpki_1 = 1000 * one[LLC_MISSES] / one[INSTRUCTIONS],
        .llc_mpki_32 = 1000 * all[LLC_MISSES] / all[INSTRUCTIONS],
        .cpi_1 = one[CYCLES] / one[INSTRUCTIONS],
        .cpi_32 = all[CYCLES] / all[INSTRUCTIONS],
        .rpkc = 1000 * all[LLC_REQUESTS] / all[CYCLES],
    };
    n->m = n->llc_mpki_1 > 0 ? n->llc_mpki_32 / n->llc_mpki_1 : 0;
    n->g = n->cpi_1 / n->cpi_32;
    return true;
}

/* ---- judging ---- */

static const struct limits *limits_of(const char *class)
{
    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        if (strcmp(limits[i].class, class) == 0)
            return &limits[i];
    }
    return NULL;
}

static void judge_range(struct text *why, const char *what, double value, double least, double most)
{
    if (value < least)
        text_printf(why, "%s%s %.2f is below %.2f", why->length ? "; " : "", what, value, least);
    if (value > most)
        text_printf(why, "%s%s %.2f is above %.2f", why->length ? "; " : "", what, value, most);
}

/* What it fails in, "": nothing. */
static void judge(const struct suite_program *p, const struct numbers *n, struct text *why)
{
    const struct limits *l = limits_of(p->class);
    double factor = suite_is_kernel(p) ? KERNEL_FACTOR : PROGRAM_FACTOR;
    text_printf(why, "%s", "");
    judge_range(why, "L2 MPKI", n->mpki, l->least_mpki, l->most_mpki);
    judge_range(why, "m", n->m, l->least_m, l->most_m);
    judge_range(why, "g", n->g, l->least_g, l->most_g);
    if (p->mpki > 0)
        judge_range(why, "L2 MPKI", n->mpki, p->mpki / factor, p->mpki * factor);
}

/* ---- the file ---- */

static const char head[] =
    "program,class,stand_in,accepted,l2_mpki,published_mpki,llc_mpki_1,llc_mpki_32,m,cpi_1,cpi_32,"
    "g,rpkc,instructions,trace,why\n";

/* Rows by program; "" where there is none. */
static bool read_rows(const struct suite *s, const char *path, const char **rows,
                      const char **traces, struct arena *arena, struct err *err)
{
    struct csv csv = {0};
    for (u32 i = 0; i < s->count; i++)
        rows[i] = traces[i] = "";
    if (access(path, F_OK) != 0)
        return true;
    if (!csv_read_file(&csv, path, arena, err))
        return false;
    u32 program = csv_column(&csv, "program"), trace = csv_column(&csv, "trace");
    if (program == UINT32_MAX || trace == UINT32_MAX)
        return err_at(err, (struct src_pos){path, 1, 0},
                      "this is not a table of accepted programs");
    for (u32 k = 0; k < csv.count; k++) {
        struct text t = {0};
        for (u32 f = 0; f < csv.head.count; f++)
            text_printf(&t, "%s%s", f ? "," : "", csv.rows[k].fields[f]);
        for (u32 i = 0; i < s->count; i++) {
            if (strcmp(s->programs[i].name, csv.rows[k].fields[program]) == 0) {
                rows[i] = arena_printf(arena, "%s\n", t.data);
                traces[i] = csv.rows[k].fields[trace];
            }
        }
        text_fini(&t);
    }
    return true;
}

static bool write_rows(const struct suite *s, const char *path, const char *const *rows,
                       struct err *err)
{
    struct text t = {0};
    text_printf(&t, "%s", head);
    for (u32 i = 0; i < s->count; i++)
        text_printf(&t, "%s", rows[i]);
    bool ok = folder_make_for(path, err) && file_write(path, &t, err);
    text_fini(&t);
    return ok;
}

static const char *row_text(const struct suite_program *p, const struct suite_trace *t,
                            const struct numbers *n, const char *why, struct arena *arena)
{
    const char *published = p->mpki > 0 ? arena_printf(arena, "%g", p->mpki) : "";
    return arena_printf(arena,
                        "%s,%s,%s,%s,%.3f,%s,%.3f,%.3f,%.3f,%.4f,%.4f,%.3f,%.2f,%llu,%s,%s\n",
                        p->name, p->class, p->stand_in, *why ? "no" : "yes", n->mpki, published,
                        n->llc_mpki_1, n->llc_mpki_32, n->m, n->cpi_1, n->cpi_32, n->g, n->rpkc,
                        (unsigned long long)t->instructions, t->contents, why);
}

/* ---- the command ---- */

struct acceptance {
    const struct suite *suite;
    const char *path, **rows, **traces;
    bool is_quiet;
    u32 refused, missing;
};

static bool accept_program(struct acceptance *a, const struct suite_program *p, bool again,
                           struct arena *arena, struct err *err)
{
    struct suite_trace t;
    struct numbers n;
    struct text why = {0};
    u32 at = (u32)(p - a->suite->programs);
    if (p->group == SUITE_HPC)
        return err_at(err, (struct src_pos){0},
                      "%s is an OpenMP program, expected --accept --group hpc", p->name);
    if (!limits_of(p->class))
        return err_at(err, (struct src_pos){0}, "%s is of class %s, for which there are no limits",
                      p->name, p->class);
    if (!suite_trace_read(a->suite, p->name, &t, arena)) {
        a->missing++;
        if (!a->is_quiet)
            printf("%-11s has not been recorded\n", p->name);
        return true;
    }
    if (!again && strcmp(a->traces[at], t.contents) == 0)
        return true;
    if (!measure(p, &t, &n, arena, err))
        return false;
    judge(p, &n, &why);
    a->refused += why.length > 0;
    a->rows[at] = row_text(p, &t, &n, why.data, arena);
    if (!a->is_quiet)
        printf("%-11s %-14s %7.2f %7.2f %7.2f %5.2f %7.3f %7.3f %6.3f %7.1f  %s\n", p->name,
               p->class, n.mpki, n.llc_mpki_1, n.llc_mpki_32, n.m, n.cpi_1, n.cpi_32, n.g, n.rpkc,
               why.length ? why.data : "accepted");
    fflush(stdout);
    text_fini(&why);
    return write_rows(a->suite, a->path, a->rows, err);
}

bool trace_accept(const struct cli *cli, const struct suite *s, struct err *err)
{
    struct arena arena = {0};
    u32 count;
    const char *group = cli_value(cli, "group");
    if (group && strcmp(group, "hpc") == 0)
        return trace_accept_hpc(cli, s, err);
    struct acceptance a = {
        .suite = s,
        .path = cli_has(cli, "output") ? cli_value(cli, "output")
                                       : arena_printf(&arena, "%s/accepted.csv", s->cache),
        .rows = ARENA_ARRAY(&arena, const char *, s->count + 1),
        .traces = ARENA_ARRAY(&arena, const char *, s->count + 1),
        .is_quiet = cli_has(cli, "quiet"),
    };
    const struct suite_program **chosen = suite_chosen(cli, s, &count, &arena, err);
    bool ok = chosen && read_rows(s, a.path, a.rows, a.traces, &arena, err);
    if (ok && !a.is_quiet)
        printf("%-11s %-14s %7s %7s %7s %5s %7s %7s %6s %7s\n", "program", "class", "L2 MPKI",
               "MPKI@1", "MPKI@32", "m", "CPI@1", "CPI@32", "g", "RPKC");
    for (u32 i = 0; ok && i < count; i++)
        ok = accept_program(&a, chosen[i], !cli_has(cli, "all"), &arena, err);
    if (ok && !a.is_quiet)
        printf("%u of %u are not accepted, %u have no trace; table in %s\n", a.refused, count,
               a.missing, a.path);
    arena_fini(&arena);
    return ok;
}
