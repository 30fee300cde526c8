#include "run/record_backend.h"

#include "run/gpu_player.h"
#include "source/recording/recorder.h"
#include "ptx/untimed.h"
#include "ptx/kernel_source.h"

#include <stdlib.h>

/* It has run to its end; the program has not been told. */
struct ended {
    struct ended *next;
    struct ptx_source *source; /* NULL: it could not be launched */
    struct grid_source grid;   /* a recorder's */
    u64 ticket;
    bool ok;
    enum launch_fault fault;
    struct err err;
};

static struct {
    const struct gpu_config *chip;
    struct recorder **recorder; /* NULL: nothing comes of it any more */
    struct untimed machine;
    u64 extra_ns; /* copies, and reading the clock */
    struct ended *first, **last;
} state;

static bool run(struct ended *k, u32 resident_blocks)
{
    if (state.chip->sm.machine_code == MACHINE_LOWERED)
        ptx_source_lower(k->source);
    struct grid_source inner = ptx_source_grid(k->source);
    k->grid = inner;
    if (*state.recorder)
        recorder_kernel(*state.recorder, &inner, &k->grid);
    bool ok = untimed_run(&state.machine, &k->grid, resident_blocks, &k->fault, &k->err);
    ptx_source_rest();
    if (!ok && k->fault == FAULT_NONE)
        k->fault = ptx_source_fault(k->source);
    return ok;
}

static void backend_start(void *self, const struct launch *launch, u64 ticket)
{
    (void)self;
    struct ended *k = xrealloc(NULL, sizeof *k);
    *k = (struct ended){.ticket = ticket, .fault = FAULT_INSTRUCTION, .err = ERR_INIT};
    k->source = ptx_source_open(launch, &k->err);
    k->ok = k->source && run(k, launch->resident_blocks);
    *state.last = k;
    state.last = &k->next;
}

static void give_up(void)
{
    recorder_discard(*state.recorder);
    *state.recorder = NULL;
}

/* In the order of launches: without timing, none is faster than another. */
static u64 backend_finish(void *self, bool *ok, enum launch_fault *fault, struct err *err)
{
    (void)self;
    struct ended *k = state.first;
    u64 ticket = k->ticket;
    if (k->ok && *state.recorder)
        k->ok = recorder_kernel_done(*state.recorder, &k->grid, &k->err);
    *ok = k->ok;
    *fault = k->fault;
    *err = k->err;
    if (!k->ok)
        give_up(); /* what was launched after it is dropped */
    ptx_source_close(k->source);
    state.first = k->next;
    if (!state.first)
        state.last = &state.first;
    free(k);
    return ticket;
}

static void backend_copied(void *self, u64 to, u64 bytes)
{
    (void)self;
    const struct launch_config *c = &state.chip->launch;
    if (*state.recorder)
        recorder_copy(*state.recorder, to, bytes);
    state.extra_ns +=
        c->copy_latency_ns + (u64)((double)bytes * 1e9 / (double)c->copy_bytes_per_second);
}

static void backend_ends(void *self)
{
    (void)self;
    give_up();
}

static u64 backend_now(void *self)
{
    (void)self;
    return state.machine.instructions + ++state.extra_ns;
}

const struct cuda_backend *record_backend(const struct gpu_config *chip, struct recorder **recorder,
                                          u64 max_instructions)
{
    static const struct cuda_backend backend = {
        .is_lazy = true,
        .most_kernels = GPU_WORKLOAD_AHEAD,
        .start = backend_start,
        .finish = backend_finish,
        .copied = backend_copied,
        .now_ns = backend_now,
        .ends = backend_ends,
    };
    state.chip = chip;
    state.recorder = recorder;
    state.last = &state.first;
    state.machine = (struct untimed){.sms = chip->sm.count, .max_instructions = max_instructions};
    return &backend;
}

bool record_backend_has_run(void)
{
    return state.machine.instructions != 0;
}
