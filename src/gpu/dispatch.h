/*
 * Which block goes to which SM, and when.
 *
 * Grids of one stream follow each other, grids of different streams run side by
 * side as far as the SMs have room; earlier launches come first. The dispatcher
 * keeps the accounts of every SM's resources; blocks travel to SMs and word of
 * their end travels back through ports.
 *
 * Each application has a range of SMs. Where they share one, that with the fewest
 * warps there comes first: the others send it nothing until its block has found
 * room, so that large blocks are not kept out by small ones for ever.
 */
#ifndef GPU_DISPATCH_H
#define GPU_DISPATCH_H

#include "gpu/block_policy.h"
#include "gpu/numbers.h"

#define MOST_GRIDS 4096u /* waiting or running at once */

struct grid_run {
    struct grid_source source;
    u64 ticket; /* the caller's */
    u64 launch; /* number, from 1 */
    u64 next_block, blocks_done;
    cycle_t launched, may_start, started, ended;
    bool waits, runs, is_done; /* for its stream; blocks go out; all ended */
    bool is_cut;               /* no more of its blocks go out */
    u32 registers_per_block, shared_per_block;
    u64 number, started_fs;         /* among all kernels */
    u32 lane;                       /* in the timeline */
    struct gpu_numbers before;      /* when it started */
    struct kernel_regions *regions; /* NULL: nobody asks */
};

/* The SMs of an application: first to end - 1. */
struct sm_range {
    u32 first, end;
};

struct dispatcher {
    const struct gpu_config *config;
    struct engine *engine;
    unit_id unit;
    domain_id domain;
    struct sm *sms;
    struct sm_room *rooms;
    struct block_policy policy;
    const struct grid_run *asking; /* whose block the policy is asked about */
    struct sm_range ranges[MOST_APPLICATIONS];
    u32 next_sm[MOST_APPLICATIONS];
    u32 applications, turn;             /* how many there are; whose block is next */
    u32 waiting;                        /* bit per application: it has blocks that could go */
    u32 (*warps_of)[MOST_APPLICATIONS]; /* by SM; NULL: one application */
    bool is_cutting;
    u64 send_interval, send_free; /* of one block to the next, in parts of a cycle; 0: no limit */
    u64 launches;
    struct grid_run **grids; /* in order of launch, until they are taken away */
    u32 grid_count;
    u32 **block_grid; /* by SM and block slot: index of its grid_run in the table below */
    struct grid_run *table;
    u32 *free_runs, free_count;
    bool stop_at_each; /* the engine stops when a grid ends */
    void (*on_start)(void *context, struct grid_run *run);
    void (*on_end)(void *context, struct grid_run *run);
    void *context;
};

void dispatcher_init(struct dispatcher *d, const struct build_site *site, domain_id domain,
                     const struct gpu_config *c, struct sm *sms, struct policy_choice policy);
/* False: a block does not fit on an SM, with the sentence. */
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

#endif
