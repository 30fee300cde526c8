/*
 * Threads that tick units at the same time.
 *
 * A stage is a run of units of one domain that share nothing within an instant but ports. It is cut
 * into shards, of one unit or of several that must be ticked by one thread, in order. Stages of one
 * instant between which no other unit ticks form a round, and so threads meet once in a cycle of
 * domains with one clock. Whichever thread ticks a unit, the result is the same: what a tick asks
 * of the engine is kept by its thread and merged by the first one.
 *
 * Each thread has a list of shards, the same ones from round to round, so that their state stays in
 * its cache. One that has come to the end of its list takes from the lists of others
 * (sim/threads/work_stealing.h), for this round only. So no thread waits for one that sleeps or
 * that the host does not run, unless it stopped in the middle of a shard. Where waiting for such
 * threads costs much there are too few free cores, and fewer threads take part for a while. A
 * thread spins for a while, then sleeps. A round with little to do is ticked by the first thread
 * alone.
 */
#ifndef SIM_THREADS_THREAD_POOL_H
#define SIM_THREADS_THREAD_POOL_H

#include "sim/threads/work_stealing.h"
#include "sim/engine.h"

#include <time.h>

#define MOST_STAGES 64u /* of an engine; more are not shared out */
#define MOST_WAITING 8u

struct thread_pool;
struct shard_schedule;

/* What a stage ticks: the first part of its units, or the second. */
enum stage_part { STAGE_TICK, STAGE_END, STAGE_PARTS };

struct stage {
    struct domain *domain;
    u32 index;      /* among all of the engine */
    u32 group;      /* stages that may be of one round; see engine_tick_apart */
    u32 number;     /* in its domain */
    u32 first, end; /* slots */
    bool has_ends;  /* its units have second parts */
    u32 shard_count;
    u32 *shard_first,
        *slots; /* of shard i: slots[shard_first[i]] to before slots[shard_first[i + 1]] */
    struct stage_pace {
        u64 unit; /* clocks that one unit takes, about; 0: not known yet */
        u32 sample;
    } pace[STAGE_PARTS];
};

/* What is ticked in one go. */
struct round {
    enum stage_part part;
    u32 count;
    struct stage *stages[MOST_STAGES];
    u32 units[MOST_STAGES];             /* of each: units that tick */
    struct unit *waiting[MOST_WAITING]; /* of no stage, to be ticked afterwards */
    u32 waiting_count;
};

/* What ticks of one thread ask of the engine, until they are merged. A thread has two, for rounds
 * of even and of odd numbers: it clears one while the first thread may still read the other. */
struct lane {
    _Alignas(64) u64 done; /* number of the round << CLAIM_BITS | positions of lists it has taken */
    u64 ticks, progress;
    u64 began, ended; /* host clocks */
    bool has_open, is_clear;
    u32 later_count, cancel_count, bell_count;
    u32 taken, stolen; /* positions; tasks of other lists */
    u64 *wakes;        /* bit per unit, by unit.bit */
    u64 *open;
    struct later_wake {
        u32 unit;
        cycle_t at;
    } * later;
    u32 *cancel;
    struct bell {
        u64 *word, bit;
    } * bells;
    struct claim next; /* of its own list: what it left */
    u64 random;
    struct thread_pool *thread_pool;
    u32 index;
};

/* Rounds of one group, and what they took in clocks of the host. */
struct thread_pool_counts {
    u64 rounds, missed;          /* missed: with a thread that stopped in the middle of a shard */
    u64 threads, absent, stolen; /* of all rounds: threads, those that did nothing, see lane */
    u64 clocks;                  /* of the first thread, from offer to merge */
    u64 begin;                   /* until the last thread has begun */
    u64 longest, busy;           /* in ticks: of the thread that took longest, of all */
};

extern _Thread_local struct lane *engine_lane __attribute__((tls_model("initial-exec")));

/* stages.c: the stages of a domain that can be shared out */
void stages_find(struct engine *e, struct domain *d);

/* NULL: there is nothing to share out, or no thread to be had. Units, stages and ports are there.
 */
struct thread_pool *thread_pool_create(struct engine *e, u32 threads);
void thread_pool_destroy(struct thread_pool *c);
u32 thread_pool_threads(const struct thread_pool *c);
/* Of a group; NULL: there are no more. */
const struct thread_pool_counts *thread_pool_counts(const struct thread_pool *c, u32 group);
/* Clocks of the host in a second. */
double thread_pool_clock_hz(const struct thread_pool *c);
/* Ticks the units of the round that have their bits set; false: it does not pay. */
bool thread_pool_tick(struct thread_pool *c, const struct round *r);
/* After the first thread has ticked so many units alone, in so many clocks. */
void stage_took(struct stage *s, enum stage_part part, u32 units, u64 clocks);
/* It wants to know how long that takes. */
static inline bool stage_asks(struct stage *s, enum stage_part part)
{
    return (s->pace[part].sample++ & 31) == 0;
}

/* rounds.c: all domains that tick at this instant, the first of which is this. */
void engine_tick_instant(struct engine *e, struct domain *first);
/* engine.c: what a cycle of a domain is made of. */
void engine_begin_cycle(const struct engine *e, struct domain *d);
void engine_end_cycle(const struct engine *e, struct domain *d);
/* Units from one slot to before another, by this thread. */
void engine_tick_slots(struct engine *e, struct domain *d, u32 from, u32 to);
/* What the units that have ticked so far have left to be done; those of a stage, or none. */
void engine_end_ticks(struct engine *e, struct domain *d, struct stage *s);
/* engine.c, for the first thread: what the lanes have kept. */
void engine_merge_wakes(struct engine *e, const u64 *wakes);
void engine_merge_later(struct engine *e, const struct lane *l);
void engine_merge_open(struct engine *e, const struct lane *l);

/* shard_schedule.c: which threads tick which shards. A task is a shard of a stage, or several where
 * there are more than MOST_TASKS. */
struct task {
    struct stage *stage;
    u32 from, to; /* in the slots of the stage */
    u32 word;     /* of a set of units of all domains, in which all of its are, and ... */
    u64 mask;     /* ... which they are there; 0: they are in several */
    u64 cost;     /* sampled: host clocks */
};

struct shard_lists {
    const struct shard_schedule *all; /* whose tasks its lists name */
    u32 threads;                      /* the first so many take part */
    u32 *first;      /* of thread i: list[first[i]] to before list[first[i + 1]], at least one */
    u32 *list;       /* tasks; first and list may be read by threads that come too late */
    u32 rounds_left; /* before tasks are dealt out anew */
};

/* Of the stages of one group. */
struct shard_schedule {
    struct task *tasks;
    u32 task_count;
    struct shard_lists *of; /* for 2 threads, for 4, ..., for as many as have tasks */
    u32 count;
    u32 chosen; /* which of them: with what work (clocks of a round, about) it pays */
    u64 work;
    u64 *scratch;
    struct thread_pool_counts counts;
};

void shard_schedule_make(struct shard_schedule *d, struct engine *e, u32 group, u32 threads);
void shard_schedule_by_cost(const struct shard_schedule *d, const struct shard_lists *deal);
void shard_schedule_at_random(const struct shard_schedule *d, const struct shard_lists *deal,
                              u64 *random);

/* See engine_fetch_ahead. */
static inline void slot_fetch(const struct slot_tick *s)
{
    const u8 *self = s->self;
    for (u32 at = 0; at < s->hot_bytes; at += 512) {
#pragma GCC unroll 8
        for (u32 line = 0; line < 512; line += 64)
            __builtin_prefetch(self + at + line);
    }
}

static inline u32 bits_count(const u64 *bits, u32 from, u32 to)
{
    u32 count = 0;
    for (u32 w = from / 64; w * 64 < to; w++) {
        u64 word = bits[w];
        if (w == from / 64)
            word &= ~(u64)0 << (from % 64);
        if (to - w * 64 < 64)
            word &= ((u64)1 << (to - w * 64)) - 1;
        count += (u32)__builtin_popcountll(word);
    }
    return count;
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
