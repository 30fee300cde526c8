/*
 * Latency and throughput of instructions, one row per PTX operation.
 *
 * In a template $0 to $3 are a chain's own registers, $x $y $z $w are shared by all chains and
 * never change, $R $D $H $P are scratch of a chain (32, 64, 16 bits, predicate). With `rotate`, $0
 * $1 $2 change places at every step: a sum of a chain with a constant would otherwise be folded by
 * the assembler (x + c + c is one IADD3), and so would logic.
 *
 * Latency: one warp, one chain. Throughput: 32 warps on one SM, four chains each, so the figure per
 * sub-core is a quarter of the SM's. A template of several operations is timed as a whole.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define STEPS 64
#define CHAINS 4

struct row {
    const char *name;
    char type; /* of chain registers: i and f, 32 bits; l and d, 64; h, two halves */
    u8 registers;
    bool rotate;
    const char *steps;
};

static const struct row rows[] = {
    {"add.s32", 'i', 2, true, "add.s32 $0, $0, $1;"},
    {"mul.lo.s32", 'i', 1, false, "mul.lo.s32 $0, $0, $x;"},
    {"mad.lo.s32", 'i', 1, false, "mad.lo.s32 $0, $0, $x, $y;"},
    {"mul.hi.u32", 'i', 1, false, "mul.hi.u32 $0, $0, $x;"},
    {"mad.wide.u32", 'l', 1, false, "cvt.u32.u64 $R, $0; mad.wide.u32 $0, $R, %r1, $0;"},
    {"add.s64", 'l', 2, true, "add.s64 $0, $0, $1;"},
    {"mul.lo.s64", 'l', 1, false, "mul.lo.s64 $0, $0, $x;"},
    {"shl.b32", 'i', 1, false, "shl.b32 $0, $0, $x;"},
    {"shr.u32", 'i', 1, false, "shr.u32 $0, $0, $x;"},
    {"shf.l.wrap.b32", 'i', 2, true, "shf.l.wrap.b32 $0, $0, $1, $x;"},
    {"lop3.b32", 'i', 3, true, "lop3.b32 $0, $0, $1, $2, 0xe8;"},
    {"min.s32+max.s32", 'i', 1, false, "min.s32 $0, $0, $x; max.s32 $0, $0, $y;"},
    {"setp.s32+selp", 'i', 1, false, "setp.lt.s32 $P, $0, $x; selp.b32 $0, $0, $y, $P;"},
    {"prmt.b32", 'i', 2, true, "prmt.b32 $0, $0, $1, $x;"},
    {"bfe.u32", 'i', 1, false, "bfe.u32 $0, $0, $x, $y;"},
    {"popc.b32", 'i', 1, false, "popc.b32 $0, $0;"},
    {"clz.b32", 'i', 1, false, "clz.b32 $0, $0;"},
    {"brev.b32", 'i', 2, true, "brev.b32 $0, $1;"},
    {"bfind.u32", 'i', 1, false, "bfind.u32 $0, $0;"},
    {"sad.u32", 'i', 1, false, "sad.u32 $0, $0, $x, $y;"},
    {"dp4a.s32", 'i', 1, false, "dp4a.s32.s32 $0, $0, $x, $y;"},
    {"div.u32", 'i', 1, false, "div.u32 $0, $x, $0;"},
    {"rem.u32", 'i', 1, false, "rem.u32 $0, $x, $0;"},
    {"div.s32", 'i', 1, false, "div.s32 $0, $x, $0;"},
    {"div.u64", 'l', 1, false, "div.u64 $0, $x, $0;"},
    {"add.f32", 'f', 1, false, "add.f32 $0, $0, $x;"},
    {"mul.f32", 'f', 1, false, "mul.f32 $0, $0, $x;"},
    {"fma.f32", 'f', 1, false, "fma.rn.f32 $0, $0, $x, $y;"},
    {"min.f32+max.f32", 'f', 1, false, "min.f32 $0, $0, $x; max.f32 $0, $0, $y;"},
    {"setp.f32+selp", 'f', 1, false, "setp.lt.f32 $P, $0, $x; selp.b32 $0, $0, $y, $P;"},
    {"rcp.approx.ftz.f32+add.f32", 'f', 1, false,
     "rcp.approx.ftz.f32 $0, $0; add.ftz.f32 $0, $0, $x;"},
    {"sqrt.approx.ftz.f32", 'f', 1, false, "sqrt.approx.ftz.f32 $0, $0;"},
    {"rsqrt.approx.ftz.f32", 'f', 1, false, "rsqrt.approx.ftz.f32 $0, $0;"},
    {"sin.approx.ftz.f32", 'f', 1, false, "sin.approx.ftz.f32 $0, $0;"},
    {"cos.approx.ftz.f32", 'f', 1, false, "cos.approx.ftz.f32 $0, $0;"},
    {"ex2.approx.ftz.f32", 'f', 1, false, "ex2.approx.ftz.f32 $0, $0;"},
    {"lg2.approx.ftz.f32", 'f', 1, false, "lg2.approx.ftz.f32 $0, $0;"},
    {"tanh.approx.f32", 'f', 1, false, "tanh.approx.f32 $0, $0;"},
    {"rcp.approx.f32", 'f', 1, false, "rcp.approx.f32 $0, $0;"},
    {"sqrt.approx.f32", 'f', 1, false, "sqrt.approx.f32 $0, $0;"},
    {"rsqrt.approx.f32", 'f', 1, false, "rsqrt.approx.f32 $0, $0;"},
    {"ex2.approx.f32", 'f', 1, false, "ex2.approx.f32 $0, $0;"},
    {"lg2.approx.f32", 'f', 1, false, "lg2.approx.f32 $0, $0;"},
    {"sin.approx.f32", 'f', 1, false, "sin.approx.f32 $0, $0;"},
    {"rcp.rn.f32", 'f', 1, false, "rcp.rn.f32 $0, $0;"},
    {"sqrt.rn.f32", 'f', 1, false, "sqrt.rn.f32 $0, $0;"},
    {"div.approx.f32", 'f', 1, false, "div.approx.f32 $0, $x, $0;"},
    {"div.full.f32", 'f', 1, false, "div.full.f32 $0, $x, $0;"},
    {"div.rn.f32", 'f', 1, false, "div.rn.f32 $0, $x, $0;"},
    {"add.f64", 'd', 1, false, "add.f64 $0, $0, $x;"},
    {"mul.f64", 'd', 1, false, "mul.f64 $0, $0, $x;"},
    {"fma.f64", 'd', 1, false, "fma.rn.f64 $0, $0, $x, $y;"},
    {"setp.f64+selp", 'd', 1, false, "setp.lt.f64 $P, $0, $x; selp.b64 $0, $0, $y, $P;"},
    {"div.rn.f64", 'd', 1, false, "div.rn.f64 $0, $x, $0;"},
    {"sqrt.rn.f64", 'd', 1, false, "sqrt.rn.f64 $0, $0;"},
    {"rcp.rn.f64", 'd', 1, false, "rcp.rn.f64 $0, $0;"},
    {"add.f16x2", 'h', 1, false, "add.f16x2 $0, $0, $x;"},
    {"mul.f16x2", 'h', 1, false, "mul.f16x2 $0, $0, $x;"},
    {"fma.f16x2", 'h', 1, false, "fma.rn.f16x2 $0, $0, $x, $y;"},
    {"fma.bf16x2", 'h', 1, false, "fma.rn.bf16x2 $0, $0, $x, $y;"},
    {"cvt.f32.s32", 'i', 1, false, "cvt.rn.f32.s32 $0, $0;"},
    {"cvt.s32.f32", 'f', 1, false, "cvt.rzi.s32.f32 $0, $0;"},
    {"cvt.rni.f32.f32", 'f', 2, true, "cvt.rni.f32.f32 $0, $1;"},
    {"cvt.f64.f32+cvt.f32.f64", 'f', 1, false, "cvt.f64.f32 $D, $0; cvt.rn.f32.f64 $0, $D;"},
    {"cvt.f16.f32+cvt.f32.f16", 'f', 1, false, "cvt.rn.f16.f32 $H, $0; cvt.f32.f16 $0, $H;"},
    {"cvt.f64.s32+cvt.s32.f64", 'i', 1, false, "cvt.rn.f64.s32 $D, $0; cvt.rzi.s32.f64 $0, $D;"},
    {"cvt.f32.s64", 'l', 1, false, "cvt.rn.f32.s64 $R, $0; cvt.u64.u32 $0, $R;"},
    {"cvt.u32.u8", 'i', 1, false, "cvt.u16.u32 $H, $0; cvt.u32.u8 $0, $H; add.s32 $0, $0, $x;"},
    {"shfl.idx", 'i', 2, false, "shfl.sync.idx.b32 $0, $0, $1, 31, -1;"},
    {"shfl.bfly", 'i', 1, false, "shfl.sync.bfly.b32 $0, $0, 1, 31, -1;"},
    {"shfl.up", 'i', 1, false, "shfl.sync.up.b32 $0, $0, 1, 0, -1;"},
    {"setp+vote.ballot", 'i', 1, false, "setp.ne.s32 $P, $0, $x; vote.sync.ballot.b32 $0, $P, -1;"},
    {"setp+vote.all+selp", 'i', 1, false,
     "setp.ne.s32 $P, $0, $x; vote.sync.all.pred $P, $P, -1; selp.b32 $0, $x, $y, $P;"},
    {"match.any", 'i', 1, false, "match.any.sync.b32 $0, $0, -1;"},
    {"redux.add", 'i', 1, false, "redux.sync.add.s32 $0, $0, -1;"},
    {"bar.warp.sync", 'i', 1, false, "bar.warp.sync -1;"},
    {"and.b32+ld.const", 'i', 1, false, "and.b32 $R, $0, 4092; ld.const.u32 $0, [$R];"},
    {"mma.m16n8k8.f16.f32", 'f', 4, false,
     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {$0,$1,$2,$3}, {$x,$y}, {$z}, "
     "{$0,$1,$2,$3};"},
    {"mma.m16n8k16.f16.f32", 'f', 4, false,
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0,$1,$2,$3}, {$x,$y,$z,$w}, {$x,$y}, "
     "{$0,$1,$2,$3};"},
    {"mma.m16n8k16.f16.f16", 'h', 2, false,
     "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {$0,$1}, {$x,$y,$z,$w}, {$x,$y}, {$0,$1};"},
    {"mma.m16n8k16.bf16.f32", 'f', 4, false,
     "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$0,$1,$2,$3}, {$x,$y,$z,$w}, {$x,$y}, "
     "{$0,$1,$2,$3};"},
    {"mma.m16n8k8.tf32.f32", 'f', 4, false,
     "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {$0,$1,$2,$3}, {$x,$y,$z,$w}, {$x,$y}, "
     "{$0,$1,$2,$3};"},
    {"mma.m16n8k32.s8.s32", 'i', 4, false,
     "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {$0,$1,$2,$3}, {$x,$y,$z,$w}, {$x,$y}, "
     "{$0,$1,$2,$3};"},
    {"mma.m8n8k4.f64", 'd', 2, false,
     "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0,$1}, {$x}, {$y}, {$0,$1};"},
};

static bool is_wide(char type)
{
    return type == 'l' || type == 'd';
}

/* Registers of a chain: 32 from %r/%d 100 up, eight apart; scratch from 300 up. */
static void put_register(FILE *f, char which, const struct row *row, u32 chain, u32 step)
{
    const char *file = is_wide(row->type) ? "%d" : "%r";
    if (which >= '0' && which <= '3') {
        u32 at = (u32)(which - '0');
        if (row->rotate)
            at = (at + step) % row->registers;
        fprintf(f, "%s%u", file, 100 + 8 * chain + at);
    } else if (which == 'R') {
        fprintf(f, "%%r%u", 300 + chain);
    } else if (which == 'D') {
        fprintf(f, "%%d%u", 300 + chain);
    } else if (which == 'H') {
        fprintf(f, "%%h%u", 1 + chain);
    } else if (which == 'P') {
        fprintf(f, "%%p%u", 8 + chain);
    } else {
        const char *shared = "xyzw";
        fprintf(f, "%s%u", file, 50 + (u32)(strchr(shared, which) - shared));
    }
}

static char *steps_text(const struct row *row, u32 chains, u32 steps)
{
    char *out = NULL;
    size_t bytes;
    FILE *f = open_memstream(&out, &bytes);
    for (u32 step = 0; step < steps; step++) {
        for (u32 chain = 0; chain < chains; chain++) {
            for (const char *c = row->steps; *c; c++) {
                if (*c == '$')
                    put_register(f, *++c, row, chain, step);
                else
                    fputc(*c, f);
            }
            fputc('\n', f);
        }
    }
    fclose(f);
    return out;
}

/* Values that stay ordinary numbers of the type: no denormals, no slow path of a division. */
static const char *start_value(char type, bool shared)
{
    switch (type) {
    case 'f':
        return shared ? "0x3f800347" : "0x3f8ccccd";
    case 'h':
        return shared ? "0x3c013c02" : "0x3c123c34";
    case 'd':
        return shared ? "0x3ff0000068db8bac" : "0x3ff199999999999a";
    case 'l':
        return shared ? "0x1234567" : "0x123456789abcdef";
    default:
        return shared ? "1" : "0x12345";
    }
}

/* Every register differs and depends on a parameter, so that the assembler knows none of them. */
static char *before_text(const struct row *row, u32 chains)
{
    char *out = NULL;
    size_t bytes;
    FILE *f = open_memstream(&out, &bytes);
    bool wide = is_wide(row->type);
    if (wide)
        fputs("cvt.u64.u32 %d10, %r1; cvt.u64.u32 %d11, %r3;\n", f);
    for (u32 i = 0; i < 4; i++)
        fprintf(f, wide ? "add.u64 %%d%u, %%d10, %s;\n" : "add.u32 %%r%u, %%r1, %s;\n", 50 + i,
                start_value(row->type, true));
    for (u32 i = 1; i < 4; i++) /* different, but by what only a parameter tells */
        fprintf(f,
                wide ? "mad.lo.u64 %%d%u, %%d10, %u, %%d%u;\n"
                     : "mad.lo.u32 %%r%u, %%r1, %u, %%r%u;\n",
                50 + i, i + 1, 50 + i);
    for (u32 chain = 0; chain < chains; chain++) {
        for (u32 i = 0; i < row->registers; i++) {
            u32 at = 100 + 8 * chain + i;
            fprintf(f,
                    wide ? "mad.lo.u64 %%d%u, %%d11, %u, %s;\n"
                         : "mad.lo.u32 %%r%u, %%r3, %u, %s;\n",
                    at, 1 + chain * 4 + i, start_value(row->type, false));
        }
    }
    fclose(f);
    return out;
}

/* Keeps all chains alive: a store that never happens. */
static char *sink_text(const struct row *row, u32 chains)
{
    char *out = NULL;
    size_t bytes;
    FILE *f = open_memstream(&out, &bytes);
    bool wide = is_wide(row->type);
    fputs("mov.u32 %r10, 0; mov.u64 %d12, 0;\n", f);
    for (u32 chain = 0; chain < chains; chain++) {
        for (u32 i = 0; i < row->registers; i++)
            fprintf(f, wide ? "xor.b64 %%d12, %%d12, %%d%u;\n" : "xor.b32 %%r10, %%r10, %%r%u;\n",
                    100 + 8 * chain + i);
    }
    fputs("mov.b64 {%r11, %r12}, %d12; xor.b32 %r10, %r10, %r11; xor.b32 %r10, %r10, %r12;\n"
          "setp.eq.u32 %p2, %r10, 0x9e3779b1;\n@%p2 st.global.u32 [%d0], %r10;\n",
          f);
    fclose(f);
    return out;
}

static struct kernel build_row(struct bench *b, const struct row *row, const char *name, u32 chains,
                               u32 steps)
{
    char *before = before_text(row, chains), *code = steps_text(row, chains, steps),
         *sink = sink_text(row, chains), *body = timed_loop(before, code, sink);
    struct kernel k = kernel_build(b, name, ".const .align 4 .b32 zeros[1024];", 0, body);
    free(before);
    free(code);
    free(sink);
    free(body);
    return k;
}

void group_instructions(struct bench *b)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        if (b->brief && strstr(row->name, "ld.const"))
            continue; /* an address without a symbol: heddle places constants elsewhere */
        struct kernel k = build_row(b, row, text("%s-latency", row->name), 1, STEPS);
        struct launch l = {.grid = 1, .block = 32, .loops = 16};
        struct samples s = kernel_cycles(b, &k, l);
        record(b, row->name, "latency", &s, 1.0 / STEPS, "cycles");
        kernel_free(b, &k);

        k = build_row(b, row, text("%s-throughput", row->name), CHAINS, STEPS / 2);
        l.block = 1024;
        s = kernel_cycles(b, &k, l);
        record(b, row->name, "interval per sub-core", &s, 1.0 / (8 * CHAINS * (STEPS / 2)),
               "cycles");
        kernel_free(b, &k);
    }
}

/* Which pairs share an issue slot or a pipe, and how few warps keep one busy. */
static const struct row pairs[] = {
    {"fma.f32", 'f', 1, false, "fma.rn.f32 $0, $0, $x, $y;"},
    {"shf.b32", 'i', 1, false, "shf.l.wrap.b32 $0, $0, $x, $y;"},
    {"mad.lo.s32", 'i', 1, false, "mad.lo.s32 $0, $0, $x, $y;"},
    {"fma.f32 and shf.b32", 'f', 2, false,
     "fma.rn.f32 $0, $0, $x, $y; shf.l.wrap.b32 $1, $1, $x, $y;"},
    {"fma.f32 and mad.lo.s32", 'f', 2, false,
     "fma.rn.f32 $0, $0, $x, $y; mad.lo.s32 $1, $1, $x, $y;"},
    {"shf.b32 and mad.lo.s32", 'i', 2, false,
     "shf.l.wrap.b32 $0, $0, $x, $y; mad.lo.s32 $1, $1, $x, $y;"},
    {"fma.f32 and fma.f16x2", 'f', 2, false,
     "fma.rn.f32 $0, $0, $x, $y; fma.rn.f16x2 $1, $1, $x, $y;"},
    {"fma.f32 and ex2.approx", 'f', 2, false,
     "fma.rn.f32 $0, $0, $x, $y; ex2.approx.ftz.f32 $1, $1;"},
    {"4 fma.f32 and ex2.approx", 'f', 2, false,
     "fma.rn.f32 $0, $0, $x, $y; fma.rn.f32 $0, $0, $x, $y; fma.rn.f32 $0, $0, $x, $y; "
     "fma.rn.f32 $0, $0, $x, $y; ex2.approx.ftz.f32 $1, $1;"},
    {"ex2.approx and popc", 'f', 2, false, "ex2.approx.ftz.f32 $0, $0; popc.b32 $1, $1;"},
    {"ex2.approx and cvt.s32.f32", 'f', 2, false,
     "ex2.approx.ftz.f32 $0, $0; cvt.rzi.s32.f32 $1, $1;"},
    {"fma.f32 and shfl", 'f', 2, false,
     "fma.rn.f32 $0, $0, $x, $y; shfl.sync.bfly.b32 $1, $1, 1, 31, -1;"},
    {"ex2.approx and shfl", 'f', 2, false,
     "ex2.approx.ftz.f32 $0, $0; shfl.sync.bfly.b32 $1, $1, 1, 31, -1;"},
};

static void record_code_sizes(struct bench *b)
{
    /* Straight code of 16 bytes per instruction: where the instruction caches end. */
    const struct row row = {"mad.lo.s32", 'i', 1, false, "mad.lo.s32 $0, $0, $x, $y;"};
    static const u32 sizes[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct kernel k = build_row(b, &row, text("code-%u", sizes[i]), 4, sizes[i] / 4);
        for (u32 warps = 1; warps <= 4; warps *= 4) {
            struct launch l = {.grid = 1, .block = 32 * warps, .loops = 8};
            struct samples s = kernel_cycles(b, &k, l);
            record(b, "straight code",
                   text("%u KiB; %u warp%s", sizes[i] / 64, warps, warps > 1 ? "s" : ""), &s,
                   1.0 / sizes[i], "cycles per instruction of a warp");
        }
        kernel_free(b, &k);
    }
}

void group_issue(struct bench *b)
{
    static const struct {
        u32 warps, chains;
    } shapes[] = {{1, 1}, {1, 2},  {1, 3}, {1, 4}, {1, 6}, {1, 8}, {4, 1},
                  {8, 1}, {16, 1}, {4, 4}, {8, 4}, {5, 4}, {32, 4}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct row *row = &pairs[i];
        u32 each = 1;
        for (const char *c = strchr(row->steps, ';'); c && c[1]; c = strchr(c + 1, ';'))
            each++;
        for (size_t j = 0; j < sizeof shapes / sizeof shapes[0]; j++) {
            u32 warps = shapes[j].warps, chains = shapes[j].chains;
            if (i >= 3 && j + 1 < sizeof shapes / sizeof shapes[0] && j != 3)
                continue;
            struct kernel k =
                build_row(b, row, text("%s-%u-%u", row->name, warps, chains), chains, STEPS / 2);
            struct launch l = {.grid = 1, .block = 32 * warps, .loops = 16};
            struct samples s = kernel_cycles(b, &k, l);
            record_rate(b, row->name, text("%u warps; %u chains each", warps, chains), &s,
                        (double)warps * chains * each * (STEPS / 2),
                        "warp instructions per cycle and SM");
            kernel_free(b, &k);
        }
    }
    record_code_sizes(b);
}
