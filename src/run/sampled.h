/*
 * A CUDA program of which some launches are timed (--sample): the session's part of it.
 *
 * Every launch is executed, so answers are exact. Of a launch that is not timed the accesses to
 * global memory are remembered, the newest ones, and leave their lines in L2 before the next one is
 * timed. sampling/sample.h decides which are timed and estimates the program's totals.
 */
#ifndef RUN_SAMPLED_H
#define RUN_SAMPLED_H

#include "base/text.h"
#include "gpu/observe/kernel_counters.h"
#include "ptx/kernel_source.h"
#include "run/block_sampling.h"
#include "run/run.h"
#include "sampling/sample.h"

struct gpu;

struct sampled {
    struct sample sample;
    struct sample_estimates estimates; /* from sampled_end on */
    bool has_estimates;
    struct gpu *gpu;
    struct engine *engine;
    struct signature_collector *collectors; /* by SM, and one for what is not timed */
    u32 sm_count;
    struct recent_lines recent;
    u64 warmed; /* accesses before this one are in L2, or too old */
    u64 warming_sectors;
    struct map executed;         /* by kernel: blocks that were not timed */
    struct gpu_counters before;  /* at the end of the last launch that was timed: no time has passed
                                    since */
    struct ptx_source *source;   /* of the launch that is timed */
    const struct launch *launch; /* the same; NULL: all its blocks are timed */
    struct block_sampling blocks;
    double floors[1 + GPU_NUMBERS_SIZE];
    u64 shortened;         /* launches of which only a part was timed */
    const char *executing; /* the kernel that is executed without timing now; NULL: none */
    u64 blocks_executed, blocks_to_execute; /* of that launch; the timed ones count as executed */
    void (*poll)(void); /* from time to time while it is; set by the caller. NULL: nothing */
};

/* The machine has been built. */
void sampled_init(struct sampled *s, const struct sample_options *o, struct gpu *gpu,
                  struct engine *e);
/* Is the launch to be timed? */
bool sampled_wants(struct sampled *s, const struct launch *l);
/* It is: its source is watched, L2 is warm. */
void sampled_begin(struct sampled *s, struct ptx_source *source);
/* The grid is about to go to the machine: perhaps not all of its blocks. */
void sampled_launch(struct sampled *s, const struct launch *l, const struct grid_source *grid);
/* It has ended on the machine; blocks that did not go there are executed. False: a fault. */
bool sampled_ended(struct sampled *s, const struct grid_run *run, enum launch_fault *fault,
                   struct err *err);
/* It is not: it is executed. False: a fault. */
bool sampled_execute(struct sampled *s, const struct launch *l, enum launch_fault *fault,
                     struct err *err);
/* The program has ended, what it did is estimated. */
void sampled_end(struct sampled *s);
/* Lines of the summary; after sampled_end. */
void sampled_summary(const struct sampled *s, struct text *out);
json_t *sampled_json(const struct sampled *s);
void sampled_fini(struct sampled *s);
/* What is executed without timing now, and how far; false: nothing is. */
bool sampled_is_executing(const struct sampled *s, char *out, size_t size);
/* The share of its blocks that have ended. */
double sampled_share_executed(const struct sampled *s);
/* The launches that have ended, as the end of a line; nothing while there are none. */
void sampled_progress(const struct sampled *s, char *out, size_t size);
/* Is it one of the totals in there? */
bool sampled_is_total(const char *name);

#endif
