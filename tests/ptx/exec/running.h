/* Running small PTX kernels in tests: one program, one buffer called "buffer". */
#ifndef PTX_EXEC_RUNNING_H
#define PTX_EXEC_RUNNING_H

#include "testing.h"

#include "ptx/launch.h"

#define HEADER ".version 8.5\n.target sm_90\n.address_size 64\n"
/* A kernel `k` with the buffer in %rd1, its thread in %r1, and &buffer[thread] in %rd3. */
#define PROLOGUE                                                                                   \
    ".visible .entry k(.param .u64 out) {\n"                                                       \
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n"                                     \
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"                                             \
    "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
#define PROLOGUE_OPS 4
#define KERNEL(body) HEADER PROLOGUE body "\n}\n"

struct run {
    struct device_memory *memory;
    struct program *program;
    u64 out, out_bytes;
    struct launch launch;
    struct launch_counts counts;
    enum launch_fault fault;
    struct err err;
    u64 params[4];
};

/* One block of 32 threads unless the test changes r->launch. */
static void run_load(struct run *r, const char *text, u64 out_bytes)
{
    *r = (struct run){.out_bytes = out_bytes};
    r->memory = memory_create((u64)64 << 20, &r->err);
    assert_non_null(r->memory);
    r->out = memory_alloc(r->memory, out_bytes, 256, "buffer", 0);
    struct program_text source = {"t.ptx", text, strlen(text)};
    r->program = program_load(&source, 1, r->memory, &r->err);
    if (!r->program)
        fail_msg("%s:%u:%u: %s", r->err.file, r->err.line, r->err.column, r->err.what);
    r->params[0] = r->out;
    r->launch = (struct launch){.kernel = program_find_kernel(r->program, "k"),
                                .grid = {1, 1, 1},
                                .block = {32, 1, 1},
                                .params = r->params,
                                .memory = r->memory,
                                .resident_blocks = 1,
                                .sm_count = 1,
                                .max_instructions = 10000000};
}

static bool run_go(struct run *r)
{
    return launch_run(&r->launch, &r->counts, &r->fault, &r->err);
}

static void run_end(struct run *r)
{
    program_destroy(r->program);
    memory_destroy(r->memory);
}

static __attribute__((unused)) u32 run_word(const struct run *r, u32 index)
{
    return ((const u32 *)(uintptr_t)r->out)[index];
}

/* Loads, runs and expects no fault. */
static __attribute__((unused)) void run_well(struct run *r, const char *text, u64 out_bytes)
{
    run_load(r, text, out_bytes);
    if (!run_go(r))
        fail_msg("%s:%u: %s", r->err.file, r->err.line, r->err.what);
}

#endif
