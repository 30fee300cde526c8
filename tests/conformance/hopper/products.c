/*
 * wgmma: one instruction on shared memory full of numbers, so that any descriptor reads something.
 *
 * Data of kind `whole` are small integers, whose sums are exact in any order: they tell where
 * elements lie. The other kinds tell how the tensor core adds.
 */
#include "bed.h"

#include <stdlib.h>
#include <string.h>

enum { TILE_BYTES = 64 << 10, B_AT = 16 << 10, MOST_SUMS = 128, GROUP = 128 };
enum kind { KIND_WHOLE, KIND_PLAIN, KIND_WIDE, KIND_RAW, KINDS };
static const char *const kind_names[] = {"whole", "plain", "wide", "raw"};

struct operand {
    const char *type;
    u32 bits, exponent_bits, bias, fraction_bits; /* of a float; integers have no exponent */
};

static const struct operand operands[] = {
    {"f16", 16, 5, 15, 10}, {"bf16", 16, 8, 127, 7}, {"tf32", 32, 8, 127, 23},
    {"e4m3", 8, 4, 7, 3},   {"e5m2", 8, 5, 15, 2},   {"s8", 8, 0, 0, 0},
    {"u8", 8, 0, 0, 0},     {"f32", 32, 8, 127, 23}, {"s32", 32, 0, 0, 0},
};

struct product {
    const char *d, *a, *b;
    u32 n, k;
    bool a_in_registers, transposed[2];
    int scale[2];
    bool no_c, sparse, satfinite;
    u32 swizzle[2]; /* 0 none, 1 128 B, 2 64 B, 3 32 B */
    u32 start[2];   /* bytes further on than the tile */
    enum kind kind;
};

static const struct operand *operand_of(const char *type)
{
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        if (!strcmp(operands[i].type, type))
            return &operands[i];
    }
    abort();
}

static u32 whole_number(const struct operand *o, u64 r)
{
    int v = (int)(r % 9) - 4;
    u32 sign = v < 0, size = (u32)(v < 0 ? -v : v), top = 31u - (u32)__builtin_clz(size | 1);
    if (!o->exponent_bits)
        return (u32)v;
    if (!size)
        return 0;
    u32 fraction = (size << (23 - top)) & 0x7fffff;
    return sign << (o->bits - 1) | (o->bias + top) << o->fraction_bits |
           fraction >> (23 - o->fraction_bits);
}

/* An element of one kind: sign, exponent in a range, any fraction. */
static u32 element(const struct operand *o, enum kind kind, u64 seed)
{
    u64 r = noise(seed);
    u32 mask = o->bits == 32 ? ~0u : (1u << o->bits) - 1;
    if (kind == KIND_WHOLE)
        return whole_number(o, r) & mask;
    if (kind == KIND_RAW || !o->exponent_bits)
        return (u32)r & mask;
    u32 range = kind == KIND_PLAIN ? 3 : o->exponent_bits == 8 ? 40 : (1u << o->exponent_bits) - 3;
    u32 exponent = kind == KIND_PLAIN      ? o->bias - 2 + (u32)(r >> 40) % range
                   : o->exponent_bits == 8 ? o->bias - 20 + (u32)(r >> 40) % range
                                           : (u32)(r >> 40) % range;
    u32 fraction = (u32)r & ((1u << o->fraction_bits) - 1);
    return (u32)(r >> 63) << (o->bits - 1) | exponent << o->fraction_bits | fraction;
}

static void fill(u8 *to, u32 bytes, const char *type, enum kind kind, u64 seed)
{
    const struct operand *o = operand_of(type);
    for (u32 i = 0; i < bytes * 8 / o->bits; i++) {
        u32 v = element(o, kind, seed + i);
        memcpy(to + (size_t)i * o->bits / 8, &v, o->bits / 8);
    }
}

static u32 sums_of(const struct product *p)
{
    return strcmp(p->d, "f16") ? p->n / 2 : p->n / 4;
}

static void write_list(struct bed *b, const char *name, u32 count)
{
    ptx_add(b, "{");
    for (u32 i = 0; i < count; i++)
        ptx_add(b, "%s%%%s%u", i ? "," : "", name, i);
    ptx_add(b, "}");
}

static void write_descriptor(struct bed *b, const char *name)
{
    ptx_add(b, "ld.param.u64 %%d1, [%s];\nadd.u64 %%%s, %%d1, %%base;\n", name, name);
}

static void write_product(struct bed *b, const struct product *p)
{
    bool half = !strcmp(p->a, "f16") || !strcmp(p->a, "bf16"), whole = !strcmp(p->d, "s32");
    ptx_add(b, "wgmma.mma_async%s.sync.aligned.m64n%uk%u.%s.%s.%s%s ", p->sparse ? ".sp" : "", p->n,
            p->k, p->d, p->a, p->b, p->satfinite ? ".satfinite" : "");
    write_list(b, "s", sums_of(p));
    ptx_add(b, ", ");
    if (p->a_in_registers)
        write_list(b, "a", 4);
    else
        ptx_add(b, "%%da");
    ptx_add(b, ", %%db, ");
    if (p->sparse)
        ptx_add(b, "%%meta, 0, ");
    ptx_add(b, "%%p0");
    if (!whole)
        ptx_add(b, ", %d, %d", p->scale[0], p->scale[1]);
    if (half && !p->a_in_registers)
        ptx_add(b, ", %d", p->transposed[0]);
    if (half)
        ptx_add(b, ", %d", p->transposed[1]);
    ptx_add(b, ";\n");
}

static void write_kernel(struct bed *b, const struct product *p)
{
    u32 sums = sums_of(p);
    ptx_begin(b);
    ptx_add(b,
            ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 da, .param .u64 db, "
            ".param .u32 usec)\n.maxntid 128, 1, 1\n{\n"
            ".reg .b32 %%r<8>, %%v<4>, %%s<128>, %%a<4>, %%meta;\n"
            ".reg .b64 %%in, %%out, %%d<4>, %%base, %%da, %%db;\n.reg .pred %%p<2>;\n"
            "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\n"
            "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, smem;\nshl.b32 %%r2, %%r0, 4;\n"
            "cvt.u64.u32 %%d0, %%r2;\nadd.u64 %%d0, %%d0, %%in;\nadd.u32 %%r1, %%r1, %%r2;\n"
            "mov.u32 %%r3, 0;\n"
            "COPY: ld.global.v4.b32 {%%v0,%%v1,%%v2,%%v3}, [%%d0];\n"
            "st.shared.v4.b32 [%%r1], {%%v0,%%v1,%%v2,%%v3};\nadd.u64 %%d0, %%d0, 2048;\n"
            "add.u32 %%r1, %%r1, 2048;\nadd.u32 %%r3, %%r3, 2048;\n"
            "setp.lt.u32 %%p0, %%r3, %u;\n@%%p0 bra COPY;\n",
            (u32)TILE_BYTES);
    ptx_add(b, "fence.proxy.async;\nbar.sync 0;\nshl.b32 %%r2, %%r0, 2;\ncvt.u64.u32 %%d0, %%r2;\n"
               "add.u64 %%in, %%in, %%d0;\nadd.u64 %%out, %%out, %%d0;\n");
    for (u32 i = 0; i < sums; i++)
        ptx_add(b, "ld.global.b32 %%s%u, [%%in+%u];\n", i, TILE_BYTES + 4 * GROUP * i);
    for (u32 i = 0; i < 4; i++)
        ptx_add(b, "ld.global.b32 %%a%u, [%%in+%u];\n", i,
                TILE_BYTES + 4 * GROUP * (MOST_SUMS + i));
    ptx_add(b, "ld.global.b32 %%meta, [%%in+%u];\n", TILE_BYTES + 4 * GROUP * (MOST_SUMS + 4));
    ptx_add(b, "mov.u32 %%r1, smem;\nand.b32 %%r1, %%r1, 0x3ffff;\nshr.u32 %%r1, %%r1, 4;\n"
               "cvt.u64.u32 %%base, %%r1;\nld.param.u32 %%r4, [usec];\n"
               "setp.ne.u32 %%p0, %%r4, 0;\n");
    write_descriptor(b, "da");
    write_descriptor(b, "db");
    ptx_add(b, "wgmma.fence.sync.aligned;\n");
    write_product(b, p);
    ptx_add(b, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    for (u32 i = 0; i < sums; i++)
        ptx_add(b, "st.global.b32 [%%out+%u], %%s%u;\n", 4 * GROUP * i, i);
    ptx_add(b, "ret;\n}\n");
}

/* Leading and stride byte offsets as a tile of that operand, stored densely, has them. */
static u64 descriptor(const struct product *p, u32 which)
{
    static const u32 widths[] = {16, 128, 64, 32};
    u32 w = widths[p->swizzle[which]], leading = 16, stride = 8 * w;
    if (!p->swizzle[which]) { /* 8 x 16 bytes each: two along k, then along rows */
        leading = 128;
        stride = 256;
    }
    if (p->transposed[which] && p->swizzle[which]) { /* all of k before the next w of the rows */
        leading = 16 * w;
        stride = 8 * w;
    }
    u32 start = (which ? B_AT : 0) + p->start[which];
    return (u64)(start >> 4) | (u64)(leading >> 4) << 16 | (u64)(stride >> 4) << 32 |
           (u64)p->swizzle[which] << 62;
}

static void name_product(char *name, size_t size, const struct product *p)
{
    static const char *const swizzles[] = {"s0", "s128", "s64", "s32"};
    snprintf(name, size, "wgmma%s.m64n%uk%u.%s.%s.%s%s/%s%s%s%s%s%s%s%s/%s", p->sparse ? ".sp" : "",
             p->n, p->k, p->d, p->a, p->b, p->satfinite ? ".satfinite" : "",
             p->a_in_registers ? "r" : swizzles[p->swizzle[0]], p->transposed[0] ? "t" : "",
             p->start[0] ? "+" : "", p->scale[0] < 0 ? "-" : "", swizzles[p->swizzle[1]],
             p->transposed[1] ? "t" : "", p->start[1] ? "+" : "", p->scale[1] < 0 ? "-" : "",
             p->no_c ? "noc" : kind_names[p->kind]);
}

/* Metadata of sparse products: any two of four; of tf32 0100 or 1110. */
static u32 metadata(const struct product *p, u64 seed)
{
    static const u8 pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    u32 word = 0;
    for (u32 i = 0; i < 8; i++) {
        u64 r = noise(seed * 8 + i + 77);
        word |= (u32)(!strcmp(p->a, "tf32") ? (r & 1 ? 0x4u : 0xeu) : pairs[r % 6]) << 4 * i;
    }
    return word;
}

static void run_product(struct bed *b, const struct product *p)
{
    char name[96];
    CUmodule module = NULL;
    enum { IN_BYTES = TILE_BYTES + 4 * GROUP * (MOST_SUMS + 5) };
    static u8 in[IN_BYTES], out[4 * GROUP * MOST_SUMS];
    name_product(name, sizeof name, p);
    if (!bed_wants(b, name))
        return;
    write_kernel(b, p);
    CUfunction f = ptx_load(b, name, &module);
    if (!f)
        return;
    fill(in, B_AT, p->a, p->kind, 1u << 20);
    fill(in + B_AT, TILE_BYTES - B_AT, p->b, p->kind, 2u << 20);
    fill(in + TILE_BYTES, 4 * GROUP * MOST_SUMS, p->d, p->kind, 3u << 20);
    fill(in + TILE_BYTES + 4 * GROUP * MOST_SUMS, 4 * GROUP * 4, p->a, p->kind, 4u << 20);
    for (u32 i = 0; i < GROUP; i++) {
        u32 m = metadata(p, i);
        memcpy(in + TILE_BYTES + 4 * (size_t)GROUP * (MOST_SUMS + 4) + 4 * (size_t)i, &m, 4);
    }
    CUdeviceptr from = 0, to = 0;
    u64 da = descriptor(p, 0), db = descriptor(p, 1);
    u32 use_c = !p->no_c, bytes = 4 * GROUP * sums_of(p);
    b->driver.cuMemAlloc(&from, IN_BYTES);
    b->driver.cuMemAlloc(&to, sizeof out);
    b->driver.cuMemcpyHtoD(from, in, IN_BYTES);
    void *params[] = {&from, &to, &da, &db, &use_c};
    if (bed_launch(b, name, f, 1, 1, GROUP, TILE_BYTES, params)) {
        b->driver.cuMemcpyDtoH(out, to, bytes);
        bed_answer(b, name, "ok", out, bytes);
        b->driver.cuMemFree(from);
        b->driver.cuMemFree(to);
        b->driver.cuModuleUnload(module);
    }
}

static u32 k_of(const char *type, bool sparse)
{
    return 256 / operand_of(type)->bits * (sparse ? 2 : 1);
}

static const char *const forms[][3] = {
    {"f32", "f16", "f16"},   {"f16", "f16", "f16"},   {"f32", "bf16", "bf16"},
    {"f32", "tf32", "tf32"}, {"f32", "e4m3", "e4m3"}, {"f16", "e4m3", "e4m3"},
    {"f32", "e5m2", "e5m2"}, {"f16", "e5m2", "e4m3"}, {"f32", "e4m3", "e5m2"},
    {"s32", "s8", "s8"},     {"s32", "u8", "u8"},     {"s32", "s8", "u8"},
    {"s32", "u8", "s8"},
};

static struct product plain_product(u32 form, u32 n, bool sparse)
{
    struct product p = {.d = forms[form][0],
                        .a = forms[form][1],
                        .b = forms[form][2],
                        .n = n,
                        .sparse = sparse,
                        .scale = {1, 1},
                        .swizzle = {1, 1}};
    p.k = k_of(p.a, sparse);
    return p;
}

/* Where elements lie: all swizzles, both orders, starts inside a pattern, A in registers. */
static void run_layouts(struct bed *b, u32 form, bool sparse)
{
    bool half = forms[form][1][0] == 'b' || !strcmp(forms[form][1], "f16");
    for (u32 s = 0; s < 4; s++) {
        struct product p = plain_product(form, 64, sparse);
        p.swizzle[0] = p.swizzle[1] = s;
        run_product(b, &p);
        if (s && s < 3) { /* the second and last 32 bytes of a row */
            p.start[0] = 32;
            p.start[1] = s == 1 ? 96 : 32;
            run_product(b, &p);
            p.start[0] = p.start[1] = 0;
        }
        for (u32 t = 1; half && t < 4; t++) {
            p.transposed[0] = t & 1;
            p.transposed[1] = t >> 1;
            run_product(b, &p);
        }
    }
    struct product p = plain_product(form, 64, sparse);
    p.a_in_registers = true;
    run_product(b, &p);
}

static void run_sums(struct bed *b, u32 form, bool sparse)
{
    for (enum kind kind = KIND_PLAIN; kind < KINDS; kind++) {
        struct product p = plain_product(form, 64, sparse);
        p.kind = kind;
        p.a_in_registers = kind == KIND_WIDE;
        run_product(b, &p);
    }
    struct product p = plain_product(form, 32, sparse);
    p.kind = KIND_PLAIN;
    p.no_c = true;
    run_product(b, &p);
    p.no_c = false;
    if (!strcmp(p.d, "s32")) {
        if (p.a[0] == p.b[0]) {
            p.satfinite = true;
            p.kind = KIND_RAW;
            run_product(b, &p);
        }
        return;
    }
    p.scale[0] = -1;
    run_product(b, &p);
    p.scale[1] = -1;
    run_product(b, &p);
}

void products_run(struct bed *b)
{
    static const u32 sizes[] = {8, 16, 24, 96, 128, 192, 256};
    for (u32 sparse = 0; sparse < 2; sparse++) {
        for (u32 form = 0; form < sizeof forms / sizeof forms[0]; form++) {
            run_layouts(b, form, sparse);
            run_sums(b, form, sparse);
            for (u32 i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
                struct product p = plain_product(form, sizes[i], sparse);
                p.kind = KIND_PLAIN;
                if (!sparse || i == 6)
                    run_product(b, &p);
            }
        }
    }
}
