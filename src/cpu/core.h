/*
 * One CPU core: fed by a stream of instructions, a client of a memory system.
 *
 *   fetch.h  predict -> fetch-target queue -> line buffers (L1I) -> extract -> decode
 *   rob.h    -> dispatch -> window
 *   issue.h  -> issue -> units
 *   lsq.h       loads to the L1D, retired stores to the L1D
 *            -> retire
 *
 * All instructions from prediction to retirement lie in the ROB in program order; each stage is a
 * position in it. A core with nothing to do in a cycle is not ticked. core.c connects the parts:
 * dispatch, retirement, the cycle, and where its slots went.
 */
#ifndef CPU_CORE_H
#define CPU_CORE_H

#include "cpu/fetch.h"
#include "cpu/issue.h"
#include "cpu/lsq.h"
#include "cpu/openmp.h"
#include "cpu/vector.h"

struct core {
    const struct core_config *config;
    struct engine *engine;
    unit_id unit;
    u32 index;
    struct caches caches;
    struct branch_unit branch;
    struct tlb itlb, dtlb;
    struct address_table second_tlb;
    struct cpu_stream *stream;    /* NULL: no program, or it waits */
    struct cpu_stream *paused;    /* of a program that waits at an event; NULL: it does not */
    struct rate *rate;            /* in place of what is behind the front end; NULL: it is not */
    struct icache_client *icache; /* of a shared I-cache; NULL: it has its own */
    struct openmp *openmp;        /* plays the events of streams; NULL: nobody does */
    struct rob rob;
    struct fetch fetch;
    struct issue_queue issue;
    struct lsq lsq;
    struct core_vector vector;
    /* time */
    cycle_t last;   /* the last cycle that was charged */
    u64 unresolved; /* slots lost to a load whose level is not known yet */
    struct core_counts counts;
    /* The program has ended: nothing of it is left in the core. */
    void (*on_end)(void *context, struct core *core, cycle_t now);
    void *context;
    /* It has retired so many instructions (counts.instructions); once for each that is set. */
    u64 mark_at; /* UINT64_MAX: never */
    void (*on_mark)(void *context, struct core *core, cycle_t now);
    struct err err; /* why a stream ended early */
};

struct core_policies {
    struct policy_choice branch, indirect;
    /* of core 0, where it has its own front end */
    struct policy_choice first_branch, first_indirect, first_l1i, first_l1i_prefetch;
    struct cache_policies caches;
};

struct core_parts {
    domain_id domain; /* its clock */
    const struct core_config *config;
    u32 index, agent;
    struct memory_system *memory;
    const struct core_policies *policies;
};

u64 core_most_requests(const struct core_config *c);
void core_init(struct core *c, const struct build_site *site, const struct core_parts *p);
/* Between two instants: runs a program from the next cycle on. The core has none. */
void core_start(struct core *c, struct cpu_stream *stream, u8 application);
/* warm.c: between two instants, of a core without a program: so many instructions of a stream leave
 * their traces in predictors, TLBs and caches, without time and without being counted. Fewer: the
 * stream has no more, or cannot go on. */
u64 core_warm(struct core *c, struct cpu_stream *stream, u8 application, u64 count);
/* Between two instants: its program brings no more instructions, and ends when all are done. */
void core_cut(struct core *c);
/* The event at which its program waits is over. */
void core_go_on(struct core *c);
/* Its fetches go to a shared I-cache. Before the first run. */
void core_share_icache(struct core *c, struct icache_client *k);
/* For back ends: it has retired as many instructions as were asked for; a program that has ended,
 * or waits at an event, leaves the core (true). */
void core_reach_mark(struct core *c, cycle_t now);
bool core_rests(struct core *c, cycle_t now);
/* Brings the statistics up to the present. */
void core_settle(struct core *c, cycle_t now);

#endif
