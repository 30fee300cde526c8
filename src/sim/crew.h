/*
 * Threads that tick units of one stage at the same time.
 *
 * A stage is a run of units of one domain that share nothing within an instant: they talk through
 * ports to units of other stages or domains, which do not tick meanwhile. It is cut into shards,
 * of one unit or of several that must be ticked by one thread, in order. Each thread has its
 * shards, so that their state stays in its cache; one that has finished takes shards of others.
 * Whoever ticks what, the result is the same: what a tick asks of the engine is kept by its thread
 * and merged by the first when all have finished.
 *
 * The first thread waits for no other to begin: one that sleeps, or that the host does not run,
 * finds its shards ticked. A thread spins for a while, then sleeps. A stage with little to do is
 * ticked by the first thread alone; so is one that takes longer with all threads, for a while.
 */
#ifndef SIM_CREW_H
#define SIM_CREW_H

#include "sim/engine.h"

#include <time.h>

struct crew;

/* stages.c: the stages of a domain, those that can be shared out */
void stages_find(struct engine *e, struct domain *d);

/* What a stage ticks: the first part of its units, or the second. */
enum stage_part { STAGE_TICK, STAGE_END, STAGE_PARTS };

struct stage {
    u32 number;     /* in its domain */
    u32 first, end; /* slots */
    bool has_ends;  /* its units have second parts */
    u32 shard_count;
    u32 *shard_first,
        *slots; /* of shard i: slots[shard_first[i]] to before slots[shard_first[i + 1]] */
    struct deal {
        u32 threads;              /* the first so many take part */
        u32 **lists, *list_count; /* of each: its shards */
    } * deals;                    /* for 2 threads, for 4, ..., for all */
    u32 deal_count;
    u64 *cost; /* of each shard, sampled: host clocks */
    u32 runs;  /* since the shards were dealt out */
    struct stage_pace {
        u64 unit;    /* clocks that one unit takes, about; 0: not known yet */
        u64 floor;   /* less than this is not worth it */
        u64 busy;    /* of all threads, in a run that was sampled */
        u32 late;    /* times in a row that all threads took longer than one would have */
        u32 alone;   /* the next so many times without the others */
        u32 backoff; /* how many those were the last time */
        u32 sample;
    } pace[STAGE_PARTS];
};

/* What ticks of one thread ask of the engine, until they are merged. */
struct lane {
    _Alignas(64) u64 done; /* number of the run, and of the shards it has ticked in it */
    u64 ticks, progress, busy;
    bool has_wakes, has_open;
    u32 later_count, cancel_count;
    u64 *due, *open; /* bit per slot */
    u64 *wakes;      /* bit per unit */
    struct later_wake {
        u32 slot;
        cycle_t at;
    } * later;
    u32 *cancel;
    u64 random;
    struct crew *crew;
    u32 index;
    _Alignas(64) u64 claim; /* number of the run, shards taken, shards there are */
    u32 asleep;
};

extern _Thread_local struct lane *engine_lane __attribute__((tls_model("initial-exec")));

/* NULL: there is nothing to share out, or no thread to be had. Units, stages and ports are there.
 */
struct crew *crew_create(struct engine *e, u32 threads);
void crew_destroy(struct crew *c);
u32 crew_threads(const struct crew *c);
/* Does it pay to share out the ticks of these units? */
bool crew_pays(struct crew *c, struct stage *s, enum stage_part part, u32 units);
/* Ticks the units of the stage that have their bits set. */
void crew_tick(struct crew *c, struct domain *d, struct stage *s, enum stage_part part,
               const u64 *bits, u32 units);
/* After the first thread has ticked them alone, in so many clocks. */
void stage_took(struct stage *s, enum stage_part part, u32 units, u64 clocks);
/* It wants to know how long that takes. */
static inline bool stage_asks(struct stage *s, enum stage_part part)
{
    return (s->pace[part].sample++ & 31) == 0;
}

static inline u64 host_clock(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
#endif
}

#endif
