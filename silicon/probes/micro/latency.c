/*
 * Latency of loads by footprint: one thread follows pointers. L1 with its size by carve-out and its
 * sets, L2 near and far, DRAM, address translation.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define KIB ((u64)1 << 10)
#define MIB ((u64)1 << 20)
#define GIB ((u64)1 << 30)
#define UNROLL 8

/* One warm round of a0 loads, then loops of UNROLL loads; a1: where it starts, in bytes. */
static struct kernel build_chase(struct bench *b, const char *name, const char *load)
{
    char *steps = NULL;
    size_t bytes;
    FILE *f = open_memstream(&steps, &bytes);
    for (u32 i = 0; i < UNROLL; i++)
        fprintf(f, "%s %%d20, [%%d20];\n", load);
    fclose(f);
    char *body = timed_loop(text("add.u64 %%d20, %%d1, %%d2;\nsetp.eq.u32 %%p4, %%r1, 0;\n"
                                 "@%%p4 bra WARM;\nROUND:\n%s %%d20, [%%d20];\n"
                                 "sub.u32 %%r1, %%r1, 1;\nsetp.ne.u32 %%p4, %%r1, 0;\n"
                                 "@%%p4 bra ROUND;\nWARM:",
                                 load),
                            steps,
                            "cvt.u32.u64 %r10, %d20; setp.eq.u32 %p2, %r10, 0x9e3779b1;\n"
                            "@%p2 st.global.u64 [%d0], %d20;");
    struct kernel k = kernel_build(b, name, "", 0, body);
    free(steps);
    free(body);
    return k;
}

/* A cycle through `count` places `stride` bytes apart, in order or shuffled. */
static void write_cycle(struct bench *b, u64 count, u64 stride, bool shuffle)
{
    if (b->dry)
        return;
    u32 *order = calloc(count, sizeof *order);
    for (u64 i = 0; i < count; i++)
        order[i] = (u32)i;
    u64 state = 88172645463325252ull;
    for (u64 i = count - 1; shuffle && i > 0; i--) { /* xorshift64, Marsaglia 2003 */
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u64 j = state % (i + 1);
        u32 t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    bool apart = stride > 64 * KIB;
    u64 *image = calloc(apart ? 1 : count * stride / 8, 8);
    for (u64 i = 0; i < count; i++) {
        u64 from = order[i] * stride, to = b->data + order[(i + 1) % count] * stride;
        if (apart)
            CU(b, cuMemcpyHtoD, (b->data + from, &to, 8));
        else
            image[from / 8] = to;
    }
    if (!apart)
        CU(b, cuMemcpyHtoD, (b->data, image, count * stride));
    free(image);
    free(order);
}

static struct samples chase(struct bench *b, const struct kernel *k, u64 count, u32 loops)
{
    struct launch l = {.grid = 1, .block = 1, .loops = loops, .a0 = (u32)count};
    return kernel_cycles(b, k, l);
}

static const char *size_text(u64 bytes)
{
    if (bytes >= GIB)
        return text("%llu GiB", (unsigned long long)(bytes / GIB));
    return bytes >= MIB ? text("%llu MiB", (unsigned long long)(bytes / MIB))
                        : text("%llu KiB", (unsigned long long)(bytes / KIB));
}

static void record_l1_sizes(struct bench *b, const struct kernel *k)
{
    static const int carve[] = {0, 25, 50, 75, 100};
    for (u32 c = 0; c < loops_of(b, 5, 1); c++) {
        if (!b->dry)
            CU(b, cuFuncSetAttribute,
               (k->function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, carve[c]));
        for (u64 size = loops_of(b, 8, 208) * KIB; size <= loops_of(b, 264, 224) * KIB;
             size += 4 * KIB) {
            write_cycle(b, size / 128, 128, false);
            u64 count = size / 128;
            struct samples s = chase(b, k, count, (u32)(count / UNROLL));
            record(b, text("ld.global.ca in order; shared carve-out %d%%", carve[c]),
                   size_text(size), &s, 1.0 / UNROLL, "cycles");
        }
    }
    if (!b->dry)
        CU(b, cuFuncSetAttribute,
           (k->function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 0));
}

/* Lines that lie a power of two apart would meet in few sets, were the index not a hash. */
static void record_l1_ways(struct bench *b, const struct kernel *k)
{
    for (u64 stride = 128; stride <= 16 * KIB; stride *= stride < KIB && !b->brief ? 2 : 4) {
        for (u32 count = loops_of(b, 512, 1536); count <= loops_of(b, 2048, 1792); count += 128) {
            write_cycle(b, count, stride, false);
            struct samples s = chase(b, k, count, count / UNROLL);
            record(b, text("ld.global.ca; lines %llu bytes apart", (unsigned long long)stride),
                   text("%u lines", count), &s, 1.0 / UNROLL, "cycles");
        }
    }
}

static void record_footprints(struct bench *b, const struct kernel *k)
{
    for (u64 size = 256 * KIB; size <= loops_of(b, 512, 1) * MIB;
         size = size * 3 / 2 / (64 * KIB) * (64 * KIB)) {
        u64 count = size / 256;
        write_cycle(b, count, 256, true);
        struct samples s = chase(b, k, count > 400000 ? 400000 : count, loops_of(b, 4096, 256));
        record(b, "ld.global.cg shuffled", text("%.3g MiB", (double)size / (double)MIB), &s,
               1.0 / UNROLL, "cycles");
    }
}

/* All of DRAM's rows apart: one line in every 2 MiB page, and in every 64 KiB. */
static void record_translation(struct bench *b, const struct kernel *k)
{
    for (u64 reach = 32 * MIB; reach <= 8 * GIB; reach *= 2) {
        u64 count = reach / (2 * MIB);
        write_cycle(b, count, 2 * MIB, true);
        struct samples s = chase(b, k, count, (u32)(count < 512 ? 512 : count));
        record(b, "ld.global.cg; a line per 2 MiB", size_text(reach), &s, 1.0 / UNROLL, "cycles");
    }
}

/* Times every load on its own: out[i] gets cycles. Loads of a1 bytes apart. Only block a0 works;
 * the result has its SM in the last word. %r20: the load's value, stored before the clock is read
 * again, and the pipe issues in order. */
static struct kernel build_each(struct bench *b, const char *name, const char *load, bool warm)
{
    const char *body = text("mov.u32 %%r10, %%ctaid.x; setp.ne.u32 %%p4, %%r10, %%r1; @%%p4 ret;\n"
                            "mov.u32 %%r11, smem; mov.u32 %%r12, 0;\n"
                            "EACH:\n"
                            "%s"
                            "st.volatile.shared.u32 [%%r11], %%r20;\n"
                            "mov.u32 %%r21, %%clock;\n"
                            "%s %%r20, [%%d1];\n"
                            "st.volatile.shared.u32 [%%r11], %%r20;\n"
                            "mov.u32 %%r22, %%clock;\n"
                            "sub.u32 %%r23, %%r22, %%r21;\n"
                            "cvt.u64.u32 %%d20, %%r23; mov.u32 %%r24, %%smid;\n"
                            "cvt.u64.u32 %%d21, %%r24; shl.b64 %%d21, %%d21, 32;\n"
                            "or.b64 %%d20, %%d20, %%d21;\n"
                            "st.global.u64 [%%d0], %%d20;\n"
                            "add.u64 %%d0, %%d0, 8; add.u64 %%d1, %%d1, %%d2;\n"
                            "add.u32 %%r12, %%r12, 1; setp.lt.u32 %%p4, %%r12, %%r0;\n"
                            "@%%p4 bra EACH;\nret;\n",
                            warm ? text("%s %%r20, [%%d1];\n", load) : "mov.u32 %r20, 0;\n", load);
    return kernel_build(b, name, "", 128, body);
}

static int by_u64(const void *a, const void *b)
{
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}

/* Half of the lines lie in the near half of the L2, half in the far one: quarters tell them apart.
 */
static void record_near_far(struct bench *b)
{
    enum { LINES = 2048, TIMES = 3 };
    struct kernel k = build_each(b, "each-l2", "ld.relaxed.gpu.global.u32", true);
    struct samples near = {0}, far = {0}, least = {0}, most = {0};
    FILE *raw = b->dry ? NULL : fopen(text("%s/l2-lines.csv", b->folder), "w");
    if (raw)
        fputs("sm,p0,p10,p25,p50,p75,p90,p100\n", raw);
    for (u32 block = 0; block < (u32)b->sms; block += 4) {
        static u64 best[LINES];
        u32 sm = 0;
        for (u32 t = 0; t < TIMES; t++) {
            struct launch l = {
                .grid = (u32)b->sms, .block = 1, .loops = LINES, .a0 = block, .a1 = 4096 + 128};
            kernel_run(b, &k, l, LINES);
            for (u32 i = 0; i < LINES; i++) {
                u64 v = b->got[i] & 0xffffffff;
                sm = (u32)(b->got[i] >> 32);
                if (t == 0 || v < best[i])
                    best[i] = v;
            }
        }
        qsort(best, LINES, sizeof best[0], by_u64);
        samples_add(&near, (double)best[LINES / 4]);
        samples_add(&far, (double)best[LINES * 3 / 4]);
        samples_add(&least, (double)best[0]);
        samples_add(&most, (double)best[LINES - 1]);
        if (raw)
            fprintf(raw, "%u,%llu,%llu,%llu,%llu,%llu,%llu,%llu\n", sm, (unsigned long long)best[0],
                    (unsigned long long)best[LINES / 10], (unsigned long long)best[LINES / 4],
                    (unsigned long long)best[LINES / 2], (unsigned long long)best[LINES * 3 / 4],
                    (unsigned long long)best[LINES * 9 / 10], (unsigned long long)best[LINES - 1]);
    }
    if (raw)
        fclose(raw);
    record(b, "single ld.relaxed.gpu hit in L2", "25th percentile of lines", &near, 1, "cycles");
    record(b, "single ld.relaxed.gpu hit in L2", "75th percentile of lines", &far, 1, "cycles");
    record(b, "single ld.relaxed.gpu hit in L2", "fastest line", &least, 1, "cycles");
    record(b, "single ld.relaxed.gpu hit in L2", "slowest line", &most, 1, "cycles");
    kernel_free(b, &k);
}

/* Lines not in L2, on pages just used. */
static void record_dram(struct bench *b)
{
    u32 lines = loops_of(b, 4096, 512);
    struct kernel k = build_each(b, "each-cold", "ld.global.cg.u32", false);
    struct samples mean = {0}, p10 = {0}, p50 = {0}, p90 = {0};
    for (u32 t = 0; t < b->repetitions; t++) {
        bench_flush(b);
        /* one line per page first, then lines 4 KiB apart and never twice */
        struct launch l = {.grid = 1, .block = 1, .loops = 16, .a1 = 2 * MIB};
        if (!b->brief)
            kernel_run(b, &k, l, 1);
        l.loops = lines;
        l.a1 = 4096 + 256;
        l.data = b->data + (b->brief ? 128 * MIB : 512);
        kernel_run(b, &k, l, lines);
        double sum = 0;
        for (u32 i = 0; i < lines; i++)
            sum += (double)(b->got[i] &= 0xffffffff);
        qsort(b->got, lines, sizeof(u64), by_u64);
        samples_add(&mean, sum / lines);
        samples_add(&p10, (double)b->got[lines / 10]);
        samples_add(&p50, (double)b->got[lines / 2]);
        samples_add(&p90, (double)b->got[lines * 9 / 10]);
    }
    record(b, "single ld.global.cg missing L2; TLB warm", "mean", &mean, 1, "cycles");
    record(b, "single ld.global.cg missing L2; TLB warm", "10th percentile", &p10, 1, "cycles");
    record(b, "single ld.global.cg missing L2; TLB warm", "median", &p50, 1, "cycles");
    record(b, "single ld.global.cg missing L2; TLB warm", "90th percentile", &p90, 1, "cycles");
    kernel_free(b, &k);
}

void group_latency(struct bench *b)
{
    u32 repeat = b->repetitions;
    struct kernel ca = build_chase(b, "chase-ca", "ld.global.ca.u64");
    struct kernel cg = build_chase(b, "chase-cg", "ld.global.cg.u64");
    write_cycle(b, 32, 128, false);
    struct samples s = chase(b, &ca, 32, 512);
    record(b, "ld.global.ca hit in L1", "4 KiB", &s, 1.0 / UNROLL, "cycles");
    s = chase(b, &cg, 32, 512);
    record(b, "ld.global.cg hit in L2", "4 KiB", &s, 1.0 / UNROLL, "cycles");
    b->repetitions = repeat < 2 ? repeat : 2;
    record_l1_sizes(b, &ca);
    record_l1_ways(b, &ca);
    b->repetitions = repeat;
    record_footprints(b, &cg);
    b->repetitions = repeat < 2 ? repeat : 2;
    if (!b->brief) { /* a simulated chip has neither translation nor a far half */
        record_translation(b, &cg);
        b->repetitions = repeat;
        record_near_far(b);
    }
    b->repetitions = repeat;
    record_dram(b);
    kernel_free(b, &ca);
    kernel_free(b, &cg);
}
