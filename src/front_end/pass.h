/*
 * Front ends without a core: one pass over a trace, any number of predictors, branch target
 * buffers and I-caches.
 *
 * Each is what a core has (cpu/direction.h, cpu/address_table.h, cache/tags.h); the pass only reads
 * the trace once and hands it on a batch at a time, so that one structure works on many events
 * before the next one needs the host's caches. Nothing takes time, and no instruction of a wrong
 * path is seen.
 */
#ifndef FRONT_END_PASS_H
#define FRONT_END_PASS_H

#include "cpu_trace/stream.h"
#include "front_end/batch.h"
#include "front_end/btb_run.h"
#include "front_end/icache_run.h"
#include "front_end/predictor_run.h"
#include "stats/tree.h"

/* As the chip file names them; each list may be empty, but not all. */
struct pass_config {
    struct named_instances predictors, btbs, icaches;
};

struct pass_counts {
    u64 instructions[CPU_SECTIONS], branches[CPU_SECTIONS], bytes[CPU_SECTIONS];
    u64 all_instructions;
    u64 threads;
};

struct front_pass {
    const struct pass_config *config;
    struct predictor_run *predictors;
    struct btb_run *btbs;
    struct icache_run *icaches;
    struct pass_counts counts;
    struct front_batch batch;
    struct fetch_stretch open; /* the stretch that may still grow; first == end: none */
    u8 section;
    bool has_parallel; /* a parallel region began */
};

bool pass_check(const struct pass_config *c, const struct config *config, struct err *err);
/* Adds its statistics below the root: `predictors.NAME`, `btbs.NAME`, `icaches.NAME`. */
struct front_pass *pass_create(const struct pass_config *c, struct stats *stats,
                               struct arena *arena);
/* A thread goes through structures of its own, which are empty. What they count is added to what
 * was counted before. */
bool pass_begin_thread(struct front_pass *p, struct arena *arena, struct err *err);
/* Up to `most` instructions of a stream with events; false: there are no more, or the stream has
 * failed (cpu_stream_check). */
bool pass_read(struct front_pass *p, struct cpu_stream *s, u64 most);
void pass_end_thread(struct front_pass *p);
/* Brings totals up to date. */
void pass_settle(struct front_pass *p);

#endif
