/*
 * Causes of errors of whole kernels, one group each: constant loads of many words, atomics in
 * shared memory by type, stores beside loads that hit in L1, local memory with indices known at run
 * time, arithmetic of full SMs, chains of one warp or block through shared memory.
 */
#include "bench.h"

#include <stdlib.h>

/* `count` times `step`, in which # is 100, 101, ... */
static char *repeated(const char *step, u32 count)
{
    char *out = NULL;
    size_t bytes;
    FILE *f = open_memstream(&out, &bytes);
    for (u32 i = 0; i < count; i++) {
        for (const char *c = step; *c; c++) {
            if (*c == '#')
                fprintf(f, "%u", 100 + i);
            else
                fputc(*c, f);
        }
        fputc('\n', f);
    }
    fclose(f);
    return out;
}

/* One loop of `count` steps. `keep` is a 32-bit register that must not be lost. */
struct loop {
    const char *name, *module, *before, *step, *keep;
    u32 count, shared;
};

static struct kernel build(struct bench *b, const struct loop *l)
{
    char *steps = repeated(l->step, l->count);
    char *body =
        timed_loop(l->before, steps,
                   text("setp.eq.u32 %%p2, %s, 0x9e3779b1;\n@%%p2 st.global.u32 [%%d0], %s;",
                        l->keep, l->keep));
    struct kernel k = kernel_build(b, l->name, l->module ? l->module : "", l->shared, body);
    free(steps);
    free(body);
    return k;
}

/* Cycles per step, of one warp or of an SM per warp's step. */
static void time_loop(struct bench *b, const struct kernel *k, const struct loop *l,
                      struct launch at, const char *parameter)
{
    u32 warps = at.block / 32;
    struct samples s = kernel_cycles(b, k, at);
    record(b, l->name, parameter, &s, 1.0 / (warps * l->count),
           warps == 1 ? "cycles" : "cycles per warp instruction and SM");
}

void group_constant(struct bench *b)
{
    static const char module[] = ".const .align 16 .b8 table[16384];\n";
    /* %d20: a word of the lane, one of a0, a1 bytes apart. What is read is 0, and moves it. */
#define TABLE                                                                                      \
    "mov.u64 %d20, table; rem.u32 %r10, %r3, %r1; cvt.u64.u32 %d21, %r10;\n"                       \
    "mul.lo.u64 %d21, %d21, %d2; add.u64 %d20, %d20, %d21;"
#define LOW "cvt.u32.u64 %r20, %d20;"
    static const struct loop kinds[] = {
        {"ld.const.u32", module, TABLE,
         "ld.const.u32 %r21, [%d20]; cvt.u64.u32 %d21, %r21; add.u64 %d20, %d20, %d21; " LOW,
         "%r20", 16, 0},
        {"ld.const.u64", module, TABLE, "ld.const.u64 %d22, [%d20]; add.u64 %d20, %d20, %d22; " LOW,
         "%r20", 16, 0},
        {"ld.const.v4.u32", module, TABLE,
         "ld.const.v4.u32 {%r21,%r22,%r23,%r24}, [%d20]; or.b32 %r21, %r21, %r24;\n"
         "cvt.u64.u32 %d21, %r21; add.u64 %d20, %d20, %d21; " LOW,
         "%r20", 16, 0},
    };
    static const struct {
        u32 words, apart, kinds;
    } ways[] = {{1, 16, 3}, {2, 16, 3}, {4, 16, 3}, {8, 16, 3}, {16, 16, 3}, {32, 16, 3},
                {2, 4, 1},  {8, 4, 1},  {32, 4, 1}, {8, 64, 1}, {32, 64, 1}, {32, 256, 1}};
    for (u32 i = 0; i < 3; i++) {
        struct kernel k = build(b, &kinds[i]);
        for (u32 w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            if (i >= ways[w].kinds)
                continue;
            for (u32 warps = 1; warps <= 32; warps *= 32) {
                struct launch l = {.grid = 1,
                                   .block = 32 * warps,
                                   .loops = loops_of(b, 32, 4),
                                   .a0 = ways[w].words,
                                   .a1 = ways[w].apart};
                time_loop(b, &k, &kinds[i], l,
                          text("%u warps; %u places; %u bytes apart", warps, ways[w].words,
                               ways[w].apart));
            }
        }
        kernel_free(b, &k);
    }
}

void group_adds(struct bench *b)
{
#define PLACE                                                                                      \
    "mov.u32 %r10, smem; mov.u32 %r12, 0; shl.b32 %r11, %r2, 3; add.u32 %r11, %r11, %r10;\n"       \
    "st.shared.u32 [%r11], %r12; st.shared.u32 [%r11+4], %r12; div.u32 %r11, %r2, %r1;\n"          \
    "shl.b32 %r11, %r11, 3; add.u32 %r20, %r10, %r11; add.u32 %r21, %r3, 1; mov.u32 %r22, 1;\n"    \
    "mov.u64 %d20, 0; cvt.u64.u32 %d21, %r1; bar.sync 0;"
    static const struct loop kinds[] = {
        {"atom.shared.add.f64", NULL, PLACE, "atom.shared.add.f64 %d20, [%r20], %d20;", "%r22", 8,
         8192},
        {"red.shared.add.f64", NULL, PLACE, "red.shared.add.f64 [%r20], %d21;", "%r22", 8, 8192},
        {"red.shared.add.f32", NULL, PLACE, "red.shared.add.f32 [%r20], %r21;", "%r22", 8, 8192},
        {"atom.shared.add.u64", NULL, PLACE, "atom.shared.add.u64 %d20, [%r20], %d20;", "%r22", 8,
         8192},
        {"red.shared.add.u32 of unlike values", NULL, PLACE, "red.shared.add.u32 [%r20], %r21;",
         "%r22", 8, 8192},
        {"red.shared.max.u32", NULL, PLACE, "red.shared.max.u32 [%r20], %r21;", "%r22", 8, 8192},
        {"atom.shared.max.s32", NULL, PLACE, "atom.shared.max.s32 %r21, [%r20], %r21;", "%r21", 8,
         8192},
        {"atom.shared.exch.b32", NULL, PLACE, "atom.shared.exch.b32 %r21, [%r20], %r21;", "%r21", 8,
         8192},
        {"atom.shared.inc.u32", NULL, PLACE, "atom.shared.inc.u32 %r21, [%r20], %r21;", "%r21", 8,
         8192},
        {"atom.shared.cas.b64", NULL, PLACE, "atom.shared.cas.b64 %d20, [%r20], %d20, %d21;",
         "%r22", 8, 8192},
    };
    for (u32 i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct kernel k = build(b, &kinds[i]);
        for (u32 meet = 1; meet <= 1024; meet = meet == 32 ? 1024 : meet * (meet == 1 ? 2 : 4)) {
            for (u32 warps = 1; warps <= 32; warps *= 32) {
                struct launch l = {
                    .grid = 1, .block = 32 * warps, .loops = loops_of(b, 8, 2), .a0 = meet};
                time_loop(b, &k, &kinds[i], l, text("%u warps; %u lanes per word", warps, meet));
            }
        }
        kernel_free(b, &k);
    }
#undef PLACE
}

/* %d20: a word of the thread's own; %d21: one that all lanes read; %d22: a line for all warps;
 * %d23: one word for all; %d24: a byte of the thread's own. a1 is 0. */
#define PLACES                                                                                     \
    "mad.lo.u32 %r10, %r5, %r6, %r2; mul.wide.u32 %d10, %r10, 4; add.u64 %d20, %d10, %d1;\n"       \
    "add.u64 %d21, %d1, 8388608; mul.wide.u32 %d11, %r3, 4; add.u64 %d22, %d21, %d11;\n"           \
    "add.u64 %d22, %d22, 4096; add.u64 %d23, %d1, 16777216; cvt.u64.u32 %d12, %r10;\n"             \
    "add.u64 %d24, %d12, %d23; add.u64 %d24, %d24, 128; mov.u32 %r20, 0;\n"                        \
    "mul.wide.u32 %d13, %r10, 32; add.u64 %d25, %d13, %d1; add.u64 %d25, %d25, 33554432;\n"
#define MOVE "add.u64 %d20, %d20, %d2; add.u64 %d21, %d21, %d2; add.u64 %d22, %d22, %d2;\n"
#define LOAD(n, at) "ld.global.u32 %r" n ", [" at "];\n"

void group_stores(struct bench *b)
{
    static const struct loop kinds[] = {
        {"load of own word", NULL, PLACES, MOVE LOAD("#", "%d20") "or.b32 %r20, %r20, %r#;", "%r20",
         8, 0},
        {"load of a word for all", NULL, PLACES, MOVE LOAD("#", "%d21") "or.b32 %r20, %r20, %r#;",
         "%r20", 8, 0},
        {"store of own word", NULL, PLACES, MOVE "st.global.u32 [%d20], %r#;", "%r20", 8, 0},
        {"store of own word at once", NULL, PLACES, "st.global.u32 [%d20], %r#;", "%r20", 8, 0},
        {"store of own byte", NULL, PLACES, "add.u64 %d24, %d24, %d2; st.global.u8 [%d24], %r#;",
         "%r20", 8, 0},
        {"store of own sector's word", NULL, PLACES,
         "add.u64 %d25, %d25, %d2; st.global.u32 [%d25], %r#;", "%r20", 8, 0},
        {"store of one word by all", NULL, PLACES,
         "add.u64 %d23, %d23, %d2; st.global.u32 [%d23], %r#;", "%r20", 8, 0},
        {"store of a line by all warps", NULL, PLACES,
         "add.u64 %d22, %d22, %d2; st.global.u32 [%d22], %r#;", "%r20", 8, 0},
        {"load and store of own word", NULL, PLACES,
         MOVE LOAD("#", "%d20") "add.u32 %r#, %r#, 1; st.global.u32 [%d20], %r#;", "%r20", 8, 0},
        {"load of a word for all; load and store of own", NULL, PLACES,
         MOVE LOAD("#", "%d21") "or.b32 %r20, %r20, %r#;" LOAD(
             "#", "%d20") "add.u32 %r#, %r#, %r20; st.global.u32 [%d20], %r#;",
         "%r20", 8, 0},
        {"load of a word for all and a line for all; load and store of own", NULL, PLACES,
         MOVE LOAD("10", "%d21") LOAD("11", "%d22")
             LOAD("#", "%d20") "mad.lo.u32 %r#, %r10, %r11, %r#; st.global.u32 [%d20], %r#;",
         "%r20", 8, 0},
        {"load of a word for all and a line for all; store of own", NULL, PLACES,
         MOVE LOAD("10", "%d21")
             LOAD("11", "%d22") "mul.lo.u32 %r#, %r10, %r11; st.global.u32 [%d20], %r#;",
         "%r20", 8, 0},
        {"load of a word for all and a line for all", NULL, PLACES,
         MOVE LOAD("10", "%d21") LOAD("11", "%d22") "mad.lo.u32 %r20, %r10, %r11, %r20;", "%r20", 8,
         0},
        {"load of a word for all; store of own sector's word", NULL, PLACES,
         MOVE LOAD("10", "%d21") "add.u64 %d25, %d25, %d2; st.global.u32 [%d25], %r10;", "%r20", 8,
         0},
    };
    static const struct {
        u32 warps, grid;
    } sizes[] = {{1, 1}, {8, 1}, {32, 1}, {8, 132}, {32, 132}};
    for (u32 i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct kernel k = build(b, &kinds[i]);
        for (u32 s = 0; s < 5; s++) {
            if (b->brief && sizes[s].grid > 1)
                continue;
            struct launch l = {
                .grid = sizes[s].grid, .block = 32 * sizes[s].warps, .loops = loops_of(b, 16, 4)};
            struct samples t = kernel_cycles(b, &k, l);
            record(b, kinds[i].name, text("%u SMs of %u warps", sizes[s].grid, sizes[s].warps), &t,
                   1.0 / (sizes[s].warps * kinds[i].count), "cycles per warp's turn and SM");
        }
        kernel_free(b, &k);
    }
}

void group_local(struct bench *b)
{
    static const char module[] = "";
#define FRAME                                                                                      \
    ".local .align 16 .b8 frame[256]; mov.u64 %d20, frame; mov.u32 %r12, 0; mov.u32 %r11, 0;\n"    \
    "CLEAR: cvt.u64.u32 %d21, %r11; add.u64 %d21, %d21, %d20; st.local.u32 [%d21], %r12;\n"        \
    "add.u32 %r11, %r11, 4; setp.lt.u32 %p4, %r11, 256; @%p4 bra CLEAR;\n"                         \
    "mul.lo.u32 %r20, %r3, %r1; and.b32 %r20, %r20, 127; mov.u32 %r21, 5; mov.u64 %d25, 0;\n"
#define AT(size)                                                                                   \
    "and.b32 %r10, %r20, 31; mul.wide.u32 %d21, %r10, " size "; add.u64 %d21, %d21, %d20;\n"
    static const struct loop kinds[] = {
        {"ld.local.u32", module, FRAME,
         AT("4") "ld.local.u32 %r11, [%d21]; add.u32 %r20, %r20, %r11;", "%r20", 8, 0},
        {"ld.local.u8", module, FRAME,
         AT("1") "ld.local.u8 %r11, [%d21]; add.u32 %r20, %r20, %r11;", "%r20", 8, 0},
        {"ld.local.u64", module, FRAME,
         AT("8") "ld.local.u64 %d22, [%d21]; cvt.u32.u64 %r11, %d22; add.u32 %r20, %r20, %r11;",
         "%r20", 8, 0},
        {"st.local.u32 and step", module, FRAME,
         AT("4") "st.local.u32 [%d21], %r20; add.u32 %r20, %r20, 1;", "%r20", 8, 0},
        {"st.local.u8 and step", module, FRAME,
         AT("1") "st.local.u8 [%d21], %r20; add.u32 %r20, %r20, 1;", "%r20", 8, 0},
        {"st.local.u64 and step", module, FRAME,
         AT("8") "st.local.u64 [%d21], %d21; add.u32 %r20, %r20, 1;", "%r20", 8, 0},
        {"st.local.u32 then ld.local.u32", module, FRAME,
         AT("4") "add.u32 %r21, %r21, 1; st.local.u32 [%d21], %r21; ld.local.u32 %r21, [%d21+4];",
         "%r21", 8, 0},
        {"count in words", module, FRAME,
         AT("4") "ld.local.u32 %r11, [%d21]; add.u32 %r11, %r11, 1; st.local.u32 [%d21], %r11;",
         "%r20", 8, 0},
        {"count in bytes", module, FRAME,
         AT("1") "ld.local.u8 %r11, [%d21]; add.u32 %r11, %r11, 1; st.local.u8 [%d21], %r11;",
         "%r20", 8, 0},
        {"count in doubles", module, FRAME,
         AT("8") "ld.local.f64 %d22, [%d21]; add.f64 %d22, %d22, %d25; st.local.f64 [%d21], %d22;",
         "%r20", 8, 0},
    };
    static const struct {
        u32 warps, grid;
    } sizes[] = {{1, 1}, {8, 1}, {32, 1}, {32, 132}};
    for (u32 i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct kernel k = build(b, &kinds[i]);
        for (u32 s = 0; s < 4; s++) {
            if (b->brief && sizes[s].grid > 1)
                continue;
            for (u32 apart = 0; apart <= 5; apart += 5) {
                struct launch l = {.grid = sizes[s].grid,
                                   .block = 32 * sizes[s].warps,
                                   .loops = loops_of(b, 16, 4),
                                   .a0 = apart};
                struct samples t = kernel_cycles(b, &k, l);
                record(b, kinds[i].name,
                       text("%u SMs of %u warps; %s", sizes[s].grid, sizes[s].warps,
                            apart ? "an index per lane" : "one index"),
                       &t, 1.0 / (sizes[s].warps * kinds[i].count),
                       "cycles per warp's step and SM");
            }
        }
        kernel_free(b, &k);
    }
}

/* Every warp four chains; 16 of each step. */
void group_full(struct bench *b)
{
#define CHAINS                                                                                     \
    "mov.u32 %r20, %r3; add.u32 %r21, %r3, %r1; add.u32 %r22, %r3, 5; add.u32 %r23, %r3, 77;\n"    \
    "or.b32 %r24, %r1, 3; or.b32 %r25, %r1, 0x3f800000; mov.u32 %r26, %r25; mov.u32 %r27, %r25;\n" \
    "cvt.rn.f64.u32 %d20, %r20; cvt.rn.f64.u32 %d21, %r21; cvt.rn.f64.u32 %d22, %r22;\n"           \
    "cvt.rn.f64.u32 %d23, %r23; cvt.rn.f64.u32 %d24, %r1; mov.u64 %d25, %d2; mov.u64 %d26, 7;\n"
#define EACH(op) op("20") op("21") op("22") op("23")
#define ADD(r) "add.u32 %r" r ", %r" r ", %r24;\n"
#define XOR(r) "xor.b32 %r" r ", %r" r ", %r24; "
#define SHIFT(r) "shf.l.wrap.b32 %r" r ", %r" r ", %r" r ", 7;\n"
#define MAD(r) "mad.lo.u32 %r" r ", %r" r ", %r24, %r1;\n"
#define MADW(r) "mad.wide.u32 %d25, %r" r ", %r24, %d25; add.u32 %r" r ", %r" r ", %r24;\n"
#define MULHI(r) "mul.hi.u32 %r" r ", %r" r ", %r24; "
#define MIN(r) "min.s32 %r" r ", %r" r ", %r24; add.u32 %r" r ", %r" r ", %r1;\n"
#define SELECT(r) "setp.lt.u32 %p4, %r" r ", %r24; selp.b32 %r" r ", %r24, %r1, %p4;\n"
#define FMA(r) "fma.rn.f32 %r" r ", %r" r ", %r25, %r26;\n"
#define DFMA(r) "fma.rn.f64 %d" r ", %d" r ", %d24, %d24;\n"
#define DADD(r) "add.rn.f64 %d" r ", %d" r ", %d24;\n"
#define DMUL(r) "mul.rn.f64 %d" r ", %d" r ", %d24;\n"
#define DDIV(r) "div.rn.f64 %d" r ", %d" r ", %d24;\n"
#define DSQRT(r) "sqrt.rn.f64 %d" r ", %d" r ";\n"
#define FDIV(r) "div.rn.f32 %r" r ", %r" r ", %r25;\n"
#define UDIV(r) "div.u32 %r" r ", %r" r ", %r24;\n"
#define UREM(r) "rem.u32 %r" r ", %r" r ", %r24;\n"
#define ADD64(r) "add.u64 %d" r ", %d" r ", %d2;\n"
#define MUL64(r) "mul.lo.u64 %d" r ", %d" r ", %d2;\n"
#define TOF(r) "cvt.rn.f32.s32 %r" r ", %r" r ";\n"
#define TOI(r) "cvt.rzi.s32.f32 %r" r ", %r" r ";\n"
#define SIN(r) "sin.approx.f32 %r" r ", %r" r ";\n"
    static const struct loop kinds[] = {
        {"add.u32", NULL, CHAINS, EACH (ADD), "%r20", 8, 0},
        {"xor and add", NULL, CHAINS, EACH (XOR) EACH (ADD), "%r20", 8, 0},
        {"xor and shf", NULL, CHAINS, EACH (XOR) EACH (SHIFT), "%r20", 8, 0},
        {"mad.lo.u32", NULL, CHAINS, EACH (MAD), "%r20", 8, 0},
        {"mad.wide.u32 and add", NULL, CHAINS, EACH (MADW), "%r20", 8, 0},
        {"mad.lo and add", NULL, CHAINS, EACH (MAD) EACH (ADD), "%r20", 8, 0},
        {"mad.lo and xor", NULL, CHAINS, EACH (MAD) EACH (XOR), "%r20", 8, 0},
        {"mad.lo and fma", NULL, CHAINS, MAD("20") MAD("21") FMA("22") FMA("23"), "%r20", 16, 0},
        {"xor and fma", NULL, CHAINS, XOR("20") XOR("21") FMA("22") FMA("23"), "%r20", 16, 0},
        {"add and fma", NULL, CHAINS, ADD("20") ADD("21") FMA("22") FMA("23"), "%r20", 16, 0},
        {"mul.hi and add", NULL, CHAINS, EACH (MULHI) EACH (ADD), "%r20", 8, 0},
        {"min and add", NULL, CHAINS, EACH (MIN), "%r20", 8, 0},
        {"setp and selp", NULL, CHAINS, EACH (SELECT), "%r20", 8, 0},
        {"fma.f64", NULL, CHAINS, EACH (DFMA), "%r20", 8, 0},
        {"add.f64", NULL, CHAINS, EACH (DADD), "%r20", 8, 0},
        {"mul.f64", NULL, CHAINS, EACH (DMUL), "%r20", 8, 0},
        {"fma.f64 and add.u32", NULL, CHAINS, DFMA("20") DFMA("21") ADD("22") ADD("23"), "%r20", 16,
         0},
        {"fma.f64 and fma.f32", NULL, CHAINS, DFMA("20") DFMA("21") FMA("22") FMA("23"), "%r20", 16,
         0},
        {"div.rn.f64", NULL, CHAINS, EACH (DDIV), "%r20", 1, 0},
        {"sqrt.rn.f64", NULL, CHAINS, EACH (DSQRT), "%r20", 1, 0},
        {"div.rn.f32", NULL, CHAINS, EACH (FDIV), "%r20", 2, 0},
        {"div.u32", NULL, CHAINS, EACH (UDIV), "%r20", 2, 0},
        {"rem.u32", NULL, CHAINS, EACH (UREM), "%r20", 2, 0},
        {"add.u64", NULL, CHAINS, EACH (ADD64), "%r20", 8, 0},
        {"mul.lo.u64", NULL, CHAINS, EACH (MUL64), "%r20", 8, 0},
        {"cvt to f32 and back", NULL, CHAINS, EACH (TOF) EACH (TOI), "%r20", 4, 0},
        {"sin.approx and fma", NULL, CHAINS, EACH (SIN) EACH (FMA), "%r20", 4, 0},
    };
    for (u32 i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct loop l = kinds[i];
        l.before = text("%s", l.before);
        if (i >= 13 && i != 20 && i != 21 && i != 22 &&
            i < 25) /* chains of doubles end in a word */
            l.step = text("%s cvt.u32.u64 %%r20, %%d20;", l.step);
        struct kernel k = build(b, &l);
        for (u32 warps = 1; warps <= 64; warps *= 8) {
            struct launch at = {.grid = warps > 32 ? 2 * 132 : 1,
                                .block = warps > 32 ? 1024 : 32 * warps,
                                .loops = loops_of(b, 32, 4),
                                .a0 = 1,
                                .a1 = 3};
            if (b->brief && warps > 32)
                continue;
            struct samples t = kernel_cycles(b, &k, at);
            record(b, l.name, text("%u warps; steps of four chains", warps), &t,
                   1.0 / (warps * l.count), "cycles per warp's step and SM");
        }
        kernel_free(b, &k);
    }
}

void group_chain(struct bench *b)
{
#define LINE                                                                                       \
    "mov.u32 %r10, smem; mov.u32 %r12, 0; shl.b32 %r11, %r2, 2; add.u32 %r20, %r10, %r11;\n"       \
    "st.shared.u32 [%r20], %r12; add.u32 %r13, %r2, 1; rem.u32 %r13, %r13, %r6; shl.b32 %r13, "    \
    "%r13, 2;\n"                                                                                   \
    "add.u32 %r21, %r10, %r13; mov.u32 %r22, %r3; setp.eq.u32 %p4, %r2, 0; bar.sync 0;"
    static const struct loop kinds[] = {
        {"st; ld of own word; add", NULL, LINE,
         "st.shared.u32 [%r20], %r22; ld.shared.u32 %r23, [%r20]; add.u32 %r20, %r20, %r12; "
         "add.u32 %r22, %r23, 1;",
         "%r22", 8, 8192},
        {"st; bar.warp; ld of neighbour; add", NULL, LINE,
         "st.shared.u32 [%r20], %r22; bar.warp.sync -1; ld.shared.u32 %r22, [%r21]; add.u32 %r22, "
         "%r22, 1; bar.warp.sync -1;",
         "%r22", 8, 8192},
        {"st; bar.sync; ld of neighbour; add; bar.sync", NULL, LINE,
         "st.shared.u32 [%r20], %r22; bar.sync 0; ld.shared.u32 %r22, [%r21]; add.u32 %r22, %r22, "
         "1; bar.sync 0;",
         "%r22", 8, 8192},
        {"st; bar.sync; ld of neighbour; fma", NULL, LINE,
         "st.shared.u32 [%r20], %r22; bar.sync 0; ld.shared.u32 %r23, [%r21]; fma.rn.f32 %r22, "
         "%r23, %r22, %r22;",
         "%r22", 8, 8192},
        {"thread 0: ld; fma; st; bar.warp", NULL, LINE,
         "@%p4 ld.shared.u32 %r23, [%r20]; @%p4 fma.rn.f32 %r23, %r23, %r22, %r22; @%p4 "
         "st.shared.u32 [%r20], %r23; bar.warp.sync -1;",
         "%r22", 8, 8192},
        {"thread 0: ld; fma; st; bar.sync", NULL, LINE,
         "@%p4 ld.shared.u32 %r23, [%r20]; @%p4 fma.rn.f32 %r23, %r23, %r22, %r22; @%p4 "
         "st.shared.u32 [%r20], %r23; bar.sync 0;",
         "%r22", 8, 8192},
        {"ld; add to address", NULL, LINE, "ld.shared.u32 %r23, [%r21]; add.u32 %r21, %r21, %r23;",
         "%r21", 8, 8192},
        {"shfl; add", NULL, LINE,
         "shfl.sync.bfly.b32 %r23, %r22, 1, 31, -1; add.u32 %r22, %r22, %r23;", "%r22", 8, 8192},
        {"vote; select", NULL, LINE,
         "setp.gt.u32 %p5, %r22, 5; vote.sync.ballot.b32 %r23, %p5, -1; add.u32 %r22, %r23, 1;",
         "%r22", 8, 8192},
    };
    for (u32 i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct kernel k = build(b, &kinds[i]);
        for (u32 warps = 1; warps <= 32; warps *= warps == 8 ? 4 : 2) {
            struct launch l = {.grid = 1, .block = 32 * warps, .loops = loops_of(b, 32, 4)};
            struct samples s = kernel_cycles(b, &k, l);
            record(b, kinds[i].name, text("%u warps", warps), &s, 1.0 / kinds[i].count,
                   "cycles per step");
        }
        kernel_free(b, &k);
    }
}
