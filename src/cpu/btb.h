/*
 * The branch target buffer: where taken branches go, by their address. Set-associative, least
 * recently used; only branches that were taken have an entry.
 */
#ifndef CPU_BTB_H
#define CPU_BTB_H

#include "base/arena.h"

struct btb_entry {
    u64 pc, target, used; /* used: 0: empty */
};

struct btb {
    struct btb_entry *entries; /* set-major */
    u32 sets, ways;
    u64 clock;
};

/* ways: of which entries is a multiple. */
void btb_init(struct btb *b, struct arena *arena, u32 entries, u32 ways);
/* 0: it is not there. */
u64 btb_target(struct btb *b, u64 pc);
/* The branch was taken: it has an entry from now on. */
void btb_put(struct btb *b, u64 pc, u64 target);

#endif
