/* The last bits of a history, folded into fewer by exclusive or (Seznec and Michaud, JILP 2006). */
#ifndef POLICY_BRANCH_FOLD_H
#define POLICY_BRANCH_FOLD_H

#include "base/types.h"

struct fold {
    u32 value;
    u8 bits, out; /* out: where the oldest bit has come to lie */
};

/* Of a history of so many bits. */
static inline struct fold fold_of(u32 length, u32 bits)
{
    return (struct fold){.bits = (u8)bits, .out = (u8)(length % bits)};
}

static inline void fold_in(struct fold *f, u32 newest, u32 oldest)
{
    f->value = f->value << 1 | newest;
    f->value ^= oldest << f->out;
    f->value ^= f->value >> f->bits;
    f->value &= (1u << f->bits) - 1;
}

#endif
