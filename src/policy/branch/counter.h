/* Two-bit counters, the upper half of which says "taken". */
#ifndef POLICY_BRANCH_COUNTER_H
#define POLICY_BRANCH_COUNTER_H

#include "base/types.h"

#include <string.h>

#define WEAKLY_NOT_TAKEN 1

static inline bool counter_is_taken(u8 counter)
{
    return counter >= 2;
}

static inline void counter_train(u8 *counter, bool taken)
{
    if (taken && *counter < 3)
        ++*counter;
    else if (!taken && *counter > 0)
        --*counter;
}

static inline void counters_init(u8 *counters, size_t count)
{
    memset(counters, WEAKLY_NOT_TAKEN, count);
}

/* The low bits of a number. */
static inline u64 low_bits(u64 x, u32 bits)
{
    return x & (((u64)1 << bits) - 1);
}

#endif
