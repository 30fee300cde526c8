/*
 * Which addresses an access of a synthetic kernel has: a function of the access's
 * place in the run, without any state.
 */
#ifndef SOURCE_SYNTHETIC_ADDRESS_H
#define SOURCE_SYNTHETIC_ADDRESS_H

#include "source/synthetic/layout.h"
#include "source/warp_stream.h"

struct address_place {
    u64 key; /* random numbers of this warp in this phase */
    u64 block, blocks;
    u64 warp;         /* of the grid */
    u64 access;       /* accesses of this pattern by this warp before this one */
    u64 stream_base;  /* where the phase's streams start */
    u64 stream_bytes; /* of one warp's stream */
};

/* The line that the n-th of an access's requests goes to, as an address. */
u64 synthetic_line(const struct synthetic_access *a, enum pattern pattern,
                   const struct address_place *place, u32 n);

/* One address per lane of the mask: `requests_per_load` lines dealt out to the lanes in
 * order, or as many as there are lanes. */
void synthetic_addresses(const struct synthetic_access *a, enum pattern pattern,
                         const struct address_place *place, u32 mask, u64 out[WARP_LANES]);

/* Shared memory of the block: lanes `conflicts` words apart. */
void synthetic_shared_addresses(u64 access, u32 conflicts, u32 shared_bytes, u64 out[WARP_LANES]);

/* True for this fraction of all positions. */
bool synthetic_happens(u64 key, u64 position, double fraction);

#endif
