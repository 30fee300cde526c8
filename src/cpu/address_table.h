/*
 * A set-associative table of addresses with a value for each, least recently used ones going first:
 * the branch target buffer (targets) and the TLBs (pages that are known).
 */
#ifndef CPU_ADDRESS_TABLE_H
#define CPU_ADDRESS_TABLE_H

#include "base/arena.h"

struct address_entry {
    u64 address, value, used; /* used: 0: empty */
};

struct address_table {
    struct address_entry *entries; /* set-major */
    u32 sets, ways;
    u64 clock;
};

/* ways: of which entries is a multiple. */
void address_table_init(struct address_table *t, struct arena *arena, u32 entries, u32 ways);
/* 0: it is not there. */
u64 address_table_find(struct address_table *t, u64 address);
/* It has an entry from now on. */
void address_table_put(struct address_table *t, u64 address, u64 value);

#endif
