/*
 * A bank of the shared cache (L2), memory side: one unit between the two
 * networks and a DRAM channel.
 *
 *   request network -> pipe -> access queue -> tags -> [hit] data port -> response queue
 *                              [miss] reserve a line, MSHR, miss queue -> DRAM
 *   DRAM -> return queue -> fill (data port) -> response queue -> reply network
 *
 * Every queue is bounded and pushes back, except the pipe: the fixed latency of
 * the way from an L1, through which packets age whether or not the access queue
 * has room; a packet leaves the network only while the access queue has room
 * (bandwidth-and-ccn spec 5 item 8). Requests are served in order: a head that
 * cannot proceed stops all behind it.
 */
#ifndef L2_BANK_H
#define L2_BANK_H

#include "base/ring.h"
#include "base/timed_queue.h"
#include "config/param.h"
#include "cache/cache.h"
#include "l2/attachment.h"
#include "l2/coalescer.h"
#include "l2/flush.h"
#include "l2/far_l2.h"
#include "l2/llc.h"
#include "mem/map.h"
#include "mem/occupancy.h"
#include "l2/way_partition.h"
#include "l2/sharing_tracker.h"
#include "l2/line_versions.h"
#include "sim/port.h"
#include "sim/site.h"

/* How ways are turned off: l2/way_gating.c. */
enum way_flush { FLUSH_VECTOR, FLUSH_WALK, FLUSH_LAZY };

/* Which bank of its channel a chunk lives in. */
enum bank_order { BANK_BY_CHUNK, BANK_BY_DRAM };

/* What becomes of a miss when every way that it may take waits for its own line. */
enum full_set { FULL_SET_WAIT, FULL_SET_BYPASS };

enum write_miss { WRITE_MISS_FETCH, WRITE_MISS_FETCH_PARTIAL, WRITE_MISS_KEEP };

struct l2_config {
    u64 size_bytes; /* of all banks */
    u64 clock_hz;
    u32 ways, banks_per_channel;
    u32 interleave_bytes, page_bytes;
    u32 bank_order; /* enum bank_order */
    bool hashed_channels;
    bool sectored;
    u32 set_index;
    const char *replacement;
    u32 mshrs, merge_limit;
    u32 access_entries, miss_entries, response_entries, return_entries;
    u32 port_bytes;
    u32 pipe_cycles;
    u32 write_miss;
    bool gated, hit_under_miss;
    bool silent_writebacks;
    u32 full_set; /* enum full_set */
    u32 atomic_cycles;
    double atomic_lane_cycles, atomic_sector_cycles, partial_sector_cycles;
    u32 fill_bytes;
    bool keeps_copies, keeps_code;
    u64 context_bytes, context_dirty_bytes;
    u32 dirty_ways;
    u32 far_cycles, half_agents;
    struct coalesce_config coalesce;
    const char *policy;
    u32 flush; /* enum way_flush */
    bool flush_all;
    u32 flush_set_cycles;
};

extern const struct param l2_params[];

/* Why the head of the access queue does not proceed (spec S6). */
enum bank_stall { STALL_NETWORK, STALL_DRAM, STALL_PORT, STALL_CACHE, STALL_MSHR, STALL_COUNT };
#define STALL_NONE STALL_COUNT
extern const char *const bank_stall_names[STALL_COUNT];

struct bank_counts {
    u64 loads, stores, atomics, fetches, writebacks_in, updates;
    u64 redirected; /* misses that an L1 answers instead of DRAM */
    u64 hits, misses, merges, sector_misses;
    u64 store_allocations;                /* stores and victims that took a way: no hits */
    u64 unplaced_misses, unplaced_stores; /* went on without a way */
    u64 passing_hits;
    u64 load_hits, load_misses;
    u64 load_sectors, load_sectors_missed;                /* without instruction fetches */
    u64 store_sectors, atomic_sectors, reduction_sectors; /* the last want nothing back */
    u64 load_sectors_across; /* that the SM's half had to ask the other for */
    u64 fills, evictions, writebacks, cleaned;
    u64 responses;
    u64 accesses; /* served: all kinds */
    u64 busy_port_cycles;
    u64 full_access_cycles;
    u64 stall[STALL_COUNT];
    struct occupancy occupancy; /* of the access queue */
};

extern const struct stat_def bank_stats[];

/* Requests that the bank passed on to DRAM without looking for a line or taking one
 * (REQUEST_BYPASS_L2). The tags are asked all the same, and a line that is there serves as ever,
 * but for clean ones and REQUEST_BLIND. */
struct bank_bypass {
    struct bank_attachment attached;
    u64 loads, merges, stores, writebacks, found;
    u64 blind; /* of loads and merges */
    u64 answers, fills;
    u64 bytes; /* that the data array did not see: packets, and data to and from DRAM */
};

extern const struct stat_def bank_bypass_stats[];

struct bank_ways_counts {
    u64 way_cycles, gated_way_cycles, shrinks, grows, resize_cycles;
    u64 looked_sets, flushed_sets, flushed_lines;
};

extern const struct stat_def bank_ways_stats[];

/* Drain and scan: see resize() in way_gating.c; lazy: ways from target on are emptied. */
enum ways_state { WAYS_STEADY, WAYS_DRAIN, WAYS_SCAN, WAYS_WALK, WAYS_LAZY };

/* A bank that follows a plan. */
struct bank_ways {
    struct bank_attachment attached;
    const struct llc *llc;
    struct llc_view view;
    u32 on, target; /* ways; target is less while some are being turned off */
    u8 state;       /* enum ways_state */
    cycle_t until;
    u32 set;         /* that is being written back */
    u32 lines_left;  /* in ways to be turned off lazily */
    u64 *dirty_sets; /* the dirty vector */
    cycle_t since;   /* counts are up to then */
    struct bank_ways_counts counts;
};

struct bank_remote_counts {
    u64 accesses, hits; /* of this socket's agents, for lines of other sockets */
    u64 atomics;        /* passed on to the sockets that have their lines */
    u64 fills, writebacks;
    u64 flushes, flushed_lines, dropped_lines, flush_cycles;
};

extern const struct stat_def bank_remote_stats[];

/* A bank that keeps lines of other sockets' memory for its own agents (GPU side). line.slot is the
 * socket that has a line in its memory.
 *
 * What its agents ask for may wait for other sockets; what other sockets ask for never does: it has
 * queues of its own and room among the MSHRs, or two sockets could wait for each other for ever. */
struct bank_remote {
    struct bank_attachment attached;
    u8 socket;
    const struct way_partition *split; /* NULL: all lines compete */
    struct port *miss, *answer;        /* to and from the sockets that have the lines */
    struct port *in;                   /* requests of other sockets */
    struct timed_queue pipe;           /* they have queues of their own */
    struct ring access;
    u8 stall;                   /* of their head */
    bool served_remote;         /* the last request that was served was one of them */
    u32 remote_misses;          /* lines on their way from other sockets */
    struct flush_order *orders; /* by socket */
    u64 flushed, flushed_fs;    /* the last order that was carried out, and when */
    u32 set;                    /* that is being flushed */
    bool flushes, was_remote;   /* the second: the last fill came over the links */
    struct bank_remote_counts counts;
};

struct bank {
    const struct l2_config *config;
    struct engine *engine;
    struct pool *requests;
    unit_id unit;
    u32 index, pipe_latency;
    const struct address_map *map;
    struct port *in, *miss, *answer, *out; /* from network, to DRAM, from DRAM, to network */
    struct timed_queue pipe;
    struct ring access;
    struct cache cache;
    handle_t ready_first, ready_last; /* filled, to be answered */
    cycle_t port_free, fill_free;     /* the second only where fills have a port of their own */
    u8 stall;                         /* of the head, since stall_since */
    u8 stall_behind;                  /* of the first hit behind a head that waits */
    u32 looked;                       /* entries of the access queue that are no hits yet */
    cycle_t stall_since;
    struct bank_lists on; /* what is attached, by event */
    struct bank_counts counts;
    struct tracker *tracker;                   /* NULL: none */
    struct far_l2 *far;                        /* NULL: the L2 is one */
    struct bank_remote *remote;                /* NULL: it holds lines of its own memory only */
    struct bank_bypass *bypass;                /* NULL: nothing bypasses it */
    struct bank_ways *ways;                    /* NULL: all ways are shared */
    struct coalescer *coalescer;               /* NULL: every read is a request */
    struct application_counts *by_application; /* NULL: they are not counted */
};

/* Where a bank is and what is around it. Ports are the caller's; it connects them with bank.unit
 * once all units exist. */
struct bank_parts {
    const struct build_site *site;
    domain_id domain;
    const char *name; /* of its unit */
    const struct l2_config *config;
    u32 index, banks; /* which one of so many */
    u32 line_bytes, pipe_latency;
    const struct address_map *map;
    struct policy_choice replacement;
    struct pool *requests;
    struct port *in, *miss, *answer, *out; /* from network, to DRAM, from DRAM, to network */
};

/* The ways of a bank to and from other sockets. */
struct bank_remote_parts {
    u8 socket;
    struct port *in, *miss, *answer;
    const struct way_partition *split; /* NULL: all lines compete */
    struct flush_order *orders;        /* by socket */
};

/* One bank of so many. */
struct cache_shape l2_bank_shape(const struct l2_config *c, u32 banks, u32 line_bytes);
void bank_init(struct bank *b, const struct bank_parts *parts);
/* lines: that all L1s can hold of the bank's; cycles: of the L2's clock. */
void bank_track_sharers(struct bank *b, struct arena *arena, u32 lines, u32 cycles);
/* The two are in halves of the L2, and hold copies of each other's lines; cycles: to cross. */
void bank_pair(struct bank *lower, struct bank *upper, struct arena *arena, u32 cycles);
/* It follows the plans of a policy. */
void bank_follow(struct bank *b, struct arena *arena, const struct llc *llc, void *monitor);
/* It keeps lines of other sockets' memory, and serves requests of other sockets. */
void bank_keep_remote(struct bank *b, struct arena *arena, const struct bank_remote_parts *parts);
/* Its lines have versions. */
void bank_check(struct bank *b, struct arena *arena, struct versions *v);
/* Requests may ask to bypass the bank; statistics below the bank's node. */
void bank_let_bypass(struct bank *b, struct arena *arena);
/* Accesses, hits and lines are counted by program. */
void bank_count_applications(struct bank *b, struct arena *arena,
                             struct application_counts *counts);
/* `told` is called for each request that a line from DRAM has come for, before it is answered; the
 * line's own request is still there. */
void bank_watch_lines(struct bank *b, struct arena *arena,
                      void (*told)(void *context, handle_t line, handle_t request), void *context);
/* A copy has written the line: it is there now, as in DRAM, at no cost, and first to go. */
void bank_place_copied(struct bank *b, u64 line);
/* The same of a line of code that was loaded; it goes as if it had been asked for. */
void bank_place_code(struct bank *b, u64 line);
/* The line is there when a program starts; before anything else is. */
void bank_place_context(struct bank *b, u64 line, bool is_dirty);
/* Nothing is in it any more but what is on its way; what was newer than DRAM is there now. */
void bank_empty(struct bank *b);
/* Whose the lines are that are there, for each program of a mix (by_application). */
void bank_count_lines(struct bank *b);
/* Charges what is still open; before statistics are read. */
void bank_settle(struct bank *b, cycle_t now);
/* Requests that can be inside at once, for the size of the pool. */
u64 bank_most_requests(const struct l2_config *c, u32 pipe_latency);

/* bank_warm.c: what an access leaves in tags, replacement and monitors when nothing is under way:
 * without time, DRAM or counts. */
void bank_warm(struct bank *b, const struct request *r);

#endif
