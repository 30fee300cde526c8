/*
 * heddle trace suite --accept --group hpc: is an OpenMP program like the one that it stands for?
 *
 * By what its trace is like whatever the core (cpu_trace/statistics.h), against the bands of
 * hpc.csv. No predictor, cache or time is measured here: what a study finds is no reason to take a
 * program or to leave it out.
 */
#include "base/arena.h"
#include "base/csv.h"
#include "base/file.h"
#include "cli/trace.h"
#include "cpu_trace/statistics.h"
#include "cpu_trace/stream.h"
#include "cpu_trace/suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct row {
    const char *program, *text; /* of the table, with its line's end */
    const char *trace;
    bool is_accepted;
};

struct hpc_acceptance {
    const struct suite *suite;
    const char *path;
    struct row *rows;
    u32 count, room, refused, missing, threads;
    bool is_quiet;
};

static double part(u64 a, u64 b)
{
    return b ? 100 * (double)a / (double)b : 0;
}

/* ---- measuring ---- */

static bool measure_trace(const char *path, struct cpu_statistics *out, struct err *err)
{
    struct cpu_measuring *m = cpu_measuring_create();
    bool ok = true;
    u32 threads = 1;
    for (u32 t = 0; ok && t < threads; t++) {
        struct cpu_stream s = {0};
        struct cpu_stream_request request = {.name = path, .thread = t, .events = true};
        ok = cpu_stream_open(&s, &request, err) && cpu_measuring_add(m, &s, UINT64_MAX, err);
        threads = ok ? s.thread_count : threads;
        cpu_stream_close(&s);
    }
    if (ok)
        cpu_measuring_finish(m, out);
    else
        cpu_measuring_discard(m);
    return ok;
}

static void describe(const struct cpu_statistics *s, double out[SUITE_DESCRIPTORS])
{
    const struct cpu_counts *p = &s->counts[CPU_PARALLEL];
    u64 branches = p->instructions - p->branches[CPU_NO_BRANCH];
    out[SUITE_BRANCHES] = part(branches, p->instructions);
    out[SUITE_BACKWARD] = part(p->taken_backward, p->taken);
    out[SUITE_BLOCK] = p->blocks ? (double)p->bytes / (double)p->blocks : 0;
    out[SUITE_HOT] = (double)p->hot_bytes / 1024;
    out[SUITE_STATIC] = (double)s->counts[CPU_TOTAL].static_bytes / 1024;
    out[SUITE_SERIAL] = 100 * s->serial_share;
    out[SUITE_INDIRECT] =
        part(p->branches[CPU_INDIRECT_JUMP] + p->branches[CPU_INDIRECT_CALL], branches);
    out[SUITE_SHARED] = 100 * s->shared_instructions;
}

/* What it misses, "": nothing. Serial shares were published for the usual number of threads. */
static void judge(const struct suite_program *p, u32 threads, const double *is, struct text *why)
{
    text_printf(why, "%s", "");
    for (u32 d = 0; d < SUITE_DESCRIPTORS; d++) {
        const struct suite_band *b = &p->bands[d];
        if (d == SUITE_SERIAL && threads != SUITE_HPC_THREADS)
            continue;
        if (b->high > 0 && (is[d] < b->low || is[d] > b->high))
            text_printf(why, "%s%s %.4g is not within %g to %g", why->length ? "; " : "",
                        suite_descriptor_names[d], is[d], b->low, b->high);
    }
}

/* ---- the file ---- */

static void add_row(struct hpc_acceptance *a, struct row r, struct arena *arena)
{
    for (u32 i = 0; i < a->count; i++) {
        if (strcmp(a->rows[i].program, r.program) == 0) {
            a->rows[i] = r;
            return;
        }
    }
    if (a->count == a->room) {
        struct row *more = ARENA_ARRAY(arena, struct row, 2 * a->room + 64);
        if (a->count)
            memcpy(more, a->rows, a->count * sizeof *more);
        a->rows = more;
        a->room = 2 * a->room + 64;
    }
    a->rows[a->count++] = r;
}

static bool read_rows(struct hpc_acceptance *a, struct arena *arena, struct err *err)
{
    struct csv csv = {0};
    if (access(a->path, F_OK) != 0)
        return true;
    if (!csv_read_file(&csv, a->path, arena, err))
        return false;
    u32 program = csv_column(&csv, "program"), trace = csv_column(&csv, "trace"),
        accepted = csv_column(&csv, "accepted");
    if (program == UINT32_MAX || trace == UINT32_MAX || accepted == UINT32_MAX)
        return err_at(err, (struct src_pos){a->path, 1, 0},
                      "this is not a table of accepted programs");
    for (u32 k = 0; k < csv.count; k++) {
        struct text t = {0};
        const char *const *f = csv.rows[k].fields;
        for (u32 i = 0; i < csv.head.count; i++)
            text_printf(&t, "%s%s", i ? "," : "", f[i]);
        struct row r = {.program = f[program],
                        .text = arena_printf(arena, "%s\n", t.data),
                        .trace = f[trace],
                        .is_accepted = strcmp(f[accepted], "yes") == 0};
        add_row(a, r, arena);
        text_fini(&t);
    }
    return true;
}

static bool write_rows(const struct hpc_acceptance *a, struct err *err)
{
    struct text t = {0};
    text_printf(&t, "program,suite,class,stand_in,accepted");
    for (u32 d = 0; d < SUITE_DESCRIPTORS; d++)
        text_printf(&t, ",%s", suite_descriptor_names[d]);
    text_printf(&t, ",threads,instructions,trace,why\n");
    for (u32 i = 0; i < a->count; i++)
        text_printf(&t, "%s", a->rows[i].text);
    bool ok = folder_make_for(a->path, err) && file_write(a->path, &t, err);
    text_fini(&t);
    return ok;
}

/* ---- the command ---- */

static bool accept_program(struct hpc_acceptance *a, const struct suite_program *p,
                           struct arena *arena, struct err *err)
{
    static struct cpu_statistics s;
    double is[SUITE_DESCRIPTORS];
    struct suite_trace t;
    struct text why = {0}, line = {0};
    const char *name = suite_trace_name(p, a->threads, arena);
    if (!suite_trace_read(a->suite, name, &t, arena)) {
        a->missing++;
        if (!a->is_quiet)
            printf("%-11s has not been recorded\n", name);
        return true;
    }
    if (!measure_trace(t.path, &s, err))
        return false;
    describe(&s, is);
    judge(p, a->threads, is, &why);
    a->refused += why.length > 0;
    text_printf(&line, "%s,%s,%s,%s,%s", name, p->published, p->class, p->stand_in,
                why.length ? "no" : "yes");
    for (u32 d = 0; d < SUITE_DESCRIPTORS; d++)
        text_printf(&line, ",%.3f", is[d]);
    text_printf(&line, ",%u,%llu,%s,%s\n", s.threads, (unsigned long long)t.instructions,
                t.contents, why.data);
    struct row r = {.program = name,
                    .text = arena_strdup(arena, line.data),
                    .trace = t.contents,
                    .is_accepted = !why.length};
    add_row(a, r, arena);
    if (!a->is_quiet) {
        printf("%-11s %-9s", name, p->class);
        for (u32 d = 0; d < SUITE_DESCRIPTORS; d++)
            printf(" %8.2f", is[d]);
        printf("  %s\n", why.length ? why.data : "accepted");
        fflush(stdout);
    }
    text_fini(&why);
    text_fini(&line);
    return write_rows(a, err);
}

bool trace_accept_hpc(const struct cli *cli, const struct suite *s, struct err *err)
{
    struct arena arena = {0};
    u32 count;
    struct hpc_acceptance a = {
        .suite = s,
        .path = cli_has(cli, "output") ? cli_value(cli, "output")
                                       : arena_printf(&arena, "%s/" SUITE_HPC_ACCEPTED, s->cache),
        .is_quiet = cli_has(cli, "quiet"),
    };
    const struct suite_program **chosen = suite_chosen(cli, s, &count, &arena, err);
    bool ok = chosen && suite_threads(cli, &a.threads, err) && read_rows(&a, &arena, err);
    if (ok && !a.is_quiet) {
        printf("%-11s %-9s", "program", "class");
        for (u32 d = 0; d < SUITE_DESCRIPTORS; d++)
            printf(" %8s", suite_descriptor_names[d]);
        printf("\n");
    }
    for (u32 i = 0; ok && i < count; i++) {
        if (chosen[i]->group == SUITE_HPC)
            ok = accept_program(&a, chosen[i], &arena, err);
    }
    if (ok && !a.is_quiet)
        printf("%u of %u are not accepted, %u have no trace; table in %s\n", a.refused, count,
               a.missing, a.path);
    arena_fini(&arena);
    return ok;
}
