/*
 * Shared memory: latency, conflicts between banks, width of accesses; barriers; branches.
 */
#include "bench.h"

#include <stdlib.h>

#define STEPS 32

/* A chain of loads per lane through words that hold their own address. `wide` words per access. */
static struct kernel chase(struct bench *b, const char *name, u32 stride_words, u32 chains,
                           u32 wide, bool is_store)
{
    char *before = NULL, *steps = NULL, *sink = NULL;
    size_t bytes;
    FILE *f = open_memstream(&before, &bytes);
    fputs("mov.u32 %r10, smem;\n", f);
    /* fill 32 KiB: every word its own address */
    fputs("shl.b32 %r11, %r2, 2;\nFILL:\nadd.u32 %r12, %r10, %r11;\nst.shared.u32 [%r12], %r12;\n"
          "mad.lo.u32 %r11, %r6, 4, %r11;\nsetp.lt.u32 %p4, %r11, 32768;\n@%p4 bra FILL;\n",
          f);
    for (u32 c = 0; c < chains; c++)
        fprintf(f,
                "mul.lo.u32 %%r%u, %%r3, %u;\nadd.u32 %%r%u, %%r%u, %u;\n"
                "add.u32 %%r%u, %%r%u, %%r10;\nmad.lo.u32 %%r%u, %%r1, %u, %%r%u;\n",
                100 + 4 * c, stride_words * 4, 100 + 4 * c, 100 + 4 * c, c * 4096, 100 + 4 * c,
                100 + 4 * c, 100 + 4 * c, c + 1, 100 + 4 * c);
    fclose(f);
    f = open_memstream(&steps, &bytes);
    for (u32 i = 0; i < STEPS; i++) {
        for (u32 c = 0; c < chains; c++) {
            u32 r = 100 + 4 * c;
            const char *list = wide == 1 ? text("%%r%u", r)
                               : wide == 2
                                   ? text("{%%r%u,%%r%u}", r, r + 1)
                                   : text("{%%r%u,%%r%u,%%r%u,%%r%u}", r, r + 1, r + 2, r + 3);
            const char *shape = wide == 1 ? "" : wide == 2 ? ".v2" : ".v4";
            if (is_store)
                fprintf(f, "st.volatile.shared%s.u32 [%%r%u], %s;\n", shape, r,
                        wide == 1   ? "%r10"
                        : wide == 2 ? "{%r10,%r2}"
                                    : "{%r10,%r2,%r3,%r4}");
            else
                fprintf(f, "ld.shared%s.u32 %s, [%%r%u];\n", shape, list, r);
        }
    }
    fclose(f);
    f = open_memstream(&sink, &bytes);
    fputs("mov.u32 %r11, 0;\n", f);
    for (u32 c = 0; c < chains; c++) {
        for (u32 w = 0; w < (is_store ? 1 : wide); w++)
            fprintf(f, "xor.b32 %%r11, %%r11, %%r%u;\n", 100 + 4 * c + w);
    }
    fputs("setp.eq.u32 %p2, %r11, 0x9e3779b1;\n@%p2 st.global.u32 [%d0], %r11;\n", f);
    fclose(f);
    char *body = timed_loop(before, steps, sink);
    struct kernel k = kernel_build(b, name, "", 32768 + 4096, body);
    free(before);
    free(steps);
    free(sink);
    free(body);
    return k;
}

static void record_strides(struct bench *b)
{
    static const u32 strides[] = {0, 1, 2, 3, 4, 8, 16, 32};
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        const char *name = text("ld.shared.u32 stride-%u", strides[i]);
        struct kernel k = chase(b, text("%s-latency", name), strides[i], 1, 1, false);
        struct launch l = {.grid = 1, .block = 32, .loops = 16};
        struct samples s = kernel_cycles(b, &k, l);
        record(b, "ld.shared.u32 latency", text("stride %u words", strides[i]), &s, 1.0 / STEPS,
               "cycles");
        kernel_free(b, &k);
        k = chase(b, text("%s-throughput", name), strides[i], 4, 1, false);
        l.block = 1024;
        s = kernel_cycles(b, &k, l);
        record(b, "ld.shared.u32 interval", text("stride %u words", strides[i]), &s,
               1.0 / (32 * 4 * STEPS), "cycles per warp instruction and SM");
        kernel_free(b, &k);
        k = chase(b, text("st.shared stride-%u", strides[i]), strides[i], 4, 1, true);
        s = kernel_cycles(b, &k, l);
        record(b, "st.shared.u32 interval", text("stride %u words", strides[i]), &s,
               1.0 / (32 * 4 * STEPS), "cycles per warp instruction and SM");
        kernel_free(b, &k);
    }
}

static void record_widths(struct bench *b)
{
    for (u32 wide = 1; wide <= 4; wide *= 2) {
        struct launch l = {.grid = 1, .block = 32, .loops = 16};
        struct kernel k = chase(b, text("ld.shared-wide-%u-latency", wide), wide, 1, wide, false);
        struct samples s = kernel_cycles(b, &k, l);
        record(b, "ld.shared latency", text("%u bytes per lane", 4 * wide), &s, 1.0 / STEPS,
               "cycles");
        kernel_free(b, &k);
        l.block = 1024;
        for (u32 store = 0; store < 2; store++) {
            k = chase(b, text("shared-wide-%u-%u", wide, store), wide, 4, wide, store);
            s = kernel_cycles(b, &k, l);
            record_rate(b, store ? "st.shared bandwidth" : "ld.shared bandwidth",
                        text("%u bytes per lane", 4 * wide), &s,
                        (double)32 * 4 * STEPS * 128 * wide, "bytes per cycle and SM");
            kernel_free(b, &k);
        }
    }
}

static void record_barriers(struct bench *b)
{
    char *body = timed_loop("", "bar.sync 0;\nbar.sync 0;\nbar.sync 0;\nbar.sync 0;", "");
    struct kernel k = kernel_build(b, "bar.sync", "", 0, body);
    free(body);
    for (u32 warps = 1; warps <= 32; warps *= 2) {
        struct samples s =
            kernel_cycles(b, &k, (struct launch){.grid = 1, .block = 32 * warps, .loops = 64});
        record(b, "bar.sync", text("%u warps", warps), &s, 0.25, "cycles");
    }
    kernel_free(b, &k);
    static const char *const fences[] = {"membar.cta", "membar.gl", "membar.sys"};
    for (u32 i = 0; i < 3; i++) {
        body = timed_loop(
            "", text("%s;\n%s;\n%s;\n%s;", fences[i], fences[i], fences[i], fences[i]), "");
        k = kernel_build(b, fences[i], "", 0, body);
        free(body);
        struct samples s =
            kernel_cycles(b, &k, (struct launch){.grid = 1, .block = 32, .loops = 64});
        record(b, fences[i], "nothing outstanding; 1 warp", &s, 0.25, "cycles");
        kernel_free(b, &k);
    }
}

/* Two sides of 16 dependent multiply-adds. a1: lanes below it take one side. */
static void record_branches(struct bench *b)
{
    char *steps = NULL;
    size_t bytes;
    FILE *f = open_memstream(&steps, &bytes);
    fputs("@%p4 bra ONE;\n", f);
    for (u32 i = 0; i < 16; i++)
        fputs("mad.lo.s32 %r20, %r20, %r21, %r22;\n", f);
    fputs("bra.uni JOIN;\nONE:\n", f);
    for (u32 i = 0; i < 16; i++)
        fputs("mad.lo.s32 %r20, %r20, %r22, %r21;\n", f);
    fputs("JOIN:\nadd.s32 %r20, %r20, %r1;\n", f);
    fclose(f);
    char *body =
        timed_loop("cvt.u32.u64 %r10, %d2; setp.lt.u32 %p4, %r3, %r10;\n"
                   "add.u32 %r20, %r3, 3; add.u32 %r21, %r1, 5; add.u32 %r22, %r1, 7;",
                   steps, "setp.eq.u32 %p2, %r20, 0x9e3779b1;\n@%p2 st.global.u32 [%d0], %r20;");
    struct kernel k = kernel_build(b, "if-else", "", 0, body);
    static const u32 lanes[] = {0, 1, 16, 32};
    for (u32 i = 0; i < 4; i++) {
        struct samples s = kernel_cycles(
            b, &k, (struct launch){.grid = 1, .block = 32, .loops = 256, .a1 = lanes[i]});
        record(b, "if-else of 16 dependent mad each", text("%u lanes take one side", lanes[i]), &s,
               1, "cycles per iteration");
    }
    kernel_free(b, &k);
    free(steps);
    free(body);
    body = timed_loop("mov.u32 %r20, %r3;", "mad.lo.s32 %r20, %r20, %r1, %r1;",
                      "setp.eq.u32 %p2, %r20, 0x9e3779b1;\n@%p2 st.global.u32 [%d0], %r20;");
    k = kernel_build(b, "short-loop", "", 0, body);
    free(body);
    for (u32 warps = 1; warps <= 32; warps *= 4) {
        struct samples s =
            kernel_cycles(b, &k, (struct launch){.grid = 1, .block = 32 * warps, .loops = 1024});
        record(b, "loop of one mad (mad; add; setp; bra)", text("%u warps", warps), &s, 1,
               "cycles per iteration");
    }
    kernel_free(b, &k);
}

void group_shared(struct bench *b)
{
    record_strides(b);
    record_widths(b);
    record_barriers(b);
    record_branches(b);
}
