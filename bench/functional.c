/*
 * How fast are programs executed without timing? Three kernels, one core:
 * arithmetic: a long chain of integer and fused multiply-add instructions, no divergence;
 * memory: a streaming triad, three accesses in eleven instructions;
 * divergent: lanes of a warp leave a loop one after another.
 */
#include "ptx/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char kernels[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry arithmetic(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<8>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mad.lo.s32 %r2, %r3, 256, %r2;\n"
    "cvt.rn.f32.s32 %f1, %r2; mov.f32 %f2, 0f3F7FFFFF; mov.f32 %f3, 0f38D1B717; mov.u32 %r4, 0;\n"
    "LOOP:\n"
    "fma.rn.f32 %f1, %f1, %f2, %f3; mad.lo.s32 %r5, %r2, 3, %r4; fma.rn.f32 %f4, %f1, %f2, %f1;\n"
    "xor.b32 %r2, %r5, %r2; add.f32 %f1, %f1, %f4; shl.b32 %r5, %r2, 1; sub.s32 %r2, %r5, %r4;\n"
    "fma.rn.f32 %f1, %f4, %f3, %f1; add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, %r1;\n"
    "@%p1 bra LOOP;\n"
    "cvt.rn.f32.s32 %f5, %r2; add.f32 %f1, %f1, %f5; mov.u32 %r6, %tid.x; mul.wide.s32 %rd2, %r6, "
    "4;\n"
    "add.s64 %rd3, %rd1, %rd2; st.global.f32 [%rd3], %f1; ret;\n}\n"
    ".visible .entry memory(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<4>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mad.lo.s32 %r2, %r3, 256, %r2; mov.u32 %r4, 0;\n"
    "LOOP:\n"
    "and.b32 %r5, %r2, 1048575; mul.wide.s32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3;\n"
    "add.s64 %rd5, %rd2, %rd3; ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd5];\n"
    "fma.rn.f32 %f3, %f1, 0f40400000, %f2; st.global.f32 [%rd4], %f3; add.s32 %r2, %r2, 4099;\n"
    "add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, %r1; @%p1 bra LOOP; ret;\n}\n"
    ".visible .entry divergent(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; and.b32 %r3, %r2, 31;\n"
    "mad.lo.s32 %r4, %r3, 64, %r1; mov.u32 %r5, 0;\n"
    "LOOP: mad.lo.s32 %r2, %r2, 5, %r5; add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, %r4;\n"
    "@%p1 bra LOOP; mov.u32 %r6, %tid.x; mul.wide.s32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "st.global.u32 [%rd3], %r2; ret;\n}\n";

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const struct err *err)
{
    char line[1600];
    err_text(err, line, sizeof line);
    fprintf(stderr, "bench: %s\n", line);
    exit(4);
}

int main(void)
{
    struct err err = ERR_INIT;
    struct device_memory *memory = memory_create((u64)1 << 32, &err);
    struct program_text text = {"bench", kernels, sizeof kernels - 1};
    struct program *p = memory ? program_load(&text, 1, memory, &err) : NULL;
    if (!p)
        fail(&err);
    u64 a = memory_alloc(memory, 8 << 20, 256, "a", 0),
        b = memory_alloc(memory, 8 << 20, 256, "b", 0);
    static const struct {
        const char *name;
        u32 n, blocks;
    } runs[] = {{"arithmetic", 2000, 64}, {"memory", 500, 64}, {"divergent", 200, 64}};
    for (u32 i = 0; i < ARRAY_LEN(runs); i++) {
        struct {
            u64 out, in;
            u32 n;
        } params = {a, b, runs[i].n};
        struct launch l = {.kernel = program_find_kernel(p, runs[i].name),
                           .grid = {runs[i].blocks, 1, 1},
                           .block = {256, 1, 1},
                           .params = &params,
                           .memory = memory,
                           .resident_blocks = 16,
                           .sm_count = 16};
        struct launch_counts counts = {0};
        enum launch_fault fault;
        double start = seconds();
        if (!launch_run(&l, &counts, &fault, &err))
            fail(&err);
        double spent = seconds() - start;
        printf("%-12s %9.1f M thread instructions/s  %7.2f M warp instructions/s  (%.2f s)\n",
               runs[i].name, (double)counts.thread_instructions / spent / 1e6,
               (double)counts.warp_instructions / spent / 1e6, spent);
    }
    program_destroy(p);
    memory_destroy(memory);
    return 0;
}
