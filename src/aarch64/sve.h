/* Elements of scalable vectors and predicates, for the files that execute SVE. */
#ifndef AARCH64_SVE_H
#define AARCH64_SVE_H

#include "aarch64/op.h"

#include <string.h>

static inline u64 element_of(const u8 *z, u32 e, u32 size)
{
    switch (size) {
    case 0:
        return z[e];
    case 1: {
        u16 v;
        memcpy(&v, z + e * 2, 2);
        return v;
    }
    case 2: {
        u32 v;
        memcpy(&v, z + e * 4, 4);
        return v;
    }
    default: {
        u64 v;
        memcpy(&v, z + e * 8, 8);
        return v;
    }
    }
}

static inline void set_element(u8 *z, u32 e, u32 size, u64 v)
{
    switch (size) {
    case 0:
        z[e] = (u8)v;
        return;
    case 1:
        memcpy(z + e * 2, &v, 2);
        return;
    case 2:
        memcpy(z + e * 4, &v, 4);
        return;
    default:
        memcpy(z + e * 8, &v, 8);
    }
}

/* The bit of an element in a predicate. */
static inline bool is_active(const u8 *p, u32 e, u32 size)
{
    u32 bit = e << size;
    return p[bit >> 3] >> (bit & 7) & 1;
}

/* All bits of an element: only the lowest can be 1. */
static inline void set_active(u8 *p, u32 e, u32 size, bool v)
{
    u32 bit = e << size, width = 1u << size;
    u8 mask = (u8)(((1u << width) - 1) << (bit & 7));
    p[bit >> 3] = (u8)((p[bit >> 3] & ~mask) | (v ? 1u << (bit & 7) : 0));
}

static inline u32 elements(const struct a64_thread *t, u32 size)
{
    return t->vl >> size;
}

/* A scalar of a vector register: what lies behind it becomes 0. */
static inline void set_scalar(struct a64_thread *t, u32 reg, u64 v, u32 size)
{
    memset(t->z[reg], 0, A64_MOST_VL);
    set_element(t->z[reg], 0, size, v);
}

/* Elements that a pattern of ptrue or cnt means, of n. */
u32 a64_pattern_elements(u32 pattern, u32 n);
/* Flags of a predicate of `size`, of those elements that g has: first, none, not last. */
u8 a64_predicate_flags(const struct a64_thread *t, const u8 *g, const u8 *p, u32 size);
/* v + by, or the nearest value that an element of so many bits can have. */
u64 a64_saturate_by(u64 v, i128 by, bool is_signed, u32 bits);

#endif
