/*
 * Addresses and data of a warp's memory instructions, as loops over lanes that are compiled for
 * several instruction sets as those of lanes.h are.
 *
 * Most instructions name one place for all lanes, or a row: lane i's element follows lane i - 1's.
 * Code that knows the pattern need not look at 32 addresses again (enum access_pattern of a struct
 * winst).
 */
#ifndef PTX_EXEC_LANE_MEMORY_H
#define PTX_EXEC_LANE_MEMORY_H

#include "base/types.h"
#include "source/warp_instruction.h"

struct lane_addresses {
    const void *base; /* a vector of 64 or 32 bits a lane; NULL: none */
    bool wide;        /* 64 bits */
    u64 offset;
    u32 bytes; /* of a lane's access */
};

/* Of the addresses of 32 lanes. */
struct lane_places {
    u64 all, spread; /* all bits together; those in which they differ */
    u64 low, high;   /* none is below or above; of a row or one place the lowest and the highest */
    u8 pattern;      /* enum access_pattern */
};

struct lane_memory {
    void (*addresses)(const struct lane_addresses *a, u64 *to, struct lane_places *out);
    /* low and high become the lowest and the highest. */
    void (*range)(const u64 *at, struct lane_places *out);
    /* One word or double word of each lane, from base + at[i]; stride: of the rows. */
    void (*load)(void *to, u32 bytes, uintptr_t base, const u64 *at, u8 pattern, u32 stride);
    /* The low 1 or 2 bytes in which each address differs from the first; and back. */
    void (*narrow)(void *to, u32 bytes, const u64 *at, u64 first);
    void (*widen)(u64 *at, const void *from, u32 bytes, u64 first);
    void (*row)(u64 *at, u64 first, u64 step);
};

extern const struct lane_memory lane_memory_baseline, lane_memory_avx2;
const struct lane_memory *lane_memory_select(void);

#endif
