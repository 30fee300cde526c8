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
    u64 instructions; /* of CPU cores */
    u64 warp_instructions, thread_instructions;
    u64 l2_accesses, l2_hits;
    u64 l2_lines; /* that are there, not a sum over time */
    u64 dram_read_bytes, dram_written_bytes;
};

/* Both are arrays of MOST_APPLICATIONS. */
static inline void applications_add(struct application_counts *sums,
                                    const struct application_counts *part)
{
    u64 *to = (u64 *)(void *)sums;
    const u64 *from = (const u64 *)(const void *)part;
    for (size_t i = 0; i < MOST_APPLICATIONS * sizeof *sums / sizeof(u64); i++) /* all are u64 */
        to[i] += from[i];
}

/* Of one of them: what it was before is taken away. */
static inline void applications_subtract(struct application_counts *now,
                                         const struct application_counts *before)
{
    u64 *to = (u64 *)(void *)now;
    const u64 *from = (const u64 *)(const void *)before;
    for (size_t i = 0; i < sizeof *now / sizeof(u64); i++) /* all are u64 */
        to[i] -= from[i];
}

#endif
