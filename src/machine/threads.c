#include "machine/threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARDS_PER_THREAD 16u /* docs/internals/performance.md */

/* What a container may use of its host; 0: there is no such limit. */
static u32 cores_of_container(void)
{
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re");
    unsigned long quota = 0, period = 0;
    bool is_limited = f && fscanf(f, "%lu %lu", &quota, &period) == 2 && period > 0;
    if (f)
        fclose(f);
    return is_limited ? (u32)max_u64(1, quota / period) : 0;
}

u32 host_cores(void)
{
    cpu_set_t set;
    u32 cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (u32)CPU_COUNT(&set) : 1;
    u32 limit = cores_of_container();
    return limit ? (u32)min_u64(limit, cores) : cores;
}

void threads_divide(u32 jobs)
{
    char text[16];
    snprintf(text, sizeof text, "%u", (u32)max_u64(1, host_cores() / max_u64(1, jobs)));
    setenv(THREADS_VARIABLE, text, 0);
}

/* Cores that nobody has used in the last minute, this process's own among them. */
static u32 free_cores(void)
{
    double load;
    u32 cores = host_cores();
    if (getloadavg(&load, 1) != 1 || load < 0.5)
        return cores;
    return load + 1 > cores ? 1 : cores - (u32)(load + 0.5);
}

bool threads_choose(struct engine *e, const struct log *log, struct err *err)
{
    const char *given = getenv(THREADS_VARIABLE);
    u32 shards = engine_shards(e), cores = host_cores();
    if (!given || !*given) {
        e->options.threads = (u32)max_u64(1, min_u64(free_cores(), shards / SHARDS_PER_THREAD));
        return true;
    }
    char *end;
    unsigned long long n = strtoull(given, &end, 10);
    if (*end || *given == '-')
        return err_found(err, (struct src_pos){0}, "--threads", given, "a whole number");
    if (n == 0)
        log_warning(log, "--threads is 0, expected at least 1: one thread is used");
    u32 most = (u32)min_u64(MOST_THREADS, max_u64(1, shards));
    if (n > most)
        log_warning(
            log,
            "--threads is %llu, expected at most %u, as many as the chip has parts: %u are used", n,
            most, most);
    e->options.threads = (u32)max_u64(1, min_u64(n, most));
    if (e->options.threads > cores)
        log_warning(
            log,
            "--threads is %llu, expected at most %u, the cores that may be used: it runs, slower",
            n, cores);
    return true;
}
