/*
 * When two results are the same, and how a value is shown when they are not.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

bool tolerance_add(struct tolerance *t, const char *word)
{
    static const char *const names[] = {"ulp:", "abs:", "rel:"};
    if (!strcmp(word, "exact"))
        return true;
    if (!strcmp(word, "nan-any"))
        return t->any_nan = true;
    for (u32 k = 0; k < 3; k++) {
        if (strncmp(word, names[k], 4) || t->bounds == BOUNDS_MAX)
            continue;
        const char *number = word + 4;
        double limit =
            strncmp(number, "2^", 2) ? strtod(number, NULL) : exp2(strtod(number + 2, NULL));
        t->bound[t->bounds].kind = k;
        t->bound[t->bounds++].limit = limit;
        return t->any_nan = true;
    }
    return false;
}

static bool lane_agrees(const struct tolerance *t, const struct value_type *type, u64 expected,
                        u64 got)
{
    if (expected == got)
        return true;
    if (type->kind != KIND_FLOAT || !(t->any_nan || t->bounds))
        return false;
    double want = value_as_double(type, expected), have = value_as_double(type, got);
    if (isnan(want) || isnan(have))
        return isnan(want) && isnan(have);
    if (!t->bounds)
        return false;
    /* An infinity next to the greatest finite number is one step away, as in the encoding. */
    int bias = (1 << (type->exponent_bits - 1)) - 1;
    double top = ldexp(1, bias + 1 > 1023 ? 1023 : bias + 1), least = ldexp(1, 1 - bias);
    want = isinf(want) ? copysign(top, want) : want;
    have = isinf(have) ? copysign(top, have) : have;
    double off = fabs(want - have), size = fmax(fabs(want), fabs(have));
    if (t->flushes && size <= least)
        return true;
    for (u32 k = 0; k < t->bounds; k++) {
        double limit = 2 * t->bound[k].limit;
        if (t->bound[k].kind == BOUND_ULP)
            limit *= ldexp(1, ilogb(fmax(size, least)) - (int)type->fraction_bits);
        else if (t->bound[k].kind == BOUND_REL)
            limit *= fmax(size, least);
        if (off <= limit)
            return true;
    }
    return false;
}

bool value_agrees(const struct tolerance *t, const struct value_type *type, const u8 *expected,
                  const u8 *got)
{
    u32 lane_bytes = type->lane_bits / 8;
    for (u32 at = 0; at < type->bytes; at += lane_bytes) {
        u64 want = 0, have = 0;
        memcpy(&want, expected + at, lane_bytes);
        memcpy(&have, got + at, lane_bytes);
        if (!lane_agrees(t, type, want, have))
            return false;
    }
    return true;
}

void value_print(struct text *t, const struct value_type *type, const u8 *value)
{
    u64 v = 0;
    memcpy(&v, value, type->bytes);
    text_add(t, "0x%0*llx", (int)type->bytes * 2, (unsigned long long)v);
}
