/*
 * Programs that run on one machine at the same time.
 *
 * Each has an address space of its own: the high bits of an address say whose it
 * is, so that no cache, network or channel takes the line of one for the line of
 * another. Application 0 keeps its addresses: a program alone sees no difference.
 */
#ifndef MEM_APPLICATION_H
#define MEM_APPLICATION_H

#include "base/types.h"

#define MOST_APPLICATIONS 8u
#define APPLICATION_SHIFT 53u /* above all that programs have, below what the driver left */

static inline u64 application_base(u8 application)
{
    return (u64)application << APPLICATION_SHIFT;
}

static inline u8 application_of(u64 address)
{
    return (u8)(address >> APPLICATION_SHIFT) % MOST_APPLICATIONS;
}

/* What a part of the machine did for an application: each counts what it sees. */
struct application_counts {
    u64 warp_instructions, thread_instructions;
    u64 l2_accesses, l2_hits;
    u64 dram_read_bytes, dram_written_bytes;
};

#endif
