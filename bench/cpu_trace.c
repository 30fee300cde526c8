/*
 * How fast do CPU instructions come and go? Synthetic ones are made, written as a trace and read
 * again; then a program is recorded (bench_cpu_trace -- PROGRAM [ARGUMENT]..., default: a loop in
 * perl). Rates are of processor time of the slower of the two processes that record, and of the
 * clock on the wall.
 */
#include "base/arena.h"
#include "cpu_trace/record/record.h"
#include "cpu_trace/format/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define KERNEL "cpu:mix,length=20000000"
#define RECORDED 60000000u

static double of_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double children(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static void stop_on(bool ok, const struct err *err)
{
    char text[2048];
    if (ok)
        return;
    err_text(err, text, sizeof text);
    fprintf(stderr, "bench_cpu_trace: %s\n", text);
    exit(1);
}

/* Through a stream, into a writer or into nothing. */
static void pass(const char *what, const char *name, struct cpu_trace_writer *w)
{
    struct err err = ERR_INIT;
    struct cpu_stream s;
    u64 count = 0, sum = 0;
    stop_on(cpu_stream_open(&s, &(struct cpu_stream_request){.name = name}, &err), &err);
    double start = of_clock(CLOCK_PROCESS_CPUTIME_ID);
    for (const struct cpu_instruction *i; (i = cpu_stream_peek(&s)); cpu_stream_skip(&s)) {
        sum += i->pc;
        count++;
        if (w)
            cpu_trace_put(w, 0, i);
    }
    double spent = of_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
    stop_on(cpu_stream_check(&s, &err) && sum, &err);
    cpu_stream_close(&s);
    printf("%-12s %7.1f M instructions/s\n", what, (double)count / spent / 1e6);
}

static void record(const char *const *arguments, const char *plugin, const char *path)
{
    struct err err = ERR_INIT;
    struct cpu_record_result r;
    struct cpu_record_request q = {.guest = {.arguments = arguments, .plugin = plugin},
                                   .path = path,
                                   .sha256 = "",
                                   .length = RECORDED};
    double wall = of_clock(CLOCK_MONOTONIC), own = of_clock(CLOCK_PROCESS_CPUTIME_ID);
    stop_on(cpu_record(&q, &r, &err), &err);
    wall = of_clock(CLOCK_MONOTONIC) - wall;
    own = of_clock(CLOCK_PROCESS_CPUTIME_ID) - own;
    double qemu = children(), count = (double)r.instructions;
    printf("%-12s %7.1f M instructions/s (heddle %.2f s, QEMU %.2f s of processor time), %.1f by "
           "the clock\n",
           "record", count / (own > qemu ? own : qemu) / 1e6, own, qemu, count / wall / 1e6);
}

int main(int argc, char **argv)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    char self[4096] = "";
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    const char *path = arena_printf(&arena, "%s.hct", self);
    pass("make", KERNEL, NULL);
    struct cpu_trace_writer *w = cpu_trace_create(path, &err);
    stop_on(w, &err);
    pass("write", KERNEL, w);
    struct cpu_trace_about about = {.program = KERNEL, .sha256 = "", .machine = "", .origin = ""};
    stop_on(cpu_trace_finish(w, &about, &err), &err);
    pass("read", path, NULL);
    const char *const perl[] = {"perl", "-e", "$h{$_ % 1000} .= $_ % 7 for 1..1000000", NULL};
    const char *plugin =
        arena_printf(&arena, "%.*s/../src/heddle-qemu.so", (int)(slash - self), self);
    bool is_given = argc > 2 && strcmp(argv[1], "--") == 0;
    record(is_given ? (const char *const *)argv + 2 : perl, plugin, path);
    unlink(path);
    arena_fini(&arena);
    return 0;
}
