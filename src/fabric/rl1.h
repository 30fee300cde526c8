/*
 * The first level of a tile: banks that are one shared cache, caches and scratchpads of pairs of
 * elements or as a map has them, or bypassed. Caches write back and are not coherent; a store takes
 * a line without fetching it, since programs write whole sectors. Lines that are shared lie in the
 * banks one after the other, so that banks of w ways are one cache of w ways with as many sets as
 * all banks have.
 *
 * Owned by its tile, which hands it accesses and lines, and borrows it the port to the second
 * level.
 */
#ifndef FABRIC_RL1_H
#define FABRIC_RL1_H

#include "fabric/config.h"

#include "cache/cache.h"
#include "sim/site.h"

struct rl1_counts {
    u64 accesses, loads, stores; /* that were taken */
    u64 lookups;                 /* of tags, also by those refused for want of an MSHR or room */
    u64 hits, misses, merges, store_allocations;
    u64 fills, evictions, writebacks, flushed_lines;
    u64 port_conflicts;
    u64 passed;        /* went past it, in mode bypass */
    u64 bank_accesses; /* of banks that are scratchpads: no tags */
};

extern const struct stat_def rl1_stats[];

/* Tickets of requests to the second level. Those of an element have its number and its slot; a
 * bank's line has the bank. Bits from TICKET_PASSED on are the second level's own. */
#define TICKET_ELEMENT ((u64)1 << 16)
#define TICKET_SCRATCHPAD ((u64)1 << 17) /* for a scratchpad there; the line is an offset */
#define TICKET_PASSED ((u64)1 << 18)

enum rl1_answer {
    RL1_HIT,  /* a load's data is there in hit_cycles; a store is done */
    RL1_MISS, /* the load's data comes with a line */
    RL1_PORT, /* refused: all ports are taken in this cycle */
    RL1_MSHR, /* until a line has come */
    RL1_ROOM, /* until there is room on the way down */
};

struct rl1_access {
    u64 address;
    u32 bytes; /* within a line */
    u32 element, slot;
    bool is_store;
};

struct rl1_bank {
    struct cache cache;
    cycle_t port_cycle; /* in which so many ports were used */
    u32 port_used;
    cycle_t scratchpad_free;
};

struct rl1 {
    const struct fabric_config *config;
    struct pool *requests;
    struct port *out;
    u32 tile;
    enum fabric_mode mode;
    const struct fabric_place *map; /* FABRIC_MAP */
    struct rl1_bank *banks;
    u32 lines_coming; /* of all banks */
    cycle_t port_cycle;
    u32 port_used;
    u32 bank_shift;                           /* log2 of the banks */
    u32 flush_bank, flush_at, unacknowledged; /* of a flush: the next line; lines that left */
    struct rl1_counts counts;
};

struct rl1_parts {
    const struct fabric_config *config;
    u32 tile;
    struct pool *requests;
    struct port *out;
    struct policy_choice replacement;
};

void rl1_init(struct rl1 *l, const struct build_site *site, const struct rl1_parts *p);
/* It is empty. */
void rl1_switch(struct rl1 *l, enum fabric_mode mode, const struct fabric_place *map);
enum rl1_answer rl1_access(struct rl1 *l, const struct rl1_access *a, cycle_t now);
/* A store past the banks, which keep what they have: RL1_HIT, RL1_PORT or RL1_ROOM. */
enum rl1_answer rl1_stream(struct rl1 *l, const struct rl1_access *a, cycle_t now);
/* An atomic goes past it: RL1_MISS or RL1_ROOM. */
enum rl1_answer rl1_pass_atomic(struct rl1 *l, const struct rl1_access *a);
/* An access to the second level's scratchpad at an offset: RL1_MISS of a load, RL1_HIT of a store,
 * or RL1_ROOM. */
enum rl1_answer rl1_pass_scratchpad(struct rl1 *l, const struct rl1_access *a);
/* So many accesses to an element's scratchpad bank, one after the other: when they are done. */
cycle_t rl1_use_scratchpad(struct rl1 *l, u32 element, u32 accesses, cycle_t now);
/* A line has come; `done` is called for each load that waited. */
void rl1_fill(struct rl1 *l, handle_t h, void (*done)(void *context, u32 element, u32 slot),
              void *context);
/* Writes dirty lines back as far as there is room: false, call again. Then all are gone, and the
 * last acknowledgement is awaited (unacknowledged). */
bool rl1_flush(struct rl1 *l);

/* Which second-level bank has a line, for a tile. */
u32 rl2_bank_of(const struct fabric_config *c, u32 tile, u64 line);

#endif
