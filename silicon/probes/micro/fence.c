/* Fences behind nothing, stores, reductions and loads: how long they take, and what they leave of
 * L1. */
#include "bench.h"

#include <stdlib.h>

#define MIB ((u64)1 << 20)
#define MOST 8

/* `count` times `step` with the number of a register and an offset; loads are waited for. */
static char *build_steps(const char *step, u32 count, bool loads, const char *fence)
{
    char *steps = NULL;
    size_t bytes;
    FILE *f = open_memstream(&steps, &bytes);
    for (u32 j = 0; j < count; j++)
        fprintf(f, step, 100 + j, j * 128);
    for (u32 j = 1; j < count && loads; j++)
        fprintf(f, "or.b32 %%r100, %%r100, %%r%u;\n", 100 + j);
    fprintf(f, "%s\n", fence);
    if (loads)
        fputs("cvt.u64.u32 %d21, %r100; add.u64 %d20, %d20, %d21;\n", f);
    fclose(f);
    return steps;
}

void group_fence(struct bench *b)
{
    static const struct {
        const char *name, *step;
        u32 count;
        bool loads;
    } works[] = {
        {"nothing", "", 0, false},
        {"a store", "{ .reg .b32 %%x%u; st.global.u32 [%%d20+%u], %%r3; }\n", 1, false},
        {"eight stores", "{ .reg .b32 %%x%u; st.global.u32 [%%d20+%u], %%r3; }\n", MOST, false},
        {"a reduction", "{ .reg .b32 %%x%u; red.global.or.b32 [%%d20+%u], 0; }\n", 1, false},
        {"eight loads that L1 may have", "ld.global.ca.u32 %%r%u, [%%d20+%u];\n", MOST, true},
        {"eight loads from L2", "ld.global.cg.u32 %%r%u, [%%d20+%u];\n", MOST, true},
    };
    static const struct {
        const char *name, *step;
    } fences[] = {
        {"no fence", ""},
        {"membar.cta", "membar.cta;"},
        {"membar.gl", "membar.gl;"},
        {"fence.acq_rel.gpu", "fence.acq_rel.gpu;"},
        {"ld.acquire.gpu",
         "ld.acquire.gpu.global.u32 %r99, [%d20+2048]; cvt.u64.u32 %d22, %r99; add.u64 %d20, %d20, "
         "%d22;"},
        {"st.release.gpu", "st.release.gpu.global.u32 [%d20+2048], %r3;"},
    };
    static const u32 shapes[][2] = {{1, 1}, {1, 4}, {1, 16}, {132, 1}, {132, 8}};
    for (u32 w = 0; w < sizeof works / sizeof works[0]; w++) {
        for (u32 i = 0; i < sizeof fences / sizeof fences[0]; i++) {
            char *steps =
                build_steps(works[w].step, works[w].count, works[w].loads, fences[i].step);
            /* Lines of zeros, 16 KiB of each warp; stores go behind them. */
            char *body = timed_loop(
                text("mul.wide.u32 %%d20, %%r3, 4; add.u64 %%d20, %%d20, %%d1; mul.wide.u32 %%d31, "
                     "%%r4, 4096;\nadd.u64 %%d20, %%d20, %%d31;%s",
                     works[w].loads ? "" : " add.u64 %d20, %d20, 8388608;"),
                steps,
                "cvt.u32.u64 %r90, %d20; setp.eq.u32 %p2, %r90, 0x9e3779b1;\n"
                "@%p2 st.global.u64 [%d0], %d20;");
            struct kernel k =
                kernel_build(b, text("%s-%s", works[w].name, fences[i].name), "", 0, body);
            if (!b->dry) /* what is loaded is added to addresses */
                CU(b, cuMemsetD8, (b->data, 0, 16 * MIB));
            for (u32 n = 0; n < (b->brief ? 2 : 5); n++) {
                struct launch l = {
                    .grid = shapes[n][0], .block = 32 * shapes[n][1], .loops = loops_of(b, 64, 8)};
                struct samples s = kernel_cycles(b, &k, l);
                record(b, text("%s behind %s", fences[i].name, works[w].name),
                       text("%u SMs; %u warps", shapes[n][0], shapes[n][1]), &s, 1,
                       "cycles a turn");
            }
            kernel_free(b, &k);
            free(steps);
            free(body);
        }
    }
}
