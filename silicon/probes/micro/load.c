/*
 * Latency with company: hits in L2 while every SM asks, of lines of its own, of the same lines as
 * all others, of one word; and misses of L2 by the distance between them, one at a time and a row
 * per lane.
 */
#include "bench.h"

#include <stdlib.h>

#define MIB ((u64)1 << 20)
#define WAYS_TO_READ 4

/* Each turn `loads` lines; a0: bytes from turn to turn, a1: bytes from warp to warp. Lanes lie
 * `lane_bytes` apart. */
static struct kernel build_turns(struct bench *b, const char *operator, u32 loads, u32 lane_bytes,
                                 u32 load_bytes)
{
    char *steps = NULL;
    size_t bytes;
    FILE *f = open_memstream(&steps, &bytes);
    for (u32 j = 0; j < loads; j++)
        fprintf(f, "ld.global.%s.u32 %%r%u, [%%d20+%u];\n", operator, 100 + j, j * load_bytes);
    for (u32 j = 1; j < loads; j++)
        fprintf(f, "or.b32 %%r100, %%r100, %%r%u;\n", 100 + j);
    fputs("cvt.u64.u32 %d21, %r100; add.u64 %d20, %d20, %d21; add.u64 %d20, %d20, %d22;\n", f);
    fclose(f);
    char *body = timed_loop(
        text("mul.wide.u32 %%d10, %%r3, %u; add.u64 %%d20, %%d1, %%d10; cvt.u64.u32 %%d11, %%r4;\n"
             "mul.lo.u64 %%d11, %%d11, %%d2; add.u64 %%d20, %%d20, %%d11; cvt.u64.u32 %%d22, %%r1;",
             lane_bytes),
        steps,
        "cvt.u32.u64 %r10, %d20; setp.eq.u32 %p2, %r10, 0x9e3779b1;\n"
        "@%p2 st.global.u64 [%d0], %d20;");
    struct kernel k = kernel_build(
        b, text("turns-%s-%u-%u-%u", operator, loads, lane_bytes, load_bytes), "", 0, body);
    free(steps);
    free(body);
    return k;
}

static void record_hits(struct bench *b)
{
    static const struct {
        const char *name;
        u32 lane_bytes, load_bytes, turn_bytes;
        u64 warp_bytes;
    } ways[WAYS_TO_READ] = {
        {"lines of its own", 4, 128, 0, 64 << 10},
        {"the same lines everywhere", 4, 128, 0, 0},
        {"one word everywhere", 0, 128, 0, 0},
        {"32 rows everywhere", 4096, 128, 0, 0},
    };
    static const u32 warps[] = {1, 2, 4, 8, 16}, loads[] = {1, 2, 4, 8};
    enum { TURNS = 16 };
    if (!b->dry)
        CU(b, cuMemsetD8, (b->data, 0, loops_of(b, 160, 32) * MIB));
    for (u32 way = 0; way < WAYS_TO_READ; way++) {
        for (u32 n = 0; n < 4; n++) {
            struct kernel k =
                build_turns(b, "cg", loads[n], ways[way].lane_bytes, ways[way].load_bytes);
            for (u32 w = 0; w < 5; w++) {
                for (u32 all = 0; all < 2; all++) {
                    u32 count = all ? (u32)b->sms : 1;
                    u64 warp_bytes = ways[way].warp_bytes ? (u64)2 * TURNS * loads[n] * 128 : 0;
                    if (count * warps[w] * warp_bytes > 24 * MIB ||
                        (b->brief && all && warps[w] > 2))
                        continue;
                    struct launch l = {.grid = count,
                                       .block = 32 * warps[w],
                                       .loops = TURNS,
                                       .a0 = loads[n] * 128,
                                       .a1 = warp_bytes};
                    struct samples s = kernel_cycles(b, &k, l);
                    record(b, text("turn of loads that hit in L2; %s", ways[way].name),
                           text("%s; %u warps; %u loads", all ? "all SMs" : "one SM", warps[w],
                                loads[n]),
                           &s, 1, "cycles until the last has come");
                }
            }
            kernel_free(b, &k);
        }
    }
}

/* Every turn is timed on its own: out[turn] has its cycles. Lanes a1 bytes apart, a0 of them
 * active. */
static struct kernel build_misses(struct bench *b)
{
    return kernel_build(
        b, "misses", "", 128,
        "setp.ge.u32 %p4, %r2, %r1; @%p4 ret;\n"
        "mul.wide.u32 %d20, %r2, 1; mul.lo.u64 %d20, %d20, %d2; add.u64 %d20, %d20, %d1;\n"
        "cvt.u64.u32 %d21, %r1; mul.lo.u64 %d21, %d21, %d2; mov.u32 %r11, smem; mov.u32 %r12, 0;\n"
        "EACH:\nmov.u32 %r21, %clock;\nld.global.ca.u32 %r20, [%d20];\n"
        "st.volatile.shared.u32 [%r11], %r20;\nmov.u32 %r22, %clock;\n"
        "sub.u32 %r23, %r22, %r21; cvt.u64.u32 %d22, %r23; add.u64 %d20, %d20, %d21;\n"
        "setp.eq.u32 %p5, %r2, 0; @%p5 st.global.u64 [%d0], %d22; add.u64 %d0, %d0, 8;\n"
        "add.u32 %r12, %r12, 1; setp.lt.u32 %p4, %r12, %r0; @%p4 bra EACH;\nret;\n");
}

static int by_u64(const void *a, const void *b)
{
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}

static void record_misses(struct bench *b)
{
    static const u32 lanes[] = {1, 4, 32};
    struct kernel k = build_misses(b);
    for (u32 n = 0; n < 3; n++) {
        for (u32 stride = 256; stride <= 32768; stride *= 2) {
            u32 turns = loops_of(b, 512, 64);
            struct samples mean = {0}, p10 = {0}, p50 = {0}, p90 = {0};
            for (u32 t = 0; t < b->repetitions; t++) {
                struct launch l = {
                    .grid = 1, .block = 32, .loops = turns, .a0 = lanes[n], .a1 = stride};
                l.data = b->data + (b->brief ? (64 + 32 * n) * MIB + stride : 0);
                if (!b->brief)
                    kernel_run(b, &k, l, turns); /* pages are known; the lines leave L2 */
                bench_flush(b);
                kernel_run(b, &k, l, turns);
                double sum = 0;
                for (u32 i = 0; i < turns; i++)
                    sum += (double)b->got[i];
                qsort(b->got, turns, sizeof(u64), by_u64);
                samples_add(&mean, sum / turns);
                samples_add(&p10, (double)b->got[turns / 10]);
                samples_add(&p50, (double)b->got[turns / 2]);
                samples_add(&p90, (double)b->got[turns * 9 / 10]);
            }
            const char *name =
                text("a load of %u lanes that misses in L2; %u bytes apart", lanes[n], stride);
            record(b, name, "mean", &mean, 1, "cycles");
            record(b, name, "10th percentile", &p10, 1, "cycles");
            record(b, name, "median", &p50, 1, "cycles");
            record(b, name, "90th percentile", &p90, 1, "cycles");
        }
    }
    kernel_free(b, &k);
}

void group_load(struct bench *b)
{
    record_hits(b);
    record_misses(b);
}
