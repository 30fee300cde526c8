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
    double seconds;
    u64 cycles, warp_instructions, thread_instructions, rss_bytes;
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
    r->seconds = json_number_value(json_object_get(json_object_get(root, "host"), "seconds"));
    json_array_foreach(json_object_get(root, "kernels"), i, k)
    {
        r->cycles += sum_of(k, "cycles");
        r->warp_instructions += sum_of(k, "warp_instructions");
        r->thread_instructions += sum_of(k, "thread_instructions");
    }
    json_decref(root);
    return true;
}

/* heddle run ARGUMENTS; arguments end with NULL. */
static bool measure(const char *const *arguments, struct result *r)
{
    char path[] = "/tmp/heddle-speed-XXXXXX.json";
    int fd = mkstemps(path, 5), status;
    struct rusage usage;
    if (fd < 0)
        return false;
    close(fd);
    *r = (struct result){0};
    const char *all[32] = {heddle, "run", "-q", "-o", path};
    for (u32 i = 0; arguments[i] && i < 26; i++)
        all[5 + i] = arguments[i];
    pid_t child = fork();
    if (child == 0) {
        execv(heddle, (char *const *)(uintptr_t)all);
        _exit(127);
    }
    bool ok = wait4(child, &status, 0, &usage) == child && WIFEXITED(status) &&
              WEXITSTATUS(status) == 0 && read_result(path, r);
    r->rss_bytes = (u64)usage.ru_maxrss * 1024;
    unlink(path);
    if (!ok)
        fprintf(stderr, "speed: heddle run %s ... failed\n", arguments[0]);
    return ok;
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

/* What a ring between the L1 caches costs: warp instructions per second with it, by those without.
 * The simulated work is the same, the simulated cycles are not. The three take turns, and the
 * figure is the median over the turns: a machine that is slow for a while is so for all three. */
enum { RING_OFF, RING_ON, RING_THROTTLED, RING_KINDS };

struct ring_row {
    double warp_instructions; /* M */
    double best[RING_KINDS];  /* seconds */
    double more[RING_KINDS];  /* percent, than without */
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool measure_row(const char *workload, const char *size, struct ring_row *row)
{
    static const char *const chips[RING_KINDS] = {"fermi15", "fermi15-ccn", "fermi15-ccn-rt"};
    double more[RING_KINDS][RING_RUNS], off = 0;
    u32 turns = strcmp(size, "tiny") == 0 ? RING_RUNS : RING_LONG_RUNS;
    for (u32 i = 0; i < turns * RING_KINDS; i++) {
        u32 k = i % RING_KINDS;
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
        struct result r;
        if (!measure(arguments, &r))
            return false;
        double rate = (double)r.warp_instructions / r.seconds;
        row->warp_instructions = (double)r.warp_instructions / 1e6;
        off = k == RING_OFF ? rate : off;
        more[k][i / RING_KINDS] = 100 * (rate / off - 1);
        if (i < RING_KINDS || r.seconds < row->best[k])
            row->best[k] = r.seconds;
    }
    for (u32 k = 0; k < RING_KINDS; k++) {
        qsort(more[k], turns, sizeof more[k][0], compare_doubles);
        row->more[k] = more[k][turns / 2];
    }
    return true;
}

static void print_row(const char *name, const struct ring_row *r)
{
    printf("| %-10s |", name);
    for (u32 k = 0; k < RING_KINDS; k++)
        printf(" %5.2f M |", r->warp_instructions / r->best[k]);
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
    if (!count) {
        programs = ring_programs;
        count = ARRAY_LEN(ring_programs);
    }
    printf(
        "\nwarp instructions per second, without a ring between L1s, with it, with its throttler\n"
        "| workload | off | ring | throttled | ring | throttled |\n"
        "|---|---:|---:|---:|---:|---:|\n");
    for (u32 i = 0; i < count; i++) {
        struct ring_row r;
        if (!measure_row(programs[i], size, &r))
            return;
        print_row(programs[i], &r);
        sum.warp_instructions += r.warp_instructions;
        for (u32 k = 0; k < RING_KINDS; k++) {
            /* by the medians, which depend less on one lucky run than the best */
            sum.best[k] += r.best[RING_OFF] / (1 + r.more[k] / 100);
            mean.more[k] += r.more[k] / count;
        }
    }
    for (u32 k = 0; k < RING_KINDS; k++)
        sum.more[k] = 100 * (sum.best[RING_OFF] / sum.best[k] - 1);
    print_row("together", &sum);
    printf("| mean       |         |         |         | %+6.1f %% | %+6.1f %% |\n",
           mean.more[RING_ON], mean.more[RING_THROTTLED]);
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
    printf("| workload | kind | chip | cycles | warp instructions | seconds | warp inst/s | thread "
           "inst/s | peak RSS |\n|---|---|---|---:|---:|---:|---:|---:|---:|\n");
    static const char *const chips[] = {"fermi15", "volta80"};
    for (u32 i = 0; i < ARRAY_LEN(chips); i++) {
        row("matmul", "small", chips[i], "compute");
        row("vecadd", "small", chips[i], "memory");
        row("bfs", "small", chips[i], "memory");
    }
    growth();
    rings("tiny", NULL, 0);
    return 0;
}
