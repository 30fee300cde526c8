/*
 * Matrices in and out of the registers of a warp, for tests: the element map of a fragment used the
 * slow way, and a multiplication that knows nothing of registers.
 */
#ifndef PTX_TENSOR_WARP_MATRIX_H
#define PTX_TENSOR_WARP_MATRIX_H

#include <math.h>

#include "ptx/tensor/fragment.h"
#include "ptx/tensor/mma.h"
#include "testing.h"

enum { REGS_MAX = 8, SIDE_MAX = 256 };

/* Registers of one operand; 64-bit rows so that f64 fits. */
struct operand {
    u64 lanes[REGS_MAX][32];
    u32 *regs[REGS_MAX];
};

/* Small integers: exact in every element type. */
struct matrix {
    i32 at[4][SIDE_MAX][SIDE_MAX]; /* [matrix][row][col] */
};

/* clang-format off */
static const char *const mma_forms[] = {
    "m8n8k4.row.row.f32.f16.f16.f32", "m8n8k4.row.col.f32.f16.f16.f32",
    "m8n8k4.col.row.f32.f16.f16.f32", "m8n8k4.col.col.f32.f16.f16.f32",
    "m8n8k4.row.col.f16.f16.f16.f16", "m8n8k4.col.row.f32.f16.f16.f16",
    "m16n8k8.row.col.f32.f16.f16.f32", "m16n8k8.row.col.f16.f16.f16.f16",
    "m16n8k16.row.col.f32.f16.f16.f32", "m16n8k16.row.col.f16.f16.f16.f16",
    "m16n8k8.row.col.f32.bf16.bf16.f32", "m16n8k16.row.col.f32.bf16.bf16.f32",
    "m16n8k4.row.col.f32.tf32.tf32.f32", "m16n8k8.row.col.f32.tf32.tf32.f32",
    "m8n8k4.row.col.f64.f64.f64.f64", "m16n8k4.row.col.f64.f64.f64.f64",
    "m16n8k8.row.col.f64.f64.f64.f64", "m16n8k16.row.col.f64.f64.f64.f64",
    "m8n8k16.row.col.s32.s8.u8.s32", "m16n8k16.row.col.s32.u8.s8.s32",
    "m16n8k32.row.col.satfinite.s32.s8.s8.s32", "m8n8k32.row.col.s32.s4.u4.s32",
    "m16n8k32.row.col.s32.u4.s4.s32", "m16n8k64.row.col.s32.s4.s4.s32",
    "m8n8k128.row.col.s32.b1.b1.s32.and.popc", "m16n8k128.row.col.s32.b1.b1.s32.and.popc",
    "m16n8k256.row.col.s32.b1.b1.s32.and.popc",
    "m16n8k16.row.col.f32.e4m3.e5m2.f32", "m16n8k32.row.col.f32.e5m2.e4m3.f32",
    "m16n8k16.row.col.f16.e4m3.e4m3.f16", "m16n8k32.row.col.f16.e5m2.e5m2.f16",
};

static const char *const wmma_forms[] = {
    "row.col.m16n16k16.f32.f32", "col.row.m16n16k16.f16.f16", "row.row.m16n16k16.f32.f16",
    "col.col.m16n16k16.f16.f32", "row.col.m32n8k16.f32.f32", "row.col.m32n8k16.f16.f16",
    "row.col.m8n32k16.f32.f32", "row.col.m8n32k16.f16.f16",
    "row.col.m16n16k16.f32.bf16.bf16.f32", "row.col.m32n8k16.f32.bf16.bf16.f32",
    "row.col.m8n32k16.f32.bf16.bf16.f32", "row.col.m16n16k8.f32.tf32.tf32.f32",
    "row.col.m16n16k16.s32.s8.s8.s32", "row.row.m32n8k16.s32.u8.u8.s32",
    "col.col.m8n32k16.s32.s8.s8.s32.satfinite", "row.col.m8n8k4.rn.f64.f64.f64.f64",
    "row.col.m8n8k32.s32.s4.s4.s32", "and.popc.row.col.m8n8k128.s32.b1.b1.s32",
};
/* clang-format on */

static bool form_parse(struct mma_shape *s, bool wmma, const char *form, struct err *err)
{
    char text[128];
    const char *words[16];
    char *rest = NULL;
    u32 n = 0;
    snprintf(text, sizeof text, "%s", form);
    for (char *w = strtok_r(text, ".", &rest); w && n < 16; w = strtok_r(NULL, ".", &rest))
        words[n++] = w;
    struct src_pos at = {.file = "test.ptx", .line = 7, .column = 3};
    return wmma ? wmma_parse(s, words, n, at, err) : mma_parse(s, words, n, at, err);
}

static inline struct mma_shape form_shape(bool wmma, const char *form)
{
    struct mma_shape s;
    struct err err = ERR_INIT;
    if (!form_parse(&s, wmma, form, &err))
        fail_msg("%s: %s", form, err.what);
    return s;
}

static inline u64 number_encode(enum mma_type type, i32 value)
{
    float f = (float)value;
    double d = value;
    u32 bits;
    u64 wide;
    memcpy(&bits, &f, sizeof bits);
    memcpy(&wide, &d, sizeof wide);
    switch (type) {
    case MMA_F16: /* normal or zero: rebias */
        return value == 0 ? 0
                          : (bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ffff) - ((127 - 15) << 10));
    case MMA_BF16:
        return bits >> 16;
    case MMA_TF32:
    case MMA_F32:
        return bits;
    case MMA_F64:
        return wide;
    case MMA_S32:
        return (u32)value;
    case MMA_E4M3: /* the same, of three bits and a bias of 7 */
        return value == 0 ? 0 : (bits >> 24 & 0x80) | ((bits >> 20 & 0x7ff) - ((127 - 7) << 3));
    case MMA_E5M2:
        return value == 0 ? 0 : (bits >> 24 & 0x80) | ((bits >> 21 & 0x3ff) - ((127 - 15) << 2));
    default:
        return (u32)value & ((1u << mma_type_bits(type)) - 1);
    }
}

static inline void operand_fill(const struct mma_shape *s, enum fragment_kind kind,
                                const struct matrix *m, struct operand *to)
{
    struct fragment f = fragment_of(s, kind);
    memset(to->lanes, 0, sizeof to->lanes);
    for (u32 reg = 0; reg < REGS_MAX; reg++)
        to->regs[reg] = (u32 *)to->lanes[reg];
    for (u32 reg = 0; reg < f.registers; reg++) {
        for (u32 lane = 0; lane < 32; lane++) {
            for (u32 part = 0; part < f.parts; part++) {
                struct element e = fragment_element(&f, lane, reg, part);
                u64 bits = number_encode(f.type, m->at[e.matrix][e.row][e.col]);
                if (f.bits == 64)
                    to->lanes[reg][lane] = bits;
                else
                    to->regs[reg][lane] |= (u32)bits << part * f.bits;
            }
        }
    }
}

/* Fails unless the registers hold exactly this matrix. */
static inline void operand_expect(const struct mma_shape *s, const char *form,
                                  const struct matrix *m, const struct operand *got)
{
    static struct operand expected;
    operand_fill(s, FRAGMENT_D, m, &expected);
    struct fragment f = fragment_of(s, FRAGMENT_D);
    for (u32 reg = 0; reg < f.registers; reg++) {
        for (u32 lane = 0; lane < 32; lane++) {
            bool wide = f.bits == 64;
            u64 want = wide ? expected.lanes[reg][lane] : expected.regs[reg][lane];
            u64 have = wide ? got->lanes[reg][lane] : got->regs[reg][lane];
            if (want != have)
                fail_msg("%s: register %u of lane %u is %lx, expected %lx", form, reg, lane, have,
                         want);
        }
    }
}

static inline void run(const struct mma_shape *s, const struct operand *a, const struct operand *b,
                       const struct operand *c, struct operand *d)
{
    for (u32 reg = 0; reg < REGS_MAX; reg++)
        d->regs[reg] = (u32 *)d->lanes[reg];
    mma_execute(s, (const u32 *const *)a->regs, (const u32 *const *)b->regs,
                (const u32 *const *)c->regs, d->regs);
}

/* D = A B + C in integers; b1 counts bits. */
static inline void matrix_multiply(const struct mma_shape *s, const struct matrix *a,
                                   const struct matrix *b, const struct matrix *c, struct matrix *d)
{
    u32 matrices = fragment_of(s, FRAGMENT_A).quads ? 4 : 1;
    for (u32 q = 0; q < matrices; q++) {
        for (u32 i = 0; i < s->m; i++) {
            for (u32 j = 0; j < s->n; j++) {
                i32 sum = c->at[q][i][j];
                for (u32 k = 0; k < s->k; k++)
                    sum += s->bit_op == MMA_XOR ? a->at[q][i][k] ^ b->at[q][k][j]
                                                : a->at[q][i][k] * b->at[q][k][j];
                d->at[q][i][j] = sum;
            }
        }
    }
}

static inline bool type_is_signed(enum mma_type type)
{
    return type != MMA_U8 && type != MMA_U4 && type != MMA_B1;
}

#endif
