/*
 * What may be under way at once: loads that the compiler must not change (volatile, relaxed,
 * acquire) one behind the other, one line that many SMs read or change, stores by the distance of
 * their lanes, and loops by their length and the number of warps.
 */
#include "bench.h"

#include <stdlib.h>

#define MIB ((u64)1 << 20)

/* `loads` loads in a row, a sum of all of them, then the next turn behind the sum. */
static struct kernel build_loads(struct bench *b, const char *operator, u32 loads, u32 load_bytes)
{
    char *steps = NULL;
    size_t bytes;
    FILE *f = open_memstream(&steps, &bytes);
    for (u32 j = 0; j < loads; j++)
        fprintf(f, "ld%s.u32 %%r%u, [%%d20+%u];\n", operator, 100 + j, j * load_bytes);
    for (u32 j = 1; j < loads; j++)
        fprintf(f, "or.b32 %%r100, %%r100, %%r%u;\n", 100 + j);
    fputs("cvt.u64.u32 %d21, %r100; add.u64 %d20, %d20, %d21; add.u64 %d20, %d20, %d22;\n", f);
    fclose(f);
    char *body = timed_loop("mul.wide.u32 %d10, %r3, 4; add.u64 %d20, %d1, %d10;\n"
                            "cvt.u64.u32 %d22, %r1;",
                            steps,
                            "cvt.u32.u64 %r10, %d20; setp.eq.u32 %p2, %r10, 0x9e3779b1;\n"
                            "@%p2 st.global.u64 [%d0], %d20;");
    struct kernel k =
        kernel_build(b, text("loads%s-%u-%u", operator, loads, load_bytes), "", 0, body);
    free(steps);
    free(body);
    return k;
}

static void record_kinds_of_loads(struct bench *b)
{
    static const struct {
        const char *name, *operator;
    } kinds[] = {
        {"ld.global.ca", ".global.ca"},
        {"ld.volatile.global", ".volatile.global"},
        {"ld.relaxed.gpu.global", ".relaxed.gpu.global"},
        {"ld.acquire.gpu.global", ".acquire.gpu.global"},
        {"ld.volatile (generic)", ".volatile"},
    };
    static const u32 counts[] = {1, 2, 4, 8, 16};
    if (!b->dry)
        CU(b, cuMemsetD8, (b->data, 0, 4 * MIB)); /* what is loaded is added to addresses */
    for (u32 i = 0; i < 5; i++) {
        for (u32 n = 0; n < 5; n++) {
            for (u32 same = 0; same < 2; same++) {
                struct kernel k = build_loads(b, kinds[i].operator, counts[n], same ? 4 : 128);
                struct launch l = {
                    .grid = 1, .block = 32, .loops = loops_of(b, 64, 8), .a0 = same ? 0 : 2048};
                struct samples s = kernel_cycles(b, &k, l);
                record(b, kinds[i].name,
                       text("%u loads; %s", counts[n], same ? "one line again" : "new lines"), &s,
                       1, "cycles until all have come");
                kernel_free(b, &k);
            }
        }
    }
}

/* a0: bytes between lanes, a1: bytes between warps. */
static struct kernel build_hot(struct bench *b, const char *name, const char *step)
{
    enum { STEPS = 8 };
    char *steps = NULL;
    size_t bytes;
    FILE *f = open_memstream(&steps, &bytes);
    for (u32 i = 0; i < STEPS; i++)
        fprintf(f, step, 30 + i);
    for (u32 i = 0; i < STEPS; i++)
        fprintf(f, "or.b32 %%r20, %%r20, %%r%u;\n", 30 + i);
    fclose(f);
    char *body = timed_loop(
        "mul.lo.u32 %r11, %r3, %r1; cvt.u64.u32 %d20, %r11; add.u64 %d20, %d20, %d1;\n"
        "cvt.u64.u32 %d21, %r4; mul.lo.u64 %d21, %d21, %d2; add.u64 %d20, %d20, %d21;\n"
        "mov.u32 %r20, 0; mov.u32 %r21, 1; mov.u32 %r30, 0; mov.u32 %r31, 0; mov.u32 %r32, 0;\n"
        "mov.u32 %r33, 0; mov.u32 %r34, 0; mov.u32 %r35, 0; mov.u32 %r36, 0; mov.u32 %r37, 0;",
        steps, "setp.eq.u32 %p2, %r20, 0x9e3779b1;\n@%p2 st.global.u32 [%d0], %r20;");
    struct kernel k = kernel_build(b, name, "", 0, body);
    free(steps);
    free(body);
    return k;
}

static void record_hot_lines(struct bench *b)
{
    static const struct {
        const char *name, *step;
    } kinds[] = {
        {"ld.relaxed.gpu", "ld.relaxed.gpu.global.u32 %%r%u, [%%d20];\n"},
        {"atom.add.u32", "atom.global.add.u32 %%r%u, [%%d20], %%r21;\n"},
        {"red.add.u32", "red.global.add.u32 [%%d20], %%r21; // %u\n"},
        {"atom.add.f32", "atom.global.add.f32 %%r%u, [%%d20], 0f00000000;\n"},
        {"atom.cas", "atom.global.cas.b32 %%r%u, [%%d20], 5, %%r21;\n"},
        {"st", "st.relaxed.gpu.global.u32 [%%d20], %%r21; // %u\n"},
    };
    static const struct {
        const char *name;
        u32 lane_bytes;
        u64 warp_bytes;
        u32 lanes;
    } ways[] = {
        {"one word; one lane", 0, 0, 1},
        {"one word; all lanes", 0, 0, 32},
        {"one line; a word a lane", 4, 0, 32},
        {"a line a warp", 4, 128, 32},
        {"32 sectors", 32, 0, 32},
    };
    static const u32 sms[] = {1, 2, 8, 33, 132}, warps[] = {1, 8, 32};
    for (u32 i = 0; i < 6; i++) {
        struct kernel k = build_hot(b, text("hot-%s", kinds[i].name), kinds[i].step);
        for (u32 w = 0; w < 5; w++) {
            for (u32 n = 0; n < 5; n++) {
                for (u32 c = 0; c < 3; c++) {
                    if (sms[n] * warps[c] > (u32)loops_of(b, 100000, 64) ||
                        (ways[w].lanes == 1 && warps[c] > 1))
                        continue;
                    struct launch l = {.grid = sms[n],
                                       .block = ways[w].lanes == 1 ? 1 : 32 * warps[c],
                                       .loops = loops_of(b, 8, 2),
                                       .a0 = ways[w].lane_bytes,
                                       .a1 = ways[w].warp_bytes};
                    struct samples s = kernel_cycles(b, &k, l);
                    record(b, text("%s; %s", kinds[i].name, ways[w].name),
                           text("%u SMs; %u warps", sms[n], warps[c]), &s, 1, "cycles per eight");
                }
            }
        }
        kernel_free(b, &k);
    }
}

static void record_stores(struct bench *b)
{
    static const u32 apart[] = {4, 8, 16, 32, 64, 128, 2048, 4224}, warps[] = {1, 4, 8, 32};
    struct kernel k = build_hot(b, "stores",
                                "st.global.u32 [%%d20], %%r21; add.u64 %%d20, %%d20, "
                                "4; // %u\n");
    for (u32 a = 0; a < 8; a++) {
        for (u32 w = 0; w < 4; w++) {
            for (u32 all = 0; all < (b->brief ? 1 : 2); all++) {
                struct launch l = {.grid = all ? (u32)b->sms : 1,
                                   .block = 32 * warps[w],
                                   .loops = loops_of(b, 16, 4),
                                   .a0 = apart[a],
                                   .a1 = (u64)32 * apart[a]};
                struct samples s = kernel_cycles(b, &k, l);
                record(b, text("stores of words; lanes %u bytes apart", apart[a]),
                       text("%s; %u warps", all ? "all SMs" : "one SM", warps[w]), &s,
                       1.0 / (8 * warps[w]), "cycles per store and SM");
            }
        }
    }
    kernel_free(b, &k);
}

/* Loops of `length` multiply-adds that do not wait for each other. */
static void record_loops(struct bench *b)
{
    static const u32 lengths[] = {4, 8, 12, 16, 24, 32, 48, 64, 96, 128}, warps[] = {1, 4, 8, 16};
    for (u32 n = 0; n < 10; n++) {
        char *steps = NULL;
        size_t bytes;
        FILE *f = open_memstream(&steps, &bytes);
        for (u32 i = 0; i < lengths[n]; i++)
            fprintf(f, "fma.rn.f32 %%f%u, %%f%u, %%f8, %%f9;\n", i % 8, i % 8);
        fclose(f);
        char *body = timed_loop(
            ".reg .f32 %f<10>;\nmov.b32 %f0, %r1; mov.b32 %f1, %r2; mov.b32 %f2, %r3;\n"
            "mov.b32 %f3, %r4; mov.b32 %f4, %r1; mov.b32 %f5, %r2; mov.b32 %f6, %r3;\n"
            "mov.b32 %f7, %r4; mov.b32 %f8, %r3; mov.b32 %f9, %r2;",
            steps,
            "add.f32 %f0, %f0, %f1; add.f32 %f2, %f2, %f3; add.f32 %f4, %f4, %f5;\n"
            "add.f32 %f6, %f6, %f7; add.f32 %f0, %f0, %f2; add.f32 %f4, %f4, %f6;\n"
            "add.f32 %f0, %f0, %f4; mov.b32 %r20, %f0; setp.eq.u32 %p2, %r20, 0x9e3779b1;\n"
            "@%p2 st.global.u32 [%d0], %r20;");
        struct kernel k = kernel_build(b, text("loop-%u", lengths[n]), "", 0, body);
        for (u32 w = 0; w < 4; w++) {
            struct launch l = {.grid = 1, .block = 32 * warps[w], .loops = loops_of(b, 256, 32)};
            struct samples s = kernel_cycles(b, &k, l);
            record(b, text("loop of %u fma", lengths[n]), text("%u warps", warps[w]), &s, 1,
                   "cycles per turn");
        }
        kernel_free(b, &k);
        free(steps);
        free(body);
    }
}

void group_overlap(struct bench *b)
{
    record_kinds_of_loads(b);
    record_stores(b);
    record_loops(b);
}

void group_hot(struct bench *b)
{
    record_hot_lines(b);
}
