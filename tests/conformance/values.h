/*
 * The values instructions are fed with and what counts as the same result.
 *
 * Inputs depend only on the operand's type, range and position and on the vector's index, never
 * on the form: forms with the same operands see the same inputs, and the recorded results of
 * neighbouring forms differ in few bits.
 */
#ifndef CONFORM_VALUES_H
#define CONFORM_VALUES_H

#include "text.h"

enum value_kind { KIND_BITS, KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT, KIND_PREDICATE };

/* A PTX type as an operand: which register holds it, how it lies in memory, how it reads. */
struct value_type {
    const char *name;
    const char *register_type; /* .b16, .b32, .b64 or .pred */
    u32 bytes;                 /* in memory; 8-bit types travel in whole 32-bit registers */
    enum value_kind kind;
    u32 lane_bits;                    /* 16 for f16x2, else the width of the value */
    u32 exponent_bits, fraction_bits; /* of one lane of a float */
};

/* Which part of a type's values an operand takes; `any` unless the table says otherwise. */
enum value_range {
    RANGE_ANY,
    RANGE_SHIFT,   /* mostly 0 to 80, sometimes anything */
    RANGE_FIELD,   /* the same within 0 to 255, all that bfe and bfi define */
    RANGE_NONZERO, /* division by zero is unspecified */
    RANGE_24BIT,   /* what mul24 and mad24 define */
    RANGE_LANE,    /* 0 to 31 */
    RANGE_BYTE,    /* 0 to 255 */
    RANGE_SMALL,   /* integers -8 to 8, also for floats: sums of products stay exact */
    RANGE_UNIT,    /* -1 to 1 */
    RANGE_ANGLE,   /* -2 pi to 2 pi, where the manual bounds sin and cos */
    RANGE_FINITE,  /* no infinities, no NaN */
    RANGE_DIVISOR, /* 2^-126 to 2^126, where the manual bounds div.approx */
};

struct segment {
    const struct value_type *type;
    enum value_range range;
    u32 count;
    u32 offset; /* bytes from the start of the buffer, 16-byte aligned */
};

/* Accepts a result that meets any of the bounds. Both the recorded GPU and the program under
 * test may be off by the bound, so twice the bound is allowed between them. */
enum { BOUNDS_MAX = 3 };

struct tolerance {
    bool any_nan; /* the payload and sign of a NaN are not defined */
    bool flushes; /* .ftz: a subnormal and zero are the same */
    u32 bounds;
    struct {
        enum { BOUND_ULP, BOUND_ABS, BOUND_REL } kind;
        double limit;
    } bound[BOUNDS_MAX];
};

const struct value_type *value_type_find(const char *name, size_t length);
bool value_range_find(const char *name, size_t length, enum value_range *range);

/* Fills one segment; `position` of `operands` is its place among a form's inputs. With `cross`,
 * the first half pairs the edge values of the first two operands. */
void segment_fill(const struct segment *s, u32 position, u32 operands, bool cross, u8 *to);

/* One lane of a float type, as a number. */
double value_as_double(const struct value_type *type, u64 bits);

bool tolerance_add(struct tolerance *t, const char *word); /* exact, nan-any, ulp:2, rel:2^-22 */
bool value_agrees(const struct tolerance *t, const struct value_type *type, const u8 *expected,
                  const u8 *got);
void value_print(struct text *t, const struct value_type *type, const u8 *value); /* hex */

#endif
