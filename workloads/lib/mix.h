/* Random numbers by position for kernels: 32 bits, the mixing function of MurmurHash3. */
#ifndef WORKLOADS_MIX_H
#define WORKLOADS_MIX_H

#include "both.h"

BOTH u32 mix_u32(u32 x)
{
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

/* From 2^-25 to below 1: never 0. */
BOTH float mix_unit(u32 x)
{
    return (float)(mix_u32(x) >> 8) * 0x1p-24f + 0x1p-25f;
}

#endif
