/* How often each of 64 members was in a set. Counts are bit-sliced, one bit of all 64 counts in a
 * word, so that adding a set costs two words on average, however many are in it. */
#ifndef BASE_TALLY_H
#define BASE_TALLY_H

#include "base/types.h"

struct tally {
    u64 bits[64]; /* from the lowest of the counts to the highest */
};

static inline void tally_add(struct tally *t, u64 set)
{
    for (u64 *bits = t->bits; set; bits++) {
        u64 carry = *bits & set;
        *bits ^= set;
        set = carry;
    }
}

static inline u64 tally_of(const struct tally *t, u32 which)
{
    u64 count = 0;
    for (u32 i = 64; i-- > 0;)
        count = count * 2 + (t->bits[i] >> which & 1);
    return count;
}

#endif
