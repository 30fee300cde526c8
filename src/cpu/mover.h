/*
 * Moves a program between big and LITTLE cores of a cluster.
 *
 * Every period it looks at what the program did, asks the stream to stop where the thread may go
 * (cpu_mover: a pinned thread goes to no core with shorter vectors), and when the core has drained,
 * starts it on a core of the other kind, as many cycles later as its registers take through the
 * L2. Policy and cost are those of the context-management spec, 2.10.
 */
#ifndef CPU_MOVER_H
#define CPU_MOVER_H

#include "cpu/core.h"

enum move_policy { MOVE_NEVER, MOVE_ACTIVITY, MOVE_ALWAYS };

struct mover_counts {
    u64 samples, to_little, to_big;
    u64 drain_cycles;    /* from the wish to the empty core */
    u64 transfer_cycles; /* registers on their way */
    u64 transfer_bytes, pinned_moves;
    u64 longest_wait_cycles;
    u64 samples_on_little;
};

extern const struct stat_def mover_stats[];

struct core_mover {
    const struct core_config *config;
    struct core *cores;
    struct engine *engine;
    domain_id domain;
    unit_id unit;
    u64 period, disable_at; /* cycles; disable_at: 0: never */
    cycle_t sample_at;      /* the end of the period */
    struct core *at;        /* NULL: nothing runs */
    struct core *to;
    u32 first, end; /* cores that the program may be on */
    struct cpu_stream *stream;
    u8 application;
    cycle_t asked_at, left_at;
    struct timeline *timeline; /* a span for each stay on a core; NULL: not asked for */
    track_id track;
    u64 since_fs;
    struct core_counts before; /* of the core, when the period began */
    u64 lanes, active_lanes;
    struct mover_counts counts;
};

void mover_init(struct core_mover *m, const struct build_site *site, domain_id domain,
                const struct core_config *config, struct core *cores);
static inline bool mover_is_on(const struct core_mover *m)
{
    return m->config->move.policy != MOVE_NEVER;
}
bool mover_is_little(const struct core_mover *m, const struct core *c);
/* A program has been started on a core; m->first and end are set. One moves at a time. */
void mover_begin(struct core_mover *m, struct core *core, struct cpu_stream *stream,
                 u8 application);
/* Is it the one that moves? */
static inline bool mover_has(const struct core_mover *m, const struct cpu_stream *stream)
{
    return m->at && m->stream == stream;
}
/* The core has drained. False: the program has ended, and does not move. */
bool mover_has_left(struct core_mover *m, cycle_t now);
/* Between two instants: it goes on, on the core that it was to go to. */
void mover_arrive(struct core_mover *m);

#endif
