/*
 * An I-cache over the code that a trace fetches: one access for each line of a stretch, and how
 * much of a line is fetched while it is there.
 */
#ifndef FRONT_END_ICACHE_RUN_H
#define FRONT_END_ICACHE_RUN_H

#include "cache/tags.h"
#include "config/param.h"
#include "front_end/batch.h"
#include "stats/def.h"

#define ICACHE_LINE_MOST 128u

struct icache_run_config {
    u32 size_bytes, ways, line_bytes;
};

extern const struct param icache_run_params[];
bool icache_run_check(const struct icache_run_config *c, const struct config *config,
                      struct err *err);

struct icache_run_counts {
    u64 accesses[CPU_SECTIONS], misses[CPU_SECTIONS];
    u64 all_accesses, all_misses;
    /* Of lines that have left, or are there at the end, by the section that brought them. */
    u64 used_bytes[CPU_SECTIONS], whole_bytes[CPU_SECTIONS];
    u64 lines, all_used_bytes, all_whole_bytes;
    u64 storage_bits;
};

extern const struct stat_def icache_run_stats[];

struct icache_run {
    const struct icache_run_config *config;
    struct tags tags;
    struct line_bytes_used {
        u64 bits[ICACHE_LINE_MOST / 64];
        u32 section; /* that brought it */
    } * used;        /* by set and way */
    struct icache_run_counts counts;
};

bool icache_run_begin(struct icache_run *r, const struct icache_run_config *c, struct arena *arena,
                      struct err *err);
void icache_run_batch(struct icache_run *r, const struct front_batch *b);
/* The thread has ended: all lines leave. */
void icache_run_end(struct icache_run *r);
void icache_run_settle(struct icache_run *r);

#endif
