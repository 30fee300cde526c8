/*
 * Atomics on shared and global memory: latency of a chain, throughput by how many lanes, warps and
 * SMs meet at an address.
 */
#include "bench.h"

#include <stdlib.h>

#define STEPS 16

/* %d20 / %r20: the address of a lane. The chain goes through the value added. */
static struct kernel build(struct bench *b, const char *name, bool shared, const char *steps)
{
    const char *before =
        shared ? "mov.u32 %r10, smem;\n"
                 "shl.b32 %r11, %r2, 2; add.u32 %r11, %r11, %r10; st.shared.u32 [%r11], 0;\n"
                 "div.u32 %r11, %r2, %r1; shl.b32 %r11, %r11, 2; add.u32 %r20, %r10, %r11;\n"
                 "mov.u32 %r21, %r1; mov.u32 %r22, 1;\n"
               /* a0 threads share a word; words a1 bytes apart */
               : "shl.b32 %r11, %r4, 5; add.u32 %r11, %r11, %r3; div.u32 %r11, %r11, %r1;\n"
                 "cvt.u64.u32 %d20, %r11; mad.lo.u64 %d20, %d20, %d2, %d1;\n"
                 "mov.u32 %r21, %r1; mov.u32 %r22, 1;\n";
    char *list = NULL;
    size_t bytes;
    FILE *f = open_memstream(&list, &bytes);
    for (u32 i = 0; i < STEPS; i++)
        fprintf(f, "%s\n", steps);
    fclose(f);
    char *body = timed_loop(before, list,
                            "setp.eq.u32 %p2, %r21, 0x9e3779b1;\n@%p2 st.global.u32 [%d0], %r21;");
    struct kernel k = kernel_build(b, name, "", shared ? 8192 : 0, body);
    free(list);
    free(body);
    return k;
}

static void record_shared(struct bench *b)
{
    static const struct {
        const char *name, *steps;
    } kinds[] = {
        {"atom.shared.add.u32", "atom.shared.add.u32 %r21, [%r20], %r21;"},
        {"atom.shared.cas.b32", "atom.shared.cas.b32 %r21, [%r20], %r21, %r22;"},
        {"atom.shared.add.f32", "atom.shared.add.f32 %r21, [%r20], %r21;"},
        {"red.shared.add.u32", "red.shared.add.u32 [%r20], %r22;"},
    };
    for (u32 i = 0; i < 4; i++) {
        struct kernel k = build(b, kinds[i].name, true, kinds[i].steps);
        for (u32 meet = 1; meet <= 32; meet *= 2) {
            struct launch l = {.grid = 1, .block = 32, .loops = 16, .a0 = meet};
            struct samples s = kernel_cycles(b, &k, l);
            record(b, kinds[i].name, text("1 warp; %u lanes per word", meet), &s, 1.0 / STEPS,
                   "cycles");
            l.block = 1024;
            s = kernel_cycles(b, &k, l);
            record(b, kinds[i].name, text("32 warps; %u lanes per word", meet), &s,
                   1.0 / (32 * STEPS), "cycles per warp instruction and SM");
        }
        kernel_free(b, &k);
    }
}

static void record_global(struct bench *b)
{
    static const struct {
        const char *name, *steps;
    } kinds[] = {
        {"atom.global.add.u32", "atom.global.add.u32 %r21, [%d20], %r21;"},
        {"atom.global.cas.b32", "atom.global.cas.b32 %r21, [%d20], %r21, %r22;"},
        {"red.global.add.u32", "red.global.add.u32 [%d20], %r22;"},
        {"red.global.add.f32", "red.global.add.f32 [%d20], %r22;"},
    };
    /* threads per word, bytes between words; 1 << 30: one word for all */
    static const struct {
        u32 meet, apart;
        const char *what;
    } shapes[] = {{1, 4, "a word per lane"},
                  {1, 32, "a sector per lane"},
                  {32, 128, "a word per warp"},
                  {1u << 30, 0, "one word for all"}};
    for (u32 i = 0; i < 4; i++) {
        struct kernel k = build(b, kinds[i].name, false, kinds[i].steps);
        for (u32 j = 0; j < 4; j++) {
            struct launch l = {.grid = 1,
                               .block = 32,
                               .loops = loops_of(b, 8, 2),
                               .a0 = shapes[j].meet,
                               .a1 = shapes[j].apart};
            struct samples s = kernel_cycles(b, &k, l);
            record(b, kinds[i].name, text("1 warp; %s", shapes[j].what), &s, 1.0 / STEPS, "cycles");
            l.block = 1024;
            s = kernel_cycles(b, &k, l);
            record(b, kinds[i].name, text("1 SM of 32 warps; %s", shapes[j].what), &s,
                   1.0 / (32 * STEPS), "cycles per warp instruction");
            if (b->brief && j > 0)
                continue; /* millions of requests, or of cycles */
            l.grid = (u32)b->sms;
            s = kernel_cycles(b, &k, l);
            record_rate(b, kinds[i].name, text("all SMs of 32 warps; %s", shapes[j].what), &s,
                        32.0 * 32 * STEPS * b->sms, "lane operations per SM cycle and chip");
        }
        kernel_free(b, &k);
    }
}

void group_atomics(struct bench *b)
{
    record_shared(b);
    record_global(b);
}
