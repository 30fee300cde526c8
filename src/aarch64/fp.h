/*
 * Floating-point arithmetic by AArch64's rules in its default mode: round to nearest even, nothing
 * flushed; a NaN among the operands is the result, made quiet, signalling ones and earlier operands
 * first. Values are bits; size is 1 for half, 2 for single, 3 for double precision.
 */
#ifndef AARCH64_FP_H
#define AARCH64_FP_H

#include "base/types.h"

enum fp_operation {
    FP_MUL,
    FP_DIV,
    FP_ADD,
    FP_SUB,
    FP_MAX,
    FP_MIN,
    FP_MAXNM,
    FP_MINNM,
    FP_NMUL,
    FP_ABD,
};

enum fp_rounding { ROUND_NEAREST, ROUND_UP, ROUND_DOWN, ROUND_ZERO, ROUND_AWAY };

u64 fp_binary(enum fp_operation operation, u64 a, u64 b, u32 size);
/* addend + n * m, rounded once */
u64 fp_fma(u64 addend, u64 n, u64 m, u32 size);
u64 fp_sqrt(u64 v, u32 size);
u64 fp_round(u64 v, enum fp_rounding to, u32 size);
u64 fp_convert(u64 v, u32 from, u32 to);
/* To an integer of `bits`: what does not fit becomes the nearest that does, a NaN 0. */
u64 fp_to_integer(u64 v, u32 size, enum fp_rounding rounding, bool is_signed, u32 bits);
u64 fp_from_integer(u64 v, bool is_signed, u32 size);
u64 fp_from_double(double v, u32 size);

enum fp_relation { FP_LESS, FP_EQUAL, FP_GREATER, FP_UNORDERED };
enum fp_relation fp_compare(u64 a, u64 b, u32 size);

static inline u64 fp_sign(u32 size)
{
    return (u64)1 << ((8u << size) - 1);
}

static inline u64 fp_negate(u64 v, u32 size)
{
    return v ^ fp_sign(size);
}

static inline u64 fp_abs(u64 v, u32 size)
{
    return v & ~fp_sign(size);
}

static inline u64 fp_infinity(u32 size)
{
    return size == 3 ? (u64)0x7ff << 52 : size == 2 ? (u64)0xff << 23 : (u64)0x1f << 10;
}

static inline u64 fp_default_nan(u32 size)
{
    return size == 3 ? (u64)0xfff << 51 : size == 2 ? (u64)0x1ff << 22 : (u64)0x3f << 9;
}

static inline bool fp_is_nan(u64 v, u32 size)
{
    return fp_abs(v, size) > fp_infinity(size);
}

#endif
