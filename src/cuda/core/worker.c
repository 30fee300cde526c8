#include "cuda/core/worker.h"

#include "cuda/core/core.h"
#include "cuda/core/stream.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MICROSECONDS 1000
#define LOOKS_ASLEEP 3           /* in a row */
#define LOOKS_WITHOUT_PROC 50    /* where threads cannot be seen */
#define COMPUTED_NS 200000000ull /* by the other threads, since the last call */

static _Thread_local bool in_worker;

/* Running or waiting for the disk: a thread that will go on without the device. */
static bool is_awake(const char *task)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", task);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    const char *state = strrchr(text, ')'); /* of the name, which may hold anything */
    return state && (state[2] == 'R' || state[2] == 'D');
}

enum host_state { HOST_ASLEEP, HOST_AWAKE, HOST_UNSEEN };

static enum host_state host_look(void)
{
    DIR *tasks = opendir("/proc/self/task");
    enum host_state state = tasks ? HOST_ASLEEP : HOST_UNSEEN;
    for (const struct dirent *d; tasks && state == HOST_ASLEEP && (d = readdir(tasks));) {
        if (d->d_name[0] != '.' && atoi(d->d_name) != gettid() && is_awake(d->d_name))
            state = HOST_AWAKE;
    }
    if (tasks)
        closedir(tasks);
    return state;
}

static u64 clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static u64 host_computed_ns(void)
{
    u64 all = clock_ns(CLOCK_PROCESS_CPUTIME_ID), own = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return all > own ? all - own : 0;
}

/* False: a call came first. */
static bool wait_for_quiet(const struct cu_core *core, u64 entries)
{
    u64 until = host_computed_ns() + COMPUTED_NS;
    for (u32 asleep = 0, unseen = 0; atomic_load(&core->entries) == entries;) {
        usleep(LOOK_MICROSECONDS);
        enum host_state state = host_look();
        asleep = state == HOST_ASLEEP ? asleep + 1 : 0;
        unseen = state == HOST_UNSEEN ? unseen + 1 : 0;
        if (asleep == LOOKS_ASLEEP || unseen == LOOKS_WITHOUT_PROC || host_computed_ns() >= until)
            return atomic_load(&core->entries) == entries;
    }
    return false;
}

bool cu_host_is_alone(u32 own_threads)
{
    DIR *tasks = opendir("/proc/self/task");
    u32 count = 0;
    for (const struct dirent *d; tasks && (d = readdir(tasks));)
        count += d->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return !in_worker && count <= 1 + own_threads + cu_core()->has_worker;
}

static void *work(void *unused)
{
    (void)unused;
    in_worker = true;
    struct cu_core *core = cu_lock();
    for (;;) {
        while (!cu_work_is_noticed())
            pthread_cond_wait(&core->changed, &core->lock);
        u64 entries = atomic_load(&core->entries);
        cu_unlock(&core);
        bool quiet = wait_for_quiet(core, entries);
        cu_lock();
        if (quiet && atomic_load(&core->entries) == entries + 1) /* and that was us */
            cu_run_on();
    }
    return NULL;
}

void cu_worker_expect(void)
{
    struct cu_core *core = cu_core();
    if (core->has_worker || !cu_work_is_noticed())
        return;
    /* The program's signal handlers run in the program's own threads. */
    sigset_t all, old;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    core->has_worker = pthread_create(&thread, NULL, work, NULL) == 0;
    if (core->has_worker)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}
