/*
 * The state a kernel starts in: what the first loads of lines cost that a copy from the host has
 * brought, beside the same again in the launch and in the next; and loads of pages that the launch
 * has not touched. Run with --brief yes in a process of its own: L2 keeps copies only while it has
 * room.
 */
#include "bench.h"

#include <stdlib.h>

#define MIB ((u64)1 << 20)

/* Each turn `loads` lines, a0 bytes apart, then the next turn behind them; a1: bytes from warp to
 * warp. All turns twice. out: of every warp 2 * loops cycles. */
static struct kernel build_touch(struct bench *b, u32 loads)
{
    char *body = NULL;
    size_t bytes;
    FILE *f = open_memstream(&body, &bytes);
    fputs("mul.wide.u32 %d20, %r3, 4; add.u64 %d20, %d20, %d1; cvt.u64.u32 %d21, %r4;\n"
          "mul.lo.u64 %d22, %d21, %d2; add.u64 %d20, %d20, %d22; cvt.u64.u32 %d23, %r1;\n"
          "shl.b32 %r11, %r0, 4; mul.wide.u32 %d24, %r4, %r11; add.u64 %d0, %d0, %d24;\n"
          "mov.u32 %r12, smem; mov.u32 %r13, 0;\n"
          "PASS:\nmov.u64 %d25, %d20; mov.u32 %r14, 0;\n"
          "EACH:\n.pragma \"nounroll\";\n",
          f);
    fputs("mov.u64 %d30, %d25;\n", f);
    for (u32 j = 1; j < loads; j++)
        fprintf(f, "add.u64 %%d%u, %%d%u, %%d23;\n", 30 + j, 29 + j);
    fputs("mov.u32 %r15, %clock;\n", f);
    for (u32 j = 0; j < loads; j++)
        fprintf(f, "ld.global.cg.u32 %%r%u, [%%d%u];\n", 100 + j, 30 + j);
    for (u32 j = 1; j < loads; j++)
        fprintf(f, "or.b32 %%r100, %%r100, %%r%u;\n", 100 + j);
    fprintf(f,
            "st.volatile.shared.u32 [%%r12], %%r100;\nmov.u32 %%r16, %%clock;\n"
            "sub.u32 %%r17, %%r16, %%r15; cvt.u64.u32 %%d26, %%r17; add.u64 %%d25, %%d%u, %%d23;\n"
            "setp.eq.u32 %%p5, %%r3, 0; @%%p5 st.global.u64 [%%d0], %%d26; add.u64 %%d0, %%d0, 8;\n"
            "add.u32 %%r14, %%r14, 1; setp.lt.u32 %%p4, %%r14, %%r0; @%%p4 bra EACH;\n"
            "add.u32 %%r13, %%r13, 1; setp.lt.u32 %%p4, %%r13, 2; @%%p4 bra PASS;\nret;\n",
            29 + loads);
    fclose(f);
    struct kernel k = kernel_build(b, text("touch-%u", loads), "", 128, body);
    free(body);
    return k;
}

static int by_u64(const void *a, const void *b)
{
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}

/* What the last run left of `turns` turns of one pass, first turn apart. */
static void record_pass(struct bench *b, const char *name, u32 pass, u32 warps, u32 turns)
{
    static u64 all[1 << 16];
    u32 count = 0;
    double first = 0, sum = 0;
    for (u32 w = 0; w < warps; w++) {
        const u64 *row = b->got + (size_t)(2 * w + pass) * turns;
        first += (double)row[0];
        for (u32 t = 1; t < turns; t++)
            sum += (double)(all[count++] = row[t]);
    }
    qsort(all, count, sizeof all[0], by_u64);
    const char *unit = "cycles until all have come";
    const char *at = pass ? "second time" : "first time";
    record_value(b, name, text("%s; first turn", at), first / warps, unit);
    record_value(b, name, text("%s; others", at), sum / count, unit);
    record_value(b, name, text("%s; 10th percentile", at), (double)all[count / 10], unit);
    record_value(b, name, text("%s; median", at), (double)all[count / 2], unit);
    record_value(b, name, text("%s; 90th percentile", at), (double)all[count * 9 / 10], unit);
}

struct touch {
    u32 blocks, warps, loads, turns, stride;
};

/* Just copied, and again. */
static void record_touch(struct bench *b, const struct touch *t, CUdeviceptr at)
{
    static const char *const launches[] = {"just copied", "launched again"};
    struct kernel k = build_touch(b, t->loads);
    u32 warps = t->blocks * t->warps;
    struct launch l = {.grid = t->blocks,
                       .block = 32 * t->warps,
                       .loops = t->turns,
                       .a0 = t->stride,
                       .a1 = t->stride >= 4096 ? 128 : (u64)t->loads * t->turns * t->stride,
                       .data = at};
    for (u32 i = 0; i < 2; i++) {
        kernel_run(b, &k, l, 2 * warps * t->turns);
        for (u32 pass = 0; pass < 2 && !b->dry; pass++)
            record_pass(b,
                        text("%u loads a turn; %u bytes apart; %u blocks of %u warps; %s", t->loads,
                             t->stride, t->blocks, t->warps, launches[i]),
                        pass, warps, t->turns);
    }
    kernel_free(b, &k);
}

void group_first(struct bench *b)
{
    static const struct touch shapes[] = {
        {1, 1, 1, 64, 128},    {1, 1, 1, 64, 4096},  {1, 1, 1, 64, 16384}, {1, 1, 6, 16, 128},
        {1, 1, 6, 16, 16384},  {1, 1, 12, 16, 128},  {1, 1, 12, 8, 16384}, {32, 2, 6, 12, 16384},
        {32, 2, 12, 6, 16384}, {128, 4, 12, 8, 128}, {128, 4, 1, 24, 128}, {132, 8, 8, 8, 128},
    };
    enum { PAGES = 16 };
    u8 *zeros = calloc(1, 16 * MIB);
    u64 at = 64 * MIB;
    for (u32 i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct touch *t = &shapes[i];
        u64 lines = (u64)t->blocks * t->warps * t->loads * t->turns;
        u64 bytes = t->stride >= 4096 ? (u64)t->loads * t->turns * t->stride : lines * 128;
        bytes = (bytes + MIB - 1) / MIB * MIB;
        if (!b->dry)
            CU(b, cuMemcpyHtoD, (b->data + at, zeros, bytes));
        record_touch(b, t, b->data + at);
        at += (bytes + 2 * MIB - 1) / (2 * MIB) * 2 * MIB;
    }
    struct touch pages = {1, 1, 1, PAGES, 2 * MIB};
    for (u32 i = 0; i < PAGES && !b->dry; i++)
        CU(b, cuMemcpyHtoD, (b->data + 512 * MIB + i * 2 * MIB, zeros, 4096));
    record_touch(b, &pages, b->data + 512 * MIB);
    free(zeros);
}
