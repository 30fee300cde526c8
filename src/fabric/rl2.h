/*
 * A bank of the second level: a cache or a scratchpad with several ports between the tiles and the
 * memory system, whose agent it is. It writes back and is not coherent; stores take lines without
 * fetching them; atomics go past it. One unit of the engine. Each port is asked for one request per
 * cycle, in turn; one that cannot be taken stops those behind it.
 */
#ifndef FABRIC_RL2_H
#define FABRIC_RL2_H

#include "base/timed_queue.h"
#include "fabric/config.h"
#include "fabric/traffic.h"
#include "cache/cache.h"
#include "memsys/memory_system.h"
#include "sim/port.h"

struct rl2_counts {
    u64 accesses, loads, victims, atomics; /* victims: lines that tiles wrote back */
    u64 hits, misses, merges, allocations;
    u64 fills, evictions, writebacks, flushed_lines;
    u64 passed, scratchpad_accesses; /* while it is no cache */
};

extern const struct stat_def rl2_stats[];

/* RL2_SET + enum rl2_mode */
enum rl2_command { RL2_FLUSH, RL2_SET };

struct rl2_bank {
    struct sim *sim;
    const struct fabric_config *config;
    const struct memory_system *memory;
    struct pool *requests;
    unit_id unit;
    u32 index;
    struct agent agent;
    struct cache cache;
    struct port *in;            /* from the tiles' crossbar, config->rl2.ports of them */
    u64 rung;                   /* bit per port of in: something was pushed since it was empty */
    struct port *reply;         /* to the tiles' crossbar, as many */
    struct port out, answer;    /* memory system */
    struct port up, down;       /* manager */
    struct timed_queue answers; /* to tiles */
    u8 mode;                    /* enum rl2_mode */
    bool flushes, flushed;
    u32 flush_at, unacknowledged;
    struct traffic traffic; /* lines and sectors to and from memory, without atomics */
    struct rl2_counts counts;
};

struct rl2_parts {
    domain_id domain;
    const struct fabric_config *config;
    u32 index, agent; /* among the banks; in the memory system */
    struct memory_system *memory;
    struct policy_choice replacement;
};

void rl2_init(struct rl2_bank *b, const struct build_site *site, const struct rl2_parts *p);
void rl2_client(struct rl2_bank *b, struct memory_client *out);

#endif
