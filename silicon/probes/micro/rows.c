/*
 * A row per lane: each lane walks through its own row, 32 lines a load, a new sector every eighth.
 * Cycles per load, with and without misses, with a word that all lanes share, with stores of
 * partial sums; and how many lines of L1 stores take.
 */
#include "bench.h"

#include <stdlib.h>

#define MIB ((u64)1 << 20)
#define STEP 8 /* words of a sector */

enum variant { WALK, STAY, BROADCAST, STORE, VARIANTS };

/* a0: bytes between rows. */
static struct kernel build_rows(struct bench *b, enum variant v)
{
    char *steps = NULL;
    size_t bytes;
    FILE *f = open_memstream(&steps, &bytes);
    for (u32 i = 0; i < STEP; i++)
        fprintf(f, "ld.global.ca.u32 %%r%u, [%%d20+%u];\n", 100 + i, 4 * i);
    for (u32 i = 0; i < STEP && v == BROADCAST; i++)
        fprintf(f, "ld.global.ca.u32 %%r%u, [%%d30+%u];\n", 120 + i, 4 * i);
    for (u32 i = 0; i < STEP; i++) {
        fprintf(f, "or.b32 %%r20, %%r20, %%r%u;\n", 100 + i);
        if (v == BROADCAST)
            fprintf(f, "or.b32 %%r20, %%r20, %%r%u;\n", 120 + i);
    }
    if (v == STORE) /* a word per lane and turn, rows of their own */
        fputs("st.global.u32 [%d31], %r20; add.u64 %d31, %d31, 4;\n", f);
    if (v == STAY) /* what was loaded is 0 */
        fputs("cvt.u64.u32 %d21, %r20; add.u64 %d20, %d20, %d21;\n", f);
    else
        fputs("add.u64 %d20, %d20, 32; add.u64 %d30, %d30, 32;\n", f);
    fclose(f);
    char *body = timed_loop("mul.lo.u32 %r10, %r4, 32; add.u32 %r10, %r10, %r3;\n"
                            "mul.wide.u32 %d10, %r10, %r1; add.u64 %d20, %d1, %d10;\n"
                            "add.u64 %d30, %d1, %d2; add.u64 %d31, %d30, %d10; mov.u32 %r20, 0;",
                            steps,
                            "cvt.u32.u64 %r10, %d20; xor.b32 %r10, %r10, %r20;\n"
                            "setp.eq.u32 %p2, %r10, 0x9e3779b1;\n@%p2 st.global.u64 [%d0], %d20;");
    struct kernel k = kernel_build(b, text("rows-%u", v), "", 0, body);
    free(steps);
    free(body);
    return k;
}

static void record_rows(struct bench *b)
{
    static const char *const names[VARIANTS] = {
        "a new sector every eighth load", "always the same sectors", "and a word for all lanes",
        "and a store of a word a lane"};
    static const u32 pitches[] = {2048, 2052, 2080, 2176}, warps[] = {1, 4, 8, 16, 32};
    if (!b->dry)
        CU(b, cuMemsetD8, (b->data, 0, loops_of(b, 256, 16) * MIB));
    for (u32 v = 0; v < VARIANTS; v++) {
        struct kernel k = build_rows(b, (enum variant)v);
        for (u32 p = 0; p < 4; p++) {
            for (u32 w = 0; w < 5; w++) {
                struct launch l = {.grid = 1,
                                   .block = 32 * warps[w],
                                   .loops = 16,
                                   .a0 = pitches[p],
                                   .a1 = 8 * MIB};
                if (p && warps[w] != 8)
                    continue;
                struct samples s = kernel_cycles(b, &k, l);
                record(b, text("a row per lane; %s", names[v]),
                       text("rows %u bytes apart; %u warps", pitches[p], warps[w]), &s,
                       1.0 / (warps[w] * STEP), "cycles per load and SM");
            }
        }
        if (!b->brief) {
            struct launch l = {
                .grid = (u32)b->sms, .block = 1024, .loops = 16, .a0 = 2048, .a1 = 512 * MIB};
            struct samples s = kernel_cycles(b, &k, l);
            record(b, text("a row per lane; %s", names[v]),
                   "rows 2048 bytes apart; 32 warps; all SMs", &s, 1.0 / (32 * STEP),
                   "cycles per load and SM");
        }
        kernel_free(b, &k);
    }
}

/* A warp follows a0 lines twice, stores to `loops` others a1 behind, and follows the lines again,
 * timed. */
static struct kernel build_evict(struct bench *b, const char *name, u32 lane_mask)
{
    const char *chase = "mov.u32 %%r10, 0;\n%s:\nld.global.ca.u64 %%d20, [%%d20];\n"
                        "add.u32 %%r10, %%r10, 1; setp.lt.u32 %%p4, %%r10, %%r11; @%%p4 bra %s;\n";
    const char *body = text(
        "mov.u64 %%d20, %%d1; add.u32 %%r11, %%r1, %%r1;\n%s"
        "and.b32 %%r12, %%r3, %u; mul.wide.u32 %%d21, %%r12, 4; add.u64 %%d21, %%d21, %%d1;\n"
        "add.u64 %%d21, %%d21, %%d2; mov.u32 %%r10, 0; setp.eq.u32 %%p4, %%r0, 0; @%%p4 bra NONE;\n"
        "STORES:\nst.global.u32 [%%d21], %%r10; add.u64 %%d21, %%d21, 128;\n"
        "add.u32 %%r10, %%r10, 1; setp.lt.u32 %%p4, %%r10, %%r0; @%%p4 bra STORES;\n"
        "NONE:\nmov.u32 %%r11, %%r1;\nmov.u64 %%d8, %%clock64;\n%s"
        "cvt.u32.u64 %%r10, %%d20; setp.eq.u32 %%p2, %%r10, 0x9e3779b1;\n"
        "@%%p2 st.global.u64 [%%d0], %%d20;\nmov.u64 %%d9, %%clock64;\n",
        text(chase, "WARM", "WARM"), lane_mask, text(chase, "AGAIN", "AGAIN"));
    return kernel_build(b, name, "", 0, body);
}

static void record_evictions(struct bench *b)
{
    static const struct {
        const char *name;
        u32 mask;
    } kinds[] = {{"a word", 0}, {"a sector", 7}, {"a line", 31}};
    static const u32 stores[] = {0, 512, 1024, 1536, 2048};
    enum { LINES = 1024 };
    static u64 image[LINES * 16];
    for (u32 i = 0; i < LINES; i++)
        image[i * 16] = b->data + (i + 1) % LINES * 128;
    if (!b->dry)
        CU(b, cuMemcpyHtoD, (b->data, image, sizeof image));
    for (u32 k = 0; k < 3; k++) {
        struct kernel kernel = build_evict(b, text("evict-%u", k), kinds[k].mask);
        if (!b->dry)
            CU(b, cuFuncSetAttribute,
               (kernel.function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 0));
        for (u32 n = 0; n < 5; n++) {
            struct samples s = {0};
            for (u32 t = 0; t < b->repetitions; t++) {
                struct launch l = {
                    .grid = 1, .block = 32, .loops = stores[n], .a0 = LINES, .a1 = 4 * MIB};
                kernel_run(b, &kernel, l, WARP_WORDS);
                samples_add(&s, (double)(b->got[1] - b->got[0]) / LINES);
            }
            record(b, text("1024 lines again after stores of %s in other lines", kinds[k].name),
                   text("%u stores", stores[n]), &s, 1, "cycles per load");
        }
        kernel_free(b, &kernel);
    }
}

/* Nothing is timed: a profiler shows how the memory of an SM is shared out. */
static void launch_shapes(struct bench *b)
{
    struct kernel k = kernel_build(b, "shapes", ".extern .shared .align 16 .b8 dynamic[];\n", 0,
                                   "mov.u32 %r10, dynamic; st.volatile.shared.u32 [%r10], %r2;\n");
    static const u32 blocks[] = {32, 64, 128, 256, 512, 1024};
    static const u32 shared[] = {16, 1024, 2048, 4096, 8192, 16384, 32768, 49152};
    for (u32 i = 0; i < 6 && !b->brief; i++) {
        for (u32 j = 0; j < 8; j++) {
            struct launch l = {.grid = 132, .block = blocks[i], .shared = shared[j]};
            kernel_launch(b, &k, l);
        }
    }
    if (!b->dry)
        CU(b, cuCtxSynchronize, ());
    kernel_free(b, &k);
}

void group_rows(struct bench *b)
{
    record_rows(b);
    record_evictions(b);
    launch_shapes(b);
}
