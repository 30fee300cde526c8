/* heddle trace -- PROGRAM: records a window of a program. */
#include "base/arena.h"
#include "base/file.h"
#include "cli/trace.h"
#include "cpu_trace/record/record.h"
#include "campaign/sha256.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

const volatile sig_atomic_t *trace_stop(void)
{
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    return &interrupted;
}

const char *trace_plugin(struct arena *arena, struct err *err)
{
    const char *found = library_find("heddle-qemu.so", "src", arena);
    if (!found)
        err_kind(err, ERR_INTERNAL,
                 "heddle's plugin for QEMU (heddle-qemu.so) was not found; set HEDDLE_LIBRARIES to "
                 "its folder");
    return found;
}

static bool bad_threads(const char *text, struct err *err)
{
    return err_found(err, (struct src_pos){0}, "--threads", text,
                     "all, or thread numbers below %u such as 0, 0,2 or 0-7", CHANNEL_THREADS);
}

/* 0,2,4-7 */
static bool read_threads(const char *text, u8 *wanted, struct err *err)
{
    for (const char *at = text;;) {
        char *end;
        u64 first = strtoull(at, &end, 10), last = first;
        if (end == at)
            return bad_threads(text, err);
        if (*end == '-') {
            at = end + 1;
            last = strtoull(at, &end, 10);
            if (end == at)
                return bad_threads(text, err);
        }
        if (last < first || last >= CHANNEL_THREADS || (*end && *end != ','))
            return bad_threads(text, err);
        memset(wanted + first, 1, last - first + 1);
        if (!*end)
            return true;
        at = end + 1;
    }
}

/* PROGRAM.hct, in the folder where we are. */
static const char *default_name(const char *program, struct arena *arena)
{
    const char *slash = strrchr(program, '/');
    return arena_printf(arena, "%s.hct", slash ? slash + 1 : program);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Where the guest does not print its results. */
static void print_result(const struct cpu_record_request *q, const struct cpu_record_result *r,
                         double seconds)
{
    struct stat s;
    double bytes = stat(q->path, &s) == 0 ? (double)s.st_size : 0;
    double count = (double)r->instructions;
    fprintf(stderr,
            "%s: %llu instructions of %u thread%s after %llu, %.1f MB, %.3f bytes each; %.1f s, "
            "%.1f M instructions/s%s\n",
            q->path, (unsigned long long)r->instructions, r->threads, r->threads == 1 ? "" : "s",
            (unsigned long long)r->skipped, bytes / 1e6, bytes / count, seconds,
            ((double)r->skipped + count) / seconds / 1e6,
            r->whole && !r->was_replaced ? ", to the program's end" : "");
    if (r->events || r->cut)
        fprintf(stderr,
                "OpenMP: %llu synchronisation events; %llu instructions spent waiting in the "
                "runtime were left out\n",
                (unsigned long long)r->events, (unsigned long long)r->cut);
    if (r->lost_accesses)
        fprintf(
            stderr,
            "%llu accesses are missing: their instructions have more than %u reads or %u writes\n",
            (unsigned long long)r->lost_accesses, CPU_MOST_READS, CPU_MOST_WRITES);
    if (r->exit_status)
        fprintf(stderr, "the program ended with status %d\n", r->exit_status);
}

static bool record(const struct cli *cli, struct cpu_record_request *q, struct err *err)
{
    struct cpu_record_result result;
    char hash[SHA256_HEX + 1] = "";
    struct arena arena = {0};
    const char *program = program_find(q->guest.arguments[0], &arena);
    bool ok = !program || sha256_file(program, hash, err);
    arena_fini(&arena);
    if (!ok)
        return false;
    q->sha256 = hash;
    double start = seconds_now();
    ok = cpu_record(q, &result, err);
    if (ok && !cli_has(cli, "quiet"))
        print_result(q, &result, seconds_now() - start);
    if (ok && result.was_replaced)
        fprintf(stderr,
                "warning: %s called exec, where the trace ends; to record the program it started, "
                "give that program instead\n",
                q->guest.arguments[0]);
    return ok;
}

bool trace_record(struct cli *cli, struct err *err)
{
    static u8 threads[CHANNEL_THREADS];
    struct arena arena = {0};
    struct cpu_record_request q = {.keep_waits = cli_has(cli, "keep-waits")};
    const char *wanted = cli_value(cli, "threads");
    if (cli->program >= cli->argument_count)
        return err_at(err, (struct src_pos){0},
                      "nothing to record, expected `heddle trace -- PROGRAM [ARGUMENT]...`");
    q.guest.arguments = cli->arguments + cli->program;
    q.guest.stop = trace_stop();
    if (!cli_number(cli, "skip", 0, (u64)1 << 60, 0, &q.guest.skip, err) ||
        !cli_number(cli, "length", 1, (u64)1 << 60, 0, &q.length, err))
        return false;
    if (wanted && strcmp(wanted, "all") != 0) {
        if (!read_threads(wanted, threads, err))
            return false;
        q.guest.threads = threads;
    }
    q.path = cli_has(cli, "output") ? cli_value(cli, "output")
                                    : default_name(q.guest.arguments[0], &arena);
    q.guest.plugin = trace_plugin(&arena, err);
    bool ok = q.guest.plugin && record(cli, &q, err);
    arena_fini(&arena);
    return ok;
}
