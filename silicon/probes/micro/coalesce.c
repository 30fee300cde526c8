/*
 * Requests of several SMs for one line of L2 at about the same time: two SMs, one of which asks
 * some cycles later, and any number of SMs that read the same lines.
 */
#include "bench.h"

#include <stdlib.h>

#define MIB ((u64)1 << 20)

/* a0: leader, follower << 8, cycles the follower waits << 16; a1: bytes the follower's load lies
 * behind the leader's. Every block is on an SM of its own; in each of `loops` rounds of 4,096 ns,
 * which begin at the same time everywhere, both load the line of the round. out: four words of each
 * SM: when its rounds began, cycles of all its loads, rounds. */
static struct kernel build_pair(struct bench *b, u32 lanes)
{
    return kernel_build(
        b, text("pair-%u", lanes), "", 128,
        text(
            "mov.u32 %%r10, %%smid; and.b32 %%r11, %%r1, 255; shr.u32 %%r12, %%r1, 8;\n"
            "and.b32 %%r12, %%r12, 255; shr.u32 %%r13, %%r1, 16;\n"
            "setp.eq.u32 %%p4, %%r10, %%r11; setp.eq.u32 %%p5, %%r10, %%r12; or.pred %%p6, %%p4, "
            "%%p5; @!%%p6 ret;\n"
            "setp.ge.u32 %%p6, %%r2, %u; @%%p6 ret;\n"
            "mul.wide.u32 %%d20, %%r3, 4; add.u64 %%d20, %%d20, %%d1;\n"
            "@%%p5 add.u64 %%d20, %%d20, %%d2;\n@!%%p5 mov.u32 %%r13, 0;\n"
            "mov.u64 %%d21, %%globaltimer; shr.u64 %%d21, %%d21, 16; add.u64 %%d21, %%d21, 2;\n"
            "shl.b64 %%d21, %%d21, 16; mov.u64 %%d22, %%d21; mov.u32 %%r14, 0; mov.u64 %%d25, 0;\n"
            "mov.u32 %%r20, smem;\n"
            "ROUND:\n"
            "WAIT:\nmov.u64 %%d23, %%globaltimer; setp.lt.u64 %%p6, %%d23, %%d22; @%%p6 bra WAIT;\n"
            "mov.u32 %%r15, %%clock;\n"
            "LATER:\nmov.u32 %%r16, %%clock; sub.u32 %%r17, %%r16, %%r15; setp.lt.u32 %%p6, %%r17, "
            "%%r13; @%%p6 bra LATER;\n"
            "mov.u32 %%r16, %%clock; ld.global.cg.u32 %%r18, [%%d20];\n"
            "st.volatile.shared.u32 [%%r20], %%r18; mov.u32 %%r17, %%clock;\n"
            "sub.u32 %%r17, %%r17, %%r16; cvt.u64.u32 %%d24, %%r17; add.u64 %%d25, %%d25, %%d24;\n"
            "add.u64 %%d20, %%d20, 4096; add.u64 %%d22, %%d22, 4096; add.u32 %%r14, %%r14, 1;\n"
            "setp.lt.u32 %%p6, %%r14, %%r0; @%%p6 bra ROUND;\n"
            "mul.wide.u32 %%d26, %%r10, 32; add.u64 %%d26, %%d26, %%d0;\n"
            "st.global.u64 [%%d26], %%d21; st.global.u64 [%%d26+8], %%d25; ret;\n",
            lanes));
}

/* Cycles a load of leader and follower; 0 where they did not start together or share no launch. */
static void run_pair(struct bench *b, const struct kernel *k, struct launch l, double *cycles)
{
    u32 leader = l.a0 & 255, follower = l.a0 >> 8 & 255;
    cycles[0] = cycles[1] = 0;
    for (u32 attempt = 0; attempt < 4; attempt++) {
        kernel_run(b, k, l, 256 * WARP_WORDS);
        const u64 *x = b->got + (size_t)leader * WARP_WORDS;
        const u64 *y = b->got + (size_t)follower * WARP_WORDS;
        if (b->dry || x[0] != y[0])
            continue;
        cycles[0] = (double)x[1] / l.loops;
        cycles[1] = (double)y[1] / l.loops;
        return;
    }
}

void group_coalesce(struct bench *b)
{
    static const u32 leaders[] = {0, 1, 64}, delays[] = {0, 50, 100, 150, 200, 250, 300, 400, 600};
    struct kernel k = build_pair(b, 32), part = build_pair(b, 8);
    FILE *raw = b->dry ? NULL : fopen(text("%s/coalesce.csv", b->folder), "w");
    double c[2];
    if (raw)
        fputs("what,leader,follower,delay,leader_cycles,follower_cycles\n", raw);
    for (u32 i = 0; i < loops_of(b, 3, 1); i++) {
        for (u32 j = 0; j < loops_of(b, (u32)b->sms, 4); j++) {
            for (u32 d = 0; d < loops_of(b, 9, 5) && j != leaders[i]; d++) {
                if (i && d != 2)
                    continue;
                struct launch l = {.grid = (u32)b->sms,
                                   .block = 32,
                                   .loops = loops_of(b, 48, 8),
                                   .a0 = leaders[i] | j << 8 | delays[d] << 16};
                run_pair(b, &k, l, c); /* the lines are in L2 */
                run_pair(b, &k, l, c);
                if (raw)
                    fprintf(raw, "one line,%u,%u,%u,%.1f,%.1f\n", leaders[i], j, delays[d], c[0],
                            c[1]);
                if (i || d != 2)
                    continue;
                for (u64 behind = 0; behind <= 64; behind += 32) {
                    l.a1 = behind;
                    run_pair(b, &part, l, c);
                    run_pair(b, &part, l, c);
                    if (raw)
                        fprintf(raw, "sectors %u bytes apart,%u,%u,%u,%.1f,%.1f\n", (u32)behind,
                                leaders[i], j, delays[d], c[0], c[1]);
                }
            }
        }
    }
    if (raw)
        fclose(raw);
    kernel_free(b, &k);
    kernel_free(b, &part);
}

/* Blocks whose number is below a0 read the same lines, eight at a time; a1: bytes from warp to
 * warp of a block. */
static struct kernel build_share(struct bench *b)
{
    enum { LOADS = 8 };
    char *steps = NULL;
    size_t bytes;
    FILE *f = open_memstream(&steps, &bytes);
    for (u32 j = 0; j < LOADS; j++)
        fprintf(f, "ld.global.cg.u32 %%r%u, [%%d20+%u];\n", 100 + j, j * 128);
    for (u32 j = 1; j < LOADS; j++)
        fprintf(f, "or.b32 %%r100, %%r100, %%r%u;\n", 100 + j);
    fprintf(f,
            "cvt.u64.u32 %%d21, %%r100; add.u64 %%d20, %%d20, %%d21; add.u64 %%d20, %%d20, %u;\n",
            LOADS * 128);
    fclose(f);
    char *body =
        timed_loop("mul.wide.u32 %d20, %r3, 4; add.u64 %d20, %d20, %d1; shr.u32 %r10, %r2, 5;\n"
                   "cvt.u64.u32 %d31, %r10; mul.lo.u64 %d31, %d31, %d2; add.u64 %d20, %d20, %d31;",
                   steps,
                   "cvt.u32.u64 %r90, %d20; setp.eq.u32 %p2, %r90, 0x9e3779b1;\n"
                   "@%p2 st.global.u64 [%d0], %d20;");
    struct kernel k = kernel_build(b, "share", "", 0, body);
    free(steps);
    free(body);
    return k;
}

static void record_shares(struct bench *b)
{
    static const u32 blocks[] = {1, 2, 4, 8, 16, 32, 66, 132}, warps[] = {1, 4, 16};
    struct kernel k = build_share(b);
    for (u32 n = 0; n < 8; n++) {
        for (u32 w = 0; w < loops_of(b, 3, 2); w++) {
            struct launch l = {.grid = blocks[n],
                               .block = 32 * warps[w],
                               .loops = loops_of(b, 32, 8),
                               .a1 = 64 * 8 * 128};
            struct launch twice = l;
            twice.loops *= 2;
            kernel_launch(b, &k, twice); /* the lines are in both halves of L2 */
            struct samples s = kernel_cycles(b, &k, l);
            record(b, "eight lines that all blocks read",
                   text("%u blocks of %u warps", blocks[n], warps[w]), &s, 1,
                   "cycles until all have come");
        }
    }
    kernel_free(b, &k);
}

void group_share(struct bench *b)
{
    if (!b->dry)
        CU(b, cuMemsetD8, (b->data, 0, 16 * MIB)); /* what is loaded is added to addresses */
    record_shares(b);
}
