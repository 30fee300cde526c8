/* Ways for several working sets: Lee 2013, equations 22 to 24. */
#ifndef POLICY_LLC_SHARES_H
#define POLICY_LLC_SHARES_H

#include "l2/llc_policy.h"

/* Rounded up, each takes one way more than there may be: one is taken from the set with most ways
 * above one, of those from the one that was rounded up most, of those from the first. */
static inline void way_shares_repair(const u64 *bytes, u32 count, u64 whole, u32 ways, u32 *out)
{
    u32 sum = 0;
    for (u32 i = 0; i < count; i++)
        sum += out[i];
    for (; sum > ways; sum--) {
        u32 who = 0;
        double more = -1;
        for (u32 i = 0; i < count; i++) {
            double over = out[i] - (double)bytes[i] * ways / (double)whole;
            if (out[i] > out[who] || (out[i] == out[who] && over > more)) {
                who = i;
                more = over;
            }
        }
        out[who]--;
    }
}

/* Each at least one; there are as many ways as sets at least. */
static inline void way_shares(const u64 *bytes, u32 count, u64 capacity, u32 ways, u32 *out)
{
    u64 total = 0;
    for (u32 i = 0; i < count; i++)
        total += bytes[i];
    u64 whole = total < capacity ? capacity : total;
    for (u32 i = 0; i < count; i++)
        out[i] = llc_ways_for(bytes[i], whole, ways);
    way_shares_repair(bytes, count, whole, ways, out);
}

#endif
