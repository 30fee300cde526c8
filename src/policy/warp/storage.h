/*
 * What warp policies cost in storage, worked out from a chip's description: the
 * published count of Poise, the thesis's, what both leave out, and the victim
 * tags of CCWS (Poise spec 5).
 */
#ifndef POLICY_WARP_STORAGE_H
#define POLICY_WARP_STORAGE_H

#include "gpu/config.h"

#define STORAGE_PARTS 8u
#define STORAGE_TABLES 3u

struct storage_part {
    const char *what;
    u32 count, bits;
    bool is_extra; /* needed, and not in the published sum */
};

/* Of one SM, or whatever else has the mechanism. */
struct storage {
    const char *mechanism, *source;
    struct storage_part parts[STORAGE_PARTS];
    u32 count;
};

/* Fills the tables and returns how many there are. */
u32 storage_of(const struct gpu_config *c, struct storage tables[STORAGE_TABLES]);
u64 storage_bits(const struct storage *s, bool with_extras);
/* Bits that tell so many things apart. */
u32 storage_bits_for(u32 things);
void storage_add(struct storage *s, const char *what, u32 count, u32 bits, bool is_extra);

#endif
