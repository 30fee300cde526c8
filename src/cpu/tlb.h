/*
 * The time of address translation, not its result: two levels of TLBs and a page walk of fixed
 * length.
 */
#ifndef CPU_TLB_H
#define CPU_TLB_H

#include "cpu/address_table.h"
#include "cpu/config.h"

struct tlb_counts {
    u64 lookups, misses, walks;
};

extern const struct stat_def tlb_stats[];

/* The table is one of addresses with the last use of each, as that of branch targets. */
struct tlb {
    const struct tlb_config *config;
    struct address_table pages, *second;
    u32 page_shift;
    struct tlb_counts counts;
};

/* `second`: of both first levels. */
void tlb_init(struct tlb *t, struct arena *arena, const struct tlb_config *c,
              struct address_table *second);
/* Cycles that the translation takes; the page is known afterwards. */
u32 tlb_translate(struct tlb *t, u64 address);

#endif
