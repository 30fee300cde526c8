/*
 * The block dispatcher: which block goes to which SM, and when.
 *
 * Grids of one stream follow each other, grids of different streams run side by
 * side as far as the SMs have room; earlier launches come first. The dispatcher
 * keeps the accounts of every SM's resources; blocks travel to SMs and word of
 * their end travels back through ports.
 *
 * Each application has a range of SMs. Where they share one, that with the fewest
 * warps there comes first: the others send it nothing until its block has found
 * room, so that large blocks are not kept out by small ones for ever.
 *
 * A policy may have blocks stopped. They wait in a queue (stopped_blocks.c), the newest first to go
 * on, and all before blocks that have never run.
 */
#ifndef GPU_DISPATCH_DISPATCH_H
#define GPU_DISPATCH_DISPATCH_H

#include "gpu/dispatch/block_message.h"
#include "gpu/dispatch/block_policy.h"
#include "gpu/observe/kernel_counters.h"

#define MOST_GRIDS 4096u /* waiting or running at once */
#define MOST_CLUSTER 16u /* blocks */
#define MOST_GPC_SMS 1024u
#define SMS_OF_TPC 2u

struct grid_run {
    struct grid_source source;
    u64 ticket; /* the caller's */
    u64 launch; /* number, from 1 */
    u64 next_block, blocks_done;
    cycle_t launched, may_start, started, ended;
    bool waits, runs, is_done; /* for its stream; blocks go out; all ended */
    bool is_cut;               /* no more of its blocks go out */
    u32 registers_per_block, shared_per_block;
    struct use_counts use;          /* of its blocks, where somebody asks */
    u64 number, started_fs;         /* among all kernels */
    u32 lane;                       /* in the timeline */
    struct gpu_counters before;     /* when it started */
    struct kernel_regions *regions; /* NULL: nobody asks */
};

/* The SMs of an application: first to end - 1. */
struct sm_range {
    u32 first, end;
};

/* A block on an SM, as the dispatcher sees it. */
struct placed_block {
    struct block_view view;
    u32 grid;  /* index of its grid_run in the table */
    u32 how;   /* it is to stop: enum block_stop */
    u32 place; /* of its context in memory, from its first stop to its end */
    enum stop_reason why;
    bool in_buffer; /* its context, until it is back */
};
#define NO_PLACE 0xffffu

/* A block that was stopped. */
struct victim {
    struct block_view view;
    u32 grid, place;
    void *stream; /* the source's; NULL: it starts again */
    bool in_buffer;
    u32 context_bytes;
    u64 event; /* of its SM when it was stopped, see sm_events */
};

struct dispatch_counts {
    u64 started, resumed, stopped, ended; /* blocks */
    u64 asked_to_stop, refused_full, switched_flushes;
    u64 drained_sms, drain_cycles;
    u64 overdue;
    u64 running, waiting; /* now */
    u64 most_waiting, longest_wait_cycles;
};
extern const struct stat_def dispatch_stats[];

struct dispatcher {
    const struct gpu_config *config;
    struct engine *engine;
    unit_id unit;
    domain_id domain;
    struct sm *sms;
    u64 *rung; /* bit per SM that has sent messages */
    struct sm_room *rooms;
    struct block_policy policy;
    const struct grid_run *asking;   /* whose block the policy is asked about */
    const struct victim *asking_for; /* which, if it was stopped */
    struct sm_range ranges[MOST_APPLICATIONS];
    u32 next_sm[MOST_APPLICATIONS];
    u32 next_gpc;                       /* for the next cluster */
    u32 applications, turn;             /* how many there are; whose block is next */
    u32 waiting;                        /* bit per application: it has blocks that could go */
    u32 (*warps_of)[MOST_APPLICATIONS]; /* by SM; NULL: one application */
    bool is_cutting;
    u64 send_interval, send_free; /* of one block to the next, in parts of a cycle; 0: no limit */
    u64 launches;
    u64 kernel;              /* by its name: the one that started last */
    struct grid_run **grids; /* in order of launch, until they are taken away */
    u32 grid_count;
    struct placed_block **placed; /* by SM and block slot */
    struct grid_run *table;
    u32 *free_runs, free_count;
    /* of a policy that stops blocks; NULL: it does not */
    struct victim *victims; /* in the order in which they were stopped */
    u32 victim_count, stopping;
    u32 buffers_taken; /* on the chip, for contexts */
    u16 *free_places;  /* for contexts */
    u32 free_place_count;
    u64 *sm_events;      /* by SM: what happened there that makes room */
    cycle_t *draining;   /* by SM: since when it gets no blocks; CYCLE_NEVER: it does */
    cycle_t victim_wait; /* 0: for ever */
    struct dispatch_counts counts;
    cycle_t watch_cycles; /* between two samples of what blocks use; 0: none */
    bool stop_at_each;    /* the engine stops when a grid ends */
    void (*on_start)(void *context, struct grid_run *run);
    void (*on_end)(void *context, struct grid_run *run);
    /* What a block has used since it was last told of; it has ended. Where somebody asks. */
    void (*on_used)(void *context, const struct sm *sm, u32 slot, const struct block_view *v,
                    bool has_ended);
    void *context;
    /* A block has ended; NULL: nobody asks. */
    void (*on_block)(void *context, const struct grid_run *run);
    void *block_context;
};

void dispatcher_init(struct dispatcher *d, const struct build_site *site, domain_id domain,
                     const struct gpu_config *c, struct sm *sms, struct policy_choice policy);
/* After all SMs, of all sockets: they are behind it in their clock. */
void dispatcher_join(struct dispatcher *d, const struct build_site *site);
/* After the rest of the chip. False: the policy cannot run as configured. */
bool dispatcher_init_policy(struct dispatcher *d, const struct build_site *site, struct err *err);
/* False: a block does not fit on an SM, or cannot run there, with the sentence. */
bool dispatcher_fits(const struct dispatcher *d, const struct grid_source *source, struct err *err);
/* The same. */
bool dispatcher_launch(struct dispatcher *d, const struct grid_source *source, u64 ticket,
                       struct err *err);
/* A grid that has ended, taken away; false: none. */
bool dispatcher_take_ended(struct dispatcher *d, struct grid_run *out);
/* The grids of an application go to these SMs; before its first launch. */
void dispatcher_place(struct dispatcher *d, u8 application, struct sm_range range);
/* Grids that wait are given up, of those that run no more blocks go out: each ends with the last
 * of its blocks that did. */
void dispatcher_cut(struct dispatcher *d);
bool dispatcher_is_idle(const struct dispatcher *d);

/* ---- between the parts of a dispatcher ---- */

#define GIVEN_WORDS 16u /* a bit for every SM that got a block this cycle */

/* dispatch.c */
/* The SM for a block of the grid; `stopped`: it goes on. NO_SM: none has room. */
u32 dispatcher_choose(struct dispatcher *d, const struct grid_run *run, const u64 *given,
                      const struct victim *stopped, bool is_overdue);
/* The block takes a slot and its share of the SM; what it finds there is the caller's to say. */
u32 dispatcher_take_room(struct dispatcher *d, u32 sm, const struct grid_run *run);
/* The block in the slot is to be polled, where somebody wants to know. */
void dispatcher_poll(struct dispatcher *d, u32 sm, u32 slot);
void dispatcher_send(struct dispatcher *d, u32 sm, u32 slot, enum block_message_kind kind);
/* stopped_blocks.c; all but the first only where there are victims */
bool stopped_blocks_init(struct dispatcher *d, const struct build_site *site, struct err *err);
/* The SM has stopped a block, whose room is free again. */
void stopped_blocks_add(struct dispatcher *d, u32 sm, u32 slot, cycle_t now);
/* A block that was to stop has ended instead. */
void stopped_blocks_ended(struct dispatcher *d, const struct placed_block *b);
/* The next cycle in which one may go; *holds: no other block may go out before an overdue one. */
cycle_t stopped_blocks_send(struct dispatcher *d, u64 *given, cycle_t now, bool *holds);
/* A block has ended on the SM; if it is draining and empty now, it gets blocks again. */
void stopped_blocks_sm_emptied(struct dispatcher *d, u32 sm, cycle_t now);
void stopped_blocks_explain(const struct dispatcher *d, struct waits *waits);

#endif
