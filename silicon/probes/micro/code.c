/*
 * Instructions on their way: straight code that is executed twice in one launch, with a clock every
 * KiB. Launched when it was just loaded, again, after another kernel of 512 KiB, and with L2
 * emptied in between; by one warp and by all SMs.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define KIB_INSTRUCTIONS 64
#define MOST_KIB 512
#define PASSES 2

/* out: of every block and pass a row of MOST_KIB + 1 clocks, 64 bits each. */
static struct kernel build_code(struct bench *b, u32 kib)
{
    char *body = NULL;
    size_t bytes;
    FILE *f = open_memstream(&body, &bytes);
    fprintf(f,
            "mul.wide.u32 %%d20, %%r5, %u; add.u64 %%d20, %%d20, %%d0; setp.eq.u32 %%p4, %%r2, 0;\n"
            ".reg .f32 %%f<10>;\n"
            "mov.b32 %%f0, %%r1; mov.b32 %%f1, %%r2; mov.b32 %%f2, %%r3; mov.b32 %%f3, %%r4;\n"
            "mov.b32 %%f8, %%r3; mov.b32 %%f9, %%r2;\n"
            "PASS:\n",
            PASSES * (MOST_KIB + 1) * 8);
    for (u32 i = 0; i <= kib; i++) {
        fprintf(f, "mov.u64 %%d21, %%clock64;\n@%%p4 st.global.u64 [%%d20+%u], %%d21;\n", i * 8);
        for (u32 k = 0; k < KIB_INSTRUCTIONS - 4 && i < kib; k++)
            fprintf(f, "fma.rn.f32 %%f%u, %%f%u, %%f8, %%f9;\n", k % 4, k % 4);
    }
    fprintf(f,
            "add.u64 %%d20, %%d20, %u; sub.u32 %%r0, %%r0, 1; setp.ne.u32 %%p5, %%r0, 0; @%%p5 bra "
            "PASS;\n"
            "add.f32 %%f0, %%f0, %%f1; add.f32 %%f2, %%f2, %%f3; add.f32 %%f0, %%f0, %%f2; mov.b32 "
            "%%r20, %%f0;\n"
            "setp.eq.u32 %%p2, %%r20, 0x9e3779b1;\n@%%p2 st.global.u32 [%%d0], %%r20;\nret;\n",
            (MOST_KIB + 1) * 8);
    fclose(f);
    struct kernel k = kernel_build(b, text("code-%u", kib), "", 0, body);
    free(body);
    return k;
}

static void record_passes(struct bench *b, const struct kernel *k, u32 kib, u32 blocks, u32 warps,
                          const char *state, FILE *raw)
{
    struct launch l = {.grid = blocks, .block = 32 * warps, .loops = PASSES, .a0 = 3};
    u32 row = MOST_KIB + 1;
    kernel_run(b, k, l, blocks * PASSES * row);
    for (u32 p = 0; p < PASSES; p++) {
        struct samples s = {0};
        for (u32 i = 0; i < blocks; i++) {
            const u64 *at = b->got + (size_t)(i * PASSES + p) * row;
            samples_add(&s, (double)(at[kib] - at[0]));
        }
        const u64 *at = b->got + (size_t)p * row;
        record(b, text("%u KiB of code; %s", kib, state),
               text("pass %u; %u blocks of %u warps", p + 1, blocks, warps), &s, 1.0 / kib,
               "cycles per KiB");
        for (u32 i = 1; i <= kib && raw && blocks == 1; i++)
            fprintf(raw, "%u,%s,%u,%u,%u,%llu\n", kib, state, warps, p + 1, i,
                    (unsigned long long)(at[i] - at[i - 1]));
    }
}

/* Code that nobody has executed, by blocks and warps: each shape has a kernel of its own. */
void group_fetch(struct bench *b)
{
    static const u32 sizes[] = {16, 32, 64, 128, 256}, blocks[] = {1, 2, 16, 132}, warps[] = {1, 8};
    for (u32 i = 0; i < 5; i += loops_of(b, 1, 2)) {
        for (u32 n = 0; n < loops_of(b, 4, 2); n++) {
            for (u32 w = 0; w < 2; w++) {
                struct kernel k = build_code(b, sizes[i]);
                record_passes(b, &k, sizes[i], blocks[n], warps[w], "just loaded", NULL);
                record_passes(b, &k, sizes[i], blocks[n], warps[w], "launched again", NULL);
                kernel_free(b, &k);
            }
        }
    }
}

void group_code(struct bench *b)
{
    static const u32 sizes[] = {2, 4, 8, 16, 32, 64, 96, 128, 256};
    FILE *raw = b->dry ? NULL : fopen(text("%s/code.csv", b->folder), "w");
    if (raw)
        fputs("kib,state,warps,pass,at_kib,cycles\n", raw);
    struct kernel other = build_code(b, loops_of(b, MOST_KIB, 256));
    struct launch once = {.grid = (u32)b->sms, .block = 32, .loops = 1, .a0 = 3};
    for (u32 i = 0; i < (b->brief ? 6 : 9); i++) {
        struct kernel k = build_code(b, sizes[i]);
        record_passes(b, &k, sizes[i], 1, 1, "just loaded", raw);
        record_passes(b, &k, sizes[i], 1, 1, "launched again", raw);
        record_passes(b, &k, sizes[i], 1, 4, "launched again", raw);
        record_passes(b, &k, sizes[i], loops_of(b, 64, 1), 1, "launched again", raw);
        if (!b->brief) {
            kernel_launch(b, &other, once);
            record_passes(b, &k, sizes[i], 1, 1, "after 512 KiB of others", raw);
            kernel_launch(b, &other, once);
            record_passes(b, &k, sizes[i], 64, 1, "after 512 KiB of others", raw);
            bench_flush(b);
            record_passes(b, &k, sizes[i], 1, 1, "L2 emptied", raw);
            bench_flush(b);
            record_passes(b, &k, sizes[i], 64, 1, "L2 emptied", raw);
            kernel_launch(b, &other, once);
            bench_flush(b);
            record_passes(b, &k, sizes[i], 1, 1, "after 512 KiB of others and L2 emptied", raw);
        }
        kernel_free(b, &k);
    }
    kernel_free(b, &other);
    if (raw)
        fclose(raw);
}
