/*
 * How fast whole programs are simulated: one row per workload and chip, then how
 * the cost grows. Each row is a process of its own (`heddle run`), so that its
 * peak memory can be told; seconds are those spent in the simulation, the least
 * of several runs: on a machine that others use too, the others only add. At last what
 * a ring between the L1 caches costs; `bench_speed rings [SIZE [PROGRAM...]]` prints that
 * alone.
 */
#include "base/arena.h"
#include "base/text.h"

#include <jansson.h>

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS 3
#define RING_RUNS 9      /* those are short */
#define RING_LONG_RUNS 3 /* of sizes above tiny */

struct result {
    double seconds, cpu_seconds;
    u64 cycles, warp_instructions, thread_instructions, instructions, rss_bytes;
};

static char heddle[PATH_MAX], source[PATH_MAX];

static u64 sum_of(const json_t *stats, const char *path)
{
    const json_t *row = json_object_get(stats, path);
    const json_t *value = json_is_object(row) ? json_object_get(row, "value") : row;
    return (u64)json_integer_value(value);
}

/* From the kernels of a result file. */
static bool read_result(const char *path, struct result *r)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error), *k;
    size_t i;
    if (!root)
        return false;
    const json_t *host = json_object_get(root, "host");
    r->seconds = json_number_value(json_object_get(host, "seconds"));
    r->cpu_seconds = json_number_value(json_object_get(host, "cpu_seconds"));
    json_array_foreach(json_object_get(root, "kernels"), i, k)
    {
        r->cycles += sum_of(k, "cycles");
        r->warp_instructions += sum_of(k, "warp_instructions");
        r->thread_instructions += sum_of(k, "thread_instructions");
        r->instructions += sum_of(k, "instructions"); /* of a CPU program */
    }
    json_decref(root);
    return true;
}

/* A process of heddle that has been started. */
struct started {
    pid_t child;
    char path[40]; /* of its result */
    const char *what;
};

/* heddle run ARGUMENTS; arguments end with NULL. */
static struct started start(const char *const *arguments)
{
    struct started s = {.path = "/tmp/heddle-speed-XXXXXX.json", .what = arguments[0]};
    int fd = mkstemps(s.path, 5);
    if (fd >= 0)
        close(fd);
    const char *all[32] = {heddle, "run", "-q", "-o", s.path};
    for (u32 i = 0; arguments[i] && i < 26; i++)
        all[5 + i] = arguments[i];
    s.child = fork();
    if (s.child == 0) {
        execv(heddle, (char *const *)(uintptr_t)all);
        _exit(127);
    }
    return s;
}

static bool finish(const struct started *s, struct result *r)
{
    int status;
    struct rusage usage = {0};
    *r = (struct result){0};
    bool ok = wait4(s->child, &status, 0, &usage) == s->child && WIFEXITED(status) &&
              WEXITSTATUS(status) == 0 && read_result(s->path, r);
    r->rss_bytes = (u64)usage.ru_maxrss * 1024;
    unlink(s->path);
    if (!ok)
        fprintf(stderr, "speed: heddle run %s ... failed\n", s->what);
    return ok;
}

static bool measure(const char *const *arguments, struct result *r)
{
    struct started s = start(arguments);
    return finish(&s, r);
}

/* From now on this process and those it starts share one processor. */
static void use_one_processor(void)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all))
        return;
    for (size_t i = CPU_SETSIZE; i-- > 0;) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            break;
        }
    }
    sched_setaffinity(0, sizeof one, &one);
}

static void row(const char *workload, const char *size, const char *chip, const char *kind)
{
    struct result r, again;
    const char *arguments[] = {workload, "--size", size, "--chip", chip, NULL};
    if (!measure(arguments, &r))
        return;
    for (u32 i = 1; i < RUNS && measure(arguments, &again); i++)
        r.seconds = again.seconds < r.seconds ? again.seconds : r.seconds;
    printf(
        "| %-7s | %-8s | %-7s | %10llu | %11llu | %7.2f | %5.2f M | %6.1f M | %4llu MB |\n",
        workload, kind, chip, (unsigned long long)r.cycles, (unsigned long long)r.warp_instructions,
        r.seconds, (double)r.warp_instructions / r.seconds / 1e6,
        (double)r.thread_instructions / r.seconds / 1e6, (unsigned long long)(r.rss_bytes >> 20));
    fflush(stdout);
}

/* A synthetic kernel of so many blocks, as a file. */
static const char *kernel_file(struct arena *a, u32 blocks, u32 instructions)
{
    const char *path = arena_printf(a, "/tmp/heddle-speed-%d-%u.yaml", (int)getpid(), blocks);
    FILE *f = fopen(path, "w");
    if (!f)
        return path;
    fprintf(f,
            "about: speed\nkernels:\n  - name: mix\n    blocks: %u\n    threads_per_block: 256\n"
            "    instructions: %u\n    mix: {fp32: 6, integer: 3, load: 1}\n"
            "    access: {stream: 1}\n",
            blocks, instructions);
    fclose(f);
    return path;
}

struct timed {
    const char *file, *chip, *set;
};

/* How many times as long a takes as b; they take turns, so that both see the same machine. */
static double ratio_of(struct timed a, struct timed b)
{
    double best[2] = {1e9, 1e9};
    for (u32 i = 0; i < 2 * RUNS; i++) {
        const struct timed *t = i % 2 ? &b : &a;
        struct result r;
        const char *arguments[] = {t->file, "--chip", t->chip, "--set", t->set, NULL};
        if (!measure(arguments, &r))
            return 0;
        best[i % 2] = r.seconds < best[i % 2] ? r.seconds : best[i % 2];
    }
    return best[0] / best[1];
}

static void growth(void)
{
    struct arena a = {0};
    const char *once = kernel_file(&a, 600, 2000), *twice = kernel_file(&a, 1200, 2000);
    const char *one = kernel_file(&a, 1, 200000);
    const char *same = "launch.cycles=0";
    printf("\ntwice the blocks on fermi15: %.2f times the time\n",
           ratio_of((struct timed){twice, "fermi15", same}, (struct timed){once, "fermi15", same}));
    printf("one block on 80 SMs instead of 1: %.2f times the time\n",
           ratio_of((struct timed){one, "volta80", same},
                    (struct timed){one, "volta80", "sm.count=1"}));
    const char *chase = arena_printf(&a, "%s/workloads/synthetic/pointer_chase.yaml", source);
    const char *arguments[] = {chase, "--chip", "fermi15", NULL};
    struct result r;
    if (measure(arguments, &r))
        printf("pointer chase of one warp on fermi15: %.1f M cycles/s\n",
               (double)r.cycles / r.seconds / 1e6);
    unlink(once);
    unlink(twice);
    unlink(one);
    arena_fini(&a);
}

/* What a ring between the L1 caches costs: warp instructions per second of processor time with it,
 * by those without. The simulated work is the same, the simulated cycles are not. The three run at
 * the same time on one processor, which goes from one to the next many times a second: whatever
 * slows it down does so to all three alike. (One after the other they differ by 5 to 10 % on a
 * machine that others use too, this way by half a percent.) The figure is the median over turns. */
enum { RING_OFF, RING_ON, RING_THROTTLED, RING_KINDS };

struct ring_row {
    double warp_instructions; /* M */
    double seconds[RING_KINDS];
    double more[RING_KINDS]; /* percent, than without */
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *values, u32 count)
{
    qsort(values, count, sizeof values[0], compare_doubles);
    return values[count / 2];
}

static bool measure_turn(const char *workload, const char *size, struct result *r)
{
    static const char *const chips[RING_KINDS] = {"fermi15", "fermi15-ccn", "fermi15-ccn-rt"};
    struct started started[RING_KINDS];
    bool ok = true;
    for (u32 k = 0; k < RING_KINDS; k++) {
        /* the throttler's periods are those of studies/ccn; chips without one ignore them */
        const char *arguments[] = {workload,
                                   "--size",
                                   size,
                                   "--chip",
                                   chips[k],
                                   "--set",
                                   "ccn.throttle.sample_instructions=20000",
                                   "--set",
                                   "ccn.throttle.period_instructions=200000",
                                   NULL};
        started[k] = start(arguments);
    }
    for (u32 k = 0; k < RING_KINDS; k++)
        ok &= finish(&started[k], &r[k]);
    return ok;
}

static bool measure_row(const char *workload, const char *size, struct ring_row *row)
{
    double seconds[RING_KINDS][RING_RUNS], more[RING_KINDS][RING_RUNS];
    u32 turns = strcmp(size, "tiny") == 0 ? RING_RUNS : RING_LONG_RUNS;
    for (u32 i = 0; i < turns; i++) {
        struct result r[RING_KINDS];
        if (!measure_turn(workload, size, r))
            return false;
        for (u32 k = 0; k < RING_KINDS; k++) {
            seconds[k][i] = r[k].cpu_seconds;
            more[k][i] = 100 * (r[RING_OFF].cpu_seconds / r[k].cpu_seconds - 1);
        }
        row->warp_instructions = (double)r[RING_OFF].warp_instructions / 1e6;
    }
    for (u32 k = 0; k < RING_KINDS; k++) {
        row->seconds[k] = median_of(seconds[k], turns);
        row->more[k] = median_of(more[k], turns);
    }
    return true;
}

static void print_row(const char *name, const struct ring_row *r)
{
    printf("| %-10s |", name);
    for (u32 k = 0; k < RING_KINDS; k++)
        printf(" %5.2f M |", r->warp_instructions / r->seconds[k]);
    printf(" %+6.1f %% | %+6.1f %% |\n", r->more[RING_ON], r->more[RING_THROTTLED]);
    fflush(stdout);
}

/* The programs of studies/ccn: first those with lines that others want, then those without. */
static const char *const ring_programs[] = {
    "ss",     "cfd",     "pvr",     "sc",        "km",    "b+tree", "wc",         "sradv1",
    "sradv2", "lud",     "hotspot", "cutcp",     "tpacf", "lbm",    "hybridsort", "lavaMD",
    "histo",  "myocyte", "ii",      "leukocyte", "mri-g", "kmeans", "heartwall",  "mri-q"};

static void rings(const char *size, const char *const *programs, u32 count)
{
    struct ring_row sum = {0}, mean = {0};
    use_one_processor();
    if (!count) {
        programs = ring_programs;
        count = ARRAY_LEN(ring_programs);
    }
    printf("\nwarp instructions per second of processor time, without a ring between L1s, with it, "
           "with its "
           "throttler\n"
           "| workload | off | ring | throttled | ring | throttled |\n"
           "|---|---:|---:|---:|---:|---:|\n");
    for (u32 i = 0; i < count; i++) {
        struct ring_row r;
        if (!measure_row(programs[i], size, &r))
            return;
        print_row(programs[i], &r);
        sum.warp_instructions += r.warp_instructions;
        for (u32 k = 0; k < RING_KINDS; k++) {
            sum.seconds[k] += r.seconds[RING_OFF] / (1 + r.more[k] / 100);
            mean.more[k] += r.more[k] / count;
        }
    }
    for (u32 k = 0; k < RING_KINDS; k++)
        sum.more[k] = 100 * (sum.seconds[RING_OFF] / sum.seconds[k] - 1);
    print_row("together", &sum);
    printf("| mean       |         |         |         | %+6.1f %% | %+6.1f %% |\n",
           mean.more[RING_ON], mean.more[RING_THROTTLED]);
}

/* One CPU core: instructions per second of processor time. The last two wait for DRAM all the
 * time: each of their loads is a miss. */
static void cores(void)
{
    static const char *const kernels[][2] = {
        {"cpu:mix,length=4000000,footprint_bytes=16KiB", "in the L1D"},
        {"cpu:mix,length=4000000", "in the L2"},
        {"cpu:coin,length=2000000", "branches"},
        {"cpu:mix,length=1000000,footprint_bytes=64MiB", "DRAM"},
        {"cpu:stream,length=1000000", "DRAM"},
        {"cpu:random,length=1000000", "DRAM"},
    };
    printf("\n| CPU kernel | kind | cycles | IPC | seconds | instructions/s | peak RSS |\n"
           "|---|---|---:|---:|---:|---:|---:|\n");
    for (u32 i = 0; i < ARRAY_LEN(kernels); i++) {
        const char *arguments[] = {kernels[i][0], "--set", "core.count=1", NULL};
        struct result r, again;
        if (!measure(arguments, &r))
            return;
        for (u32 k = 1; k < RUNS && measure(arguments, &again); k++)
            r.cpu_seconds = again.cpu_seconds < r.cpu_seconds ? again.cpu_seconds : r.cpu_seconds;
        printf("| %-45s | %-10s | %9llu | %4.2f | %5.2f | %5.2f M | %3llu MB |\n", kernels[i][0],
               kernels[i][1], (unsigned long long)r.cycles,
               (double)r.instructions / (double)r.cycles, r.cpu_seconds,
               (double)r.instructions / r.cpu_seconds / 1e6,
               (unsigned long long)(r.rss_bytes >> 20));
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    /* beside the build folder this program is in */
    char *own = realpath(argc > 0 ? argv[0] : "", NULL), *slash = own ? strrchr(own, '/') : NULL;
    if (!slash)
        return 2;
    *slash = '\0';
    snprintf(heddle, sizeof heddle, "%.4000s/../heddle", own);
    snprintf(source, sizeof source, "%.4000s/../..", own);
    free(own);
    if (argc > 1 && strcmp(argv[1], "rings") == 0) {
        rings(argc > 2 ? argv[2] : "tiny", (const char *const *)argv + 3,
              argc > 3 ? (u32)argc - 3 : 0);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "cpu") == 0) {
        cores();
        return 0;
    }
    printf("| workload | kind | chip | cycles | warp instructions | seconds | warp inst/s | thread "
           "inst/s | peak RSS |\n|---|---|---|---:|---:|---:|---:|---:|---:|\n");
    static const char *const chips[] = {"fermi15", "volta80"};
    for (u32 i = 0; i < ARRAY_LEN(chips); i++) {
        row("matmul", "small", chips[i], "compute");
        row("vecadd", "small", chips[i], "memory");
        row("bfs", "small", chips[i], "memory");
    }
    growth();
    cores();
    rings("tiny", NULL, 0);
    return 0;
}
