/*
 * What a miss brings along: sectors of a line in L1, neighbours in L2. One thread, every load timed
 * on its own, in the order of a list; and what a warp's access pattern costs when it hits in L1.
 */
#include "bench.h"

#include <stdlib.h>

#define PLACES 16
#define GROUPS 256
#define MIB ((u64)1 << 20)
#define STEPS 16

/* Offsets of one group are at data + a1 (32-bit numbers), groups a0 bytes apart. */
static struct kernel build_list(struct bench *b, const char *name, const char *load, bool store)
{
    const char *body = text("mov.u32 %%r11, smem; mov.u32 %%r12, 0; add.u64 %%d10, %%d1, %%d2;\n"
                            "EACH:\n"
                            "ld.global.cg.u32 %%r13, [%%d10]; cvt.u64.u32 %%d11, %%r13;\n"
                            "add.u64 %%d12, %%d1, %%d11;\n"
                            "st.volatile.shared.u32 [%%r11], %%r13;\n%s"
                            "mov.u32 %%r21, %%clock;\n"
                            "%s %%r20, [%%d12];\n"
                            "st.volatile.shared.u32 [%%r11], %%r20;\n"
                            "mov.u32 %%r22, %%clock;\n"
                            "sub.u32 %%r23, %%r22, %%r21; cvt.u64.u32 %%d20, %%r23;\n"
                            "st.global.u64 [%%d0], %%d20;\n"
                            "add.u64 %%d0, %%d0, 8; add.u64 %%d10, %%d10, 4;\n"
                            "add.u32 %%r12, %%r12, 1; setp.lt.u32 %%p4, %%r12, %%r0;\n"
                            "@%%p4 bra EACH;\nret;\n",
                            store ? "st.global.u32 [%d12], %r13;\n" : "", load);
    return kernel_build(b, name, "", 128, body);
}

static void record_list(struct bench *b, const char *name, const char *load, const u32 *offsets,
                        u32 count, u32 apart, bool cold, bool store)
{
    enum { LIST_AT = 512 };
    u32 groups = loops_of(b, GROUPS, MOST_SAMPLES);
    struct kernel k = build_list(b,
                                 text("list-%s", cold    ? "cold"
                                                 : store ? "store"
                                                         : "warm"),
                                 load, store);
    u32 total = groups * count;
    u32 *list = calloc(total, sizeof *list);
    for (u32 g = 0; g < groups; g++) {
        for (u32 i = 0; i < count; i++)
            list[g * count + i] = g * apart + offsets[i];
    }
    struct launch l = {.grid = 1, .block = 1, .loops = total, .a1 = LIST_AT * MIB};
    if (!b->dry)
        CU(b, cuMemcpyHtoD, (b->data + LIST_AT * MIB, list, total * sizeof *list));
    if (b->brief && cold) /* never touched */
        l.data = b->data + 256 * MIB + (u64)count * 16384,
        l.a1 = LIST_AT * MIB - (l.data - b->data);
    else
        kernel_run(b, &k, l,
                   total); /* L2 and translation warm, L1 starts empty with every kernel */
    struct samples at[PLACES] = {{.count = 0}};
    for (u32 t = 0; t < b->repetitions; t++) {
        if (cold)
            bench_flush(b);
        kernel_run(b, &k, l, total);
        for (u32 i = 0; i < count; i++) {
            struct samples all = {0}; /* of some groups; the first ones pay for translation */
            for (u32 g = groups - MOST_SAMPLES; g < groups; g++)
                samples_add(&all, (double)b->got[g * count + i]);
            samples_add(&at[i], samples_median(&all));
        }
    }
    for (u32 i = 0; i < count; i++)
        record(b, name, text("load %u at +%u", i, offsets[i]), &at[i], 1, "cycles");
    free(list);
    kernel_free(b, &k);
}

/* Cost of a warp's load that hits in L1: one warp's chain, or 32 warps with 16 loads of `wide`
 * words per lane around addresses that change with every iteration. Lanes lie `apart` bytes apart.
 */
static struct kernel build_hits(struct bench *b, u32 apart, u32 wide, bool chain)
{
    static const char *const shape[] = {"", "", ".v2", "", ".v4"};
    char *steps = NULL;
    size_t bytes;
    FILE *f = open_memstream(&steps, &bytes);
    if (!chain)
        fputs("xor.b64 %d20, %d20, %d2;\n", f);
    for (u32 s = 0; s < STEPS; s++) {
        u32 r = 100 + 4 * s;
        if (chain)
            fprintf(f, "ld.global.ca.u32 %%r20, [%%d20]; mul.wide.u32 %%d21, %%r20, 4;\n"
                       "add.u64 %%d20, %%d20, %%d21;\n");
        else
            fprintf(f, "ld.global.ca%s.u32 %s, [%%d20+%u];\n", shape[wide],
                    wide == 1   ? text("%%r%u", r)
                    : wide == 2 ? text("{%%r%u,%%r%u}", r, r + 1)
                                : text("{%%r%u,%%r%u,%%r%u,%%r%u}", r, r + 1, r + 2, r + 3),
                    s * 128 * wide);
    }
    for (u32 i = 0; i < 4 * STEPS && !chain; i++) {
        if (i % 4 < wide)
            fprintf(f, "xor.b32 %%r20, %%r20, %%r%u;\n", 100 + i);
    }
    fclose(f);
    char *body =
        timed_loop(text("mul.lo.u32 %%r10, %%r3, %u; cvt.u64.u32 %%d10, %%r10;\n"
                        "add.u64 %%d20, %%d1, %%d10; mov.u32 %%r20, 0;\n",
                        apart),
                   steps,
                   "cvt.u32.u64 %r10, %d20; xor.b32 %r10, %r10, %r20;\n"
                   "setp.eq.u32 %p2, %r10, 0x9e3779b1;\n@%p2 st.global.u64 [%d0], %d20;\n");
    struct kernel k =
        kernel_build(b, text("hits-%u-%u-%s", apart, wide, chain ? "chain" : "many"), "", 0, body);
    free(steps);
    free(body);
    return k;
}

static void record_strides(struct bench *b)
{
    static const struct {
        u32 apart, wide;
    } rows[] = {{0, 1},   {4, 1},   {8, 1}, {16, 1}, {32, 1}, {64, 1},
                {128, 1}, {132, 1}, {8, 2}, {16, 4}, {32, 2}, {32, 4}};
    if (!b->dry)
        CU(b, cuMemsetD8, (b->data, 0, 64 << 10));
    for (u32 i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *what =
            text("lanes %u bytes apart; %u bytes each", rows[i].apart, 4 * rows[i].wide);
        struct launch l = {.grid = 1, .block = 32, .loops = 16, .a1 = 16384};
        struct kernel k;
        struct samples s;
        if (rows[i].wide == 1) {
            k = build_hits(b, rows[i].apart, rows[i].wide, true);
            s = kernel_cycles(b, &k, l);
            record(b, "warp's ld.global.ca hit with mul.wide and add.u64; 1 warp", what, &s,
                   1.0 / STEPS, "cycles");
            kernel_free(b, &k);
        }
        if (b->brief && rows[i].wide == 4)
            continue; /* more registers than heddle gives 1,024 threads */
        k = build_hits(b, rows[i].apart, rows[i].wide, false);
        l.block = 1024;
        l.loops = 64;
        s = kernel_cycles(b, &k, l);
        record(b, "warp's ld.global.ca hit; 32 warps", what, &s, 1.0 / (32 * STEPS),
               "cycles per warp instruction and SM");
        if (rows[i].apart == 4 * rows[i].wide)
            record_rate(b, "L1 read bandwidth", text("%u bytes per lane", 4 * rows[i].wide), &s,
                        32.0 * STEPS * 128 * rows[i].wide, "bytes per cycle and SM");
        kernel_free(b, &k);
    }
}

void group_lines(struct bench *b)
{
    static const u32 sectors[] = {0, 4, 32, 64, 96, 0, 96, 128};
    static const u32 neighbours[] = {0, 32, 64, 96, 128, 192, 256, 384, 512, 1024, 2048};
    static const u32 stored[] = {0, 0, 32};
    static const u32 backwards[] = {96, 64, 32, 0};
    record_list(b, "ld.global.ca; line in L2; L1 empty", "ld.global.ca.u32", sectors, 8, 4096,
                false, false);
    record_list(b, "ld.global.cg; line not in L2", "ld.global.cg.u32", neighbours, 11, 69632, true,
                false);
    record_list(b, "ld.global.cg; line not in L2; backwards", "ld.global.cg.u32", backwards, 4,
                69632, true, false);
    record_list(b, "st.global then ld.global.ca; line in L2; L1 empty", "ld.global.ca.u32", stored,
                3, 4096, false, true);
    record_strides(b);
}
