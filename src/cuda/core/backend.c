/*
 * Without timing: kernels run to their end at once. Time is a plausible and
 * repeatable number that grows with the work done, so that programs which
 * divide by an elapsed time get a finite result, the same on every run.
 */
#include "cuda/core/functional_backend.h"

#include "base/console.h"
#include "base/locale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LAUNCH_NS 2000
#define COPY_NS 1000
#define READ_CLOCK_NS 500
#define COPY_BYTES_PER_NS 16

struct functional {
    u64 kernels, warp_instructions, thread_instructions;
    double host_seconds;
    pid_t owner;                    /* 0: no kernel yet */
    const struct launch_poll *poll; /* NULL: none */
    u64 ns;
    u64 ticket;
    bool ok;
    enum launch_fault fault;
    struct err err;
};

static double host_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Of warp instructions, for `heddle run --max-instructions`; 0: no limit. */
static u64 limit_left(const struct functional *f)
{
    const char *text = getenv("HEDDLE_MAX_INSTRUCTIONS");
    u64 most = text ? strtoull(text, NULL, 10) : 0;
    return !most ? 0 : most > f->warp_instructions ? most - f->warp_instructions : 1;
}

static void functional_start(void *self, const struct launch *launch, u64 ticket)
{
    struct functional *f = self;
    struct launch_counts counts = {0};
    f->err = ERR_INIT;
    f->fault = FAULT_NONE;
    struct launch timed = *launch;
    timed.clock = f->ns;
    timed.max_instructions = limit_left(f);
    double before = host_now();
    f->ok = launch_run_polled(&timed, f->poll, &counts, &f->fault, &f->err);
    f->host_seconds += host_now() - before;
    f->kernels++;
    f->owner = getpid();
    f->warp_instructions += counts.warp_instructions;
    f->thread_instructions += counts.thread_instructions;
    f->ticket = ticket;
    f->ns += LAUNCH_NS + counts.clock; /* what the kernel's own clock counts */
}

static u64 functional_finish(void *self, bool *ok, enum launch_fault *fault, struct err *err)
{
    struct functional *f = self;
    *ok = f->ok;
    *fault = f->fault;
    *err = f->err;
    return f->ticket;
}

static void functional_copied(void *self, u64 to, u64 bytes)
{
    (void)to;
    struct functional *f = self;
    f->ns += COPY_NS + bytes / COPY_BYTES_PER_NS;
}

static u64 functional_now(void *self)
{
    struct functional *f = self;
    return f->ns += READ_CLOCK_NS;
}

/* one per process, as the API is */
static struct functional state;

void cu_functional_watch(const struct launch_poll *poll)
{
    state.poll = poll;
}

/* What `heddle run` shows when the program has ended. */
__attribute__((destructor)) static void print_summary(void)
{
    LOCALE_GUARD
    const char *wanted = getenv("HEDDLE_CUDA_SUMMARY");
    if (!wanted || strcmp(wanted, "1") != 0 || state.owner != getpid())
        return; /* a child that was forked has nothing of its own to tell */
    console_say("%llu kernels, %.2f M warp and %.2f M thread instructions, %.3f s, "
                "%.0f M thread instructions/s",
                (unsigned long long)state.kernels, (double)state.warp_instructions / 1e6,
                (double)state.thread_instructions / 1e6, state.host_seconds,
                (double)state.thread_instructions / 1e6 /
                    (state.host_seconds > 0 ? state.host_seconds : 1e-9));
}

const struct cuda_backend *cu_functional_backend(void)
{
    static const struct cuda_backend backend = {
        .self = &state,
        .most_kernels = 1, /* finish() knows the last one */
        .start = functional_start,
        .finish = functional_finish,
        .copied = functional_copied,
        .now_ns = functional_now,
    };
    return &backend;
}
